//! The games inside a game: which fluents and moves belong together, how the parts are
//! composed, and how each separation is known.
//!
//! | module | question it answers |
//! |---|---|
//! | `decomposition` | How do rules become a decomposition, and where does it give up? |
//! | `netlist` | What are the gates of the game, and what do they give in 256 lanes at once? |
//! | `lanes` | What are 256 bits side by side? |
//! | `three_valued` | What is sure if only some inputs are known? |
//! | `cones` | Which fluents and moves can an output depend on (its cone of influence)? |
//! | `rules` | What can a move change, proved from the rules? |
//! | `potential_effects` | Which moves are not proved to leave a fluent as it is? |
//! | `playouts` | What do moves change in states of random games, compared with other moves? |
//! | `effects` | What is known of the effects of moves, and which of them go together? |
//! | `partition` | Which fluents are one part, and which go by themselves? |
//! | `union_find` | Which things are in one class? |
//! | `serial` | Which condition ends one game and starts another? |
//! | `subgoals` | Which conditions decide something of the score by themselves? |
//! | `usefulness` | Which parts bear on the end or the score? |
//! | `score` | Is the score a sum of the parts, all of them, any of them? |
//! | `impartial` | Is it proved to be a sum of impartial games? |
//! | `reach` | Which goals can still be reached from a state? |
//! | `report` | What does a decomposition say? |
//! | `dot` | How is it drawn? |
//!
//! ```text
//!   GameCircuit ─ netlist ─▶ gates in lanes ─ cones ─▶ what each output can read
//!      rules     what moves can change, proved with unknown states   ─┐
//!      playouts  what moves do change, in states of random games     ─┴▶ effects
//!      effects ─ partition, serial, subgoals ─▶ groups of fluents ─ usefulness ─▶ Decomposition
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
mod effects;
mod impartial;
mod lanes;
mod netlist;
mod partition;
mod playouts;
mod potential_effects;
mod reach;
mod report;
mod rules;
mod score;
mod serial;
mod subgoals;
mod three_valued;
mod union_find;
mod usefulness;

pub use decomposition::{By, DecomposeError, Settings, decompose};
pub use impartial::{Convention, ImpartialSum, Standing};
pub use reach::{REACH_LANES, Reach};
pub use report::{Composition, Counts, Decomposition, Kind, Link, LinkKind, Proof, Subgame};
pub use score::Shape;
