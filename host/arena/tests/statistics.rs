//! Whether intervals and tests keep what they promise, by simulating thousands of matches
//! whose truth is known.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use ruche_arena::scores::{Scores, elo, score_of_elo};
use ruche_arena::{Sprt, Verdict};

/// How games go in a simulated world.
#[derive(Clone, Copy, Debug)]
struct World {
    /// By how much A is better.
    elo: f64,
    /// The share of draws.
    draws: f64,
    /// How much an opening favours the role that moves first: what makes games of a pair
    /// depend on each other.
    bias: f64,
}

/// Openings and draws of different kinds: from fair games without draws to those that the
/// opening decides.
const KINDS: [(f64, f64); 4] = [(0.0, 0.0), (0.4, 0.0), (0.1, 0.2), (0.7, 0.1)];

impl World {
    /// The score of a pair.
    fn pair(&self, random: &mut Pcg64Mcg) -> f64 {
        let score = score_of_elo(self.elo);
        // Never more than the lesser of both outcomes allows, so that the mean is the truth.
        let room = (score.min(1.0 - score) - self.draws / 2.0).max(0.0);
        let bias = self.bias.min(room) * if random.random_bool(0.5) { 1.0 } else { -1.0 };
        let draws = self.draws.min(2.0 * score.min(1.0 - score));
        let mut game = |score: f64| match random.random::<f64>() {
            luck if luck < score - draws / 2.0 => 1.0,
            luck if luck < score + draws / 2.0 => 0.5,
            _ => 0.0,
        };
        (game(score + bias) + game(score - bias)) / 2.0
    }

    fn scores(&self, pairs: usize, random: &mut Pcg64Mcg) -> Scores {
        let mut scores = Scores::default();
        (0..pairs).for_each(|_| scores.add(self.pair(random)));
        scores
    }

    /// What a test says in the end.
    fn decide(&self, test: &Sprt, random: &mut Pcg64Mcg) -> Verdict {
        let mut scores = Scores::default();
        loop {
            scores.add(self.pair(random));
            match test.verdict(&scores) {
                Verdict::Open => assert!(scores.pairs() < 100_000, "it never ends"),
                verdict => return verdict,
            }
        }
    }
}

#[test]
fn the_simulated_world_has_the_elo_that_it_should_have() {
    let mut random = Pcg64Mcg::seed_from_u64(1);
    for (draws, bias) in KINDS {
        let world = World { elo: 60.0, draws, bias };
        let found = elo(world.scores(100_000, &mut random).mean().unwrap()).unwrap();
        assert!((found - 60.0).abs() < 4.0, "{world:?}: {found}");
    }
}

#[test]
fn an_interval_has_the_truth_in_it_19_times_of_20() {
    let mut random = Pcg64Mcg::seed_from_u64(2);
    let matches = 1000;
    for (draws, bias) in KINDS {
        for elo in [0.0, 120.0] {
            let world = World { elo, draws, bias };
            let truth = score_of_elo(elo);
            let covers = |_: &u32| {
                let (low, high) = world.scores(50, &mut random).interval();
                low <= truth && truth <= high
            };
            let covered = (0..matches).filter(covers).count() as f64 / f64::from(matches);
            assert!((0.92..=0.98).contains(&covered), "{world:?}: {covered}");
        }
    }
}

#[test]
fn a_test_is_wrong_as_seldom_as_it_promises() {
    let mut random = Pcg64Mcg::seed_from_u64(3);
    let (alpha, beta, matches) = (0.05, 0.1, 1000);
    let test = Sprt::new(0.0, 60.0, alpha, beta).unwrap();
    for (draws, bias) in KINDS {
        let [elo0, elo1] = test.elos();
        let mut share = |elo: f64, wrong: Verdict| {
            let world = World { elo, draws, bias };
            let is_wrong = |_: &u32| world.decide(&test, &mut random) == wrong;
            (0..matches).filter(is_wrong).count() as f64 / f64::from(matches)
        };
        let (accepted, rejected) = (share(elo0, Verdict::Accepted), share(elo1, Verdict::Rejected));
        println!("draws {draws}, bias {bias}: accepted {accepted}, rejected {rejected}");
        assert!(accepted <= alpha + 0.02, "draws {draws}, bias {bias}: {accepted} accepted");
        assert!(rejected <= beta + 0.025, "draws {draws}, bias {bias}: {rejected} rejected");
    }
}

#[test]
fn a_difference_that_is_beyond_the_bounds_is_found_nearly_always() {
    let mut random = Pcg64Mcg::seed_from_u64(4);
    let test = Sprt::new(0.0, 40.0, 0.05, 0.05).unwrap();
    for (elo, verdict) in [(120.0, Verdict::Accepted), (-80.0, Verdict::Rejected)] {
        let world = World { elo, draws: 0.1, bias: 0.1 };
        let right = (0..300).filter(|_| world.decide(&test, &mut random) == verdict).count();
        assert!(right >= 297, "{elo}: {right} of 300");
    }
}
