//! From when to when each value of a schedule is needed.

use crate::index::{Id, IndexVec};
use crate::map::schedule::{Cell, FixpointStratum, Home, Schedule, Stratum};
use crate::optimise::gates::Value;

/// What happens next in a schedule, with the body of a fixpoint unrolled once.
#[derive(Clone, Copy)]
pub(crate) enum Event<'s> {
    /// A fixpoint begins: its variables are cleared.
    Enter(&'s FixpointStratum),
    /// The cells of a stratum run.
    Cells(&'s [Cell]),
    /// A fixpoint ends: its variables have grown for the last time.
    Leave(&'s FixpointStratum),
}

/// What happens in a section, in order.
pub(crate) fn events(section: &[Stratum]) -> impl Iterator<Item = Event<'_>> {
    section.iter().flat_map(|stratum| {
        let (cells, block) = match stratum {
            Stratum::Cells(cells) => (std::slice::from_ref(cells), None),
            Stratum::Fixpoint(block) => (block.body.as_slice(), Some(block)),
        };
        let enter = block.map(Event::Enter);
        let body = cells.iter().map(|cells| Event::Cells(cells));
        enter.into_iter().chain(body).chain(block.map(Event::Leave))
    })
}

/// What a tick of the clock is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clock {
    /// A stratum: its cells run in any order.
    Strata,
    /// A cell: they run as they stand.
    Cells,
}

/// When values are made and last read, in ticks.
pub(crate) struct Lifetimes {
    /// When a value is made; inputs are not, nor are results of blocks, which
    /// live in their variables.
    pub(crate) made: IndexVec<Value, Option<u32>>,
    /// When it is read for the last time; what no cell reads is read when made.
    pub(crate) last_read: IndexVec<Value, u32>,
    /// When `goal` has run: moves are chosen then.
    pub(crate) choice: u32,
    /// When everything has run.
    pub(crate) end: u32,
    /// Where the current fixpoint began.
    entered: Option<u32>,
    /// Values from outside that the current fixpoint reads, in every round.
    read_in_rounds: Vec<Value>,
}

impl Lifetimes {
    /// The lifetimes of a schedule's values. A block's result lives in its
    /// variable: see [`Schedule::holder`].
    pub(crate) fn of(schedule: &Schedule, clock: Clock) -> Self {
        let values = schedule.homes.len();
        let (made, last_read) = (IndexVec::filled(None, values), IndexVec::filled(0, values));
        let read_in_rounds = Vec::new();
        let mut lifetimes =
            Lifetimes { made, last_read, choice: 0, end: 0, entered: None, read_in_rounds };
        let [legal, goal, next] = &schedule.sections;
        for event in events(legal).chain(events(goal)) {
            lifetimes.pass(schedule, clock, event);
        }
        lifetimes.choice = lifetimes.end;
        lifetimes.end += 1;
        events(next).for_each(|event| lifetimes.pass(schedule, clock, event));
        for &value in schedule.goals.iter().chain([&schedule.terminal]) {
            lifetimes.read(schedule.holder(value), lifetimes.choice);
        }
        lifetimes
    }

    fn pass(&mut self, schedule: &Schedule, clock: Clock, event: Event<'_>) {
        let now = self.end;
        match event {
            Event::Enter(block) => {
                self.entered = Some(now);
                block.variables.iter().for_each(|&variable| self.make(variable, now));
                self.end += 1;
            }
            Event::Cells(cells) => {
                let step = u32::from(clock == Clock::Cells);
                for (cell, number) in cells.iter().zip(0..) {
                    self.cell(schedule, cell, now + step * number);
                }
                self.end = now + if step == 1 { cells.len() as u32 } else { 1 };
            }
            Event::Leave(block) => {
                let grown = block.growth.iter().flat_map(|&(variable, value)| [variable, value]);
                grown.for_each(|value| self.read(schedule.holder(value), now));
                self.entered = None;
                let outside = std::mem::take(&mut self.read_in_rounds);
                outside.into_iter().for_each(|value| self.read(value, now));
                self.end += 1;
            }
        }
    }

    fn cell(&mut self, schedule: &Schedule, cell: &Cell, now: u32) {
        for &value in cell.reads() {
            let value = schedule.holder(value);
            self.read(value, now);
            if self.entered.is_some_and(|entered| self.made[value] < Some(entered)) {
                self.read_in_rounds.push(value);
            }
        }
        self.make(cell.value, now);
    }

    fn make(&mut self, value: Value, now: u32) {
        self.made[value] = Some(now);
        self.read(value, now);
    }

    fn read(&mut self, value: Value, now: u32) {
        let last = &mut self.last_read[value];
        *last = (*last).max(now);
    }
}

/// The most values besides the state that are needed at once between two cells,
/// when the cells run as they stand: temporaries, legal moves from when they are
/// found, and chosen moves until they are read.
pub(crate) fn widest_live(schedule: &Schedule, fluents: usize) -> u32 {
    let lifetimes = Lifetimes::of(schedule, Clock::Cells);
    let mut changes = vec![0_i32; lifetimes.end as usize + 1];
    let mut live = |from: u32, to: u32| {
        if from < to {
            changes[from as usize] += 1;
            changes[to as usize] -= 1;
        }
    };
    for (value, home) in schedule.homes.enumerate() {
        let read = lifetimes.last_read[value];
        match (home, lifetimes.made[value]) {
            (Home::Temporary, Some(made)) => live(made, read),
            (Home::Slot(slot), Some(made)) if slot.index() >= fluents => {
                live(made, lifetimes.choice)
            }
            (Home::Slot(slot), None) if slot.index() >= fluents => live(lifetimes.choice, read),
            _ => {}
        }
    }
    let counts = changes.iter().scan(0, |live, change| {
        *live += change;
        Some(*live)
    });
    counts.max().unwrap_or(0).unsigned_abs()
}
