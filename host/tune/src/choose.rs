//! Which of the things that were measured to take. Candidates are listed with the
//! simplest first: what costs less processors, memory or attention.

/// Differences above this share are never taken for noise, however noisy the
/// machine is.
pub const MOST_NOISE: f64 = 0.1;

/// So much of the fastest rate is enough to play from more leaves instead.
pub const ENOUGH_FOR_LEAVES: f64 = 0.7;

/// So much of the rate is enough to have fewer positions under way.
pub const ENOUGH_FOR_BATCH: f64 = 0.9;

/// What the rounds of one candidate brought, per second.
#[derive(Clone, Debug, PartialEq)]
pub struct Rates(pub Vec<f64>);

impl Rates {
    /// The middle round.
    #[must_use]
    pub fn median(&self) -> f64 {
        let sorted = self.sorted();
        sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
    }

    /// How far the middle half of the rounds is apart: one round that something
    /// else has disturbed does not count.
    #[must_use]
    pub fn spread(&self) -> f64 {
        let sorted = self.sorted();
        let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
        let outside = sorted.len() / 4;
        sorted[last - outside] - sorted[outside]
    }

    fn sorted(&self) -> Vec<f64> {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        sorted
    }

    /// Whether the medians differ by less than the rounds of either do.
    #[must_use]
    pub fn is_within_noise_of(&self, other: &Self) -> bool {
        let difference = (self.median() - other.median()).abs();
        let noise = self.spread().max(other.spread());
        difference <= noise.min(MOST_NOISE * self.median().max(other.median()))
    }
}

/// Why a candidate was taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reason {
    /// There is no other.
    Only,
    /// It is so many times as fast as the next.
    Faster {
        /// The next.
        than: usize,
        /// How many times.
        times: f64,
    },
    /// It is as fast as another, as far as one can see, and simpler.
    Simpler {
        /// The other.
        than: usize,
        /// How many times as fast it seems to be.
        times: f64,
    },
}

/// The simplest candidate that is within noise of the fastest, and why. Nothing
/// if there is none.
#[must_use]
pub fn simplest_of_fastest(rates: &[Rates]) -> Option<(usize, Reason)> {
    let fastest = fastest_of(rates, |_| true)?;
    let chosen = rates.iter().position(|one| one.is_within_noise_of(&rates[fastest]))?;
    let rival = match chosen == fastest {
        true => fastest_of(rates, |candidate| candidate != chosen),
        false => Some(fastest),
    };
    let Some(than) = rival else { return Some((chosen, Reason::Only)) };
    let times = rates[chosen].median() / rates[than].median();
    let is_noise = rates[chosen].is_within_noise_of(&rates[than]);
    let reason =
        if is_noise { Reason::Simpler { than, times } } else { Reason::Faster { than, times } };
    Some((chosen, reason))
}

fn fastest_of(rates: &[Rates], is_eligible: impl Fn(usize) -> bool) -> Option<usize> {
    let medians = rates.iter().map(Rates::median).enumerate();
    let eligible = medians.filter(|(candidate, _)| is_eligible(*candidate));
    eligible.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(candidate, _)| candidate)
}

/// A batch that was chosen, and what it was compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchChoice {
    /// The candidate.
    pub chosen: usize,
    /// The fastest with as many playouts per position.
    pub fastest_alike: usize,
    /// The fastest of all.
    pub fastest: usize,
}

