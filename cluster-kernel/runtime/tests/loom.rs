//! All orders in which PC0 and cores can meet, as far as the model checker goes.
//! `toolchain/loom` runs this; an ordinary build has nothing here.
#![cfg(loom)]

use loom::cell::UnsafeCell;
use loom::sync::{Arc, Condvar as LoomCondvar, Mutex};
use loom::thread;
use ruche_runtime::barrier::Barrier;
use ruche_runtime::hal::Machine;
use ruche_runtime::strategy::{Condvar, CrewOrder, HandOff, Portal, Pulse, Spin};
use ruche_runtime::sync::{AtomicU32, Ordering};

/// Sleeping that can miss a wake-up, as a real machine's can if the hand-off is
/// wrong: then everybody sleeps, and the checker says so.
#[derive(Default)]
struct Model {
    lock: Mutex<()>,
    woken: LoomCondvar,
}

impl Model {
    fn new() -> Self {
        Self { lock: Mutex::new(()), woken: LoomCondvar::new() }
    }
}

// SAFETY: it starts no cores.
unsafe impl Machine for Model {
    fn on_cores(&self, _cores: usize, _main: &(dyn Fn(usize) + Sync), _beside: impl FnOnce()) {
        unreachable!("the tests start threads themselves")
    }

    fn wait(&self, word: &AtomicU32, expected: u32) {
        let guard = self.lock.lock().unwrap();
        if word.load(Ordering::Relaxed) == expected {
            drop(self.woken.wait(guard).unwrap());
        }
    }

    fn wait_for(&self, word: &AtomicU32, expected: u32, _nanoseconds: u64) {
        self.wait(word, expected);
    }

    fn wake(&self, _word: &AtomicU32) {
        let _guard = self.lock.lock().unwrap();
        self.woken.notify_all();
    }

    fn now(&self) -> u64 {
        0
    }

    fn relax(&self, _rounds: u32) {
        thread::yield_now();
    }
}

/// Nothing to do while waiting.
struct Calm;

impl Pulse for Calm {
    fn interval(&self) -> u64 {
        u64::MAX
    }

    fn beat(&mut self) {}
}

/// Memory that the checker watches: a read that races with a write is an error.
struct Cell(UnsafeCell<u32>);

// SAFETY: the checker fails wherever two threads would race for it.
unsafe impl Sync for Cell {}
// SAFETY: as above.
unsafe impl Send for Cell {}

impl Cell {
    fn new() -> Self {
        Self(UnsafeCell::new(0))
    }

    fn read(&self) -> u32 {
        // SAFETY: the checker watches it.
        self.0.with(|value| unsafe { *value })
    }

    fn write(&self, value: u32) {
        // SAFETY: the checker watches it.
        self.0.with_mut(|place| unsafe { *place = value });
    }
}

/// The most cores of a test.
const CORES: usize = 2;
const ROUNDS: u32 = 2;

struct World<H> {
    machine: Model,
    hand_off: H,
    work: Cell,
    results: [Cell; CORES],
}

fn check(test: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    // Two unforced switches between threads show nearly every error, and more
    // would take hours.
    builder.preemption_bound = Some(2);
    // Active waits take many steps.
    builder.max_branches = 100_000;
    builder.check(test);
}

fn rounds_are_handed_off<H: HandOff + Send + 'static>(new: fn(u32) -> H, cores: usize) {
    check(move || {
        let world = Arc::new(World {
            machine: Model::new(),
            hand_off: new(cores as u32),
            work: Cell::new(),
            results: [Cell::new(), Cell::new()],
        });
        let core = |core: usize| {
            let world = world.clone();
            thread::spawn(move || serve(&world, core))
        };
        let threads: Vec<_> = (0..cores).map(core).collect();
        for round in 1..=ROUNDS {
            world.work.write(10 * round);
            world.hand_off.start(&world.machine, CrewOrder::Work);
            world.hand_off.gather(&world.machine, &mut Calm);
            for result in &world.results[..cores] {
                assert_eq!(result.read(), 10 * round + 1);
            }
        }
        world.hand_off.start(&world.machine, CrewOrder::Leave);
        for thread in threads {
            assert_eq!(thread.join().unwrap(), ROUNDS);
        }
    });
}

/// What a core does; returns how many rounds it has worked.
fn serve<H: HandOff>(world: &World<H>, core: usize) -> u32 {
    let (mut seen, mut rounds) = (0, 0);
    while world.hand_off.receive(&world.machine, core, &mut seen) == CrewOrder::Work {
        world.results[core].write(world.work.read() + 1);
        rounds += 1;
        world.hand_off.report(&world.machine, core, seen);
    }
    rounds
}

#[test]
fn condvar_hands_off() {
    rounds_are_handed_off(Condvar::new, CORES);
}

/// With one core: two that wait actively beside PC0 have more orders than can be
/// tried.
#[test]
fn spin_hands_off() {
    rounds_are_handed_off(Spin::new, 1);
}

#[test]
fn portals_hand_off() {
    rounds_are_handed_off(Portal::new, CORES);
}

#[test]
fn nobody_passes_a_barrier_alone() {
    check(|| {
        let shared = Arc::new((Model::new(), Barrier::new(2), [Cell::new(), Cell::new()]));
        let walk = |core: usize, shared: &(Model, Barrier, [Cell; 2])| {
            let (machine, barrier, cells) = shared;
            for round in 1..=ROUNDS {
                cells[core].write(round);
                barrier.pass(machine);
                assert_eq!(cells[1 - core].read(), round);
                barrier.pass(machine);
            }
        };
        let there = shared.clone();
        let other = thread::spawn(move || walk(1, &there));
        walk(0, &shared);
        other.join().unwrap();
    });
}
