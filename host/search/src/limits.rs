//! When a search ends: limits belong to a call, and a wish to stop can come at any time.

use std::time::Duration;

pub use ruche_playouts::Stop;
use thiserror::Error;

/// Most playouts of one search. The counters of a tree have 32 bits, and what is under
/// way comes on top.
pub const MOST_PLAYOUTS: u64 = 4_000_000_000;

/// How long a call may search. The first limit that is reached ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Playouts of this call. A position whose playouts begin before that many are done
    /// gets all of them.
    pub playouts: Option<u64>,
    /// Time of this call; what is under way then is waited for.
    pub time: Option<Duration>,
}

impl Limits {
    /// This many playouts.
    #[must_use]
    pub const fn playouts(playouts: u64) -> Self {
        Self { playouts: Some(playouts), time: None }
    }

    /// This much time.
    #[must_use]
    pub const fn time(time: Duration) -> Self {
        Self { playouts: None, time: Some(time) }
    }

    /// Until somebody [stops](Stop) it, or the tree has [`MOST_PLAYOUTS`].
    #[must_use]
    pub const fn none() -> Self {
        Self { playouts: None, time: None }
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

/// Why limits make no sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("playouts: {found} is not in 1 to {MOST_PLAYOUTS}")]
pub struct LimitsError {
    /// The playouts that were asked for.
    pub found: u64,
}
