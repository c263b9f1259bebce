//! The kernel's evaluator and playouts on a host: words as wide as the machine's
//! registers, native code where it can be made, and as many threads as one likes.
//!
//! | module | what it knows |
//! |---|---|
//! | [`engine`] | what evaluates the gates: the interpreter, or native code |
//! | [`words`] | which vector registers this machine has |
//! | [`run`] | players on threads, and what their time was |
//! | [`results`] | what positions brought |
//! | [`games`] | playouts one by one instead of sums |
//! | [`mod@replay`] | one playout move by move, by its name |
//! | [`lanes`] | 64 positions side by side: legal moves, successors, ends |
//! | [`outlook`] | what all moves of some positions lead to |
//! | `stop` | who wants them to stop |
//! | `patience` | how long they are waited for |
//! | `supply` | how threads share the playouts of many positions |
//! | [`stopwatch`] | where their time went |
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use ruche_game::Game;
//! use ruche_playouts::{Amount, Playouts, PlayoutSettings};
//!
//! let game = Game::bundled("connectfour")?;
//! let playouts = Playouts::new(&game, &PlayoutSettings { seed: 7, ..Default::default() })?;
//! let played = playouts.play_initial(Amount::Each(1000))?;
//! assert_eq!(played.results.total().playouts(), 1000);
//! # Ok(())
//! # }
//! ```

pub mod engine;
pub mod games;
pub mod lanes;
pub mod outlook;
mod patience;
pub mod replay;
pub mod results;
pub mod run;
mod stop;
pub mod stopwatch;
mod supply;
pub mod words;

pub use engine::{EngineChoice, HostCircuit, HostEngine};
pub use games::{Ending, Games};
pub use lanes::Lanes;
pub use outlook::{MoveInLanes, Outlook};
pub use replay::{Line, PlayoutName, replay};
pub use results::Results;
pub use run::{Played, PlayoutSettings, Playouts, PlayoutsError};
pub use stop::Stop;
pub use stopwatch::PlyParts;
pub use supply::Amount;
pub use words::widest_word;
