//! What the scores of pairs say about the true score.
//!
//! A pair is the unit: its games share an opening and are not independent of each other. Of
//! the distribution of its score nothing is assumed. The likelihood of a true score is that
//! of the likeliest distribution with this mean (the empirical likelihood); for many pairs
//! that is the normal approximation with the sample variance, and for few, or where all are
//! equal, it stays sensible.

/// How often a score that never came might have come: so no score is impossible.
const DOUBT: f64 = 1e-3;

/// Half of the 95 % quantile of chi-squared with one degree of freedom: true scores whose
/// logarithmic likelihood is less than this below the best are in the interval.
const WITHIN: f64 = 3.841_458_820_694_124 / 2.0;

/// Steps of a bisection: enough for all digits.
const STEPS: usize = 64;

/// Scores of pairs, each from 0 to 1, and how often they came.
#[derive(Clone, Debug, PartialEq)]
pub struct Scores {
    /// A score and its weight.
    weights: Vec<(f64, f64)>,
    pairs: u64,
    sum: f64,
}

impl Default for Scores {
    /// None yet.
    fn default() -> Self {
        let weights = [0.0, 0.25, 0.5, 0.75, 1.0].map(|score| (score, DOUBT)).to_vec();
        Self { weights, pairs: 0, sum: 0.0 }
    }
}

impl Scores {
    /// Counts the score of one more pair.
    pub fn add(&mut self, score: f64) {
        match self.weights.iter_mut().find(|(known, _)| *known == score) {
            Some((_, weight)) => *weight += 1.0,
            None => self.weights.push((score, 1.0 + DOUBT)),
        }
        self.pairs += 1;
        self.sum += score;
    }

    /// How many pairs there were.
    #[must_use]
    pub fn pairs(&self) -> u64 {
        self.pairs
    }

    /// The mean score, if there is any.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.pairs > 0).then(|| self.sum / self.pairs as f64)
    }

    /// The logarithm of how likely a true score between 0 and 1 is, beside the likeliest.
    #[must_use]
    pub fn log_likelihood(&self, mean: f64) -> f64 {
        let tilt = self.tilt(mean);
        let costs =
            self.weights.iter().map(|(score, weight)| weight * (tilt * (score - mean)).ln_1p());
        -costs.sum::<f64>()
    }

    /// By which the likeliest distribution of this mean leans away from what was seen: a
    /// score has `1 / (1 + tilt × (score − mean))` of its share.
    fn tilt(&self, mean: f64) -> f64 {
        let slope = |tilt: f64| {
            let terms = self.weights.iter().map(|(score, weight)| {
                let difference = score - mean;
                weight * difference / (1.0 + tilt * difference)
            });
            terms.sum::<f64>()
        };
        bisect(-1.0 / (1.0 - mean), 1.0 / mean, |tilt| slope(tilt) > 0.0)
    }

    /// True scores that are not refuted, with 95 % confidence; 0 and 1 where nothing limits
    /// them. All of them if there are no pairs.
    #[must_use]
    pub fn interval(&self) -> (f64, f64) {
        // Where the likelihood is greatest, with doubts.
        let all: f64 = self.weights.iter().map(|(_, weight)| weight).sum();
        let best = self.weights.iter().map(|(score, weight)| score * weight).sum::<f64>() / all;
        let is_refuted = |mean: f64| self.log_likelihood(mean) < -WITHIN;
        let edge = 1e-9;
        let low = match is_refuted(edge) {
            true => bisect(edge, best, is_refuted),
            false => 0.0,
        };
        let high = match is_refuted(1.0 - edge) {
            true => bisect(best, 1.0 - edge, |mean| !is_refuted(mean)),
            false => 1.0,
        };
        (low, high)
    }
}

/// Where a condition that holds below ceases to hold.
fn bisect(mut low: f64, mut high: f64, holds: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..STEPS {
        let middle = low + (high - low) / 2.0;
        match holds(middle) {
            true => low = middle,
            false => high = middle,
        }
    }
    low + (high - low) / 2.0
}

