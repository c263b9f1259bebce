//! Slots for values. Fluents and moves have fixed slots; temporaries take the
//! lowest free slot and give it back after their last use, so that a core needs
//! as few words as possible.

use crate::schedule::{Cell, FixpointStratum, Home, Schedule, Stratum, Value};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Slots of all values.
pub struct Slots {
    slot_of: Vec<u32>,
    /// How many slots there are.
    pub count: u32,
    /// Most temporaries that are live at once.
    pub widest: u32,
}

impl Slots {
    /// The slot of a value.
    pub fn of(&self, value: Value) -> u32 {
        self.slot_of[value as usize]
    }

    /// Allocates the slots of a schedule; the first `fixed` are taken.
    pub fn allocate(schedule: &Schedule, fixed: u32) -> Self {
        Allocator::new(schedule, fixed).run()
    }
}

const NONE: u32 = u32::MAX;

struct Allocator<'s> {
    schedule: &'s Schedule,
    /// Last stratum (counted over all sections) that reads a value.
    last_use: Vec<u32>,
    slot_of: Vec<u32>,
    free: BinaryHeap<Reverse<u32>>,
    count: u32,
    live: u32,
    widest: u32,
    /// Temporaries by the stratum after which they are dead.
    dying: Vec<Vec<Value>>,
}

impl<'s> Allocator<'s> {
    fn new(schedule: &'s Schedule, fixed: u32) -> Self {
        let values = schedule.homes.len();
        let mut slot_of = vec![NONE; values];
        for (value, home) in schedule.homes.iter().enumerate() {
            if let Home::Slot(slot) = home {
                slot_of[value] = *slot;
            }
        }
        let strata: usize = schedule.sections.iter().map(Vec::len).sum();
        Allocator {
            schedule,
            last_use: vec![0; values],
            slot_of,
            free: BinaryHeap::new(),
            count: fixed,
            live: 0,
            widest: 0,
            dying: vec![Vec::new(); strata + 1],
        }
    }

    fn run(mut self) -> Slots {
        self.find_last_uses();
        let schedule = self.schedule;
        let strata = schedule.sections.iter().flatten();
        for (time, stratum) in strata.enumerate() {
            match stratum {
                Stratum::Cells(cells) => self.cells(cells, time as u32),
                Stratum::Fixpoint(block) => self.block(block, time as u32),
            }
            for value in std::mem::take(&mut self.dying[time]) {
                self.release(value);
            }
        }
        self.share_with_variables();
        Slots { slot_of: self.slot_of, count: self.count, widest: self.widest }
    }

    /// The variable that holds a block result; the value itself otherwise.
    fn holder(&self, value: Value) -> Value {
        self.schedule.variable_of[value as usize].unwrap_or(value)
    }

    fn note_use(&mut self, value: Value, time: u32) {
        let value = self.holder(value) as usize;
        self.last_use[value] = self.last_use[value].max(time);
    }

    fn find_last_uses(&mut self) {
        let schedule = self.schedule;
        for (time, stratum) in schedule.sections.iter().flatten().enumerate() {
            let time = time as u32;
            match stratum {
                Stratum::Cells(cells) => self.note_reads(cells, time),
                Stratum::Fixpoint(block) => {
                    block.body.iter().for_each(|cells| self.note_reads(cells, time));
                    block.growth.iter().for_each(|&(_, value)| self.note_use(value, time));
                    block.variables.iter().for_each(|&value| self.note_use(value, time));
                }
            }
        }
        let [legal, goal, _] = &schedule.sections;
        let after_goal = (legal.len() + goal.len()) as u32;
        self.note_use(schedule.terminal, after_goal);
        schedule.goals.iter().for_each(|&value| self.note_use(value, after_goal));
    }

    fn note_reads(&mut self, cells: &[Cell], time: u32) {
        for cell in cells {
            cell.reads().iter().for_each(|&value| self.note_use(value, time));
        }
    }

    fn cells(&mut self, cells: &[Cell], time: u32) {
        for cell in cells {
            if self.slot_of[cell.value as usize] == NONE {
                self.take(cell.value);
                let last = self.last_use[cell.value as usize].max(time) as usize;
                self.dying[last].push(cell.value);
            }
        }
    }

    fn take(&mut self, value: Value) {
        let slot = self.free.pop().map_or(self.count, |Reverse(slot)| slot);
        self.count = self.count.max(slot + 1);
        self.slot_of[value as usize] = slot;
        self.live += 1;
        self.widest = self.widest.max(self.live);
    }

    fn release(&mut self, value: Value) {
        self.free.push(Reverse(self.slot_of[value as usize]));
        self.live -= 1;
    }

    /// Variables live from the start of the block; what a round computes lives
    /// inside the round.
    fn block(&mut self, block: &FixpointStratum, time: u32) {
        for &variable in &block.variables {
            self.take(variable);
            let last = self.last_use[variable as usize].max(time) as usize;
            self.dying[last].push(variable);
        }
        let mut inner_last = vec![Vec::new(); block.body.len() + 1];
        self.inner_last_uses(block, &mut inner_last);
        for (step, cells) in block.body.iter().enumerate() {
            for cell in cells {
                self.take(cell.value);
            }
            for value in std::mem::take(&mut inner_last[step]) {
                self.release(value);
            }
        }
        for value in std::mem::take(&mut inner_last[block.body.len()]) {
            self.release(value);
        }
    }

    /// The values of a round by the step of their last use.
    fn inner_last_uses(&self, block: &FixpointStratum, by_step: &mut [Vec<Value>]) {
        let mut last = rustc_hash::FxHashMap::default();
        for (step, cells) in block.body.iter().enumerate() {
            cells.iter().for_each(|cell| {
                last.insert(cell.value, step);
            });
            for value in cells.iter().flat_map(|cell| cell.reads()) {
                last.entry(*value).and_modify(|l| *l = step);
            }
        }
        for (_, value) in &block.growth {
            last.entry(*value).and_modify(|l| *l = block.body.len());
        }
        // In the order of the cells, so that the result does not depend on the
        // hash map.
        for cell in block.body.iter().flatten() {
            by_step[last[&cell.value]].push(cell.value);
        }
    }

    fn share_with_variables(&mut self) {
        for value in 0..self.slot_of.len() {
            if let Some(variable) = self.schedule.variable_of[value] {
                self.slot_of[value] = self.slot_of[variable as usize];
            }
        }
    }
}
