//! Which lane plays for which position, and since when.
//!
//! A *flight* is the playouts of one stretch that are under way. With many playouts
//! from each position there are one or two, in a search dozens; with one playout from
//! each there is one per lane.

use ruche_shared::stream::PositionStreams;

use super::{Queue, Stretch, Tally};
use crate::word::{CHUNK_LANES, Word};

/// The lanes of one stretch.
#[derive(Clone, Copy, Debug)]
struct Flight<W> {
    lanes: W,
    /// How many lanes these are.
    count: u32,
    ticket: u32,
    /// The clock up to which the plies of its lanes are counted.
    counted: u32,
}

impl<W> Flight<W> {
    /// The plies of all its lanes since they were counted last. Counting them
    /// whenever lanes come or go is cheaper than asking each lane that goes.
    #[inline(always)]
    fn count_plies(&mut self, clock: u32) -> u64 {
        let plies = clock.wrapping_sub(self.counted);
        self.counted = clock;
        u64::from(plies) * u64::from(self.count)
    }
}

impl<W: Word> Flight<W> {
    /// Takes some of its lanes out.
    #[inline(always)]
    fn leave(&mut self, lanes: Group<W>, clock: u32) -> Landed<W> {
        let (ticket, plies, count) = (self.ticket, self.count_plies(clock), lanes.count());
        match lanes {
            Group::Word(lanes) => self.lanes = self.lanes & !lanes,
            Group::Chunk(index, lanes) => {
                self.lanes.set_chunk(index, self.lanes.chunk(index) & !lanes);
            }
        }
        self.count -= count as u32;
        Landed { ticket, lanes, count, plies }
    }
}

/// Lanes that start with playouts of consecutive numbers, lowest lane first.
pub(super) struct Boarding<W> {
    pub lanes: W,
    flight: u16,
    pub ticket: u32,
    pub streams: PositionStreams,
    pub first: u64,
}

/// Lanes of one flight whose playouts are over.
pub(super) struct Landed<W> {
    pub ticket: u32,
    pub lanes: Group<W>,
    /// How many these are.
    pub count: u64,
    /// Plies of the whole flight that were not counted before.
    pub plies: u64,
}

/// Told of what has landed. A trait and not a closure, because a closure that is
/// called in two places is not inlined, and then compiled without the instructions of
/// the word.
pub(super) trait Ground<W> {
    fn landed(&mut self, landed: Landed<W>);
}

/// Some lanes.
#[derive(Clone, Copy)]
pub(super) enum Group<W> {
    /// Of a whole word.
    Word(W),
    /// Of one chunk, the index of which comes first.
    Chunk(usize, u64),
}

impl<W: Word> Group<W> {
    /// Those of the lanes that are true in a word.
    #[inline(always)]
    pub fn within(&self, word: &W) -> Self {
        match *self {
            Group::Word(lanes) => Group::Word(*word & lanes),
            Group::Chunk(index, lanes) => Group::Chunk(index, word.chunk(index) & lanes),
        }
    }

    /// How many lanes these are.
    #[inline(always)]
    pub fn count(&self) -> u64 {
        u64::from(match *self {
            Group::Word(lanes) => lanes.count(),
            Group::Chunk(_, lanes) => lanes.count_ones(),
        })
    }

    /// Whether there are none.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        match *self {
            Group::Word(lanes) => lanes.is_zero(),
            Group::Chunk(_, lanes) => lanes == 0,
        }
    }

    /// Calls back with each lane.
    #[inline(always)]
    pub fn for_each_lane(&self, mut each: impl FnMut(usize)) {
        match *self {
            Group::Word(lanes) => lanes.for_each_lane(each),
            Group::Chunk(index, lanes) => {
                lanes.for_each_lane(|lane| each(index * CHUNK_LANES + lane));
            }
        }
    }

    /// How many of the lanes are true in a word.
    #[inline(always)]
    pub fn count_in(&self, word: &W) -> u64 {
        self.within(word).count()
    }
}

/// All lanes of a player.
#[derive(Debug)]
pub(super) struct Flights<W: Word> {
    flying: W,
    flights: W::PerLane<Flight<W>>,
    /// The flight of each lane.
    flight_of: W::PerLane<u16>,
    /// The flights that are free, of which the first `free_count` count. There
    /// are as many flights as lanes, and each but the one that is boarding has a
    /// lane: there is always one free for the next.
    free: W::PerLane<u16>,
    free_count: usize,
    /// What is left of the stretch that is handed out just now, and its flight.
    boarding: Option<(Stretch, u16)>,
    /// Plies so far; only differences count, so that it may wrap.
    clock: u32,
    /// The clock at which the playout of each lane started.
    started: W::PerLane<u32>,
    /// No playout started before.
    oldest: u32,
}

impl<W: Word> Flights<W> {
    pub fn new() -> Self {
        let mut free = W::per_lane(0);
        for (number, free) in free.as_mut().iter_mut().enumerate() {
            *free = number as u16;
        }
        Self {
            flying: W::ZERO,
            flights: W::per_lane(Flight { lanes: W::ZERO, count: 0, ticket: 0, counted: 0 }),
            flight_of: W::per_lane(0),
            free,
            free_count: W::LANES,
            boarding: None,
            clock: 0,
            started: W::per_lane(0),
            oldest: 0,
        }
    }

    /// The lanes that play.
    #[inline(always)]
    pub fn flying(&self) -> W {
        self.flying
    }

