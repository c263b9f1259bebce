//! Boards of games: grids among the fluents of a state, found by how they behave and not by
//! what they are called, since names may be scrambled.
//!
//! | module | question it answers |
//! |---|---|
//! | [`boards`] | which fluents are a board, and what is on it? |
//! | `fluent` | what has a fluent in common with others? |
//! | `join` | which fluents say together where something is? |
//! | `order` | in which order do values stand? |
//! | `sample` | which states does a game come to? |
//! | [`draw`] | how does a board look as text? |
//! | [`ties`] | which cells does a move mean? |
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use ruche_picture::{Boards, Style};
//! use ruche_rules::Rules;
//!
//! let source = ruche_games::find("connectfour").unwrap().source;
//! let (description, _) = ruche_gdl::load(source.as_bytes()).map_err(|_| "no game")?;
//! let rules = Rules::load("connectfour", source.as_bytes())?;
//! let boards = Boards::find(&rules, Some(&description));
//! let picture = boards.picture(&rules.initial(None)?.fluents());
//! assert_eq!(picture.grids[0].columns.len(), 7);
//! println!("{}", picture.text(Style::Plain));
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

pub mod boards;
pub mod draw;
mod fluent;
mod join;
mod order;
mod sample;
pub mod ties;

pub use boards::{Boards, Grid, Picture};
pub use draw::Style;
pub use ties::{Cell, Tie};
