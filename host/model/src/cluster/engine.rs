//! The kernel's engine: results are looked up, and take the time of their gates.

use std::rc::Rc;

use ruche_eval::circuit::{Circuit, Interpreted};
use ruche_eval::engine::{Engine, PlainEngine, Task};
use ruche_eval::playouts::{Best, Player, Queue, Stretch, Tally};
use ruche_eval::policy::Policy;
use ruche_eval::word::Word;
use ruche_shared::{Image, WordWidth};

use super::Cluster;

/// Plays nothing, but knows what playing would bring and how long it takes.
pub(crate) struct ModelEngine(pub Rc<Cluster>);

// SAFETY: as for the machine.
unsafe impl Sync for ModelEngine {}

impl Engine for ModelEngine {
    type Circuit<'image, W: Word> = Interpreted<'image>;

    fn has(&self, width: WordWidth) -> bool {
        PlainEngine.has(width)
    }

    fn with_word<T: Task>(&self, width: WordWidth, task: T) -> T::Output {
        PlainEngine.with_word(width, task)
    }

    fn circuit<'image, W: Word>(&self, image: &Image<'image>) -> Self::Circuit<'image, W> {
        Interpreted(*image)
    }

    fn play<W: Word, C: Circuit<W>, P: Policy>(
        &self,
        _player: &mut Player<'_, W, C, P>,
        queue: &mut impl Queue,
    ) {
        let cluster = &*self.0;
        let started = cluster.started.get();
        let delay = cluster.world().now() - started;
        cluster.account(|usage| usage.handing_off += delay);
        let played = match W::LANES {
            1 => self.play_one_by_one(queue),
            lanes => self.play_in_lanes(lanes, queue),
        };
        if played > 0 {
            cluster.hand_over();
        }
    }
}

impl ModelEngine {
    /// A core that plays one game after the other.
    fn play_one_by_one(&self, queue: &mut impl Queue) -> u64 {
        let mut played = 0;
        while let Some(stretch) = queue.next() {
            for playout in stretch.first..stretch.first + stretch.count {
                let tally = self.tell(queue, &stretch, playout);
                self.0.compute(self.0.common.costs.get().playout(tally.plies));
            }
            played += stretch.count;
        }
        played
    }

    /// A core that plays a game in each lane, refilled as the kernel's players do.
    fn play_in_lanes(&self, lanes: usize, queue: &mut impl Queue) -> u64 {
        let costs = self.0.common.costs.get();
        let worth_refilling = (lanes / 16).max(1);
        // The plies after which the games in the air end.
        let mut ends: Vec<u64> = Vec::with_capacity(lanes);
        let (mut supply, mut played, mut plies) = (Supply::default(), 0_u64, 0_u64);
        loop {
            while ends.len() < lanes
                && let Some((stretch, playout)) = supply.next(queue)
            {
                // One more than it has: then it is seen to be over.
                ends.push(plies + self.tell(queue, &stretch, playout).plies + 1);
                played += 1;
            }
            if ends.is_empty() {
                return played;
            }
            ends.sort_unstable();
            let last = if supply.is_dry { ends.len() } else { worth_refilling.min(ends.len()) };
            let until = ends[last - 1];
            let landed = ends.partition_point(|end| *end <= until);
            let mut moments: Vec<u64> = ends.drain(..landed).collect();
            moments.dedup();
            self.0.compute(costs.plies(until - plies) + costs.goals(moments.len() as u64));
            plies = until;
        }
    }

    /// Tells the queue how a playout went.
    fn tell(&self, queue: &mut impl Queue, stretch: &Stretch, playout: u64) -> Tally {
        let oracle = self.0.common.oracle.borrow();
        let (tally, goals) = oracle.game(stretch.number, playout);
        if tally.scored > 0 {
            for (role, goal) in goals.iter().enumerate() {
                queue.add_score(stretch.ticket, role, u64::from(*goal));
            }
            if let [goal] = *goals {
                queue.add_best(stretch.ticket, Best { goal: goal.into(), playout });
            }
        }
        queue.add(stretch.ticket, &tally);
        tally
    }
}

/// The playouts of stretches, one by one.
#[derive(Default)]
struct Supply {
    stretch: Option<Stretch>,
    /// Of the stretch, how many were taken.
    taken: u64,
    is_dry: bool,
}

impl Supply {
    fn next(&mut self, queue: &mut impl Queue) -> Option<(Stretch, u64)> {
        if self.stretch.is_none_or(|stretch| self.taken == stretch.count) && !self.is_dry {
            (self.stretch, self.taken) = (queue.next(), 0);
            self.is_dry = self.stretch.is_none();
        }
        let stretch = self.stretch?;
        self.taken += 1;
        Some((stretch, stretch.first + self.taken - 1))
    }
}