/// First the fewest playouts per position with which any candidate is fast enough,
/// then the first of those candidates that is. Candidates with as many playouts
/// per position must have fewer positions under way first.
#[must_use]
pub fn enough_with_least(playouts_per_position: &[u32], rates: &[Rates]) -> Option<BatchChoice> {
    let reaches = |candidate: usize, share: f64, of: usize| {
        rates[candidate].median() >= share * rates[of].median()
    };
    let fastest = fastest_of(rates, |_| true)?;
    let fast = (0..rates.len()).filter(|&one| reaches(one, ENOUGH_FOR_LEAVES, fastest));
    let least = fast.map(|one| playouts_per_position[one]).min()?;
    let is_alike = |candidate: usize| playouts_per_position[candidate] == least;
    let fastest_alike = fastest_of(rates, is_alike)?;
    let chosen = (0..rates.len())
        .find(|&one| is_alike(one) && reaches(one, ENOUGH_FOR_BATCH, fastest_alike))?;
    Some(BatchChoice { chosen, fastest_alike, fastest })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A candidate whose rounds are all alike.
    fn steady(rate: f64) -> Rates {
        Rates(vec![rate; 5])
    }

    #[test]
    fn one_disturbed_round_changes_neither_median_nor_spread_much() {
        let rates = Rates(vec![100.0, 3.0, 101.0, 99.0, 102.0]);
        assert_eq!((rates.median(), rates.spread()), (100.0, 2.0));
        assert_eq!((Rates(vec![]).median(), Rates(vec![]).spread()), (0.0, 0.0));
        assert_eq!((Rates(vec![7.0]).median(), Rates(vec![7.0]).spread()), (7.0, 0.0));
    }

    #[test]
    fn noise_is_what_rounds_differ_by_up_to_a_tenth() {
        let noisy = Rates(vec![90.0, 95.0, 100.0, 101.0, 110.0]);
        assert!(noisy.is_within_noise_of(&steady(105.0)));
        assert!(steady(105.0).is_within_noise_of(&noisy));
        assert!(!noisy.is_within_noise_of(&steady(107.0)), "more than rounds differ by");
        assert!(!steady(100.0).is_within_noise_of(&steady(101.0)), "these do not differ");
        let wild = Rates(vec![10.0, 50.0, 100.0, 150.0, 200.0]);
        assert!(!wild.is_within_noise_of(&steady(120.0)), "more than a tenth is no noise");
    }

    #[test]
    fn the_fastest_is_taken_if_it_stands_out() {
        let (chosen, reason) =
            simplest_of_fastest(&[steady(50.0), steady(100.0), steady(80.0)]).unwrap();
        assert_eq!((chosen, reason), (1, Reason::Faster { than: 2, times: 1.25 }));
    }

    #[test]
    fn the_simplest_is_taken_if_nobody_can_tell() {
        let noisy = Rates(vec![95.0, 96.0, 100.0, 104.0, 105.0]);
        let (chosen, reason) =
            simplest_of_fastest(&[steady(50.0), noisy.clone(), steady(104.0)]).unwrap();
        assert_eq!((chosen, reason), (1, Reason::Simpler { than: 2, times: 100.0 / 104.0 }));
        let (chosen, reason) = simplest_of_fastest(&[noisy, steady(96.0)]).unwrap();
        assert_eq!(chosen, 0);
        assert_eq!(reason, Reason::Simpler { than: 1, times: 100.0 / 96.0 });
    }

    #[test]
    fn one_candidate_needs_no_reason() {
        assert_eq!(simplest_of_fastest(&[steady(1.0)]), Some((0, Reason::Only)));
        assert_eq!(simplest_of_fastest(&[]), None);
    }

    #[test]
    fn the_least_playouts_per_position_that_are_fast_enough_are_taken() {
        let playouts = [4, 4, 16, 16, 16, 64];
        let rates = [30.0, 60.0, 65.0, 80.0, 85.0, 100.0].map(steady);
        let choice = enough_with_least(&playouts, &rates).unwrap();
        // 4 reach 60 %; of those with 16 the second reaches 94 % of the third.
        assert_eq!(choice, BatchChoice { chosen: 3, fastest_alike: 4, fastest: 5 });
        let rates = [30.0, 70.0, 65.0, 80.0, 85.0, 100.0].map(steady);
        assert_eq!(enough_with_least(&playouts, &rates).unwrap().chosen, 1);
        assert_eq!(enough_with_least(&[], &[]), None);
    }
}
