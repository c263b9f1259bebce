//! A player of General Game Playing: it answers a manager's messages with moves that a
//! search has found.
//!
//! | module | question it answers |
//! |---|---|
//! | [`player`] | what is answered to which message? |
//! | `ledger` | where does the match stand, whatever comes twice, late or not at all? |
//! | `table` | what do those who answer and the one who thinks know of each other? |
//! | `thinker` | what is done with the time? |
//! | `searching`, `guessing` | which move, with a compiled game and without? |
//! | `kiln` | how do rules become a game while the clock runs? |
//! | `pace` | how much of the clock is left unused? |
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use ruche_player::{Player, PlayerSettings};
//!
//! let player = Player::new(PlayerSettings::default());
//! assert_eq!(player.answer_now("(INFO)"), "available");
//! let rules = ruche_games::find("tictactoe").unwrap().source;
//! let start = format!("(START m x ({rules}\n) 10 1)");
//! assert_eq!(player.answer_now(&start), "ready");
//! assert!(player.answer_now("(PLAY m NIL)").starts_with("(mark "));
//! assert_eq!(player.answer_now("(ABORT m)"), "done");
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod guessing;
mod kiln;
mod ledger;
mod pace;
pub mod player;
mod searching;
mod settings;
mod table;
mod thinker;

pub use player::Player;
pub use settings::{Connect, PlayerSettings, Tell};
