//! What a description must obey beyond its syntax, one question per file:
//!
//! | file | question |
//! |---|---|
//! | `keywords` | are the keywords there, and used as they may be? |
//! | `names` | do names that look alike mean the same, and is everything defined? |
//! | `safety` | is every variable bound? |
//! | `dependencies` | which relation needs which; does the past need the future? |
//! | `goals` | are scores numbers from 0 to 100? |
//! | `dialect` | is it a game of chance or hidden information, in GDL-II? |
//! | `recursion` | does recursion stay within finitely many terms? |
//!
//! Negation inside of a cycle of relations is not judged here: many games are
//! stratified only after grounding.

mod dependencies;
mod dialect;
pub(crate) mod goals;
mod keywords;
mod names;
mod recursion;
mod safety;

use crate::ast::{Description, Place, Rule};
use crate::diagnostic::{Diagnostic, Severity};
use crate::symbol::Symbol;
use dependencies::Dependencies;

/// Everything that is wrong with a description or looks wrong, in the order of
/// the places.
pub fn check(description: &Description) -> Vec<Diagnostic> {
    let mut findings = Findings::new(description);
    keywords::check(&mut findings);
    goals::check(&mut findings);
    dialect::check(&mut findings);
    names::check(&mut findings);
    safety::check(&mut findings);
    let dependencies = Dependencies::new(description);
    dependencies.check(&mut findings);
    recursion::check(&dependencies, &mut findings);
    findings.finish()
}

/// How many errors are kept, and how many warnings. Broken input could make one
/// for every few bytes, and nobody reads them all.
const KEPT: usize = 100;

/// Collects what the checks find.
struct Findings<'a> {
    description: &'a Description,
    kept: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
}

impl<'a> Findings<'a> {
    fn new(description: &'a Description) -> Self {
        Findings { description, kept: Vec::new(), errors: 0, warnings: 0 }
    }

    fn name(&self, symbol: Symbol) -> &'a str {
        self.description.symbols.name(symbol)
    }

    fn error(&mut self, rule: &Rule, place: Place, message: String, help: impl Into<String>) {
        self.add(Some(rule), Diagnostic::error(place, message, help));
    }

    fn warning(&mut self, rule: &Rule, place: Place, message: String, help: impl Into<String>) {
        self.add(Some(rule), Diagnostic::warning(place, message, help));
    }

    fn add(&mut self, rule: Option<&Rule>, diagnostic: Diagnostic) {
        let count = match diagnostic.severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
        };
        *count += 1;
        if *count > KEPT {
            return;
        }
        self.kept.push(match rule {
            Some(rule) => diagnostic.in_rule(self.description.rule_excerpt(rule)),
            None => diagnostic,
        });
    }

    fn finish(mut self) -> Vec<Diagnostic> {
        let order = |d: &Diagnostic| (d.place, d.severity, d.message.clone());
        self.kept.sort_by_cached_key(order);
        let end = self.kept.last().map_or_else(Place::default, |last| last.place);
        self.kept.extend(left_out(self.errors, Severity::Error, end));
        self.kept.extend(left_out(self.warnings, Severity::Warning, end));
        self.kept
    }
}

fn left_out(count: usize, severity: Severity, end: Place) -> Option<Diagnostic> {
    let more = count.checked_sub(KEPT).filter(|&more| more > 0)?;
    let message = format!("{more} more of the kind `{severity}` are not listed");
    let diagnostic = Diagnostic::error(end, message, "correct those that are listed first");
    Some(Diagnostic { severity, ..diagnostic })
}

/// `1 argument`, `2 arguments`.
fn arguments(count: usize) -> String {
    format!("{count} argument{}", if count == 1 { "" } else { "s" })
}

/// For the tests of the checks: what they say about a source.
#[cfg(test)]
mod testing {
    use super::*;

    /// A game without faults to put rules into.
    pub const GAME: &str = "(role r) (init s) (legal r a) (goal r 100) (<= terminal (true s)) \
                            (e 1) (e 2) (f 1 2)\n";

    pub fn findings(rules: &str) -> Vec<Diagnostic> {
        check(&crate::parse(format!("{GAME}{rules}").as_bytes()).unwrap())
    }

    pub fn assert_fine(rules: &str) {
        assert_eq!(findings(rules), [], "{rules}");
    }

    /// There is one finding, at this column of the first line of `rules`; its
    /// message holds all the pieces.
    pub fn assert_finding(severity: Severity, rules: &str, column: u32, pieces: &[&str]) {
        let found = findings(rules);
        assert_eq!(found.len(), 1, "{rules}: {found:#?}");
        let only = &found[0];
        assert_eq!((only.severity, only.place), (severity, Place { line: 2, column }), "{only}");
        pieces.iter().for_each(|piece| assert!(only.message.contains(piece), "{only}"));
        assert!(only.rule.is_some() && !only.help.is_empty());
    }

    pub fn assert_error(rules: &str, column: u32, pieces: &[&str]) {
        assert_finding(Severity::Error, rules, column, pieces);
    }

    pub fn assert_warning(rules: &str, column: u32, pieces: &[&str]) {
        assert_finding(Severity::Warning, rules, column, pieces);
    }
}

#[cfg(test)]
mod tests {
    use super::testing::*;
    use super::*;

    #[test]
    fn findings_are_in_the_order_of_their_places() {
        let found = findings("(p ?x)\n(<= (q ?x) nowhere)\n(goal r)");
        let places: Vec<Place> = found.iter().map(|finding| finding.place).collect();
        assert!(places.is_sorted() && places.len() == 4, "{found:#?}");
    }

    #[test]
    fn floods_are_cut_and_counted() {
        let found = findings(&"(p ?x)".repeat(KEPT + 7));
        assert_eq!(found.len(), KEPT + 1);
        let last = found.last().unwrap();
        assert!(last.is_error() && last.message.starts_with("7 more"), "{last}");
    }

    #[test]
    fn negation_in_a_cycle_is_left_to_the_compiler() {
        assert_fine("(<= p (not q)) (<= q (not p))");
    }
}