    /// One more ply.
    #[inline(always)]
    pub fn tick(&mut self) {
        self.clock = self.clock.wrapping_add(1);
    }

    /// The lanes that have played so many plies or more.
    #[inline(always)]
    pub fn overdue(&mut self, limit: u32) -> W {
        if self.clock.wrapping_sub(self.oldest) < limit {
            return W::ZERO;
        }
        let (mut overdue, mut longest) = (W::ZERO, 0);
        let started = self.started.as_ref();
        self.flying.for_each_lane(|lane| {
            let plies = self.clock.wrapping_sub(started[lane]);
            longest = longest.max(plies.min(limit - 1));
            overdue.set_lane(lane, plies >= limit);
        });
        self.oldest = self.clock.wrapping_sub(longest);
        overdue
    }

    /// Takes lanes whose playouts are over out of their flights, and tells
    /// of those of each flight.
    ///
    /// Of a flight with few lanes one or two land at a time. Then it pays to handle
    /// them in plain registers, chunk by chunk: counting lanes of a whole word takes as
    /// long as all the rest.
    #[inline(always)]
    pub fn land(&mut self, lanes: W, ground: &mut impl Ground<W>) {
        self.flying = self.flying & !lanes;
        let mut rest = lanes;
        for chunk in 0..W::CHUNKS {
            let mut here = rest.chunk(chunk);
            while here != 0 {
                let lane = chunk * CHUNK_LANES + here.trailing_zeros() as usize;
                let number = self.flight_of.as_ref()[lane];
                let flight = &mut self.flights.as_mut()[usize::from(number)];
                if W::CHUNKS == 1 || flight.count as usize >= W::LANES / 4 {
                    let lanes = rest & flight.lanes;
                    rest = rest & !lanes;
                    here &= !lanes.chunk(chunk);
                    ground.landed(flight.leave(Group::Word(lanes), self.clock));
                } else {
                    let lanes = here & flight.lanes.chunk(chunk);
                    here &= !lanes;
                    ground.landed(flight.leave(Group::Chunk(chunk, lanes), self.clock));
                }
                let is_over = flight.count == 0;
                if is_over && self.boarding.is_none_or(|(_, boarding)| boarding != number) {
                    self.release(number);
                }
            }
        }
    }

    #[inline(always)]
    fn release(&mut self, number: u16) {
        self.free.as_mut()[self.free_count] = number;
        self.free_count += 1;
    }

    /// Puts as many of the lanes on a flight as its stretch has playouts left;
    /// `None` when the queue is empty.
    #[inline(always)]
    pub fn board(&mut self, lanes: W, queue: &mut impl Queue) -> Option<Boarding<W>> {
        let (mut stretch, number) = match self.boarding.take() {
            Some(boarding) => boarding,
            None => self.open(queue)?,
        };
        let (lanes, count) = lowest_lanes(lanes, stretch.count);
        let Stretch { ticket, streams, first, .. } = stretch;
        let plies = self.enter(number, lanes, count as u32);
        if plies > 0 {
            queue.add(ticket, &Tally { plies, ..Tally::default() });
        }
        stretch.first += count;
        stretch.count -= count;
        self.boarding = (stretch.count > 0).then_some((stretch, number));
        Some(Boarding { lanes, flight: number, ticket, streams, first })
    }

    /// A new flight for the next stretch.
    #[inline(always)]
    fn open(&mut self, queue: &mut impl Queue) -> Option<(Stretch, u16)> {
        let stretch = queue.next()?;
        self.free_count -= 1;
        let number = self.free.as_ref()[self.free_count];
        let flight = &mut self.flights.as_mut()[usize::from(number)];
        *flight = Flight { lanes: W::ZERO, count: 0, ticket: stretch.ticket, counted: self.clock };
        Some((stretch, number))
    }

    /// Adds so many lanes to a flight. Returns the plies of its other lanes up to now.
    #[inline(always)]
    fn enter(&mut self, number: u16, lanes: W, count: u32) -> u64 {
        if self.flying.is_zero() {
            self.oldest = self.clock;
        }
        let flight = &mut self.flights.as_mut()[usize::from(number)];
        let plies = flight.count_plies(self.clock);
        flight.lanes = flight.lanes | lanes;
        flight.count += count;
        self.flying = self.flying | lanes;
        plies
    }

    /// Each lane that boards has to be seated.
    #[inline(always)]
    pub fn seat(&mut self, lane: usize, boarding: &Boarding<W>) {
        self.started.as_mut()[lane] = self.clock;
        self.flight_of.as_mut()[lane] = boarding.flight;
    }
}

/// The lowest lanes, at most `most` of them, and how many these are.
#[inline(always)]
fn lowest_lanes<W: Word>(lanes: W, most: u64) -> (W, u64) {
    let (mut lowest, mut count) = (W::ZERO, 0);
    for index in 0..W::CHUNKS {
        let chunk = lanes.chunk(index);
        let wanted = u64::from(chunk.count_ones()).min(most - count);
        lowest.set_chunk(index, lowest_bits(chunk, wanted));
        count += wanted;
    }
    (lowest, count)
}

/// The lowest bits that are set, so many of them.
#[inline(always)]
fn lowest_bits(bits: u64, count: u64) -> u64 {
    if count == u64::from(bits.count_ones()) {
        return bits;
    }
    bits ^ (0..count).fold(bits, |rest, _| rest & rest.wrapping_sub(1))
}
