//! The cluster kernel: evaluates the circuit of a game, many games at once.
//!
//! Nothing here allocates or needs `std`; all memory is handed in by the caller.
//!
//! | module | what it knows |
//! |---|---|
//! | [`word`] | how many games one slot holds, one per bit |
//! | [`circuit`], `interpreter` | how the sections of an image are run |
//! | [`evaluator`] | states in; terminal, legal moves, goals and next states out |
//! | [`chooser`], [`streams`] | which of its legal moves a lane plays |
//! | [`playouts`] | random games from positions to their ends, lanes refilled |
//! | [`hal`] | what the kernel needs of a machine |
//! | [`arena`] | the 2 MB |
//! | [`cluster`] | what PC0 does: frames in, rounds of work, frames out |
//! | [`strategy`] | how the cores get work, and PC0 learns that they are done |
//! | [`barrier`], [`sync`] | where cores wait for each other, and with which atomics |
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use ruche_kernel::Evaluator;
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

pub mod arena;
pub mod barrier;
pub mod chooser;
pub mod circuit;
pub mod cluster;
pub mod evaluator;
pub mod hal;
mod interpreter;
pub mod playouts;
pub mod strategy;
pub mod streams;
pub mod sync;
mod transpose;
pub mod word;

pub use evaluator::{Evaluator, EvaluatorError};
pub use word::{OneLane, Wide, Word};
