//! Slots for values. Fluents and moves have fixed slots; temporaries take a slot
//! that is free for as long as they live, so that a core needs as few words as
//! possible:
//!
//! - the slot of an operand that only this cell still reads: the gates of a
//!   stratum are independent all the same;
//! - in `legal`, the slot of a move whose legality is found later;
//! - a slot whose value is dead since an earlier stratum, in `next` also that of
//!   a move;
//! - a new one.

use crate::index::{Id, IndexVec, Span};
use crate::map::lifetimes::{Clock, Event, Lifetimes, events};
use crate::map::schedule::{Cell, Home, Schedule, Slot};
use crate::optimise::gates::Value;
use ruche_shared::image::Section;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// Slots of all values.
pub(crate) struct Slots {
    slot_of: IndexVec<Value, Option<Slot>>,
    /// How many slots there are.
    pub(crate) count: usize,
}

impl Slots {
    /// The slot of a value.
    pub(crate) fn of(&self, value: Value) -> Slot {
        self.slot_of[value].expect("what a cell reads or makes has a slot")
    }

    /// Allocates the slots of a schedule; those of the moves lie behind the
    /// fluents, the temporaries behind them.
    pub(crate) fn allocate(schedule: &Schedule, moves: Span<Slot>) -> Self {
        Allocator::new(schedule, moves).run()
    }
}

struct Allocator<'s> {
    schedule: &'s Schedule,
    lifetimes: Lifetimes,
    slot_of: IndexVec<Value, Option<Slot>>,
    /// The slots of the moves.
    moves: Span<Slot>,
    /// When the legality of each move is written.
    written: Vec<u32>,
    /// Slots of moves that are free until they are written: by that time.
    early: BTreeSet<(u32, Slot)>,
    free: BinaryHeap<Reverse<Slot>>,
    end: Slot,
    now: u32,
    /// What is dead after each tick.
    dying: Vec<Vec<Value>>,
    /// Whether a value's slot went on to another value.
    is_inherited: IndexVec<Value, bool>,
}

impl<'s> Allocator<'s> {
    fn new(schedule: &'s Schedule, moves: Span<Slot>) -> Self {
        let lifetimes = Lifetimes::of(schedule, Clock::Strata);
        let slot = |home: &Home| if let Home::Slot(slot) = home { Some(*slot) } else { None };
        Allocator {
            schedule,
            slot_of: schedule.homes.iter().map(slot).collect(),
            written: vec![0; moves.len()],
            early: BTreeSet::new(),
            free: BinaryHeap::new(),
            end: moves.end,
            now: 0,
            dying: vec![Vec::new(); lifetimes.end as usize + 1],
            is_inherited: IndexVec::filled(false, schedule.homes.len()),
            moves,
            lifetimes,
        }
    }

    fn run(mut self) -> Slots {
        let [legal, goal, next] = &self.schedule.sections;
        self.find_early();
        events(legal).for_each(|event| self.pass(event));
        self.early.clear();
        events(goal).for_each(|event| self.pass(event));
        self.release_moves();
        self.tick();
        events(next).for_each(|event| self.pass(event));
        self.share_with_variables();
        Slots { slot_of: self.slot_of, count: self.end.index() }
    }

    fn find_early(&mut self) {
        let legal = &self.schedule.sections[Section::Legal.index()];
        for event in events(legal) {
            let Event::Cells(cells) = event else { continue };
            for cell in cells {
                let home = self.schedule.homes[cell.value];
                let made = self.lifetimes.made[cell.value];
                if let (Home::Slot(slot), Some(made)) = (home, made) {
                    let place = self.move_of(slot);
                    self.written[place] = made;
                    self.early.insert((made, slot));
                }
            }
        }
    }

    /// Has the slot of each chosen move freed after its last use.
    fn release_moves(&mut self) {
        for (value, home) in self.schedule.homes.enumerate() {
            match (home, self.lifetimes.made[value]) {
                (Home::Slot(slot), None) if self.moves.contains(*slot) => {
                    let last = self.lifetimes.last_read[value].max(self.lifetimes.choice);
                    self.dying[last as usize].push(value);
                }
                _ => {}
            }
        }
    }

    fn pass(&mut self, event: Event<'_>) {
        match event {
            Event::Enter(block) => {
                block.variables.iter().for_each(|&variable| self.take(variable));
            }
            Event::Cells(cells) => self.cells(cells),
            Event::Leave(_) => {}
        }
        self.tick();
    }

