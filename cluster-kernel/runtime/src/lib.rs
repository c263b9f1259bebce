//! What the cores of a cluster do: the part of the cluster kernel that knows its machine
//! and no game.
//!
//! Nothing here allocates or needs `std`; all memory is handed in by the caller.
//!
//! | module | what it knows |
//! |---|---|
//! | [`hal`] | what the kernel needs of a machine |
//! | [`arena`] | the 2 MB |
//! | [`cluster`] | what PC0 does: frames in, rounds of work, frames out |
//! | [`strategy`] | how the cores get work, and PC0 learns that they are done |
//! | [`barrier`], [`sync`] | where cores wait for each other, and with which atomics |
#![no_std]

pub mod arena;
pub mod barrier;
pub mod cluster;
pub mod hal;
pub mod strategy;
pub mod sync;
