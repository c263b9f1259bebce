//! The kernel's machine on an operating system: its cores are threads.
//!
//! What the bare machine does with interrupts, this one does with the system's
//! futexes; nothing in the kernel knows the difference.

mod host;

use std::mem::MaybeUninit;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use ruche_runtime::hal::{Activity, Machine};
use ruche_runtime::sync::AtomicU32;
use ruche_shared::budget::KERNEL_BYTES;
use tracing::info_span;

pub use host::Host;

/// The cores of one cluster, which are threads.
#[derive(Debug, Default)]
pub struct Threads {
    /// The thread that they play for, if it wants a processor of this machine.
    host: Option<Arc<Host>>,
    /// How many they are.
    cores: AtomicU32,
    /// Shares of rounds that are done.
    done: AtomicU32,
    /// Those for which there is a processor only while the host waits. Looked up a few
    /// times in a round, and never in a playout.
    guests: RwLock<Vec<ThreadId>>,
}

impl Threads {
    /// Cores that leave a processor to this host while it has something to do.
    #[must_use]
    pub fn beside(host: Arc<Host>) -> Self {
        Self { host: Some(host), ..Self::default() }
    }

    /// Takes this thread for a guest as long as it runs something.
    fn as_guest(&self, run: impl FnOnce()) {
        let guest = thread::current().id();
        self.guests.write().unwrap_or_else(PoisonError::into_inner).push(guest);
        run();
        self.guests.write().unwrap_or_else(PoisonError::into_inner).retain(|id| *id != guest);
    }

    /// Whether this thread is a guest.
    fn is_guest(&self) -> bool {
        let guests = self.guests.read().unwrap_or_else(PoisonError::into_inner);
        !guests.is_empty() && guests.contains(&thread::current().id())
    }

    /// A core does its share of a round.
    fn share_round<T>(&self, act: impl FnOnce() -> T) -> T {
        if self.is_guest() {
            info_span!("wait").in_scope(|| self.give_precedence());
        }
        let result = info_span!("round").in_scope(act);
        if let Some(host) = &self.host {
            self.done.fetch_add(1, SeqCst);
            host.end_round();
        }
        result
    }

    /// A guest waits as long as the host is busy and there is something left to do in a
    /// round without it.
    fn give_precedence(&self) {
        if let (Some(host), true) = (&self.host, self.is_guest()) {
            host.let_in(|| self.is_over());
        }
    }

    /// How long a thread may wait actively for another: not at all if that one or the host
    /// needs its processor, and briefly if there are more cores than processors.
    fn patience(&self) -> (u32, Duration) {
        let (processors, cores) = (processors(), CORES.load(Relaxed));
        let is_busy = self.host.as_ref().is_some_and(|host| host.is_busy());
        match cores {
            _ if processors == 1 || self.is_guest() => (0, Duration::ZERO),
            _ if is_busy && cores + 1 >= processors => (0, Duration::ZERO),
            _ if cores > processors => (LOOKS, Duration::ZERO),
            _ => (LOOKS, GLANCES),
        }
    }

    /// Looks for another value of a word for a while; false if there is none.
    fn look(&self, word: &AtomicU32, expected: u32) -> bool {
        let (looks, glances) = self.patience();
        for _ in 0..looks {
            if word.load(Relaxed) != expected {
                return true;
            }
            std::hint::spin_loop();
        }
        let start = now();
        let mut time = start;
        while time - start < glances.as_nanos() as u64 && !crowd::is_there(time) {
            if word.load(Relaxed) != expected {
                return true;
            }
            crowd::give_way(time);
            time = now();
        }
        word.load(Relaxed) != expected
    }

    /// Whether a core has done its share of a round in which others have not: then there
    /// is nothing left to begin.
    fn is_over(&self) -> bool {
        !self.done.load(SeqCst).is_multiple_of(self.cores.load(Relaxed))
    }
}

/// The stack of a core. The board's are smaller, but a thread of an operating
/// system also has to find room for the system's own frames.
const STACK_BYTES: usize = 256 << 10;

/// Rounds of an active wait before a core gives its place to another thread:
/// about a microsecond.
const PATIENCE: u32 = 64;

/// Looks at a word before sleeping on it: about ten microseconds, which is what
/// falling asleep and being woken costs at least.
const LOOKS: u32 = 400;

/// How long others may have the processor between further looks: the pause between two
/// runs without playouts. A sleeping processor may take as long to wake up.
const GLANCES: Duration = Duration::from_micros(100);

/// How long an active wait naps where processors are crowded.
const NAP: Duration = Duration::from_micros(50);

/// Cores of all clusters of this process.
static CORES: AtomicUsize = AtomicUsize::new(0);

/// Processors of this machine that this process may use.
fn processors() -> usize {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    *PROCESSORS.get_or_init(|| thread::available_parallelism().map_or(1, usize::from))
}

/// Whether somebody else wants the processors, of whom this process knows nothing.
///
/// Whoever yields then loses a time slice, some milliseconds, for a wait of microseconds,
/// and there may be a wait for each stratum of gates. Whoever sleeps is woken in time.
mod crowd {
    use super::{Duration, Relaxed, now, thread};
    use std::sync::atomic::AtomicU64;

    /// A yield that takes longer has cost a time slice.
    const LONG: Duration = Duration::from_micros(500);

