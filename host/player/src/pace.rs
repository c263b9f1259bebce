//! How much of a clock is left unused, so that answers are there in time.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Learns from what went wrong, and forgets it slowly.
#[derive(Debug, Default)]
pub(crate) struct Pace(Mutex<Learned>);

#[derive(Clone, Copy, Debug, Default)]
struct Learned {
    /// By how much answers came later than planned.
    overshoot: Duration,
    /// How long messages took from their first byte to their last.
    transfer: Duration,
    /// The share of the clock that moves which were replaced have taught to leave.
    lost: f64,
}

/// What even a good network and an idle machine take.
const LEAST: Duration = Duration::from_millis(100);
/// The share of a clock that is left in any case, up to a second.
const SHARE: f64 = 0.1;
/// What one replaced move adds to the share, and what they may add together.
const LESSON: f64 = 0.1;
const MOST_LOST: f64 = 0.3;

impl Pace {
    fn learned(&self) -> MutexGuard<'_, Learned> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How long before the end of a clock an answer should be there.
    pub fn margin(&self, clock: Duration) -> Duration {
        let Learned { overshoot, transfer, lost } = *self.learned();
        let share = clock.mul_f64(SHARE).min(Duration::from_secs(1));
        let margin = LEAST + share + clock.mul_f64(lost) + 2 * overshoot + 2 * transfer;
        margin.min(clock / 2)
    }

    /// An answer was there, so much later than planned.
    pub fn answered(&self, late: Duration) {
        let mut learned = self.learned();
        learned.overshoot = late.max(learned.overshoot.mul_f64(0.9));
        learned.lost *= 0.97;
    }

    /// Whoever waits for an answer was woken so late: the machine has other work.
    pub fn woken(&self, late: Duration) {
        let mut learned = self.learned();
        learned.overshoot = late.max(learned.overshoot);
    }

    /// A message took so long to arrive.
    pub fn received(&self, transfer: Duration) {
        let mut learned = self.learned();
        learned.transfer = transfer.max(learned.transfer.mul_f64(0.9));
    }

    /// The manager has played something else than was answered: the answer came too late.
    pub fn replaced(&self) {
        let mut learned = self.learned();
        learned.lost = (learned.lost + LESSON).min(MOST_LOST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOCK: Duration = Duration::from_secs(2);

    #[test]
    fn what_goes_wrong_makes_it_careful_for_a_while() {
        let pace = Pace::default();
        let usual = pace.margin(CLOCK);
        pace.replaced();
        let careful = pace.margin(CLOCK);
        assert!(careful > usual);
        pace.answered(Duration::from_millis(80));
        let more_careful = pace.margin(CLOCK);
        assert!(more_careful > careful);
        pace.woken(Duration::from_millis(120));
        assert!(pace.margin(CLOCK) > more_careful);
        (0..200).for_each(|_| pace.answered(Duration::ZERO));
        assert!(pace.margin(CLOCK) < usual + Duration::from_millis(5));
    }

    #[test]
    fn half_of_the_clock_is_left_to_think() {
        let pace = Pace::default();
        (0..100).for_each(|_| pace.replaced());
        pace.answered(Duration::from_secs(9));
        assert_eq!(pace.margin(CLOCK), CLOCK / 2);
        assert_eq!(pace.margin(Duration::ZERO), Duration::ZERO);
    }
}
