//! What is true about games, from solvers that share nothing with Ruche's engine but the
//! rules of the games, and these only as text.
//!
//! | module | what it knows |
//! |---|---|
//! | [`rules`] | what a solver has to know about a game of turns |
//! | [`solver`] | the value of positions of any such game |
//! | [`question`] | positions with the value of each move |
//! | [`set`] | which games there are questions about |
//! | [`matrix`] | games in which both roles choose at once: their equilibria |
//! | [`breakthrough`], [`connectfour`], [`domineering`], [`nim`], [`othello`], [`sheepandwolf`], [`tictactoe`] | a game each, by hand |
//!
//! ```
//! use ruche_truth::{Set, questions};
//!
//! let question = &questions(Set::Nim, 1, 1)[0];
//! let best = question.values.iter().filter(|(name, _)| question.keeps_value(name)).count();
//! assert!((1..question.values.len()).contains(&best), "the choice matters");
//! ```
#![forbid(unsafe_code)]

pub mod breakthrough;
pub mod connectfour;
pub mod domineering;
pub mod matrix;
pub mod nim;
pub mod othello;
pub mod question;
pub mod rules;
pub mod set;
pub mod sheepandwolf;
pub mod solver;
pub mod tictactoe;

pub use question::Question;
pub use rules::{Outcome, Rules};
pub use set::{Set, questions};
pub use solver::{Oracle, Solver};
