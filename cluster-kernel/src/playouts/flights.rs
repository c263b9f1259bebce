//! Which lane plays for which position, and since when.
//!
//! A *flight* is the playouts of one stretch that are under way. Most of the time
//! there are one or two; with one playout per position there is one per lane.

use ruche_shared::stream::PositionStreams;

use super::{Landing, Outcome, Queue, Stretch};
use crate::word::Word;

/// The lanes of one stretch.
#[derive(Clone, Copy, Debug)]
struct Flight<W> {
    lanes: W,
    ticket: u32,
    /// The clock up to which the plies of its lanes are counted.
    counted: u32,
}

impl<W: Word> Flight<W> {
    /// The plies of all its lanes since they were counted last. Counting them
    /// whenever lanes come or go is cheaper than asking each lane that goes.
    #[inline(always)]
    fn count_plies(&mut self, clock: u32) -> u64 {
        let plies = clock.wrapping_sub(self.counted);
        self.counted = clock;
        u64::from(plies) * u64::from(self.lanes.count())
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
            flights: W::per_lane(Flight { lanes: W::ZERO, ticket: 0, counted: 0 }),
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

    /// Calls back with the ticket of each flight that has some of these lanes,
    /// and with those lanes.
    #[inline(always)]
    pub fn for_each_ticket(&self, mut lanes: W, mut each: impl FnMut(u32, W)) {
        while let Some(lane) = first_lane(lanes) {
            let flight = &self.flights.as_ref()[usize::from(self.flight_of.as_ref()[lane])];
            each(flight.ticket, lanes & flight.lanes);
            lanes = lanes & !flight.lanes;
        }
    }

    /// Takes lanes whose playouts are over out of their flights, and adds to the
    /// outcomes.
    #[inline(always)]
    pub fn land(&mut self, landing: &Landing<W>, queue: &mut impl Queue) {
        let mut rest = landing.lanes();
        self.flying = self.flying & !rest;
        while let Some(lane) = first_lane(rest) {
            let number = self.flight_of.as_ref()[lane];
            let flight = &mut self.flights.as_mut()[usize::from(number)];
            let lanes = rest & flight.lanes;
            let outcome = landing.outcome(lanes, flight.count_plies(self.clock));
            queue.add(flight.ticket, &outcome);
            self.leave(number, lanes);
            rest = rest & !lanes;
        }
    }

    #[inline(always)]
    fn leave(&mut self, number: u16, lanes: W) {
        let flight = &mut self.flights.as_mut()[usize::from(number)];
        flight.lanes = flight.lanes & !lanes;
        let is_over = flight.lanes.is_zero();
        if is_over && self.boarding.is_none_or(|(_, boarding)| boarding != number) {
            self.release(number);
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
        let lanes = lowest_lanes(lanes, stretch.count);
        let count = u64::from(lanes.count());
        let Stretch { ticket, streams, first, .. } = stretch;
        let plies = self.enter(number, lanes);
        if plies > 0 {
            queue.add(ticket, &Outcome { plies, ..Outcome::default() });
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
        *flight = Flight { lanes: W::ZERO, ticket: stretch.ticket, counted: self.clock };
        Some((stretch, number))
    }

    /// Adds lanes to a flight. Returns the plies of its other lanes up to now.
    #[inline(always)]
    fn enter(&mut self, number: u16, lanes: W) -> u64 {
        if self.flying.is_zero() {
            self.oldest = self.clock;
        }
        let flight = &mut self.flights.as_mut()[usize::from(number)];
        let plies = flight.count_plies(self.clock);
        flight.lanes = flight.lanes | lanes;
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

#[inline(always)]
fn first_lane<W: Word>(lanes: W) -> Option<usize> {
    let mut found = None;
    for index in (0..W::CHUNKS).rev() {
        let chunk = lanes.chunk(index);
        if chunk != 0 {
            found = Some(index * crate::word::CHUNK_LANES + chunk.trailing_zeros() as usize);
        }
    }
    found
}

/// The lowest lanes, at most `count` of them.
#[inline(always)]
fn lowest_lanes<W: Word>(lanes: W, count: u64) -> W {
    if u64::from(lanes.count()) <= count {
        return lanes;
    }
    let (mut lowest, mut left) = (W::ZERO, count);
    lanes.for_each_lane(|lane| {
        lowest.set_lane(lane, left > 0);
        left = left.saturating_sub(1);
    });
    lowest
}
