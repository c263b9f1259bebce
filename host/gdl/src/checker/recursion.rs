//! The recursion restriction: a condition in a cycle with the head may pass on
//! the head's own arguments, ground terms, and what conditions outside of the
//! cycle bind. Then recursion cannot make ever larger terms. A rule that breaks
//! it may still be harmless, and the limits of the grounder catch it if not.

use rustc_hash::FxHashSet;

use super::Findings;
use super::dependencies::Dependencies;
use super::safety::Bound;
use crate::ast::{Atom, Literal, Rule, Term};

pub(super) fn check(dependencies: &Dependencies, findings: &mut Findings) {
    for rule in &findings.description.rules {
        let mut recursive = Vec::new();
        rule.body.iter().for_each(|literal| {
            for_each_positive(literal, &mut |atom| {
                if dependencies.recurse(&rule.head, atom) {
                    recursive.push(atom);
                }
            });
        });
        if !recursive.is_empty() {
            check_rule(rule, &recursive, dependencies, findings);
        }
    }
}

fn check_rule(
    rule: &Rule,
    recursive: &[&Atom],
    dependencies: &Dependencies,
    findings: &mut Findings,
) {
    let passed_on: FxHashSet<&Term> = rule.head.arguments.iter().collect();
    let outside = Bound::by_body(rule, &|atom| !dependencies.recurse(&rule.head, atom));
    for atom in recursive {
        let free = |term: &&Term| !passed_on.contains(term) && !is_bound(term, &outside);
        if let Some(term) = atom.arguments.iter().find(free) {
            warn(rule, atom, term, findings);
        }
    }
}

fn is_bound(term: &Term, bound: &Bound) -> bool {
    let mut all = true;
    term.for_each_variable(&mut |variable| all &= bound.contains(variable));
    all
}

fn for_each_positive<'a>(literal: &'a Literal, visit: &mut impl FnMut(&'a Atom)) {
    match literal {
        Literal::Atom(atom) => visit(atom),
        Literal::Or(branches, _) => branches.iter().for_each(|b| for_each_positive(b, visit)),
        Literal::Distinct(..) | Literal::Not(..) => {}
    }
}

fn warn(rule: &Rule, atom: &Atom, term: &Term, findings: &mut Findings) {
    let message = format!(
        "`{}` recurs with `{}`, which nothing outside of the recursion bounds",
        findings.name(rule.head.relation),
        findings.description.term_excerpt(term),
    );
    let help = "add a condition outside of the recursion that says what it can be; otherwise \
                grounding may not end and is stopped by its limits";
    findings.warning(rule, atom.place, message, help);
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;

    #[test]
    fn bounded_recursion_is_fine() {
        assert_fine("(<= (p ?x ?y) (f ?x ?y)) (<= (p ?x ?y) (f ?x ?z) (p ?z ?y))");
        assert_fine("(<= (p ?x) (p ?x) (e ?x))");
        assert_fine("(<= (p left) (p up)) (<= (p up) (p left))");
        assert_fine("(<= (p ?x (g ?x)) (p ?y ?x) (e ?y))");
        assert_fine("(<= (p ?x) (p (g ?y)) (true (c ?x ?y)))");
    }

    #[test]
    fn unbounded_recursion_is_warned_of() {
        assert_warning("(<= (p (g ?x)) (p ?x))", 16, &["`p`", "`?x`"]);
        assert_warning("(<= (p ?x) (q ?x ?y)) (<= (q ?x ?y) (p ?x) (e ?y))", 12, &["`?y`"]);
        assert_warning("(<= (p (g ?x)) (or (e ?x) (p ?x)))", 27, &["`?x`"]);
    }

    #[test]
    fn negated_recursion_binds_nothing_and_is_not_judged() {
        assert_fine("(<= (p ?x) (e ?x) (not (p ?x)))");
    }
}
