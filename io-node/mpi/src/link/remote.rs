use std::time::Duration;

use crate::messages::{Purpose, Rank};

/// A longer time between two looks is not counted as silence of the other side:
/// then this process itself was stopped, suspended or short of a core.
const LONGEST_STEP: Duration = Duration::from_millis(100);

/// When silence means that a rank is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    /// Never: it is busy for as long as its work takes.
    Never,
    /// From the beginning.
    Always(Duration),
    /// Once it has sent a frame: before that it may prepare something.
    AfterFrame(Duration),
}

/// Whether a rank is still there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    There,
    /// It has said farewell with this status, and may wait for ours.
    Ended(u8),
    Lost,
}

/// A rank at the other end.
#[derive(Debug)]
pub struct Remote {
    pub rank: Rank,
    pub state: State,
    watch: Watch,
    silence: Duration,
}

impl Remote {
    pub fn new(rank: Rank, watch: Watch) -> Self {
        Self { rank, state: State::There, watch, silence: Duration::ZERO }
    }

    pub fn is_there(&self) -> bool {
        self.state == State::There
    }

    /// Notes that a message has come.
    pub fn heard(&mut self, purpose: Purpose) {
        self.silence = Duration::ZERO;
        if let (Watch::AfterFrame(limit), Purpose::Frame) = (self.watch, purpose) {
            self.watch = Watch::Always(limit);
        }
    }

    /// Notes that nothing has come; the limit if it is reached by that.
    pub fn silent_for(&mut self, passed: Duration) -> Option<Duration> {
        self.silence += passed.min(LONGEST_STEP);
        match self.watch {
            Watch::Always(limit) if self.is_there() && self.silence >= limit => Some(limit),
            _ => None,
        }
    }
}
