//! Cores sleep on a condition variable; a lock guards the number of the round and
//! the count of those that work.

use super::{CrewOrder, HandOff, LEAVING, Pulse, next_round, order_of, wait_with_pulse};
use crate::hal::Machine;
use crate::sync::{AtomicU32, Line, Ordering};

/// The hand-off by a lock and two condition variables.
#[derive(Debug)]
pub struct Condvar {
    lock: Line<Lock>,
    /// Cores wait for it: there is an order.
    ordered: Line<Condition>,
    /// PC0 waits for it: all have reported.
    gathered: Line<Condition>,
    /// Read and written only under the lock, like `working`.
    round: AtomicU32,
    working: AtomicU32,
    cores: u32,
}

impl HandOff for Condvar {
    const NAME: &'static str = "condvar";
    const ABOUT: &'static str = "Cores sleep on a condition variable";

    fn new(cores: u32) -> Self {
        Self {
            lock: Line(Lock::new()),
            ordered: Line(Condition::new()),
            gathered: Line(Condition::new()),
            round: AtomicU32::new(0),
            working: AtomicU32::new(0),
            cores,
        }
    }

    fn start(&self, machine: &impl Machine, order: CrewOrder) {
        self.lock.acquire(machine);
        let round = match order {
            CrewOrder::Work => next_round(self.round.load(Ordering::Relaxed)),
            CrewOrder::Leave => LEAVING,
        };
        self.round.store(round, Ordering::Relaxed);
        self.working.store(self.cores, Ordering::Relaxed);
        self.lock.release(machine);
        self.ordered.signal(machine);
    }

    fn gather(&self, machine: &impl Machine, pulse: &mut dyn Pulse) {
        self.lock.acquire(machine);
        while self.working.load(Ordering::Relaxed) > 0 {
            self.gathered.wait(machine, &self.lock, Some(pulse));
        }
        self.lock.release(machine);
    }

    fn receive(&self, machine: &impl Machine, _core: usize, seen: &mut u32) -> CrewOrder {
        self.lock.acquire(machine);
        while self.round.load(Ordering::Relaxed) == *seen {
            self.ordered.wait(machine, &self.lock, None);
        }
        *seen = self.round.load(Ordering::Relaxed);
        self.lock.release(machine);
        order_of(*seen)
    }

    fn report(&self, machine: &impl Machine, _core: usize, _seen: u32) {
        self.lock.acquire(machine);
        let left = self.working.load(Ordering::Relaxed) - 1;
        self.working.store(left, Ordering::Relaxed);
        self.lock.release(machine);
        if left == 0 {
            self.gathered.signal(machine);
        }
    }
}

const FREE: u32 = 0;
const HELD: u32 = 1;
/// Held, and somebody may be asleep.
const WANTED: u32 = 2;

/// A lock that puts to sleep whoever has to wait.
#[derive(Debug)]
struct Lock(AtomicU32);

impl Lock {
    fn new() -> Self {
        Self(AtomicU32::new(FREE))
    }

    fn acquire(&self, machine: &impl Machine) {
        let free = self.0.compare_exchange(FREE, HELD, Ordering::Acquire, Ordering::Relaxed);
        if free.is_ok() {
            return;
        }
        // From here on it is taken as wanted, for others may be asleep too.
        while self.0.swap(WANTED, Ordering::Acquire) != FREE {
            machine.wait(&self.0, WANTED);
        }
    }

    fn release(&self, machine: &impl Machine) {
        if self.0.swap(FREE, Ordering::Release) == WANTED {
            machine.wake(&self.0);
        }
    }
}

/// Something to sleep for: counts how often it was signalled.
#[derive(Debug)]
struct Condition(AtomicU32);

impl Condition {
    fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    /// Gives the lock away, sleeps, and takes it again. A signal after the lock
    /// was given away is not missed, because it has changed the count.
    fn wait(&self, machine: &impl Machine, lock: &Lock, pulse: Option<&mut dyn Pulse>) {
        let count = self.0.load(Ordering::Relaxed);
        lock.release(machine);
        match pulse {
            None => machine.wait(&self.0, count),
            Some(pulse) => wait_with_pulse(machine, &self.0, count, pulse),
        }
        lock.acquire(machine);
    }

    fn signal(&self, machine: &impl Machine) {
        self.0.fetch_add(1, Ordering::Relaxed);
        machine.wake(&self.0);
    }
}
