//! A walk through units, operands before users.

use super::sections::Unit;
use crate::index::IndexVec;

/// A walk that passes each unit after those below it.
pub(super) struct Walk {
    done: IndexVec<Unit, bool>,
    /// The units that are passed, in order.
    pub(super) order: Vec<Unit>,
}

impl Walk {
    pub(super) fn new(units: usize) -> Self {
        Walk { done: IndexVec::filled(false, units), order: Vec::new() }
    }

    /// Passes `end` and everything below it, the last of `below` first.
    pub(super) fn visit(&mut self, end: Unit, below: impl Fn(Unit) -> Vec<Unit>) {
        let mut open = vec![(end, false)];
        while let Some((unit, is_ready)) = open.pop() {
            if self.done[unit] {
                continue;
            }
            if is_ready {
                self.done[unit] = true;
                self.order.push(unit);
            } else {
                open.push((unit, true));
                open.extend(below(unit).into_iter().map(|unit| (unit, false)));
            }
        }
    }
}
