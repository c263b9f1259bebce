//! Puts games in their order, whoever has finished first.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::play::Task;
use crate::record::GameRecord;
use crate::standing::Standing;

/// Judges pairs in the order of the plan.
pub struct Judge {
    /// Pairs that were not judged yet, as the games they consist of.
    plan: VecDeque<Vec<Task>>,
    planned: HashSet<Task>,
    /// Games whose turn has not come.
    waiting: HashMap<Task, GameRecord>,
    played: u64,
    standing: Standing,
}

impl Judge {
    pub fn new(plan: Vec<Vec<Task>>, standing: Standing) -> Self {
        let planned = plan.iter().flatten().copied().collect();
        Self { plan: plan.into(), planned, waiting: HashMap::new(), played: 0, standing }
    }

    /// Takes a game. What is not planned, or was there before, does not count.
    pub fn take(&mut self, task: Task, record: GameRecord) {
        if self.planned.remove(&task) {
            self.played += 1;
            self.waiting.insert(task, record);
        }
    }

    /// Games that nobody has played, in their order.
    pub fn missing(&self) -> VecDeque<Task> {
        let tasks = self.plan.iter().flatten();
        tasks.filter(|task| self.planned.contains(task)).copied().collect()
    }

    /// Judges all pairs whose turn has come, up to the one that decides the match.
    pub fn advance(&mut self) {
        while !self.standing.is_decided()
            && let Some(pair) = self.plan.front()
            && pair.iter().all(|task| self.waiting.contains_key(task))
        {
            let table = pair[0].table;
            let records = pair.iter().filter_map(|task| self.waiting.remove(task)).collect();
            self.standing.judge(table, records);
            self.plan.pop_front();
        }
    }

    /// How many games were played, judged or not.
    pub fn played(&self) -> u64 {
        self.played
    }

    pub fn standing(&self) -> &Standing {
        &self.standing
    }

    pub fn into_standing(self) -> Standing {
        self.standing
    }
}
