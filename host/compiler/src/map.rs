//! Mapping: gates go in, cells in strata and slots come out.
//!
//! | module | question it answers |
//! |---|---|
//! | [`cover`] | which gates need no slot of their own? |
//! | [`schedule`] | in which order do the cells run? |
//! | [`lifetimes`], [`allocate`] | in which slots are their values? |

pub(crate) mod allocate;
pub(crate) mod cover;
pub(crate) mod lifetimes;
pub(crate) mod schedule;

use crate::index::{Id, Span};
use crate::optimise::gates::Gates;
use allocate::Slots;
use cover::Cover;
use schedule::{Schedule, Slot};

/// Cells of a wave, the most first. Half as many as the first cost Checkers 5 %
/// more time, twice as many need a tenth more slots for Hex.
const WAVES: [u32; 5] = [1000, 300, 100, 30, 10];

/// Slots that a game should not exceed for each value that must be kept at once.
const MOST_SLOTS: f64 = 1.3;

/// A schedule and its slots.
pub(crate) struct Plan {
    /// What runs when.
    pub(crate) schedule: Schedule,
    /// What lives where.
    pub(crate) slots: Slots,
    /// The most values besides the state that are needed at once.
    pub(crate) widest_live: usize,
}

/// The plan with the largest waves that do not waste slots.
pub(crate) fn plan(gates: &Gates) -> Plan {
    let cover = Cover::of(gates);
    let mut plans = WAVES.iter().map(|&wave| Plan::of(gates, &cover, wave));
    let mut plan = plans.next().expect("there is a size of waves");
    while plan.waste(gates.fluents()) > MOST_SLOTS {
        let Some(other) = plans.next() else { break };
        plan = other;
    }
    plan
}

impl Plan {
    fn of(gates: &Gates, cover: &Cover, wave: u32) -> Self {
        let mut schedule = schedule::schedule(gates, cover, wave);
        let moves = Span::new(Slot::new(gates.fluents()), gates.moves());
        let slots = Slots::allocate(&schedule, moves);
        schedule.arrange(&slots);
        let widest_live = lifetimes::widest_live(&schedule, gates.fluents()) as usize;
        Plan { schedule, slots, widest_live }
    }

    /// Slots for each value that must be kept at once.
    fn waste(&self, fluents: usize) -> f64 {
        self.slots.count as f64 / ((fluents + self.widest_live) as f64).max(1.0)
    }
}
