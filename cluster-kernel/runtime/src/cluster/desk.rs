//! Where all cores see the work of a round, and leave what came of it.
//!
//! The playouts of each position are cut into *stretches*, so that there are
//! enough for all cores; a core takes one after the other. PC0 writes positions
//! before a round and reads sums after it, and a stretch belongs to the core that
//! has taken it: no word is ever written by two at a time. So all accesses are
//! relaxed or plain; the hand-off of the strategy puts them in order.

use core::cell::UnsafeCell;

use ruche_shared::Image;
use ruche_shared::budget::QUEUE_LENGTH;
use ruche_shared::position::position_words;
use ruche_shared::stream::PositionStreams;
use ruche_shared::wire::results::Columns;
use ruche_shared::wire::results::column::{ENDLESS, PLIES, SCORED, STUCK, UNSCORED};
use ruche_shared::wire::work::{NUMBER_BYTES, payload_bytes};

use crate::arena::Arena;
use crate::strategy::MOST_CORES;
use crate::sync::{AtomicU32, AtomicU64, Line, Ordering::Relaxed, Watch};
use ruche_eval::playouts::{Best, Queue, Stretch, Tally};

/// Stretches for each core, if there are enough playouts: a few, so that cores
/// whose games are short take more.
const STRETCHES_PER_CORE: u32 = 4;

// Cutting few positions into stretches does not make more than there is room for.
const _: () = assert!(2 * STRETCHES_PER_CORE as u64 * MOST_CORES as u64 <= QUEUE_LENGTH);

/// The payload of a `Work` frame, in its only place: PC0 receives it here, and cores
/// read positions where they lie.
#[derive(Debug)]
struct Tray<'memory>(&'memory [UnsafeCell<u64>], Watch);

// SAFETY: it is written only between rounds and read only in rounds, which is what
// `Desk::fill` and `Desk::share` demand; a strategy's hand-off orders the two.
unsafe impl Sync for Tray<'_> {}

/// The work of a round.
#[derive(Debug)]
pub struct Desk<'memory> {
    tray: Tray<'memory>,
    /// For each stretch a row of results, [padded](Columns::padded_numbers): neighbours belong to
    /// different cores, which would otherwise take a cache line from each other whenever
    /// a game ends.
    sums: &'memory [AtomicU64],
    /// Stretches that were taken so far.
    taken: Line<AtomicU32>,
    stretches: AtomicU32,
    /// Of each position.
    stretches_each: AtomicU32,
    playouts: AtomicU32,
    /// The number of the first position in the run.
    number: AtomicU64,
    seed: u64,
    position_words: usize,
    columns: Columns,
    /// Places of a row of sums, which is asked for whenever a game ends.
    padded: usize,
}

impl<'memory> Desk<'memory> {
    /// A desk for so many positions at a time.
    pub fn new(
        image: &Image<'_>,
        columns: Columns,
        seed: u64,
        queue: usize,
        arena: &mut Arena<'memory>,
    ) -> Option<Self> {
        let places = payload_bytes(queue, image.fluents()).div_ceil(size_of::<u64>());
        Some(Self {
            tray: Tray(arena.slice(places, |_| UnsafeCell::new(0))?, Watch::default()),
            sums: arena.slice(queue * columns.padded_numbers(), |_| AtomicU64::new(0))?,
            taken: Line(AtomicU32::new(0)),
            stretches: AtomicU32::new(0),
            stretches_each: AtomicU32::new(1),
            playouts: AtomicU32::new(0),
            number: AtomicU64::new(0),
            seed,
            position_words: position_words(image.fluents()),
            columns,
            padded: columns.padded_numbers(),
        })
    }

    /// Positions that there is room for.
    pub fn queue(&self) -> usize {
        self.sums.len() / self.padded
    }

    /// PC0, between rounds: lets somebody write so many bytes, a payload, and look at
    /// them; `None` if there is not so much room.
    ///
    /// # Safety
    /// No round may be going on.
    pub unsafe fn fill<R>(&self, length: usize, write: impl FnOnce(&mut [u8]) -> R) -> Option<R> {
        self.tray.1.write(0);
        let bytes = size_of_val(self.tray.0);
        let start = self.tray.0.as_ptr().cast_mut().cast::<u8>();
        // SAFETY: these are the bytes of the tray, which may change although it is
        // shared; between rounds nobody reads them, and PC0 is one.
        let bytes = unsafe { core::slice::from_raw_parts_mut(start, bytes) };
        bytes.get_mut(..length).map(write)
    }

    /// PC0, between rounds: makes stretches of what is in the tray, positions of which
    /// the first has this number in the run.
    pub fn lay_out(&self, number: u64, count: u32, playouts: u32) {
        let wanted = STRETCHES_PER_CORE * MOST_CORES as u32;
        let each = wanted.div_ceil(count).min(playouts);
        let stretches = count * each;
        for row in self.sums[..stretches as usize * self.padded].chunks_exact(self.padded) {
            for (column, sum) in row.iter().enumerate() {
                sum.store(self.columns.empty(column), Relaxed);
            }
        }
        self.stretches_each.store(each, Relaxed);
        self.stretches.store(stretches, Relaxed);
        self.playouts.store(playouts, Relaxed);
        self.number.store(number, Relaxed);
        self.taken.store(0, Relaxed);
    }

