//! Which core this is, sleep and wake.

use core::arch::asm;
use core::sync::atomic::{AtomicUsize, Ordering};

use ruche_runtime::strategy::MOST_CORES;
use ruche_runtime::sync::{AtomicU32, Line};

use crate::devices::{ring, unring};

/// The system core, and those that play.
pub const HARTS: usize = MOST_CORES + 1;

/// The system core.
pub const SYSTEM: usize = 0;

/// Another core rang.
pub const RING: usize = 1 << 3;
/// The timer went off.
pub const TIMER: usize = 1 << 7;
/// A device wants something.
pub const DEVICE: usize = 1 << 11;

/// For each hart the address of the word that it sleeps for.
static SLEEPERS: [Line<AtomicUsize>; HARTS] = [const { Line(AtomicUsize::new(0)) }; HARTS];

/// The number of this hart.
pub fn this() -> usize {
    let hart;
    // SAFETY: reads a register.
    unsafe { asm!("csrr {}, mhartid", out(reg) hart, options(nomem, nostack)) }
    hart
}

/// Reasons to wake up that are there now.
pub fn pending() -> usize {
    let pending;
    // SAFETY: reads a register.
    unsafe { asm!("csrr {}, mip", out(reg) pending, options(nomem, nostack)) }
    pending
}

/// Sleeps until one of these reasons to wake up is there. Interrupts are never
/// taken, they only end the sleep.
pub fn sleep_until(reasons: usize) {
    // SAFETY: interrupts stay disabled, so that no trap follows.
    unsafe { asm!("csrw mie, {}", in(reg) reasons, options(nomem, nostack)) }
    while pending() & reasons == 0 {
        // SAFETY: waits.
        unsafe { asm!("wfi", options(nomem, nostack)) }
    }
}

/// Puts what was done with devices and with memory in order.
pub fn fence() {
    // SAFETY: a fence.
    unsafe { asm!("fence iorw, iorw", options(nostack)) }
}

/// Sleeps for ever.
pub fn park() -> ! {
    loop {
        sleep_until(0);
    }
}

/// Sleeps until `word` may have another value than `expected`, or one of these reasons to
/// wake up is there.
pub fn wait(word: &AtomicU32, expected: u32, reasons: usize) {
    let me = this();
    SLEEPERS[me].store(core::ptr::from_ref(word).addr(), Ordering::Relaxed);
    // Whoever changes the word looks for sleepers after that, and we look at the
    // word after this: one of the two sees what the other did.
    fence();
    if word.load(Ordering::Relaxed) == expected {
        sleep_until(reasons);
    }
    // A ring is only a hint. One that is lost here is for something that the
    // caller sees when it looks at the word again.
    unring(me);
    SLEEPERS[me].store(0, Ordering::Relaxed);
    fence();
}

/// Wakes all harts that sleep for a word.
pub fn wake(word: &AtomicU32) {
    fence();
    let address = core::ptr::from_ref(word).addr();
    for (hart, sleeper) in SLEEPERS.iter().enumerate() {
        if sleeper.load(Ordering::Relaxed) == address {
            ring(hart);
        }
    }
}
