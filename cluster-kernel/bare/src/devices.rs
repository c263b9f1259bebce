//! The devices of the emulated board, QEMU's `virt` machine: what may be said to them.
//!
//! A [`Register`] is made in this file only, and nothing that can be called without
//! `unsafe` takes an address: whoever has this module can make devices do things, and
//! cannot reach memory with them.

mod register;
mod virtio;

use crate::harts::HARTS;
use register::{Bank, Register};
pub use virtio::{Place, Virtio};

/// Interrupts between cores and the clock.
pub const CLINT: usize = 0x0200_0000;
/// Interrupts of devices.
const PLIC: usize = 0x0C00_0000;
/// The serial port, and behind it places for virtio devices.
const UART: usize = 0x1000_0000;
/// Ends the emulation.
const TEST: usize = 0x0010_0000;

/// For the memory protection: blocks of devices that may be touched.
pub const PMP_DEVICES: [usize; 4] =
    [block(CLINT, 0x1_0000), block(PLIC, 0x400_0000), block(UART, 0x1_0000), block(TEST, 0x1000)];

/// A block whose size is a power of two, as a protection entry names it.
const fn block(start: usize, bytes: usize) -> usize {
    assert!(bytes.is_power_of_two() && start.is_multiple_of(bytes));
    start >> 2 | ((bytes >> 3) - 1)
}

// SAFETY: the machine has a ring and a timer for each hart there, and one clock. They
// interrupt harts, which only wakes these up.
const RINGS: Bank<u32, HARTS> = unsafe { Bank::at(CLINT) };
// SAFETY: as above.
const TIMERS: Bank<u64, HARTS> = unsafe { Bank::at(CLINT + 0x4000) };
// SAFETY: as above.
const CLOCK: Register<u64> = unsafe { Register::at(CLINT + 0xBFF8) };

/// Devices that may interrupt: numbers from 1 on, and all in one register of bits.
const SOURCES: usize = 32;

// SAFETY: the interrupt controller has a priority for each source there, and for the
// system core's machine mode which sources count, from which priority on, and which
// it is. They, too, only wake it up.
const PRIORITIES: Bank<u32, SOURCES> = unsafe { Bank::at(PLIC) };
// SAFETY: as above.
const ENABLED: Register<u32> = unsafe { Register::at(PLIC + 0x2000) };
// SAFETY: as above.
const THRESHOLD: Register<u32> = unsafe { Register::at(PLIC + 0x20_0000) };
// SAFETY: as above.
const CLAIM: Register<u32> = unsafe { Register::at(PLIC + 0x20_0004) };

// SAFETY: the serial port takes bytes there, and touches no memory.
const PORT_DATA: Register<u8> = unsafe { Register::at(UART) };
// SAFETY: as above.
const PORT_STATUS: Register<u8> = unsafe { Register::at(UART + 5) };
/// The port can take a byte.
const PORT_IS_READY: u8 = 0x20;

// SAFETY: ends the emulation or does nothing, whatever is written.
const POWER: Register<u32> = unsafe { Register::at(TEST) };

/// Everything went well.
pub const PASSED: u32 = 0x5555;
/// Something did not.
pub const FAILED: u32 = 0x3333;

/// Ends the emulation.
pub fn power_off(how: u32) -> ! {
    POWER.write(how);
    crate::harts::park()
}

/// Writes a byte to the serial port, when it can take it.
pub fn put(byte: u8) {
    while PORT_STATUS.read() & PORT_IS_READY == 0 {}
    PORT_DATA.write(byte);
}

/// Ticks of the clock since power-on: 10 million in a second.
pub fn ticks() -> u64 {
    CLOCK.read()
}

/// Nanoseconds of a tick.
pub const TICK_NANOSECONDS: u64 = 100;

/// A tick that does not come. At reset the timers have gone off, and an emulator then
/// wakes all harts whenever a device has something to say.
pub const NEVER: u64 = u64::MAX;

/// The timer of a hart goes off at this tick.
pub fn set_timer(hart: usize, tick: u64) {
    TIMERS.of(hart).write(tick);
}

/// Rings a hart.
pub fn ring(hart: usize) {
    RINGS.of(hart).write(1);
}

/// Takes a ring back.
pub fn unring(hart: usize) {
    RINGS.of(hart).write(0);
}

/// Lets a device interrupt the system core.
fn enable_interrupt(source: usize) {
    PRIORITIES.of(source).write(1);
    ENABLED.write(1 << source);
    THRESHOLD.write(0);
}

/// Takes an interrupt of a device, runs `handle`, and allows the next.
pub fn take_interrupt(handle: impl FnOnce()) {
    let source = CLAIM.read();
    handle();
    if source != 0 {
        CLAIM.write(source);
    }
}
