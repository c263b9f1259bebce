//! The kernel of the board: serves the I/O node until it says stop.
#![no_std]
#![no_main]

use ruche_bare::engine::BoardEngine;
use ruche_bare::link::BoardLink;
use ruche_bare::machine::Board;
use ruche_bare::{devices, log, memory};
use ruche_runtime::cluster::serve;
use ruche_shared::budget::{CORES, TOTAL_BYTES};

/// What the system core does; the others wait to be started.
#[unsafe(no_mangle)]
extern "C" fn run_system_core() -> ! {
    log!("ruche cluster: {CORES} cores and a system core, {} KB", TOTAL_BYTES / 1024);
    let (Some(mut link), Some(memory)) = (BoardLink::open(), memory::take()) else {
        log!("there is no virtio console: the board needs one as its link");
        devices::power_off(devices::FAILED)
    };
    let closed = serve(&Board, &BoardEngine, &mut link, &mut memory.0);
    memory::log_depths();
    log!("{}", if closed.is_ok() { "stopped" } else { "the link is closed" });
    devices::power_off(devices::PASSED)
}
