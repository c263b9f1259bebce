//! The kernel's machine on an operating system: its cores are threads.
//!
//! What the bare machine does with interrupts, this one does with the system's
//! futexes; nothing in the kernel knows the difference.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::Instant;

use ruche_runtime::arena::Memory;
use ruche_runtime::hal::Machine;
use ruche_runtime::sync::AtomicU32;

/// Cores that are threads.
#[derive(Clone, Copy, Debug, Default)]
pub struct Threads;

/// The stack of a core. The board's are smaller, but a thread of an operating
/// system also has to find room for the system's own frames.
const STACK_BYTES: usize = 256 << 10;

/// Rounds of an active wait before a core gives its place to another thread:
/// about a microsecond.
const PATIENCE: u32 = 64;

/// Looks at a word before sleeping on it: about ten microseconds, which is what
/// falling asleep and being woken costs at least.
const LOOKS: u32 = 400;

/// Further looks, between which other threads may have the processor: about a hundred
/// microseconds, the pause between two runs without playouts. A sleeping processor may
/// take as long to wake up.
const GLANCES: u32 = 200;

/// Cores of all clusters of this process.
static CORES: AtomicUsize = AtomicUsize::new(0);

/// How long a thread may wait actively for another: not at all if that one needs its
/// processor, and briefly if there are more cores than processors.
fn patience() -> (u32, u32) {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    match *PROCESSORS.get_or_init(|| thread::available_parallelism().map_or(1, usize::from)) {
        1 => (0, 0),
        processors if CORES.load(Relaxed) > processors => (LOOKS, 0),
        _ => (LOOKS, GLANCES),
    }
}

/// Counts cores as long as it lives.
struct Counted(usize);

impl Counted {
    fn new(cores: usize) -> Self {
        CORES.fetch_add(cores, Relaxed);
        Self(cores)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        CORES.fetch_sub(self.0, Relaxed);
    }
}

// SAFETY:
// 1. One thread is spawned for each number, and calls once.
// 2. A scope ends, also by unwinding, only when all its threads have ended.
// 3. Spawning and joining threads put what is done before and after them in order.
unsafe impl Machine for Threads {
    /// # Panics
    /// If the system cannot start another thread, or a core has panicked.
    fn on_cores(&self, cores: usize, main: &(dyn Fn(usize) + Sync), beside: impl FnOnce()) {
        let _counted = Counted::new(cores);
        thread::scope(|scope| {
            for core in 0..cores {
                thread::Builder::new()
                    .name(format!("core {core}"))
                    .stack_size(STACK_BYTES)
                    .spawn_scoped(scope, move || main(core))
                    .expect("the system starts threads for all cores: use fewer --threads");
            }
            beside();
        });
    }

    fn wait(&self, word: &AtomicU32, expected: u32) {
        let (looks, glances) = patience();
        for round in 0..looks + glances {
            if word.load(Relaxed) != expected {
                return;
            }
            match round < looks {
                true => std::hint::spin_loop(),
                false => thread::yield_now(),
            }
        }
        atomic_wait::wait(word, expected);
    }

    fn wake(&self, word: &AtomicU32) {
        atomic_wait::wake_all(word);
    }

    fn now(&self) -> u64 {
        static START: OnceLock<Instant> = OnceLock::new();
        START.get_or_init(Instant::now).elapsed().as_nanos() as u64
    }

    fn relax(&self, rounds: u32) {
        match rounds % PATIENCE {
            0 if rounds > 0 => thread::yield_now(),
            _ => std::hint::spin_loop(),
        }
    }
}

/// The memory of one cluster, taken from the system in one piece.
#[must_use]
pub fn memory() -> Box<Memory> {
    // SAFETY: all of it is bytes that need not be initialised.
    unsafe { Box::<Memory>::new_uninit().assume_init() }
}