    /// Frees what nobody reads any more.
    fn tick(&mut self) {
        for value in std::mem::take(&mut self.dying[self.now as usize]) {
            if !self.is_inherited[value] {
                self.release(self.slot(value));
            }
        }
        self.now += 1;
    }

    fn cells(&mut self, cells: &[Cell]) {
        let makes_temporary = |cell: &&Cell| self.slot_of[cell.value].is_none();
        let makers: Vec<&Cell> = cells.iter().filter(makes_temporary).collect();
        let heirs = self.heirs(cells);
        for (cell, inherited) in makers.iter().zip(heirs) {
            match inherited {
                Some(value) => {
                    self.is_inherited[value] = true;
                    self.hold(cell.value, self.slot(value));
                }
                None => self.take(cell.value),
            }
        }
    }

    /// For each cell that makes a temporary an operand whose slot it can have.
    fn heirs(&self, cells: &[Cell]) -> Vec<Option<Value>> {
        let dies = |value: Value| {
            self.can_be_inherited(value) && self.lifetimes.last_read[value] == self.now
        };
        let holders = |cell: &Cell| -> Vec<Value> {
            let holders = cell.reads().iter().map(|&value| self.schedule.holder(value));
            let mut dying: Vec<_> = holders.filter(|&value| dies(value)).collect();
            dying.sort_unstable();
            dying.dedup();
            dying
        };
        let mut readers = rustc_hash::FxHashMap::default();
        for value in cells.iter().flat_map(holders) {
            *readers.entry(value).or_insert(0) += 1;
        }
        let makers = cells.iter().filter(|cell| self.slot_of[cell.value].is_none());
        let heir = |cell: &Cell| {
            let is_fit = |value: &Value| {
                readers[value] == 1 && self.is_free_for(self.slot(*value), cell.value)
            };
            holders(cell).into_iter().find(is_fit)
        };
        makers.map(heir).collect()
    }

    /// Whether a value's slot is free when nobody reads it any more: that of a
    /// temporary is, and that of a move once it was chosen.
    fn can_be_inherited(&self, value: Value) -> bool {
        match self.schedule.homes[value] {
            Home::Temporary => true,
            Home::Slot(slot) => {
                let is_input = self.lifetimes.made[value].is_none();
                self.moves.contains(slot) && is_input && self.now > self.lifetimes.choice
            }
        }
    }

    /// Whether a slot, free now, stays free while a value lives: that of a move
    /// may be lent until its legality is found.
    fn is_free_for(&self, slot: Slot, value: Value) -> bool {
        let is_lent = self.moves.contains(slot) && self.now < self.lifetimes.choice;
        let last_read = self.lifetimes.last_read[value];
        !is_lent || last_read < self.written[self.move_of(slot)]
    }

    fn take(&mut self, value: Value) {
        let last = self.lifetimes.last_read[value];
        let early = self.early.range((last + 1, Slot::new(0))..).next().copied();
        let slot = match early {
            Some(key) => {
                self.early.remove(&key);
                key.1
            }
            None => self.free.pop().map_or(self.end, |Reverse(slot)| slot),
        };
        self.end = self.end.max(slot.plus(1));
        self.hold(value, slot);
    }

    fn hold(&mut self, value: Value, slot: Slot) {
        self.slot_of[value] = Some(slot);
        self.dying[self.lifetimes.last_read[value] as usize].push(value);
    }

    /// Gives a slot back. That of a move is free until it is written, or when it
    /// has been read for the last time.
    fn release(&mut self, slot: Slot) {
        if self.moves.contains(slot) && self.now < self.lifetimes.choice {
            let written = self.written[self.move_of(slot)];
            self.early.insert((written, slot));
        } else {
            self.free.push(Reverse(slot));
        }
    }

    fn share_with_variables(&mut self) {
        for value in self.slot_of.ids() {
            self.slot_of[value] = self.slot_of[self.schedule.holder(value)];
        }
    }

    /// The slot of a value that has one already.
    fn slot(&self, value: Value) -> Slot {
        self.slot_of[value].expect("held before")
    }

    /// The place of a move's slot among those of all moves.
    fn move_of(&self, slot: Slot) -> usize {
        slot.index() - self.moves.start.index()
    }
}
