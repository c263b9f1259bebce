//! Names that look alike but are different, and names that nothing defines.

use rustc_hash::{FxHashMap, FxHashSet};

use super::keywords::has_wrong_arity;
use super::{Findings, arguments};
use crate::ast::{Place, Rule, Term};
use crate::symbol::Symbol;

pub(super) fn check(findings: &mut Findings) {
    check_spelling(findings);
    check_variable_spelling(findings);
    check_arities(findings);
    check_definitions(findings);
}

/// How a name is used.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Use {
    Relation,
    Function,
    Constant,
}

/// Calls `visit` with every name that is not a variable, how it is used, and
/// with how many arguments.
fn for_each_use(rule: &Rule, visit: &mut impl FnMut(Symbol, Use, usize, Place)) {
    let head = &rule.head;
    visit(head.relation, Use::Relation, head.arguments.len(), head.place);
    rule.for_each_body_atom(&mut |atom| {
        visit(atom.relation, Use::Relation, atom.arguments.len(), atom.place);
    });
    rule.for_each_term(&mut |term, place| for_each_use_in_term(term, place, visit));
}

fn for_each_use_in_term(
    term: &Term,
    place: Place,
    visit: &mut impl FnMut(Symbol, Use, usize, Place),
) {
    match term {
        Term::Variable(_) => {}
        Term::Constant(symbol) => visit(*symbol, Use::Constant, 0, place),
        Term::Compound(function, arguments) => {
            visit(*function, Use::Function, arguments.len(), place);
            arguments.iter().for_each(|argument| for_each_use_in_term(argument, place, visit));
        }
    }
}

/// Where a name was seen first.
type FirstUse<'a> = (Symbol, Place, &'a Rule);

fn check_spelling(findings: &mut Findings) {
    let mut seen = FxHashSet::default();
    let mut groups: FxHashMap<String, Vec<FirstUse>> = FxHashMap::default();
    for rule in &findings.description.rules {
        for_each_use(rule, &mut |symbol, _, _, place| {
            if seen.insert(symbol) {
                let folded = findings.name(symbol).to_lowercase();
                groups.entry(folded).or_default().push((symbol, place, rule));
            }
        });
    }
    for group in groups.values().filter(|group| group.len() > 1) {
        warn_of_spelling(group, "names", findings);
    }
}

const NAMED: usize = 5;

fn warn_of_spelling(group: &[FirstUse], kind: &str, findings: &mut Findings) {
    let quoted = |(symbol, _, _): &FirstUse| format!("`{}`", findings.name(*symbol));
    let spellings: Vec<String> = group.iter().take(NAMED).map(quoted).collect();
    let message =
        format!("the {kind} {} differ only in case and are different", spellings.join(", "));
    let (_, place, rule) = group[1];
    findings.warning(rule, place, message, "spell it the same way everywhere if it is one name");
}

/// Variables live in one rule: only there can two spellings be confused.
fn check_variable_spelling(findings: &mut Findings) {
    let mut reported = FxHashSet::default();
    for rule in &findings.description.rules {
        let mut groups: FxHashMap<String, Vec<FirstUse>> = FxHashMap::default();
        let mut seen = FxHashSet::default();
        rule.for_each_term(&mut |term, place| {
            term.for_each_variable(&mut |variable| {
                if seen.insert(variable) {
                    let folded = findings.name(variable).to_lowercase();
                    groups.entry(folded).or_default().push((variable, place, rule));
                }
            });
        });
        for (folded, group) in groups {
            if group.len() > 1 && reported.insert(folded) {
                warn_of_spelling(&group, "variables", findings);
            }
        }
    }
}

