//! All orders in which PC0 and cores can meet, as far as the model checker goes.
//! `toolchain/loom` runs this; an ordinary build has nothing here.
#![cfg(loom)]

#[path = "../../../shared/tests/support/mod.rs"]
mod support;

use std::mem::MaybeUninit;

use loom::cell::UnsafeCell;
use loom::sync::{Arc, Condvar as LoomCondvar, Mutex};
use loom::thread;
use ruche_eval::circuit::Circuit as _;
use ruche_eval::playouts::{Queue, Tally};
use ruche_runtime::arena::Arena;
use ruche_runtime::barrier::Barrier;
use ruche_runtime::cluster::checked::{Desk, Team, Wiring};
use ruche_runtime::hal::Machine;
use ruche_runtime::strategy::{Condvar, CrewOrder, HandOff, Portal, Pulse, Spin};
use ruche_runtime::sync::{AtomicU32, Ordering};
use ruche_shared::image::{Image, Section};
use ruche_shared::wire::results::Columns;
use support::{AND, Bytes, Circuit, OR};

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
    // would take hours. `LOOM_MAX_PREEMPTIONS` says otherwise.
    builder.preemption_bound = builder.preemption_bound.or(Some(2));
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

/// Lets threads have a value that is dropped when they have ended, like a cluster's main
/// loop does with what its cores use.
struct Lent<T: 'static>(&'static T, *mut T);

impl<T> Lent<T> {
    fn new(value: T) -> Self {
        let place = Box::into_raw(Box::new(value));
        // SAFETY: it lives until it is taken back.
        Self(unsafe { &*place }, place)
    }

    fn take_back(self) {
        // SAFETY: all threads that had it were joined.
        drop(unsafe { Box::from_raw(self.1) });
    }
}

/// An image that lives as long as the tests.
fn image(circuit: &Circuit) -> Image<'static> {
    let bytes: &'static Bytes = Box::leak(Box::new(circuit.encode()));
    bytes.parse().expect("the parts fit together")
}

/// Playouts of the only position of a round: two stretches.
const PLAYOUTS: u32 = 2;

/// A core plays all stretches that it gets, and reads the position of each.
fn play_round(desk: &Desk<'_>, round: u32) {
    // SAFETY: a round is going on.
    let mut share = unsafe { desk.share() };
    while let Some(stretch) = share.next() {
        assert_eq!(share.position(stretch.ticket), [round]);
        share.add(stretch.ticket, &Tally { scored: stretch.count, ..Tally::default() });
    }
}

/// PC0's part of a round, before the cores.
fn set_out(desk: &Desk<'_>, round: u32) {
    // SAFETY: no round is going on.
    let written =
        unsafe { desk.fill(12, |payload| payload[8..].copy_from_slice(&round.to_le_bytes())) };
    written.expect("room for a position");
    desk.lay_out(0, 1, PLAYOUTS);
}

#[test]
fn a_desk_gives_every_stretch_once_and_keeps_all_sums() {
    let image = image(&Circuit::new(32, 33, false));
    check(move || {
        let machine = Arc::new(Model::new());
        let hand_off = Arc::new(Condvar::new(CORES as u32));
        let memory = Lent::new([MaybeUninit::uninit(); 4096]);
        // SAFETY: nobody else has it.
        let mut arena = Arena::new(unsafe { &mut *memory.1 });
        let columns = Columns { roles: image.roles(), further: 0 };
        let desk = Desk::new(&image, columns, 0, PLAYOUTS as usize, &mut arena);
        let desk = Lent::new(desk.expect("a desk is small"));
        let core = |core: usize| {
            let (machine, hand_off, desk) = (machine.clone(), hand_off.clone(), desk.0);
            thread::spawn(move || {
                let (mut seen, mut round) = (0, 0);
                while hand_off.receive(&*machine, core, &mut seen) == CrewOrder::Work {
                    round += 1;
                    play_round(desk, round);
                    hand_off.report(&*machine, core, seen);
                }
            })
        };
        let threads: Vec<_> = (0..CORES).map(core).collect();
        let mut outgoing = [0; 32];
        for round in 1..=ROUNDS {
            set_out(desk.0, round);
            hand_off.start(&*machine, CrewOrder::Work);
            hand_off.gather(&*machine, &mut Calm);
            assert_eq!(desk.0.collect(&mut outgoing)[0], u64::from(PLAYOUTS));
        }
        hand_off.start(&*machine, CrewOrder::Leave);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        desk.take_back();
        memory.take_back();
    });
}

/// Three fluents; a stratum of two gates that both cores share, one of a single gate for
/// the leader, and another shared one that reads what both have left.
fn three_strata() -> Circuit {
    let mut circuit = Circuit::new(3, 8, false);
    circuit.run(Section::Legal, AND, &[[3, 0, 1], [4, 1, 2]]);
    circuit.stratum(Section::Legal);
    circuit.run(Section::Legal, OR, &[[5, 3, 4]]);
    circuit.stratum(Section::Legal);
    circuit.run(Section::Legal, AND, &[[6, 5, 0], [7, 5, 2]]);
    circuit
}

#[test]
fn a_team_computes_what_one_core_does() {
    let image = image(&three_strata());
    check(move || {
        let machine = Lent::new(Model::new());
        let team = Lent::new(Team::new(machine.0, image, CORES as u32, 2));
        // The end of a round: the hand-off has a test of its own.
        let end = Lent::new(Barrier::new(CORES as u32));
        let (there, the_end, its_machine) = (team.0, end.0, machine.0);
        let helper = thread::spawn(move || {
            let mut seen = 0;
            for _ in 0..ROUNDS {
                there.help::<u8>(1, &mut seen);
                the_end.pass(its_machine);
            }
        });
        let shared = Wiring::<&ruche_eval::circuit::Interpreted<'_>, Model>::Shared(team.0);
        for round in 1..=ROUNDS as u8 {
            let mut slots = [0b1111, 0b0011, round, 0, 0, 0, 0, 0];
            shared.run(Section::Legal, &mut slots);
            let (both, either) = (0b0011 & round, 0b0011);
            assert_eq!(slots[3..], [0b0011, both, either, either, either & round]);
            team.0.dismiss();
            end.0.pass(machine.0);
        }
        helper.join().unwrap();
        team.take_back();
        end.take_back();
        machine.take_back();
    });
}
