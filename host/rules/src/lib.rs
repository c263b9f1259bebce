//! The rules of a game for whoever plays or watches it, by the texts of moves and fluents:
//! compiled, or interpreted where the circuit would be too large or is not there yet.
//!
//! | module | question it answers |
//! |---|---|
//! | [`rules`] | what holds, what is legal, what comes next? |
//! | [`interpreter`] | what follows from rules as they are written? |
//! | `oracle` | on which thread is that found out? |
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use ruche_rules::Rules;
//!
//! let source = ruche_games::find("tictactoe").unwrap().source;
//! let description = ruche_gdl::load(source.as_bytes()).map_err(|_| "no game")?.0;
//! let rules = Rules::interpreted(&description)?;
//! let start = rules.initial(None)?;
//! assert_eq!(start.legal(0).len(), 9);
//! let next = start.play(&["(mark 2 2)".to_owned(), "noop".to_owned()], None)?;
//! assert!(next.fluents().contains(&"(cell 2 2 x)"));
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

pub mod interpreter;
mod oracle;
pub mod rules;

pub use interpreter::{Halt, Interpreter, InterpreterError};
pub use rules::{Position, Rules, RulesError};
