//! The kernel's machine: cores of the board.

use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use ruche_runtime::hal::Machine;
use ruche_runtime::strategy::MOST_CORES;
use ruche_runtime::sync::{AtomicU32, Line};

use crate::devices::{TICK_NANOSECONDS, ticks};
use crate::{failure, harts, memory};

/// The cores of the board. Core 0 is hart 1; hart 0 is the system core.
#[derive(Clone, Copy, Debug)]
pub struct Board;

/// What cores are started with: a function that knows what is behind the pointer.
type Entry = unsafe fn(call: *const (), core: usize);

/// The call that all started cores make.
static ENTRY: AtomicUsize = AtomicUsize::new(0);
static CALL: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());

const IDLE: u32 = 0;
const STARTED: u32 = 1;

/// What each core shall do. It writes [`IDLE`] itself, when it is done.
static ORDERS: [Line<AtomicU32>; MOST_CORES] = [const { Line(AtomicU32::new(IDLE)) }; MOST_CORES];

/// Cores that were started and are not done.
static RUNNING: Line<AtomicU32> = Line(AtomicU32::new(0));

/// What a core does from power-on: sleeps, and is started again and again.
pub fn run_core(core: usize) -> ! {
    let order = &ORDERS[core];
    loop {
        while order.load(Ordering::Acquire) == IDLE {
            harts::wait(order, IDLE);
        }
        let (entry, call) = (ENTRY.load(Ordering::Relaxed), CALL.load(Ordering::Relaxed));
        // SAFETY: the system core stored an `Entry` before it gave the order, and
        // what it is called with lives until `RUNNING` says that all are done.
        unsafe { core::mem::transmute::<usize, Entry>(entry)(call, core) };
        if memory::is_overrun(core + 1) {
            failure::fail("it has overrun its stack");
        }
        order.store(IDLE, Ordering::Relaxed);
        if RUNNING.fetch_sub(1, Ordering::Release) == 1 {
            harts::wake(&RUNNING);
        }
    }
}

/// What [`Machine::on_cores`] was called with, for all cores to see.
struct Call<S, F> {
    states: *mut S,
    main: *const F,
}

/// # Safety
/// Behind the pointer there must be a `Call<S, F>` with a state for this core, which
/// no other core has.
unsafe fn run<S, F: Fn(usize, &mut S)>(call: *const (), core: usize) {
    // SAFETY: as the caller promises.
    unsafe {
        let call = &*call.cast::<Call<S, F>>();
        (*call.main)(core, &mut *call.states.add(core));
    }
}

impl Machine for Board {
    fn on_cores<S: Send, R>(
        &self,
        states: &mut [S],
        main: impl Fn(usize, &mut S) + Sync,
        beside: impl FnOnce() -> R,
    ) -> R {
        let call = Call { states: states.as_mut_ptr(), main: &raw const main };
        start(states.len(), entry_of(&main, states), (&raw const call).cast_mut().cast());
        let result = beside();
        join();
        result
    }

    fn wait(&self, word: &AtomicU32, expected: u32) {
        harts::wait(word, expected);
        failure::report_if_any();
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

/// The entry for this kind of call.
fn entry_of<S, F: Fn(usize, &mut S)>(_main: &F, _states: &[S]) -> Entry {
    run::<S, F>
}

fn start(cores: usize, entry: Entry, call: *mut ()) {
    ENTRY.store(entry as usize, Ordering::Relaxed);
    CALL.store(call, Ordering::Relaxed);
    RUNNING.store(cores as u32, Ordering::Relaxed);
    for order in &ORDERS[..cores] {
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