/// The difference in Elo that a share of the points stands for; none for all or nothing.
#[must_use]
pub fn elo(score: f64) -> Option<f64> {
    (score > 0.0 && score < 1.0).then(|| 400.0 * (score / (1.0 - score)).log10())
}

/// The share of the points that a difference in Elo stands for.
#[must_use]
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn scores(all: &[f64]) -> Scores {
        let mut scores = Scores::default();
        all.iter().for_each(|score| scores.add(*score));
        scores
    }

    #[test]
    fn elo_is_logistic() {
        assert_eq!(elo(0.5).map(|elo| elo.to_string()), Some("0".to_owned()));
        assert!((elo(0.75).unwrap() - 190.848).abs() < 1e-3);
        assert_eq!((elo(0.0), elo(1.0)), (None, None));
        for difference in [-300.0, -5.0, 0.0, 12.5, 800.0] {
            assert!((elo(score_of_elo(difference)).unwrap() - difference).abs() < 1e-9);
        }
    }

    #[test]
    fn many_pairs_have_the_interval_of_the_normal_approximation() {
        let all: Vec<f64> = (0..4000).map(|pair| f64::from(pair % 5 * (pair % 3)) / 8.0).collect();
        let count = all.len() as f64;
        let mean = all.iter().sum::<f64>() / count;
        let variance = all.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / (count - 1.0);
        let half = 1.96 * (variance / count).sqrt();
        let (low, high) = scores(&all).interval();
        assert!((mean - half - low).abs() < 0.02 * half, "{low} {mean} {high} {half}");
        assert!((mean + half - high).abs() < 0.02 * half, "{low} {mean} {high} {half}");
    }

    #[test]
    fn all_or_nothing_has_one_bound() {
        let (low, high) = scores(&[1.0; 10]).interval();
        assert_eq!(high, 1.0);
        assert!((0.8..0.9).contains(&low), "{low}");
        let (low, high) = scores(&[0.0; 10]).interval();
        assert_eq!(low, 0.0);
        assert!((0.1..0.2).contains(&high), "{high}");
    }

    #[test]
    fn pairs_that_are_all_even_leave_doubts() {
        let (low, high) = scores(&[0.5; 20]).interval();
        assert!((0.4..0.49).contains(&low) && (0.51..0.6).contains(&high), "{low} {high}");
        assert_eq!(Scores::default().interval(), (0.0, 1.0), "nothing is known of no pairs");
        assert_eq!(Scores::default().mean(), None);
    }

    proptest! {
        #[test]
        fn an_interval_has_the_mean_in_it_and_nothing_is_infinite(
            points in prop::collection::vec(0_u8..=12, 1..60),
        ) {
            let all: Vec<f64> = points.iter().map(|points| f64::from(*points) / 12.0).collect();
            let scores = scores(&all);
            let (mean, (low, high)) = (scores.mean().unwrap(), scores.interval());
            prop_assert!(0.0 <= low && low <= mean + 1e-2 && mean - 1e-2 <= high && high <= 1.0);
            for truth in [1e-9, 0.1, 0.5, 0.9, 1.0 - 1e-9] {
                let likelihood = scores.log_likelihood(truth);
                prop_assert!(likelihood.is_finite() && likelihood < 1e-6, "{truth} {likelihood}");
            }
        }

        #[test]
        fn who_is_looked_at_makes_no_difference(points in prop::collection::vec(0_u8..=4, 1..40)) {
            let all: Vec<f64> = points.iter().map(|points| f64::from(*points) / 4.0).collect();
            let turned: Vec<f64> = all.iter().map(|score| 1.0 - score).collect();
            let ((low, high), (other_low, other_high)) =
                (scores(&all).interval(), scores(&turned).interval());
            prop_assert!((low - (1.0 - other_high)).abs() < 1e-6);
            prop_assert!((high - (1.0 - other_low)).abs() < 1e-6);
        }
    }
}
