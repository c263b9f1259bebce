//! What is told of playouts that are over.

use ruche_shared::Image;

use super::flights::{Ground, Group, Landed};
use super::numbers::Numbers;
use super::{Best, Over, Queue, Tally};
use crate::word::Word;

/// Where playouts land that have reached an end.
pub(super) struct Finish<'a, W, Q> {
    pub image: &'a Image<'a>,
    pub slots: &'a [W],
    /// The lanes in which every role has exactly one goal.
    pub sound: W,
    pub numbers: &'a Numbers<'a>,
    pub queue: &'a mut Q,
}

impl<W: Word, Q: Queue> Finish<'_, W, Q> {
    /// Tells of the best of some playouts that were scored.
    #[inline(always)]
    fn tell_best(&mut self, ticket: u32, scored: &Group<W>) {
        let least = self.queue.goal_to_beat(ticket);
        // They are sorted by value.
        for goal in self.image.goals().rev().take_while(|goal| u64::from(goal.value) >= least) {
            let reached = scored.within(&self.slots[goal.slot as usize]);
            if let Some(playout) = self.numbers.lowest(&reached) {
                return self.queue.add_best(ticket, Best { goal: goal.value.into(), playout });
            }
        }
    }
}

impl<W: Word, Q: Queue> Ground<W> for Finish<'_, W, Q> {
    #[inline(always)]
    fn landed(&mut self, landed: Landed<W>) {
        let Landed { ticket, lanes, count, plies } = landed;
        let lanes = lanes.within(&self.sound);
        let scored = lanes.count();
        let tally = Tally { scored, unscored: count - scored, plies, ..Tally::default() };
        self.queue.add(ticket, &tally);
        let (mut role, mut sum) = (0, 0);
        // They are sorted by roles.
        for goal in self.image.goals() {
            if goal.role != role {
                self.queue.add_score(ticket, usize::from(role), sum);
                (role, sum) = (goal.role, 0);
            }
            sum += lanes.count_in(&self.slots[goal.slot as usize]) * u64::from(goal.value);
        }
        self.queue.add_score(ticket, usize::from(role), sum);
        if self.numbers.are_kept() {
            self.tell_best(ticket, &lanes);
        }
    }
}

/// Where playouts land that have none.
pub(super) struct Cut<'a, W, Q> {
    pub over: &'a Over<W>,
    pub queue: &'a mut Q,
}

impl<W: Word, Q: Queue> Ground<W> for Cut<'_, W, Q> {
    #[inline(always)]
    fn landed(&mut self, Landed { ticket, lanes, plies, .. }: Landed<W>) {
        let (stuck, endless) =
            (lanes.count_in(&self.over.stuck), lanes.count_in(&self.over.overdue));
        self.queue.add(ticket, &Tally { stuck, endless, plies, ..Tally::default() });
    }
}
