//! A game manager: lets players play a match by the rules and the clock, whoever they are,
//! and writes down what happened.
//!
//! | module | question it answers |
//! |---|---|
//! | [`contender`] | who plays a role? |
//! | `seat` | how is somebody asked, and until when is waited? |
//! | [`manager`] | how does a match go? |
//! | [`record`] | what is known of it afterwards? |
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use ruche_referee::{Contender, Manager, MatchSettings};
//! use ruche_search::Stop;
//! use std::time::Duration;
//!
//! let source = ruche_games::find("tictactoe").unwrap().source.as_bytes();
//! let manager = Manager::new("tictactoe", source)?;
//! let play = Duration::from_secs(1);
//! let contenders = [Contender::parse("random", play)?, Contender::parse("legal", play)?];
//! let settings = MatchSettings { play_clock: play, ..MatchSettings::default() };
//! let record = manager.run(&contenders, &settings, &Stop::default(), &mut |_| ())?;
//! assert!(record.errors.is_empty());
//! assert!(record.states.last().unwrap().terminal);
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

pub mod contender;
pub mod manager;
pub mod record;
mod seat;

pub use contender::{Contender, ContenderError};
pub use manager::{Manager, MatchSettings, RefereeError};
pub use record::{End, Fault, FaultKind, MatchRecord, Notes, Ply, RecordError};
