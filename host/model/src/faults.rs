//! What goes wrong on a modelled machine, decided by a seed: real search, I/O node and
//! kernel, and nothing that can be relied on between them.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use ruche_io_node::transport::faulty::{Faults, FaultyLine};

use crate::world::Time;

/// A cluster that dies does so before one of its first frames: later ones are rare in
/// a short run.
const LAST_FRAME: u64 = 24;

/// More steps than any simulation has that comes to an end.
const MOST_STEPS: u64 = 20_000_000;

/// What goes wrong. The same numbers give the same run to the nanosecond.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Misfortune {
    /// Decides which faults happen.
    pub seed: u64,
    /// Frames between I/O nodes and clusters, and deaths of clusters in each of their
    /// lives.
    pub faults: Faults,
    /// How probable it is that a core which computes has to wait for its processor.
    pub starvation: f64,
    /// The longest such wait.
    pub longest_starvation: Duration,
    /// How often a cluster that was lost is started again.
    pub restarts: u32,
}

/// Decides what happens, and counts.
pub(crate) struct Fate {
    pub misfortune: Misfortune,
    chance: RefCell<Pcg64Mcg>,
    /// To each cluster, and back.
    lines: RefCell<Vec<[FaultyLine; 2]>>,
    steps: Cell<u64>,
}

/// Where a frame goes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Direction {
    ToCluster,
    ToIoNode,
}

impl Fate {
    pub fn new(misfortune: Misfortune, clusters: usize) -> Self {
        Self {
            misfortune,
            chance: RefCell::new(Pcg64Mcg::seed_from_u64(misfortune.seed)),
            lines: RefCell::new(vec![Default::default(); clusters]),
            steps: Cell::new(0),
        }
    }

    /// What arrives of a frame that would arrive now, and when.
    pub fn pass(
        &self,
        cluster: usize,
        direction: Direction,
        arrival: Time,
        frame: Vec<u8>,
    ) -> Vec<(Time, Vec<u8>)> {
        let (faults, chance) = (&self.misfortune.faults, &mut *self.chance.borrow_mut());
        let line = &mut self.lines.borrow_mut()[cluster][direction as usize];
        let arrived = line.pass(frame, Duration::from_nanos(arrival), faults, chance);
        arrived.into_iter().map(|(time, frame)| (time.as_nanos() as Time, frame)).collect()
    }

    /// Before which of the frames that it is sent a cluster dies that is started now.
    pub fn death(&self) -> Option<u64> {
        let chance = &mut *self.chance.borrow_mut();
        let dies = chance.random_bool(self.misfortune.faults.kill);
        let frame = chance.random_range(1..=LAST_FRAME);
        dies.then_some(frame)
    }

    /// Whether the transport notices a death.
    pub fn is_noticed(&self) -> bool {
        self.chance.borrow_mut().random_bool(self.misfortune.faults.notice)
    }

    /// How long a core waits for its processor.
    pub fn starvation(&self) -> Time {
        let chance = &mut *self.chance.borrow_mut();
        match chance.random_bool(self.misfortune.starvation) {
            true => chance.random_range(0..=self.misfortune.longest_starvation.as_nanos() as Time),
            false => 0,
        }
    }

    /// # Panics
    /// If it goes on for ever.
    pub fn count_step(&self) {
        self.steps.set(self.steps.get() + 1);
        assert!(self.steps.get() < MOST_STEPS, "the simulation does not come to an end");
    }
}
