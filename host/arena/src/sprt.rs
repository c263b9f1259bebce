//! When enough games have been played: Wald's sequential probability ratio test on the
//! scores of pairs.

use ruche_shared::named;
use thiserror::Error;

use crate::scores::{Scores, score_of_elo};

named! {
    /// What a sequential test has found out.
    pub enum Verdict: "verdict" = Open {
        /// Nothing yet: more pairs are needed
        Open = "open",
        /// A is better by the upper bound rather than by the lower
        Accepted = "accepted",
        /// A is better by the lower bound at most, rather than by the upper
        Rejected = "rejected",
    }
}

/// A test whether A is better than B by `elo1`, against only by `elo0`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
}

/// Why there is no such test.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum SprtError {
    /// The bounds are no interval.
    #[error(
        "bounds {elo0} and {elo1}: give two differences in Elo from -{MOST_ELO} to {MOST_ELO}, the \
         smaller one first, such as 0,10"
    )]
    Bounds {
        /// The lower bound.
        elo0: f64,
        /// The upper bound.
        elo1: f64,
    },
    /// An error rate is none.
    #[error("{name} {rate}: give an error rate between 0 and 0.5, such as 0.05")]
    Rate {
        /// Which rate.
        name: &'static str,
        /// What it was set to.
        rate: f64,
    },
}

/// Differences beyond this are as good as all points.
const MOST_ELO: f64 = 1000.0;

impl Sprt {
    /// A test whether A is better by `elo1` rather than by `elo0`; `alpha` is how often it
    /// may accept wrongly, `beta` how often it may reject wrongly.
    ///
    /// # Errors
    /// If the bounds or the rates make no sense.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Result<Self, SprtError> {
        let is_within = |elo: f64| (-MOST_ELO..=MOST_ELO).contains(&elo);
        if !(is_within(elo0) && is_within(elo1) && elo0 < elo1) {
            return Err(SprtError::Bounds { elo0, elo1 });
        }
        for (name, rate) in [("alpha", alpha), ("beta", beta)] {
            if !(rate > 0.0 && rate < 0.5) {
                return Err(SprtError::Rate { name, rate });
            }
        }
        Ok(Self { elo0, elo1, alpha, beta })
    }

    /// The two differences in Elo that it tells apart.
    #[must_use]
    pub fn elos(&self) -> [f64; 2] {
        [self.elo0, self.elo1]
    }

    /// How often it may accept and reject wrongly.
    #[must_use]
    pub fn rates(&self) -> [f64; 2] {
        [self.alpha, self.beta]
    }

    /// At which ratios it rejects and accepts.
    #[must_use]
    pub fn limits(&self) -> [f64; 2] {
        let Self { alpha, beta, .. } = self;
        [(beta / (1.0 - alpha)).ln(), ((1.0 - beta) / alpha).ln()]
    }

    /// The logarithm of how much likelier the upper bound is than the lower.
    #[must_use]
    pub fn ratio(&self, scores: &Scores) -> f64 {
        let [lower, upper] = self.elos().map(|elo| scores.log_likelihood(score_of_elo(elo)));
        upper - lower
    }

    /// What these scores decide.
    #[must_use]
    pub fn verdict(&self, scores: &Scores) -> Verdict {
        let ([reject, accept], ratio) = (self.limits(), self.ratio(scores));
        match ratio {
            _ if ratio >= accept => Verdict::Accepted,
            _ if ratio <= reject => Verdict::Rejected,
            _ => Verdict::Open,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_those_of_wald() {
        let [reject, accept] = Sprt::new(0.0, 5.0, 0.05, 0.1).unwrap().limits();
        assert!((reject - (0.1_f64 / 0.95).ln()).abs() < 1e-12);
        assert!((accept - (0.9_f64 / 0.05).ln()).abs() < 1e-12);
    }

    #[test]
    fn nothing_is_decided_without_pairs_and_much_by_many() {
        let test = Sprt::new(0.0, 50.0, 0.05, 0.05).unwrap();
        let mut scores = Scores::default();
        assert_eq!(test.verdict(&scores), Verdict::Open);
        scores.add(1.0);
        assert_eq!(test.verdict(&scores), Verdict::Open, "one pair is luck");
        (0..100).for_each(|_| scores.add(1.0));
        assert_eq!(test.verdict(&scores), Verdict::Accepted);
        let mut scores = Scores::default();
        (0..100).for_each(|_| scores.add(0.5));
        assert_eq!(test.verdict(&scores), Verdict::Rejected, "they are all even");
    }

    #[test]
    fn tests_that_make_no_sense_are_refused() {
        let refused =
            |elo0, elo1, alpha, beta| Sprt::new(elo0, elo1, alpha, beta).unwrap_err().to_string();
        assert!(refused(5.0, 5.0, 0.05, 0.05).contains("the smaller one first"));
        assert!(refused(f64::NAN, 5.0, 0.05, 0.05).contains("bounds"));
        assert!(refused(0.0, 5000.0, 0.05, 0.05).contains("1000"));
        assert!(refused(0.0, 5.0, 0.0, 0.05).starts_with("alpha 0:"));
        assert!(refused(0.0, 5.0, 0.05, 0.5).starts_with("beta 0.5:"));
    }
}
