//! Games that one can hold: a [`Game`] owns its circuit and its names, is cheap to clone
//! and goes wherever it is needed; a [`State`] is a position of it, and leads to others.
//!
//! | module | what it knows |
//! |---|---|
//! | [`game`] | how a name, a file or a text becomes a game |
//! | [`focus`] | moves that playouts had better put off |
//! | [`state`] | legal moves, successors, ends and goals |
//! | [`names`] | what people call roles, moves and fluents |
//! | `moves` | which moves people mean |
//! | `inside` | which games are inside of it |
//! | `tactics`, `turns` | what playouts should not miss, and whose turn it is |
//! | [`error`] | why there is no game, or no such move |
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use ruche_game::Game;
//!
//! let game = Game::bundled("tictactoe")?;
//! let mut state = game.initial();
//! while !state.is_terminal() {
//!     let first: Vec<u32> = (0..game.roles()).map(|role| state.legal(role)[0]).collect();
//!     state = state.play(&first)?;
//! }
//! assert_eq!(state.goals(), Some(vec![100, 0]), "x takes the first line");
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

pub mod error;
pub mod focus;
pub mod game;
mod inside;
mod moves;
pub mod names;
mod random_games;
pub mod state;
mod tactics;
mod turns;

pub use error::{GameError, MovesError, StateError};
pub use focus::PutOff;
pub use game::Game;
pub use names::{Names, NamesError};
pub use state::State;
pub use tactics::PlayoutPolicy;
