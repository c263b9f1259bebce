//! The kernel's machine: cores of the board.

use core::sync::atomic::{AtomicPtr, Ordering};

use ruche_runtime::hal::Machine;
use ruche_runtime::strategy::MOST_CORES;
use ruche_runtime::sync::{AtomicU32, Line};

use crate::devices::{TICK_NANOSECONDS, set_timer, ticks};
use crate::harts::{RING, TIMER};
use crate::{failure, harts, memory};

/// The cores of the board. Core 0 is hart 1; hart 0 is the system core.
#[derive(Clone, Copy, Debug)]
pub struct Board;

/// What cores do, by their numbers.
type Main<'a> = &'a (dyn Fn(usize) + Sync);

/// Where the [`Main`] of all started cores is.
static MAIN: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());

const IDLE: u32 = 0;
const STARTED: u32 = 1;

/// What each core shall do. It writes [`IDLE`] itself, when it is done.
static ORDERS: [Line<AtomicU32>; MOST_CORES] = [const { Line(AtomicU32::new(IDLE)) }; MOST_CORES];

/// Cores that were started and are not done.
static RUNNING: Line<AtomicU32> = Line(AtomicU32::new(0));

/// What a core does from power-on: sleeps, and is started again and again.
///
/// # Safety
/// Only hart `core + 1` may call it, and once: whatever is done on a core is done here.
pub(crate) unsafe fn run_core(core: usize) -> ! {
    let order = &ORDERS[core];
    loop {
        while order.load(Ordering::Acquire) == IDLE {
            harts::wait(order, IDLE, RING);
        }
        let main = MAIN.load(Ordering::Relaxed).cast::<Main<'_>>();
        // SAFETY: the system core stored it before it gave the order, and it lives until
        // `RUNNING` says that all are done.
        (unsafe { *main })(core);
        if memory::is_overrun(core + 1) {
            failure::fail(&"it has overrun its stack");
        }
        order.store(IDLE, Ordering::Relaxed);
        if RUNNING.fetch_sub(1, Ordering::Release) == 1 {
            harts::wake(&RUNNING);
        }
    }
}

// SAFETY:
// 1. Hart `core + 1` is the only one that looks at order `core`, which is given once, and
//    it passes its own number.
// 2. `join` waits until all that were started have counted themselves out, and `start`
//    refuses while some have not. A panic halts the board and unwinds nothing.
// 3. Orders are given by a release that the core acquires, and cores count themselves out
//    by a release that `join` acquires.
unsafe impl Machine for Board {
    fn on_cores(&self, cores: usize, main: Main<'_>, beside: impl FnOnce()) {
        start(cores, &main);
        beside();
        join();
    }

    fn wait(&self, word: &AtomicU32, expected: u32) {
        sleep(word, expected, RING);
    }

    fn wait_for(&self, word: &AtomicU32, expected: u32, nanoseconds: u64) {
        set_timer(harts::this(), ticks() + nanoseconds / TICK_NANOSECONDS);
        sleep(word, expected, RING | TIMER);
    }

    fn wake(&self, word: &AtomicU32) {
        harts::wake(word);
    }

    fn now(&self) -> u64 {
        ticks() * TICK_NANOSECONDS
    }

    fn relax(&self, _rounds: u32) {
        core::hint::spin_loop();
        failure::report_if_any();
    }
}

/// Sleeps for a word, and tells what other cores left. One function for all that sleep.
#[inline(never)]
fn sleep(word: &AtomicU32, expected: u32, reasons: usize) {
    harts::wait(word, expected, reasons);
    failure::report_if_any();
}

fn start(cores: usize, main: &Main<'_>) {
    let orders = &ORDERS[..cores];
    let free = RUNNING.compare_exchange(0, cores as u32, Ordering::Acquire, Ordering::Relaxed);
    assert!(free.is_ok(), "the cores are at work");
    MAIN.store(core::ptr::from_ref(main).cast_mut().cast(), Ordering::Relaxed);
    for order in orders {
        order.store(STARTED, Ordering::Release);
        harts::wake(order);
    }
}

fn join() {
    loop {
        match RUNNING.load(Ordering::Acquire) {
            0 => break,
            running => Board.wait(&RUNNING, running),
        }
    }
}
