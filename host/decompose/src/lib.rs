//! The games inside a game: which fluents and moves belong together, how the parts are
//! composed, and how each separation is known.
//!
//! ```text
//!   GameCircuit ─ net ─▶ gates in lanes ─ cones ─▶ what each output can read
//!      rules     what moves can change, proved with unknown states   ─┐
//!      playouts  what moves do change, in states of random games     ─┴▶ Evidence
//!      Evidence ─ partition, serial, subgoals ─▶ groups of fluents ─▶ Decomposition
//! ```
//!
//! Nothing depends on what fluents and moves are called, nor on the order of rules.
//!
//! ```
//! use ruche_decompose::{Kind, Settings, decompose};
//!
//! let game = ruche_games::find("nim").expect("bundled");
//! let (description, _) = ruche_gdl::load(game.source.as_bytes()).expect("sound rules");
//! let found = decompose(&description, &Settings::default())?;
//! assert!(found.subgames.iter().filter(|part| part.kind == Kind::Play).count() > 1);
//! # Ok::<(), ruche_decompose::DecomposeError>(())
//! ```

#![warn(unreachable_pub)]

mod cones;
mod decomposition;
mod dot;
mod evidence;
mod groups;
mod impartial;
mod net;
mod partition;
mod playouts;
mod rails;
mod reach;
mod report;
mod rules;
mod score;
mod serial;
mod subgoals;
mod touch;
mod word;

pub use decomposition::{By, DecomposeError, Settings, decompose};
pub use impartial::{Convention, ImpartialSum, Standing};
pub use reach::{REACH_LANES, Reach};
pub use report::{Composition, Counts, Decomposition, Kind, Link, LinkKind, Proof, Subgame};
pub use score::Shape;