    /// How long nobody yields after that: so many times a time slice that what is lost by
    /// trying again is hardly seen.
    const CAUTION: Duration = Duration::from_millis(250);

    /// Until when nobody yields, in nanoseconds.
    static UNTIL: AtomicU64 = AtomicU64::new(0);

    /// Whether a thread has lost a time slice recently.
    pub fn is_there(time: u64) -> bool {
        time < UNTIL.load(Relaxed)
    }

    /// Gives the processor to whoever wants it, and learns whether somebody did.
    pub fn give_way(before: u64) {
        thread::yield_now();
        let after = now();
        if after - before > LONG.as_nanos() as u64 {
            UNTIL.store(after + CAUTION.as_nanos() as u64, Relaxed);
        }
    }
}

/// Nanoseconds since somebody first asked.
fn now() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

/// Sleeps until a word has another value, somebody wakes, or so much time has passed.
#[cfg(target_os = "linux")]
fn sleep(word: &AtomicU32, expected: u32, time: Option<Duration>) {
    use rustix::thread::futex;
    let time = time.and_then(|time| time.try_into().ok());
    // That it was too late, too early or interrupted makes no difference to who waits.
    let _ = futex::wait(word, futex::Flags::PRIVATE, expected, time.as_ref());
}

/// Systems without futexes have no way to sleep on a word for a time: who has one naps.
#[cfg(not(target_os = "linux"))]
fn sleep(word: &AtomicU32, expected: u32, time: Option<Duration>) {
    match time {
        None => atomic_wait::wait(word, expected),
        Some(_) => thread::sleep(NAP),
    }
}

#[cfg(target_os = "linux")]
fn wake_all(word: &AtomicU32) {
    // Nobody to wake is no failure.
    let _ =
        rustix::thread::futex::wake(word, rustix::thread::futex::Flags::PRIVATE, i32::MAX as u32);
}

#[cfg(not(target_os = "linux"))]
fn wake_all(word: &AtomicU32) {
    atomic_wait::wake_all(word);
}

/// Counts cores as long as it lives.
struct Counted {
    cores: usize,
    /// Cores that were there before.
    first: usize,
}

impl Counted {
    fn new(cores: usize) -> Self {
        Self { cores, first: CORES.fetch_add(cores, Relaxed) }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        CORES.fetch_sub(self.cores, Relaxed);
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
        let counted = Counted::new(cores);
        self.cores.store(cores as u32, Relaxed);
        let here = thread::current();
        let cluster = here.name().unwrap_or("a cluster");
        thread::scope(|scope| {
            for core in 0..cores {
                let is_guest = self.host.is_some() && counted.first + core + 1 >= processors();
                thread::Builder::new()
                    .name(format!("core {core} of {cluster}"))
                    .stack_size(STACK_BYTES)
                    .spawn_scoped(scope, move || match is_guest {
                        true => self.as_guest(|| main(core)),
                        false => main(core),
                    })
                    .expect("the system starts threads for all cores: use fewer --threads");
            }
            beside();
        });
    }

    fn wait(&self, word: &AtomicU32, expected: u32) {
        if !self.look(word, expected) {
            sleep(word, expected, None);
        }
    }

    fn wait_for(&self, word: &AtomicU32, expected: u32, nanoseconds: u64) {
        if !self.look(word, expected) {
            sleep(word, expected, Some(Duration::from_nanos(nanoseconds)));
        }
    }

    fn wake(&self, word: &AtomicU32) {
        wake_all(word);
    }

    fn now(&self) -> u64 {
        now()
    }

    fn relax(&self, rounds: u32) {
        if rounds % PATIENCE != PATIENCE - 1 {
            return std::hint::spin_loop();
        }
        let time = now();
        match crowd::is_there(time) {
            true => thread::sleep(NAP),
            false => crowd::give_way(time),
        }
    }

    fn during<T>(&self, activity: Activity, act: impl FnOnce() -> T) -> T {
        match activity {
            Activity::Waiting => info_span!("wait").in_scope(|| {
                self.give_precedence();
                act()
            }),
            Activity::Working => self.share_round(act),
        }
    }
}

/// Where the memory of a cluster starts, as on a board.
const PAGE: usize = 4096;

/// The memory of one cluster, taken from the system in one piece.
#[derive(Debug)]
pub struct ClusterMemory {
    /// Nothing but room.
    room: Vec<u8>,
    /// Bytes of it that games have.
    bytes: usize,
}

impl ClusterMemory {
    /// That of a cluster of so many bytes, of which the kernel takes its share on every
    /// machine. If the system has not as much, games have nothing: the kernel refuses them
    /// and says so.
    #[must_use]
    pub fn new(total: u64) -> Self {
        let bytes = usize::try_from(total.saturating_sub(KERNEL_BYTES)).unwrap_or(usize::MAX);
        let mut room = Vec::new();
        match room.try_reserve_exact(bytes.saturating_add(PAGE)) {
            Ok(()) => Self { room, bytes },
            Err(_) => Self { room, bytes: 0 },
        }
    }

    /// What games have.
    pub fn games(&mut self) -> &mut [MaybeUninit<u8>] {
        let room = self.room.spare_capacity_mut();
        let start = room.as_ptr().align_offset(PAGE).min(room.len());
        &mut room[start..][..self.bytes]
    }
}
