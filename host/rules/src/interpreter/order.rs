//! In which order the conditions of a clause are proved.

use super::program::{Clause, Condition, Program, Relation};
use super::terms::Pattern;

/// The conditions of a clause in an order in which each finds bound what it needs, and
/// those come first that say most. The mask says which arguments of the head are known.
pub(super) fn order(
    program: &Program,
    (state, does): (Relation, Relation),
    clause: &Clause,
    mask: u64,
) -> Box<[usize]> {
    let small = Small { program, state, does };
    let mut bound = vec![false; clause.variables];
    for (place, pattern) in clause.head.iter().enumerate() {
        if mask >> place.min(63) & 1 == 1 {
            bind(pattern, &mut bound);
        }
    }
    let mut left: Vec<usize> = (0..clause.conditions.len()).collect();
    let mut ordered = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let cost = |at: &usize| (small.cost(&clause.conditions[left[*at]], &bound), *at);
        let best = (0..left.len()).min_by_key(cost).unwrap_or(0);
        let chosen = left.remove(best);
        if let Condition::Holds(_, patterns) = &clause.conditions[chosen] {
            patterns.iter().for_each(|pattern| bind(pattern, &mut bound));
        }
        if let Condition::Equal(one, other) = &clause.conditions[chosen] {
            bind(one, &mut bound);
            bind(other, &mut bound);
        }
        ordered.push(chosen);
    }
    ordered.into()
}

/// What waits for its variables to be bound.
const NOT_YET: usize = usize::MAX;

/// What is known about how much relations say.
struct Small<'a> {
    program: &'a Program,
    state: Relation,
    does: Relation,
}

impl Small<'_> {
    fn cost(&self, condition: &Condition, bound: &[bool]) -> usize {
        match condition {
            Condition::Different(one, other) => match free(one, bound) + free(other, bound) {
                0 => 0,
                _ => NOT_YET,
            },
            Condition::Equal(one, other) => match free(one, bound).min(free(other, bound)) {
                0 => 0,
                _ => NOT_YET,
            },
            Condition::Fails(_, patterns) => match all_free(patterns, bound) {
                0 => 2,
                _ => NOT_YET,
            },
            // As many as there are roles.
            Condition::Holds(relation, _) if *relation == self.does => 1,
            Condition::Holds(relation, patterns) => {
                let free = all_free(patterns, bound);
                if *relation == self.state {
                    return 1 + 2 * free;
                }
                let is_derived = !self.program.entries[*relation].clauses.is_empty();
                let is_apart = free > 0 && patterns.iter().all(|each| !is_touched(each, bound));
                1 + 4 * free + usize::from(is_derived) + if is_apart { 40 } else { 0 }
            }
        }
    }
}

fn all_free(patterns: &[Pattern], bound: &[bool]) -> usize {
    patterns.iter().map(|pattern| free(pattern, bound)).sum()
}

/// Variables of a pattern that are not bound.
fn free(pattern: &Pattern, bound: &[bool]) -> usize {
    match pattern {
        Pattern::Variable(number) => usize::from(!bound[*number]),
        Pattern::Ground(_) => 0,
        Pattern::Compound(_, inner) => all_free(inner, bound),
    }
}

/// Whether anything of a pattern is known beside its function.
fn is_touched(pattern: &Pattern, bound: &[bool]) -> bool {
    match pattern {
        Pattern::Variable(number) => bound[*number],
        Pattern::Ground(_) => true,
        Pattern::Compound(_, inner) => inner.iter().any(|each| is_touched(each, bound)),
    }
}

fn bind(pattern: &Pattern, bound: &mut [bool]) {
    match pattern {
        Pattern::Variable(number) => bound[*number] = true,
        Pattern::Ground(_) => {}
        Pattern::Compound(_, inner) => inner.iter().for_each(|each| bind(each, bound)),
    }
}
