//! Clusters on emulated boards: one emulator each, frames over a serial line.
//!
//! The board is a RISC-V machine of QEMU with the freestanding cluster kernel
//! (`cluster-kernel/bare`): 17 cores, 2 MB, and a virtio console as its link.
//!
//! | module | what it knows |
//! |---|---|
//! | [`board`] | an emulator: how it is started, and how it ends |
//! | [`mod@line`] | frames on a line that loses bytes |
//! | [`mod@network`] | all boards as the I/O node sees them |
//! | [`noise`] | damage on purpose, for tests |
#![deny(unsafe_code)]

pub mod board;
pub mod line;
pub mod network;
pub mod noise;

pub use board::{Accident, BoardError, BoardSettings, Harm};
pub use network::{BoardNetwork, network};
pub use noise::Noise;
