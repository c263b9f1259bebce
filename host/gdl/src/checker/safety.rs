//! Safety: a rule may only speak of things that its positive conditions found.
//!
//! The order of the conditions does not matter. An `or` binds what each of its
//! branches binds; `not` and `distinct` bind nothing. As a branch is a single
//! condition, this is the same as to look at every choice of branches.

use rustc_hash::FxHashSet;

use super::Findings;
use crate::ast::{Atom, Literal, Place, Rule};
use crate::symbol::Symbol;

/// The variables that a condition binds.
pub(super) enum Bound {
    Only(FxHashSet<Symbol>),
    /// What is never true binds everything.
    Everything,
}

impl Bound {
    fn nothing() -> Self {
        Bound::Only(FxHashSet::default())
    }

    /// What the positive atoms of a body bind, as far as they are `counted`.
    pub(super) fn by_body(rule: &Rule, counted: &impl Fn(&Atom) -> bool) -> Self {
        let bound = rule.body.iter().map(|literal| Bound::by(literal, counted));
        bound.fold(Bound::nothing(), Bound::union)
    }

    fn by(literal: &Literal, counted: &impl Fn(&Atom) -> bool) -> Self {
        match literal {
            Literal::Atom(atom) if counted(atom) => Bound::by_atom(atom),
            Literal::Atom(_) | Literal::Distinct(..) | Literal::Not(..) => Bound::nothing(),
            Literal::Or(branches, _) => branches
                .iter()
                .map(|branch| Bound::by(branch, counted))
                .fold(Bound::Everything, Bound::intersection),
        }
    }

    fn by_atom(atom: &Atom) -> Self {
        let mut variables = FxHashSet::default();
        atom.for_each_variable(&mut |variable| {
            variables.insert(variable);
        });
        Bound::Only(variables)
    }

    pub(super) fn contains(&self, variable: Symbol) -> bool {
        match self {
            Bound::Only(variables) => variables.contains(&variable),
            Bound::Everything => true,
        }
    }

    fn union(self, other: Self) -> Self {
        match (self, other) {
            (Bound::Only(left), Bound::Only(right)) => {
                let (mut large, small) = by_size(left, right);
                large.extend(small);
                Bound::Only(large)
            }
            _ => Bound::Everything,
        }
    }

    fn intersection(self, other: Self) -> Self {
        match (self, other) {
            (Bound::Only(left), Bound::Only(right)) => {
                let (large, mut small) = by_size(left, right);
                small.retain(|variable| large.contains(variable));
                Bound::Only(small)
            }
            (Bound::Everything, bound) | (bound, Bound::Everything) => bound,
        }
    }
}

/// The larger set first: the work is on the smaller one, so that nested `or`s
/// do not look at the same variables on every level.
fn by_size(
    left: FxHashSet<Symbol>,
    right: FxHashSet<Symbol>,
) -> (FxHashSet<Symbol>, FxHashSet<Symbol>) {
    if left.len() < right.len() { (right, left) } else { (left, right) }
}

pub(super) fn check(findings: &mut Findings) {
    for rule in &findings.description.rules {
        let bound = Bound::by_body(rule, &|_| true);
        let mut unbound = Unbound::new(&bound);
        rule.head.for_each_variable(&mut |variable| unbound.note(variable));
        unbound.report(rule, rule.head.place, "the head", findings);
        for literal in &rule.body {
            check_literal(literal, rule, &bound, findings);
        }
    }
}

fn check_literal(literal: &Literal, rule: &Rule, bound: &Bound, findings: &mut Findings) {
    let where_it_is = match literal {
        Literal::Atom(_) => return,
        Literal::Or(branches, _) => {
            return branches.iter().for_each(|b| check_literal(b, rule, bound, findings));
        }
        Literal::Not(..) => "`not`",
        Literal::Distinct(..) => "`distinct`",
    };
    let mut unbound = Unbound::new(bound);
    literal.for_each_variable(&mut |variable| unbound.note(variable));
    unbound.report(rule, literal.place(), where_it_is, findings);
}

/// The variables of one part of a rule that nothing binds, each once, in order.
struct Unbound<'a> {
    bound: &'a Bound,
    seen: FxHashSet<Symbol>,
    found: Vec<Symbol>,
}

const NAMED: usize = 5;

impl<'a> Unbound<'a> {
    fn new(bound: &'a Bound) -> Self {
        Unbound { bound, seen: FxHashSet::default(), found: Vec::new() }
    }

    fn note(&mut self, variable: Symbol) {
        if !self.bound.contains(variable) && self.seen.insert(variable) {
            self.found.push(variable);
        }
    }

    fn report(&self, rule: &Rule, place: Place, part: &str, findings: &mut Findings) {
        let Some(first) = self.found.first() else { return };
        let message = format!("nothing binds {} in {part}", self.names(findings));
        let help = format!(
            "add a condition outside of `not` that says what `{}` can be; an `or` does so only \
             if each of its branches does",
            findings.name(*first),
        );
        findings.error(rule, place, message, help);
    }

    fn names(&self, findings: &Findings) -> String {
        let quoted = |symbol: &Symbol| format!("`{}`", findings.name(*symbol));
        let named: Vec<String> = self.found.iter().take(NAMED).map(quoted).collect();
        match self.found.len().saturating_sub(NAMED) {
            0 => named.join(", "),
            more => format!("{} and {more} more variables", named.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;

    #[test]
    fn variables_of_the_head_must_be_bound() {
        assert_error("(p ?x)", 1, &["`?x`", "the head"]);
        assert_error("(<= (p ?x (g ?y)) (e ?x))", 5, &["`?y`"]);
        assert_fine("(<= (p ?x (g ?y)) (f (h ?y) ?x) (true (g ?x)))");
    }

    #[test]
    fn variables_of_negations_must_be_bound() {
        assert_error("(<= p (not (true ?x)))", 7, &["`?x`", "`not`"]);
        assert_error("(<= p (not (or (e ?x) (e 1))))", 7, &["`?x`"]);
        assert_error("(<= p (not (not (e ?x))))", 7, &["`?x`"]);
        assert_error("(<= p (e ?x) (or (e 1) (not (f ?x ?y))))", 24, &["`?y`"]);
    }

    #[test]
    fn variables_of_distinct_must_be_bound() {
        assert_error("(<= p (distinct ?x c))", 7, &["`?x`", "`distinct`"]);
        assert_error("(<= p (e ?x) (or (distinct ?x ?y) (e ?y)))", 18, &["`?y`"]);
        assert_error("(<= p (distinct ?x ?y) (e ?x) (or (e ?y) (e 1)))", 7, &["`?y`"]);
    }

    #[test]
    fn the_order_of_conditions_does_not_matter() {
        assert_fine("(<= p (distinct ?x ?y) (not (f ?x ?y)) (e ?x) (e ?y))");
    }

    #[test]
    fn an_or_binds_what_all_branches_bind() {
        assert_fine("(<= (p ?x) (or (e ?x) (f ?x ?y) (or (e ?x) (f 1 ?x))))");
        assert_error("(<= (p ?x) (or (e ?x) (e 1)))", 5, &["`?x`"]);
        assert_error("(<= (p ?x) (or (e ?x) (or (e ?x) (not (e 1)))))", 5, &["`?x`"]);
        assert_fine("(<= (p ?x) (or))");
        assert_fine("(<= (p ?x) (or (e ?x) (or)))");
    }

    #[test]
    fn several_variables_share_an_error() {
        assert_error("(p ?a ?b ?a ?c ?d ?e ?f ?g)", 1, &["`?a`, `?b`, `?c`", "and 2 more"]);
    }
}