    /// PC0, between rounds: the results of all positions.
    pub fn collect<'o>(&self, outgoing: &'o mut [u64]) -> &'o [u64] {
        let each = self.stretches_each.load(Relaxed) as usize;
        let count = self.stretches.load(Relaxed) as usize / each.max(1);
        let (numbers, padded) = (self.columns.numbers(), self.padded);
        let results = &mut outgoing[..count * numbers];
        let sums = self.sums.chunks(each * padded);
        for (row, sums) in results.chunks_exact_mut(numbers).zip(sums) {
            for (column, number) in row.iter_mut().enumerate() {
                *number = self.columns.empty(column);
            }
            for stretch in sums.chunks_exact(padded) {
                self.columns.merge(row, |column| stretch[column].load(Relaxed));
            }
        }
        results
    }

    /// One core's way to the work.
    ///
    /// # Safety
    /// It may be used in rounds only.
    pub unsafe fn share(&self) -> Share<'_> {
        Share { desk: self }
    }

    /// The next stretch.
    fn take(&self) -> Option<Stretch> {
        let ticket = self.taken.fetch_add(1, Relaxed);
        if ticket >= self.stretches.load(Relaxed) {
            return None;
        }
        let each = self.stretches_each.load(Relaxed);
        let playouts = u64::from(self.playouts.load(Relaxed));
        let cut = |part: u32| playouts * u64::from(part) / u64::from(each);
        let part = ticket % each;
        let number = self.number.load(Relaxed).wrapping_add(u64::from(ticket / each));
        Some(Stretch {
            ticket,
            number,
            streams: PositionStreams::new(self.seed, number),
            first: cut(part),
            count: cut(part + 1) - cut(part),
        })
    }

    /// The position of a stretch.
    ///
    /// # Safety
    /// A round has to be going on as long as the position is used.
    unsafe fn position(&self, ticket: u32) -> &[u32] {
        self.tray.1.read(0);
        let index = ticket / self.stretches_each.load(Relaxed);
        // SAFETY: these are the words of the tray, and in rounds nobody writes them.
        let words: &[u32] = unsafe {
            let bytes = size_of_val(self.tray.0);
            core::slice::from_raw_parts(self.tray.0.as_ptr().cast(), bytes / size_of::<u32>())
        };
        let start = NUMBER_BYTES / size_of::<u32>() + index as usize * self.position_words;
        &words[start..][..self.position_words]
    }
}

/// One core's way to the work of a round.
#[derive(Debug)]
pub struct Share<'a> {
    desk: &'a Desk<'a>,
}

impl Share<'_> {
    /// Takes all that there is and counts it as games without an end.
    pub fn give_up_all(&mut self) {
        while let Some(stretch) = self.next() {
            self.add(stretch.ticket, &Tally { endless: stretch.count, ..Tally::default() });
        }
    }

    /// A number of a stretch, which no other core writes.
    #[inline(always)]
    fn number(&self, ticket: u32, column: usize) -> &AtomicU64 {
        &self.desk.sums[ticket as usize * self.desk.padded + column]
    }

    /// Adds to a column of a stretch.
    #[inline(always)]
    fn sum(&self, ticket: u32, column: usize, more: u64) {
        let sum = self.number(ticket, column);
        sum.store(sum.load(Relaxed).wrapping_add(more), Relaxed);
    }
}

impl Queue for Share<'_> {
    fn next(&mut self) -> Option<Stretch> {
        self.desk.take()
    }

    fn position(&self, ticket: u32) -> &[u32] {
        // SAFETY: a share is used in rounds only, as whoever made it has promised.
        unsafe { self.desk.position(ticket) }
    }

    #[inline(always)]
    fn add(&mut self, ticket: u32, tally: &Tally) {
        self.sum(ticket, SCORED, tally.scored);
        self.sum(ticket, PLIES, tally.plies);
        if tally.scored != tally.playouts() {
            self.sum(ticket, UNSCORED, tally.unscored);
            self.sum(ticket, STUCK, tally.stuck);
            self.sum(ticket, ENDLESS, tally.endless);
        }
    }

    #[inline(always)]
    fn add_score(&mut self, ticket: u32, role: usize, sum: u64) {
        self.sum(ticket, self.desk.columns.score(role), sum);
    }

    #[inline(always)]
    fn add_best(&mut self, ticket: u32, best: Best) {
        let Some(places) = self.desk.columns.best() else { return };
        let [goal, playout] = places.map(|column| self.number(ticket, column));
        let before = Best { goal: goal.load(Relaxed), playout: playout.load(Relaxed) };
        let best = before.or(best);
        goal.store(best.goal, Relaxed);
        playout.store(best.playout, Relaxed);
    }

    #[inline(always)]
    fn goal_to_beat(&self, ticket: u32) -> u64 {
        match self.desk.columns.best() {
            Some([goal, _]) => self.number(ticket, goal).load(Relaxed),
            None => u64::MAX,
        }
    }
}
