//! Playouts of many positions, handed out to threads in stretches.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use ruche_eval::playouts::{Best, Queue, Stretch, Tally};
use ruche_shared::stream::PositionStreams;
use ruche_shared::wire::results::Columns;

use crate::results::Results;
use crate::stop::Stop;
use crate::stopwatch::PlyParts;

/// How much to play.
#[derive(Clone, Copy, Debug)]
pub enum Amount {
    /// So many playouts from each position.
    Each(u64),
    /// Whatever can be handed out until then, from the first position.
    Until(Instant),
}

impl Amount {
    /// When nothing is handed out any more.
    pub(crate) fn end(self) -> Option<Instant> {
        match self {
            Amount::Each(_) => None,
            Amount::Until(end) => Some(end),
        }
    }
}

/// Playouts that several threads take from. Position `i` has the number `i` in
/// the run, unless they are numbered otherwise.
#[derive(Debug)]
pub(crate) struct Supply<'a> {
    positions: &'a [&'a [u32]],
    amount: Amount,
    seed: u64,
    /// The number of the first position in the run.
    first: u64,
    /// Playouts in one stretch.
    stretch: u64,
    /// Stretches handed out so far.
    taken: AtomicU64,
    /// Once somebody wants it, nothing is handed out any more.
    stop: Stop,
    /// Set once nobody waits for what was handed out.
    pub is_abandoned: AtomicBool,
}

impl<'a> Supply<'a> {
    /// All playouts of some positions, `stretch` at a time.
    #[must_use]
    pub fn new(positions: &'a [&'a [u32]], amount: Amount, seed: u64, stretch: u64) -> Self {
        let taken = AtomicU64::new(0);
        let (stretch, stop) = (stretch.max(1), Stop::default());
        let is_abandoned = AtomicBool::new(false);
        Self { positions, amount, seed, first: 0, stretch, taken, stop, is_abandoned }
    }

    /// The same, where position `i` has the number `first + i` in the run.
    #[must_use]
    pub fn numbered_from(self, first: u64) -> Self {
        Self { first, ..self }
    }

    /// The same, until somebody wants it to stop.
    #[must_use]
    pub fn stopped_by(self, stop: Stop) -> Self {
        Self { stop, ..self }
    }

    /// The position and the playouts of the next stretch.
    fn take(&self) -> Option<Stretch> {
        if self.stop.is_requested() {
            return None;
        }
        // Stretches may be taken in any order: their numbers alone say what they
        // are.
        let taken = self.taken.fetch_add(1, Ordering::Relaxed);
        let (position, within, each) = match self.amount {
            Amount::Until(end) if Instant::now() >= end => return None,
            Amount::Until(_) => (0, taken, u64::MAX),
            Amount::Each(0) => return None,
            Amount::Each(each) => {
                let stretches = each.div_ceil(self.stretch);
                (taken / stretches, taken % stretches, each)
            }
        };
        if position >= self.positions.len() as u64 {
            return None;
        }
        let first = within * self.stretch;
        let number = self.first.wrapping_add(position);
        Some(Stretch {
            ticket: position as u32,
            number,
            streams: PositionStreams::new(self.seed, number),
            first,
            count: self.stretch.min(each - first),
        })
    }
}

/// One thread's way to the supply, with its own sums.
#[derive(Debug)]
pub(crate) struct Share<'a> {
    supply: &'a Supply<'a>,
    pub results: Results,
    /// Where the time went, if that was watched.
    pub parts: PlyParts,
}

impl<'a> Share<'a> {
    /// A share of a game with so many roles.
    pub fn new(supply: &'a Supply<'a>, roles: usize) -> Self {
        let results = Results::new(Columns::of_roles(roles), supply.positions.len());
        Self { supply, results, parts: PlyParts::default() }
    }

    /// Adds what another thread did.
    pub fn add_share(&mut self, other: &Share<'_>) {
        self.results.add_all(&other.results);
        self.parts.add(&other.parts);
    }
}

impl Queue for Share<'_> {
    fn next(&mut self) -> Option<Stretch> {
        self.supply.take()
    }

    fn position(&self, ticket: u32) -> &[u32] {
        self.supply.positions[ticket as usize]
    }

    #[inline(always)]
    fn add(&mut self, ticket: u32, tally: &Tally) {
        self.results.add(ticket as usize, tally);
    }

    #[inline(always)]
    fn add_score(&mut self, ticket: u32, role: usize, sum: u64) {
        self.results.add_score(ticket as usize, role, sum);
    }

    #[inline(always)]
    fn is_abandoned(&self) -> bool {
        self.supply.is_abandoned.load(Ordering::Relaxed)
    }

    #[inline(always)]
    fn add_best(&mut self, ticket: u32, best: Best) {
        self.results.add_best(ticket as usize, best);
    }

    #[inline(always)]
    fn goal_to_beat(&self, ticket: u32) -> u64 {
        self.results.goal_to_beat(ticket as usize)
    }
}
