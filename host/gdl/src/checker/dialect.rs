//! Words of GDL-II, the language of games with chance and hidden information. Here
//! everybody sees the whole state and every role chooses: what would be played is
//! another game than the one that was meant.

use super::Findings;
use crate::ast::{Atom, Rule, Term};
use crate::symbol::Symbol;

pub(super) fn check(findings: &mut Findings) {
    let rules = &findings.description.rules;
    if let Some(rule) = rules.iter().find(|rule| is_random_role(&rule.head, findings)) {
        warn_of_random(rule, findings);
    }
    let is_asked_for = rules.iter().any(|rule| {
        let mut asks = false;
        rule.for_each_body_atom(&mut |atom| asks |= is_percept(atom, findings));
        asks
    });
    let first = rules.iter().find(|rule| is_percept(&rule.head, findings));
    // What a condition asks for is a relation of the game's own.
    if let Some(rule) = first.filter(|_| !is_asked_for) {
        warn_of_sees(rule, findings);
    }
}

fn is_random_role(head: &Atom, findings: &Findings) -> bool {
    let named = |symbol| findings.name(symbol) == "random";
    let is_random = |term: &Term| matches!(term, Term::Constant(symbol) if named(*symbol));
    head.relation == Symbol::ROLE && head.arguments.iter().all(is_random)
}

fn is_percept(atom: &Atom, findings: &Findings) -> bool {
    atom.arguments.len() == 2 && findings.name(atom.relation).eq_ignore_ascii_case("sees")
}

fn warn_of_random(rule: &Rule, findings: &mut Findings) {
    let message = "the role `random` is a player like any other here: it chooses its moves";
    let help = "chance as in GDL-II is not known; give the role another name if it is a player";
    findings.warning(rule, rule.head.place, message.to_owned(), help);
}

fn warn_of_sees(rule: &Rule, findings: &mut Findings) {
    let message = "rules for `sees` are ignored: every player sees the whole state";
    let help = "hidden information as in GDL-II is not known; remove the rules";
    findings.warning(rule, rule.head.place, message.to_owned(), help);
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;

    #[test]
    fn a_role_of_chance_is_warned_of_once() {
        let rest = "(legal random a) (goal random 0)";
        assert_warning(&format!("(role random) {rest}"), 1, &["`random`", "chooses"]);
        assert_warning(&format!("(<= (role Random) (e 1)) (role random) {rest}"), 5, &["`random`"]);
    }

    #[test]
    fn random_as_an_ordinary_name_is_fine() {
        assert_fine("(init random) (init (f random)) (legal r random) (random 1)");
        assert_fine("(<= (next (f ?x)) (random ?x) (does r random)) (random r)");
    }

    #[test]
    fn percepts_are_warned_of_once() {
        let rules = "(<= (sees r ?x) (e ?x)) (<= (sees r all) (true s))";
        assert_warning(rules, 5, &["`sees`", "ignored"]);
    }

    #[test]
    fn sees_as_a_relation_of_the_game_is_fine() {
        assert_fine("(sees 1 2) (<= (next t) (sees 1 2))");
        assert_fine("(sees 1) (init (sees r a))");
    }
}
