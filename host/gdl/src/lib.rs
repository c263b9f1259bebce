//! The front end of the compiler: GDL text to a checked [`Description`].
//!
//! [`load`] is the way in: it parses and checks. The bytes may be anything; what
//! is not a game comes back as [`Diagnostic`]s that name the place and say what
//! to do. Nothing recurses deeper than [`MAXIMUM_DEPTH`], and time and memory
//! grow in step with the source.

pub mod ast;
pub mod checker;
pub mod diagnostic;
mod expression;
mod lexer;
pub mod parser;
mod print;
pub mod symbol;

pub use ast::{Atom, Description, Literal, Place, Rule, Term};
pub use checker::check;
pub use checker::goals::{MAXIMUM_GOAL, goal_value};
pub use diagnostic::{Diagnostic, Severity};
pub use expression::MAXIMUM_DEPTH;
pub use parser::{MAXIMUM_SOURCE_BYTES, parse};
pub use symbol::{Symbol, Symbols};

/// Parses and checks a description. With it come the warnings, in the order of
/// their places.
///
/// # Errors
/// Everything that was found, at least one [`Severity::Error`] among it.
pub fn load(source: &[u8]) -> Result<(Description, Vec<Diagnostic>), Vec<Diagnostic>> {
    let (description, mut diagnostics) =
        parser::parse_with_warnings(source).map_err(|error| vec![error])?;
    diagnostics.extend(check(&description));
    diagnostics.sort_by_key(|diagnostic| diagnostic.place);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(diagnostics);
    }
    Ok((description, diagnostics))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALLEST: &str = "(role r) (legal r a) (goal r 100) (<= terminal (true s))";

    #[test]
    fn the_smallest_game_loads_without_a_word() {
        let (description, warnings) = load(SMALLEST.as_bytes()).unwrap();
        assert_eq!(description.rules.len(), 4);
        assert_eq!(warnings, []);
    }

    #[test]
    fn warnings_of_parser_and_checker_come_together_in_order() {
        let source = format!("(<= (legal r b) nowhere)\n{SMALLEST})");
        let (_, warnings) = load(source.as_bytes()).unwrap();
        let lines: Vec<u32> = warnings.iter().map(|warning| warning.place.line).collect();
        assert_eq!(lines, [1, 2]);
    }

    #[test]
    fn errors_bring_the_warnings_along() {
        let source = format!("{SMALLEST} (p ?x) (<= (legal r b) nowhere)");
        let found = load(source.as_bytes()).unwrap_err();
        assert!(found[0].is_error());
        assert!(!found[1].is_error());
    }

    #[test]
    fn a_syntax_error_stands_alone() {
        let found = load(b"(role r").unwrap_err();
        assert_eq!(found.len(), 1);
        assert!(found[0].is_error());
    }
}
