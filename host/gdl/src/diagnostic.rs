//! What the front end has to say about a description.

use std::fmt;

use crate::ast::Place;
use crate::lexer::{decode, ends_line, without_byte_order_mark};

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The description cannot be used.
    Error,
    /// The description has a meaning, but perhaps not the one that was meant.
    Warning,
}

/// One finding: where, what, and what to do about it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{place}: {severity}: {message}; {help}")]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// Where it is in the source.
    pub place: Place,
    /// The text of the rule around it, shortened.
    pub rule: Option<String>,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: String,
}

impl Diagnostic {
    /// An error outside of any rule.
    pub fn error(place: Place, message: impl Into<String>, help: impl Into<String>) -> Self {
        let severity = Severity::Error;
        Diagnostic { severity, place, rule: None, message: message.into(), help: help.into() }
    }

    /// A warning outside of any rule.
    pub fn warning(place: Place, message: impl Into<String>, help: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Self::error(place, message, help) }
    }

    /// The same, inside of a rule with this text.
    pub fn in_rule(self, text: String) -> Self {
        Diagnostic { rule: Some(text), ..self }
    }

    /// Whether it is an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The full text for a person: `file:line:column`, the message, the line of
    /// the source with a caret, the rule if that line does not show it, and the
    /// help.
    pub fn render(&self, file: &str, source: &[u8]) -> String {
        let mut text = format!("{file}:{}: {}: {}\n", self.place, self.severity, self.message);
        let shown = source_line(source, self.place.line).map(|line| window(&line, self.place));
        if let Some((line, caret)) = &shown {
            text += &format!("    {line}\n    {caret}^\n");
        }
        if let Some(rule) = self.rule.as_ref().filter(|rule| !shows(&shown, rule)) {
            text += &format!("  rule: {rule}\n");
        }
        text + &format!("  help: {}\n", self.help)
    }
}

fn shows(shown: &Option<(String, String)>, rule: &str) -> bool {
    shown.as_ref().is_some_and(|(line, _)| line.contains(rule))
}

impl fmt::Display for Severity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        })
    }
}

/// The text of a line, from 1; lines end where the lexer ends them.
fn source_line(source: &[u8], line: u32) -> Option<String> {
    let mut rest = without_byte_order_mark(source);
    for _ in 1..line {
        rest = &rest[line_width(rest)?..];
    }
    let line = &rest[..line_width(rest).unwrap_or(rest.len())];
    let text = decode(line).trim_end().to_owned();
    (!text.is_empty()).then_some(text)
}

/// How many bytes the first line takes with its end; nothing if it has no end.
fn line_width(bytes: &[u8]) -> Option<usize> {
    let ends = |&at: &usize| ends_line(char::from(bytes[at]), &bytes[at + 1..]);
    (0..bytes.len()).find(ends).map(|at| at + 1)
}

const WINDOW: usize = 100;

/// The part of a line around the place, and the blanks that bring a caret under
/// its column. Long lines are cut on both sides.
fn window(line: &str, place: Place) -> (String, String) {
    let column = (place.column as usize).saturating_sub(1);
    let start = if column < WINDOW * 3 / 4 { 0 } else { column - WINDOW / 2 };
    let shown = |character: char| if character.is_control() { ' ' } else { character };
    let cut = |mark: bool| if mark { "…" } else { "" };
    let text: String = line.chars().skip(start).take(WINDOW).map(shown).collect();
    let tail = line.chars().nth(start + WINDOW).is_some();
    let padding = " ".repeat(column - start + usize::from(start > 0));
    (format!("{}{text}{}", cut(start > 0), cut(tail)), padding)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, column: u32) -> Diagnostic {
        Diagnostic::error(Place { line, column }, "it is wrong", "make it right")
    }

    #[test]
    fn display_says_everything_in_one_line() {
        assert_eq!(at(3, 7).to_string(), "3:7: error: it is wrong; make it right");
    }

    #[test]
    fn render_points_below_the_column() {
        let text = at(2, 3).render("a.kif", b"one\r\n\ttwo\r\nthree");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "a.kif:2:3: error: it is wrong");
        assert_eq!(lines[1], "     two");
        assert_eq!(lines[2], "      ^");
        assert_eq!(lines[3], "  help: make it right");
    }

    #[test]
    fn the_rule_is_shown_unless_the_line_holds_it() {
        let diagnostic = at(1, 1).in_rule("(p a)".to_owned());
        assert!(!diagnostic.render("f", b"(p a)").contains("rule:"));
        assert!(diagnostic.render("f", b"(p\na)").contains("  rule: (p a)\n"));
    }

    #[test]
    fn long_lines_are_cut_around_the_caret() {
        let source = "x".repeat(1000) + "Y" + &"z".repeat(1000);
        let text = at(1, 1001).render("f", source.as_bytes());
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[1].chars().count() < 110);
        let below = lines[2].chars().count() - 1;
        assert_eq!(lines[1].chars().nth(below), Some('Y'));
    }

    #[test]
    fn a_place_outside_of_the_source_shows_no_line() {
        for (line, column) in [(1, 1), (0, 0), (9, 9), (u32::MAX, u32::MAX)] {
            assert_eq!(at(line, column).render("f", b"").lines().count(), 2);
        }
    }

    #[test]
    fn columns_past_the_end_of_the_line_stay_harmless() {
        assert!(at(1, 5000).render("f", b"abc").contains('^'));
    }
}
