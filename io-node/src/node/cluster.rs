//! What the I/O node knows of a cluster.

use std::collections::VecDeque;
use std::time::Duration;

use ruche_shared::wire::control::Ready;

use super::part::Part;

/// How often a cluster is asked again before it counts as dead, where a lost frame
/// is as probable as a dead cluster.
const SECOND_CHANCES: u32 = 3;

/// What a cluster is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Life {
    /// It has not reported for duty.
    Expected,
    /// It has no game.
    Idle,
    /// It was sent a game.
    Loading,
    /// It can play.
    Ready(Ready),
    /// It does not count any more.
    Dead,
}

/// A cluster as the I/O node sees it.
#[derive(Debug)]
pub(super) struct Cluster {
    /// What it is doing.
    pub life: Life,
    /// Which of its lives this is.
    pub generation: u32,
    /// Whether the game is played without it.
    pub rests: bool,
    /// Whether nothing can reach it any more.
    pub is_gone: bool,
    /// What was wrong with a frame that came since it last made sense.
    pub noise: Option<String>,
    /// What it has to play, in the order in which it was sent.
    parts: VecDeque<Part>,
    /// Since when it is awaited: a cluster plays its parts one after the other, so
    /// that the clock of a part starts when the one before it is answered.
    since: Duration,
    /// Deadlines that it missed in a row.
    misses: u32,
    /// How often it may still be started again.
    restarts: u32,
}

impl Cluster {
    /// One that has not reported, and may be started again so often.
    pub fn new(restarts: u32) -> Self {
        Self {
            life: Life::Expected,
            generation: 1,
            rests: false,
            is_gone: false,
            noise: None,
            parts: VecDeque::new(),
            since: Duration::ZERO,
            misses: 0,
            restarts,
        }
    }

    /// Whether it counts.
    pub fn is_alive(&self) -> bool {
        self.life != Life::Dead
    }

    /// Whether it counts in this game.
    pub fn is_player(&self) -> bool {
        self.is_alive() && !self.rests
    }

    /// Whether it can take another part.
    pub fn has_credit(&self, credit: usize) -> bool {
        matches!(self.life, Life::Ready(_)) && self.parts.len() < credit
    }

    /// What it has to play, in the order in which it was sent.
    pub fn parts(&self) -> impl Iterator<Item = &Part> {
        self.parts.iter()
    }

    /// Parts that it has not answered.
    pub fn outstanding(&self) -> usize {
        self.parts.len()
    }

    /// When it is too late, if anything is expected of it.
    pub fn deadline(&self, patience: Duration, is_loading: bool) -> Option<Duration> {
        let is_awaited = match self.life {
            // Whoever was started again is expected at any time.
            Life::Expected => (is_loading || self.generation > 1) && !self.rests,
            Life::Loading => true,
            Life::Ready(_) => !self.parts.is_empty(),
            Life::Idle | Life::Dead => false,
        };
        is_awaited.then(|| self.since.saturating_add(patience))
    }

    /// Starts its clock afresh: it was sent something, or has just answered.
    pub fn wait_from(&mut self, now: Duration) {
        (self.since, self.noise) = (now, None);
    }

    /// Forgets what it missed: it has done something. Only that counts, so that
    /// clusters which never answer well cannot be forgiven for ever.
    pub fn praise(&mut self) {
        self.misses = 0;
    }

    /// Whether it gets another chance after a missed deadline: only if it was heard
    /// in the meantime, or nobody else could take over.
    pub fn is_forgiven(&mut self, is_alone: bool, now: Duration) -> bool {
        let was_heard = self.noise.take().is_some();
        self.misses += 1;
        self.since = now;
        (was_heard || is_alone) && self.misses <= SECOND_CHANCES
    }

    /// Notes a part that it is sent.
    pub fn give(&mut self, part: Part, now: Duration) {
        if self.parts.is_empty() {
            self.wait_from(now);
        }
        self.parts.push_back(part);
    }

    /// The part of this batch that starts here, if the cluster has it.
    pub fn find(&self, batch: u64, first: u32) -> Option<&Part> {
        self.parts.iter().find(|part| part.batch == batch && part.first == first)
    }

    /// It is at this part: if it is the one that it is waited for, its clock starts afresh.
    pub fn is_at(&mut self, batch: u64, first: u32, now: Duration) {
        if self.parts.front().is_some_and(|part| part.batch == batch && part.first == first) {
            self.wait_from(now);
        }
    }

    /// Takes a part that it has answered.
    pub fn answered(&mut self, part: &Part, now: Duration) {
        let is_oldest = self.parts.front() == Some(part);
        self.parts.retain(|other| other != part);
        self.praise();
        if is_oldest {
            self.wait_from(now);
        }
    }

    /// The part that it should have answered by now.
    pub fn overdue(&mut self) -> Option<&mut Part> {
        self.parts.front_mut()
    }

    /// Takes the oldest part away from it.
    pub fn withdraw(&mut self) -> Option<Part> {
        self.parts.pop_front()
    }

    /// Forgets the parts that `is_void` names.
    pub fn forget(&mut self, is_void: impl Fn(&Part) -> bool, now: Duration) {
        let before = self.parts.len();
        self.parts.retain(|part| !is_void(part));
        if self.parts.len() != before {
            self.wait_from(now);
        }
    }

    /// Lets it have another life, if it may.
    pub fn revive(&mut self, now: Duration) -> bool {
        let Some(restarts) = self.restarts.checked_sub(1) else { return false };
        (self.restarts, self.life, self.is_gone) = (restarts, Life::Expected, false);
        self.praise();
        self.wait_from(now);
        true
    }

    /// Ends its life. What it had to play is left over.
    pub fn die(&mut self) -> Vec<Part> {
        self.life = Life::Dead;
        self.generation += 1;
        self.parts.drain(..).collect()
    }
}