fn check_arities(findings: &mut Findings) {
    let mut first = FxHashMap::default();
    let mut reported = FxHashSet::default();
    for rule in &findings.description.rules {
        let mut differing = Vec::new();
        for_each_use(rule, &mut |symbol, used, count, place| {
            let before = *first.entry((symbol, used)).or_insert(count);
            let judged = used != Use::Constant && !has_wrong_arity(symbol, count);
            if judged && before != count && reported.insert((symbol, used)) {
                differing.push((symbol, used, before, count, place));
            }
        });
        for (symbol, used, before, count, place) in differing {
            let (kind, help) = match used {
                Use::Relation => ("relation", "the two are different relations"),
                _ => ("function", "terms of the two never match"),
            };
            let (name, count) = (findings.name(symbol), arguments(count));
            let message = format!("the {kind} `{name}` has {count} here and {before} before");
            let help = format!("{help}: give them different names, or the same arguments");
            findings.warning(rule, place, message, help);
        }
    }
}

/// What a body asks for and nothing defines is never true.
fn check_definitions(findings: &mut Findings) {
    let rules = &findings.description.rules;
    let given = [(Symbol::TRUE, 1), (Symbol::DOES, 2)];
    let heads = rules.iter().map(|rule| (rule.head.relation, rule.head.arguments.len()));
    let mut known: FxHashSet<(Symbol, usize)> = heads.chain(given).collect();
    let defined: FxHashSet<Symbol> = rules.iter().map(|rule| rule.head.relation).collect();
    for rule in rules {
        rule.for_each_body_atom(&mut |atom| {
            let count = atom.arguments.len();
            if !has_wrong_arity(atom.relation, count) && known.insert((atom.relation, count)) {
                let (message, help) = undefined(atom.relation, count, &defined, findings);
                findings.warning(rule, atom.place, message, help);
            }
        });
    }
}

fn undefined(
    relation: Symbol,
    count: usize,
    defined: &FxHashSet<Symbol>,
    findings: &Findings,
) -> (String, &'static str) {
    let name = findings.name(relation);
    if name.eq_ignore_ascii_case("and") {
        let message = format!("`{name}` is not a keyword of GDL; as a relation it is never true");
        return (
            message,
            "the conditions of a body are already joined: list them one after the other, and \
             inside of `or` or `not` use a relation of your own",
        );
    }
    let message = format!("nothing defines `{name}` with {}; it is never true", arguments(count));
    let help = match defined.contains(&relation) {
        true => "it is defined with another number of arguments; use the same",
        false => "define it, correct its name, or remove the condition",
    };
    (message, help)
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;

    #[test]
    fn spellings_that_differ_in_case_are_named_once() {
        assert_warning("(init (Cell x)) (init (cell x))", 17, &["`Cell`, `cell`"]);
        let found = findings("(init timeOut) (init timeout) (init TimeOut) (init S)");
        assert_eq!(found.len(), 2, "{found:#?}");
        assert_fine("(init (f TRUE)) (init (g true))");
    }

    #[test]
    fn variables_are_compared_within_a_rule() {
        assert_warning("(<= p (e ?x) (e ?X))", 14, &["`?x`, `?X`"]);
        assert_fine("(<= p (e ?x)) (<= q (e ?X))");
    }

    #[test]
    fn arities_are_compared_by_use() {
        assert_warning("(p 1) (p 1 2)", 7, &["relation `p` has 2 arguments here and 1 before"]);
        assert_warning("(init (g 1)) (init (g 1 2))", 14, &["function `g`"]);
        assert_warning("(init (g)) (init (g 1))", 12, &["function `g`"]);
        assert_fine("(init g) (init (g 1)) (g 1 2)");
    }

    #[test]
    fn what_nothing_defines_is_named_once() {
        assert_warning("(<= p nowhere) (<= q (not nowhere))", 7, &["`nowhere`", "never true"]);
        let found = findings("(<= p (e 1 2))");
        assert_eq!(found.len(), 2, "{found:#?}");
        assert!(found.iter().any(|finding| finding.help.contains("another number")));
    }

    #[test]
    fn and_gets_its_own_words() {
        assert_warning("(<= p (and s s))", 7, &["`and` is not a keyword"]);
    }
}
