//! The cluster kernel: evaluates the circuit of a game, many games at once.
//!
//! Nothing here allocates or needs `std`; all memory is handed in by the caller.
//!
//! | module | what it knows |
//! |---|---|
//! | [`word`] | how many games one slot holds, one per bit |
//! | [`evaluator`] | states in; terminal, legal moves, goals and next states out |
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

pub mod evaluator;
mod interpreter;
pub mod word;

pub use evaluator::{Evaluator, EvaluatorError};
pub use word::{OneLane, Word};
