//! Native code from circuit images, for hosts that can run it.
//!
//! ```text
//!  image ─ lift ─▶ tape ─ flow, graph, polarity ─▶ values ─ schedule ─▶ order
//!          order ─ allocate ─▶ instructions ─ emit ─▶ bytes ─ memory ─▶ code
//! ```
//!
//! | module | question it answers |
//! |---|---|
//! | `lift`, `tape` | which two-input gates does the bytecode mean? |
//! | `flow` | which slots does anybody read after a section? |
//! | `sweeps` | how does a fixpoint end in fewer rounds? |
//! | `graph`, `users` | which values depend on which? |
//! | `polarity` | which values are kept as their complement, so that NOT is free? |
//! | `schedule` | in which order do values live shortest? |
//! | `allocate`, `machine` | which value is in which register when? |
//! | `target`, `emit` | which bytes does this processor run? |
//! | `memory` | how do bytes become executable? |
//! | [`code`], [`circuit`] | how does whoever plays run it? |
//!
//! A section leaves the slots that matter after it as the interpreter does;
//! other temporaries may hold anything.
//!
//! **Alignment**: slots of 256 or 512 lanes should start at a multiple of 64
//! bytes. Everything is right without, but words that lie across two cache lines
//! take twice the time.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use ruche_eval::circuit::Circuit;
//! use ruche_native::NativeCircuit;
//! use ruche_shared::image::Section;
//!
//! let game = ruche_game::Game::bundled("tictactoe")?;
//! let image = game.image();
//! let mut slots = vec![0_u64; image.slots()];
//! match NativeCircuit::<u64>::new(image) {
//!     Ok(circuit) => circuit.run(Section::Legal, &mut slots),
//!     Err(reason) => println!("interpreting: {reason}"),
//! }
//! # Ok(())
//! # }
//! ```

pub mod circuit;
pub mod code;
pub mod error;

#[cfg(target_arch = "x86_64")]
mod allocate;
#[cfg(target_arch = "x86_64")]
mod compile;
#[cfg(target_arch = "x86_64")]
mod emit;
#[cfg(target_arch = "x86_64")]
mod flow;
#[cfg(target_arch = "x86_64")]
mod graph;
#[cfg(target_arch = "x86_64")]
mod lift;
#[cfg(target_arch = "x86_64")]
mod machine;
#[cfg(target_arch = "x86_64")]
mod memory;
#[cfg(target_arch = "x86_64")]
mod polarity;
#[cfg(target_arch = "x86_64")]
mod schedule;
#[cfg(target_arch = "x86_64")]
mod sweeps;
#[cfg(target_arch = "x86_64")]
mod tape;
#[cfg(target_arch = "x86_64")]
mod target;
#[cfg(target_arch = "x86_64")]
mod users;

pub use circuit::NativeCircuit;
pub use code::{NativeCode, is_supported};
pub use error::NativeError;
