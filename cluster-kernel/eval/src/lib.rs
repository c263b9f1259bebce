//! Plays games as circuits, many games at once: the part of the cluster kernel that
//! knows games and no machine.
//!
//! Nothing here allocates or needs `std`; all memory is handed in by the caller.
//!
//! | module | what it knows |
//! |---|---|
//! | [`word`] | how many games one slot holds, one per bit |
//! | [`circuit`], `interpreter` | how the sections of an image are run |
//! | [`evaluator`] | states in; terminal, legal moves, goals and next states out |
//! | [`policy`] | how a playout chooses among legal moves |
//! | [`chooser`], [`streams`] | one of them at random, each as likely |
//! | [`playouts`] | random games from positions to their ends, lanes refilled |
//! | [`transpose`] | how rows of bits become columns |
//! | [`engine`] | which words a machine has, and how it runs circuits on them |
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use ruche_eval::Evaluator;
//! use ruche_shared::image::{Image, Parts, encode, encoded_length};
//!
//! // A state of one fluent that never changes; terminal is in its slot.
//! let parts = Parts {
//!     wide: false,
//!     fluents: 1,
//!     slots: 1,
//!     terminal_slot: 0,
//!     move_starts: &[0, 0],
//!     goals: &[],
//!     initial: &[1],
//!     code: [&[], &[], &[]],
//! };
//! let mut words = vec![0_u32; encoded_length(&parts) / 4];
//! encode(&parts, bytemuck::cast_slice_mut(&mut words))?;
//! let image = Image::parse(bytemuck::cast_slice(&words))?;
//!
//! let mut slots = vec![0_u64; image.slots()];
//! let mut evaluator = Evaluator::new(&image, &mut slots)?;
//! evaluator.load(5, image.initial())?;
//! evaluator.legal();
//! assert_eq!(evaluator.terminal(), 1 << 5, "only lane 5 has ended");
//! # Ok(())
//! # }
//! ```
#![no_std]

pub mod chooser;
pub mod circuit;
pub mod engine;
pub mod evaluator;
mod interpreter;
pub mod playouts;
pub mod policy;
pub mod streams;
pub mod transpose;
pub mod word;

pub use engine::{Engine, PlainEngine, Task};
pub use evaluator::{Evaluator, EvaluatorError};
pub use policy::{Policy, Uniform};
pub use word::{OneLane, Wide, Word};
