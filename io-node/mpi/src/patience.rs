//! How to wait without burning a core, and still answer at once.
//!
//! MPI has no call that sleeps until a message comes: its own waiting calls turn
//! in a loop. Where ranks share cores, that takes the time of those that work. So
//! a rank looks a few times, lets others run in between, and then sleeps for a
//! share of the time that it has waited: the delay of a message is small against
//! the wait for it. docs/mpi.md has figures.

use std::{
    thread,
    time::{Duration, Instant},
};

/// Looks without a pause: answers that are a few microseconds away.
const LOOKS: u32 = 8;

/// For so long others are let through between two looks: answers of a rank on the
/// same core.
const YIELD: Duration = Duration::from_micros(500);

/// A sleep is this part of the wait until then.
const PART: u32 = 8;

/// The longest sleep in a search, and so the longest delay of a message.
const LONGEST_SLEEP: Duration = Duration::from_millis(1);

/// After such a wait nothing is going on.
const IDLE: Duration = Duration::from_secs(1);

/// The longest sleep while nothing is going on.
const LONGEST_IDLE_SLEEP: Duration = Duration::from_millis(5);

/// What to do before looking again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pause {
    None,
    Yield,
    Sleep(Duration),
}

/// The patience of one wait.
#[derive(Debug)]
pub struct Patience {
    looks: u32,
    start: Instant,
}

impl Patience {
    /// For a wait that begins now.
    pub fn new() -> Self {
        Self { looks: 0, start: Instant::now() }
    }

    /// Pauses after a look in vain, at most for `limit`.
    pub fn pause(&mut self, limit: Duration) {
        self.looks = self.looks.saturating_add(1);
        match choose(self.looks, self.start.elapsed()) {
            Pause::None => std::hint::spin_loop(),
            Pause::Yield => thread::yield_now(),
            Pause::Sleep(time) => thread::sleep(time.min(limit)),
        }
    }
}

/// What to do after so many looks in so much time.
fn choose(looks: u32, waited: Duration) -> Pause {
    if looks <= LOOKS {
        Pause::None
    } else if waited < YIELD {
        Pause::Yield
    } else {
        let longest = if waited < IDLE { LONGEST_SLEEP } else { LONGEST_IDLE_SLEEP };
        Pause::Sleep((waited / PART).min(longest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_then_yields_then_sleeps_ever_longer() {
        let micros = Duration::from_micros;
        assert_eq!(choose(LOOKS, micros(1)), Pause::None);
        assert_eq!(choose(LOOKS + 1, micros(1)), Pause::Yield);
        assert_eq!(choose(100, micros(4000)), Pause::Sleep(micros(500)));
        assert_eq!(choose(100, micros(50_000)), Pause::Sleep(LONGEST_SLEEP));
        assert_eq!(choose(1000, Duration::from_secs(60)), Pause::Sleep(LONGEST_IDLE_SLEEP));
    }
}
