//! Keywords: there, with the right number of arguments, and in their places.

use rustc_hash::FxHashSet;

use super::{Findings, arguments};
use crate::ast::{Atom, Place, Rule, Term};
use crate::diagnostic::{Diagnostic, Severity};
use crate::symbol::Symbol;

/// How each keyword is used; the words in capitals are its arguments.
const USAGES: &[(Symbol, usize, &str)] = &[
    (Symbol::ROLE, 1, "(role ROLE)"),
    (Symbol::BASE, 1, "(base FLUENT)"),
    (Symbol::INPUT, 2, "(input ROLE MOVE)"),
    (Symbol::INIT, 1, "(init FLUENT)"),
    (Symbol::TRUE, 1, "(true FLUENT)"),
    (Symbol::NEXT, 1, "(next FLUENT)"),
    (Symbol::LEGAL, 2, "(legal ROLE MOVE)"),
    (Symbol::DOES, 2, "(does ROLE MOVE)"),
    (Symbol::GOAL, 2, "(goal ROLE VALUE)"),
    (Symbol::TERMINAL, 0, "terminal"),
];

/// What a game needs, and what to say if it is not there.
const NEEDED: &[(Symbol, Severity, &str, &str)] = &[
    (Symbol::ROLE, Severity::Error, "the game has no role", "add `(role NAME)` for each player"),
    (
        Symbol::LEGAL,
        Severity::Error,
        "no move is ever legal: nothing defines `legal`",
        "add rules for `(legal ROLE MOVE)`",
    ),
    (
        Symbol::TERMINAL,
        Severity::Warning,
        "the game never ends: nothing defines `terminal`",
        "add a rule for `terminal`",
    ),
    (
        Symbol::GOAL,
        Severity::Warning,
        "nobody ever scores: nothing defines `goal`",
        "add rules for `(goal ROLE VALUE)` with values from 0 to 100",
    ),
];

pub(super) fn check(findings: &mut Findings) {
    check_presence(findings);
    for rule in &findings.description.rules {
        check_arity(&rule.head, rule, findings);
        rule.for_each_body_atom(&mut |atom| {
            check_arity(atom, rule, findings);
            check_body(atom, rule, findings);
        });
    }
    check_functions(findings);
}

/// Whether a relation is a keyword with a number of arguments it cannot have.
pub(super) fn has_wrong_arity(relation: Symbol, count: usize) -> bool {
    usage(relation).is_some_and(|(_, arity, _)| *arity != count)
}

fn usage(relation: Symbol) -> Option<&'static (Symbol, usize, &'static str)> {
    USAGES.iter().find(|(keyword, _, _)| *keyword == relation)
}

fn check_arity(atom: &Atom, rule: &Rule, findings: &mut Findings) {
    let count = atom.arguments.len();
    let Some((_, arity, pattern)) = usage(atom.relation).filter(|usage| usage.1 != count) else {
        return;
    };
    let name = findings.name(atom.relation);
    let message = format!("`{name}` takes {}, not {count}", arguments(*arity));
    findings.error(rule, atom.place, message, format!("write `{pattern}`"));
}

/// `init` and `next` belong into heads. In a body they still have a meaning,
/// that of any other relation.
fn check_body(atom: &Atom, rule: &Rule, findings: &mut Findings) {
    if !matches!(atom.relation, Symbol::INIT | Symbol::NEXT) {
        return;
    }
    let name = findings.name(atom.relation);
    let message = format!("the condition asks for `{name}`, which is meant for heads only");
    let help = "did you mean `true`? Otherwise define a relation that both rules use";
    findings.warning(rule, atom.place, message, help);
}

fn check_presence(findings: &mut Findings) {
    let rules = &findings.description.rules;
    let defined: FxHashSet<Symbol> = rules.iter().map(|rule| rule.head.relation).collect();
    for &(keyword, severity, message, help) in NEEDED {
        if !defined.contains(&keyword) {
            let start = Place { line: 1, column: 1 };
            let diagnostic = Diagnostic::error(start, message, help);
            findings.add(None, Diagnostic { severity, ..diagnostic });
        }
    }
}

/// A keyword as a function is an ordinary name, but seldom meant: `(next (true
/// s))`.
fn check_functions(findings: &mut Findings) {
    let mut seen = FxHashSet::default();
    for rule in &findings.description.rules {
        let mut visit = |term: &Term, place: Place| {
            for_each_function(term, &mut |function| {
                if function.is_keyword() && seen.insert(function) {
                    warn_of_function(function, place, rule, findings);
                }
            });
        };
        rule.for_each_term(&mut visit);
    }
}

fn warn_of_function(function: Symbol, place: Place, rule: &Rule, findings: &mut Findings) {
    let name = findings.name(function);
    let message = format!("the keyword `{name}` is used as a function inside of a term");
    let help =
        format!("there it means nothing special; rename it or take `{name}` out of the term");
    findings.warning(rule, place, message, help);
}

fn for_each_function(term: &Term, visit: &mut impl FnMut(Symbol)) {
    if let Term::Compound(function, arguments) = term {
        visit(*function);
        arguments.iter().for_each(|argument| for_each_function(argument, visit));
    }
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::super::testing::*;

    #[test]
    fn every_keyword_has_its_number_of_arguments() {
        for head in
            ["role a b", "base", "input a", "init", "next a b", "legal a", "goal a", "terminal a"]
        {
            assert_error(&format!("({head})"), 1, &["takes"]);
        }
        assert_error("(<= p (true a b))", 7, &["`true` takes 1 argument, not 2"]);
        assert_error("(<= p (or (not (does a))))", 16, &["`does` takes 2 arguments, not 1"]);
    }

    #[test]
    fn keywords_as_they_should_be_are_fine() {
        assert_fine("(base s) (input r a) (<= (role q) (e 1)) (<= (terminal) (true s))");
        assert_fine("(<= (next t) (does r a) (true s) (distinct a b))");
    }

    #[test]
    fn a_game_needs_roles_and_moves() {
        let found = check(&crate::parse(b"").unwrap());
        let errors: Vec<bool> = found.iter().map(|finding| finding.is_error()).collect();
        assert_eq!(errors, [true, true, false, false], "{found:#?}");
    }

    #[test]
    fn heads_only_relations_in_bodies_are_doubtful() {
        assert_warning("(<= (base ?f) (init ?f))", 15, &["`init`"]);
        assert_warning("(<= (next t) (next s)) (next s)", 14, &["`next`"]);
    }

    #[test]
    fn keywords_as_functions_are_named_once() {
        assert_warning("(<= (next (true s)) (true (true t)))", 5, &["`true`", "function"]);
        assert_warning("(<= (next t) (true (or s u)))", 14, &["`or`"]);
        assert_fine("(init goal) (init random)");
    }
}
