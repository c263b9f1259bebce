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
//! | `devices`, `log` | addresses of the emulated board, and its serial port |
#![no_std]
#![no_main]

mod boot;
mod console;
mod devices;
mod engine;
mod failure;
mod harts;
mod link;
mod log;
mod machine;
mod memory;

use engine::BoardEngine;
use ruche_kernel::cluster::serve;
use ruche_shared::budget::{CORES, TOTAL_BYTES};

use link::BoardLink;
use log::log;
use machine::Board;

/// All cores come here from the start-up code.
extern "C" fn enter(hart: usize) -> ! {
    match hart.checked_sub(1) {
        None => run_system_core(),
        Some(core) => machine::run_core(core),
    }
}

/// Serves the I/O node until it says stop.
fn run_system_core() -> ! {
    log!("ruche cluster: {CORES} cores and a system core, {} KB", TOTAL_BYTES / 1024);
    let Some(mut link) = BoardLink::open() else {
        log!("there is no virtio console: the board needs one as its link");
        devices::power_off(devices::FAILED)
    };
    // SAFETY: this is the only call, and nobody else knows the memory of games.
    let memory = unsafe { memory::of_games() };
    let closed = serve(&Board, &BoardEngine, &mut link, memory);
    memory::log_depths();
    log!("{}", if closed.is_ok() { "stopped" } else { "the link is closed" });
    devices::power_off(devices::PASSED)
}
