//! A fire drill: does what a kernel must never do, to see that it is noticed.
//!
//! Waits for a byte on the link, which says what: the cluster must then halt with last
//! words that name the core and the reason.
#![no_std]
#![no_main]

use core::hint::black_box;

use ruche_bare::boot::START;
use ruche_bare::devices;
use ruche_bare::link::BoardLink;
use ruche_bare::machine::Board;
use ruche_runtime::hal::Machine;
use ruche_shared::budget::TOTAL_BYTES;

/// What the system core does; the others wait to be started.
#[unsafe(no_mangle)]
extern "C" fn run_system_core() -> ! {
    let Some(mut link) = BoardLink::open() else { devices::power_off(devices::FAILED) };
    match link.next_byte() {
        b'p' => on_core(3, || panic!("a drill")),
        b'w' => on_core(5, || write(START + TOTAL_BYTES)),
        b'c' => on_core(0, || write(START)),
        b'x' => on_core(7, execute_data),
        b'o' => on_core(9, || fill_stack(45)),
        b's' => fill_stack(10_000),
        _ => panic!("there is no such drill"),
    }
    panic!("nobody has noticed")
}

fn on_core(chosen: usize, drill: impl Fn() + Sync) {
    let work = |core: usize| {
        if core == chosen {
            drill();
        }
    };
    Board.on_cores(16, &work, || ());
}

fn write(address: u64) {
    // SAFETY: none, on purpose: the memory protection stops it.
    unsafe { (address as *mut u64).write_volatile(1) }
}

fn execute_data() {
    static DATA: [u32; 2] = [0x0000_0013, 0x0000_8067];
    // SAFETY: none, on purpose: the memory protection stops it.
    unsafe { core::mem::transmute::<*const u32, extern "C" fn()>(DATA.as_ptr())() }
}

/// Goes down so many levels of about a hundred bytes.
fn fill_stack(levels: u64) {
    black_box(descend(levels));
}

#[inline(never)]
fn descend(levels: u64) -> u64 {
    let frame = black_box([levels; 8]);
    if levels == 0 { 0 } else { descend(levels - 1).wrapping_add(frame[3]) }
}
