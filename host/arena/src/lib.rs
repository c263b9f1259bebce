//! Who plays better? Two contestants, mostly our own search with two settings, play many
//! games side by side; what comes out is a score, a difference in Elo, and the verdict of a
//! sequential test.
//!
//! | module | question it answers |
//! |---|---|
//! | [`contestant`] | who is meant by `exploration=1.4,batch=64`? |
//! | [`player`] | who chooses the moves of a role? |
//! | [`pairing`] | who plays which role, and who has won? |
//! | `opening`, `play`, [`record`] | how does a game go, and what is known of it? |
//! | [`contest`], `judge` | which games are played, on which threads, and in which order do they count? |
//! | [`log`] | how does a match go on that was stopped? |
//! | [`standing`] | how does it stand? |
//! | [`scores`], [`sprt`] | what do the scores say, and when is it enough? |
//!
//! With equal playouts everything follows from the seed: the same games, bit for bit, and
//! the same verdict on any number of threads.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use ruche_arena::{Contestant, Log, Match, MatchSettings};
//! use ruche_game::Game;
//! use ruche_search::{Limits, Stop};
//!
//! let contestant = |text| Contestant::parse(text, Limits::playouts(200));
//! let settings = MatchSettings { games: 10, threads: 2, ..Default::default() };
//! let games = vec![Game::bundled("tictactoe")?];
//! let contest = Match::new(games, [contestant("default")?, contestant("random")?], settings)?;
//! let standing = contest.run(&mut Log::nowhere(), &Stop::default(), &mut |_, _| ())?;
//! assert_eq!(standing.total.games, 10);
//! assert!(standing.total.score() > Some(0.5));
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

pub mod contest;
pub mod contestant;
mod judge;
pub mod log;
mod opening;
pub mod pairing;
mod play;
pub mod player;
pub mod record;
pub mod scores;
pub mod sprt;
pub mod standing;

pub use contest::{Match, MatchError, MatchSettings};
pub use contestant::{Contestant, ContestantError, Offloads, Seat};
pub use log::{Header, Log, LogError};
pub use pairing::Side;
pub use play::PlayError;
pub use player::{Player, PlayerError, Turn};
pub use record::{End, Faults, GameRecord};
pub use sprt::{Sprt, SprtError, Verdict};
pub use standing::{Standing, Tally};
