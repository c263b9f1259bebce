//! When a search ends: limits belong to a call, and a wish to stop can come at any time.

use std::time::{Duration, Instant};

pub use ruche_playouts::Stop;
use thiserror::Error;

/// Most playouts of one search. The counters of a tree have 32 bits, and what is under
/// way comes on top.
pub const MOST_PLAYOUTS: u64 = 4_000_000_000;

/// What tells the time of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clock {
    /// The clock on the wall.
    #[default]
    Wall,
    /// What the thread that searches has had of a processor, so that what else the machine
    /// does is not counted. Playouts count if that thread plays them.
    Thread,
}

/// How long a call may search. The first limit that is reached ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Playouts of this call. A position whose playouts begin before that many are done
    /// gets all of them.
    pub playouts: Option<u64>,
    /// Time of this call; what is under way then is waited for.
    pub time: Option<Duration>,
    /// What tells the time.
    pub clock: Clock,
}

impl Limits {
    /// This many playouts.
    #[must_use]
    pub const fn playouts(playouts: u64) -> Self {
        Self { playouts: Some(playouts), ..Self::none() }
    }

    /// This much time.
    #[must_use]
    pub const fn time(time: Duration) -> Self {
        Self { time: Some(time), ..Self::none() }
    }

    /// This much time of a processor, for the thread that searches.
    #[must_use]
    pub const fn thread_time(time: Duration) -> Self {
        Self { clock: Clock::Thread, ..Self::time(time) }
    }

    /// Until somebody [stops](Stop) it, or the tree has [`MOST_PLAYOUTS`].
    #[must_use]
    pub const fn none() -> Self {
        Self { playouts: None, time: None, clock: Clock::Wall }
    }

    /// The limits, if they make sense.
    ///
    /// # Errors
    /// If there would be no playout, or more than a tree can count.
    pub fn check(self) -> Result<Self, LimitsError> {
        match self.playouts {
            Some(found) if !(1..=MOST_PLAYOUTS).contains(&found) => Err(LimitsError { found }),
            _ => Ok(self),
        }
    }
}

impl Default for Limits {
    /// What is enough for a first impression.
    fn default() -> Self {
        Self::playouts(100_000)
    }
}

/// When the time of a call is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deadline {
    Never,
    Wall(Instant),
    /// Of the thread that asks.
    Thread(Duration),
}

impl Deadline {
    /// Of a call that begins now.
    pub(crate) fn of(limits: &Limits) -> Self {
        let Some(time) = limits.time else { return Self::Never };
        match limits.clock {
            Clock::Thread if cfg!(unix) => Self::Thread(thread_time().saturating_add(time)),
            // Elsewhere nobody tells the time of a thread.
            _ => Instant::now().checked_add(time).map_or(Self::Never, Self::Wall),
        }
    }

    pub(crate) fn left(self) -> Duration {
        match self {
            Self::Never => Duration::MAX,
            Self::Wall(end) => end.saturating_duration_since(Instant::now()),
            Self::Thread(end) => end.saturating_sub(thread_time()),
        }
    }

    pub(crate) fn is_over(self) -> bool {
        self.left().is_zero()
    }
}

/// What this thread has had of a processor so far.
#[cfg(unix)]
fn thread_time() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    // It begins at 0 and counts up.
    clock_gettime(ClockId::ThreadCPUTime).try_into().unwrap_or_default()
}

#[cfg(not(unix))]
fn thread_time() -> Duration {
    Duration::ZERO
}

/// Why limits make no sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("playouts: {found} is not in 1 to {MOST_PLAYOUTS}")]
pub struct LimitsError {
    /// The playouts that were asked for.
    pub found: u64,
}
