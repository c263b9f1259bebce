//! The cluster kernel without an operating system: one system core, 16 that play,
//! and 2 MB for everything.
//!
//! | module | what it knows |
//! |---|---|
//! | `boot` | from reset to the first line of Rust, and what each core may touch |
//! | `memory` | where stacks and the memory of games lie |
//! | `harts` | sleep, wake, and which core this is |
//! | `machine` | the kernel's `hal`: cores that start, wait and wake |
//! | `engine` | the words that the cores compute with |
//! | `link`, `console` | frames to and from the I/O node, over a virtio console |
//! | `failure` | panics and traps: the last words of a cluster |
//! | `devices`, `log` | the registers of the emulated board, and its serial port |
//! | `once` | what only one may have |
#![no_std]

pub mod boot;
pub mod console;
pub mod devices;
pub mod engine;
pub mod failure;
pub mod harts;
pub mod link;
pub mod log;
pub mod machine;
pub mod memory;
mod once;
