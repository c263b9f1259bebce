//! How a match stands: pairs are judged one after the other, in the order in which they were
//! planned, so that nothing depends on who has finished first.

use crate::pairing::{Outcome, outcomes};
use crate::record::{End, Faults, GameRecord};
use crate::scores::{Scores, elo};
use crate::sprt::{Sprt, Verdict};

/// What some pairs have brought.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Games in them.
    pub games: u64,
    /// Won by A.
    pub wins: u64,
    /// Won by nobody.
    pub draws: u64,
    /// Won by B.
    pub losses: u64,
    /// Games that did not end within the limit of plies.
    pub endless: u64,
    /// Games that came to a state where a role has no legal move.
    pub stuck: u64,
    /// Games that ended without exactly one goal for each role.
    pub unscored: u64,
    /// Moves of A and of B that were replaced.
    pub faults: [Faults; 2],
    /// The scores of the pairs.
    pub scores: Scores,
}

impl Tally {
    /// A's share of the points, 0 to 1: the mean over all pairs.
    #[must_use]
    pub fn score(&self) -> Option<f64> {
        self.scores.mean()
    }

    /// By how much A is better, in Elo; nothing if it has all points, or none.
    #[must_use]
    pub fn elo(&self) -> Option<f64> {
        self.score().and_then(elo)
    }

    /// Between which differences in Elo the truth lies, with 95 % confidence; nothing on a
    /// side that has no bound.
    #[must_use]
    pub fn elo_interval(&self) -> [Option<f64>; 2] {
        let (low, high) = self.scores.interval();
        [elo(low), elo(high)]
    }

    fn add(&mut self, pair: &[GameRecord]) {
        let outcomes = outcomes(pair);
        for outcome in &outcomes {
            *match outcome {
                Outcome::Win => &mut self.wins,
                Outcome::Draw => &mut self.draws,
                Outcome::Loss => &mut self.losses,
            } += 1;
        }
        for record in pair {
            self.games += 1;
            self.faults.iter_mut().zip(record.faults).for_each(|(all, found)| *all += found);
            match record.end {
                End::Scored => {}
                End::Endless => self.endless += 1,
                End::Stuck => self.stuck += 1,
                End::Unscored => self.unscored += 1,
            }
        }
        let points: f64 = outcomes.iter().map(|outcome| outcome.share()).sum();
        self.scores.add(points / outcomes.len() as f64);
    }
}

/// What is known of a match so far.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    /// All games together.
    pub total: Tally,
    /// Each game by itself, in the order in which they were named.
    pub by_game: Vec<Tally>,
    /// What the test says, if there is one.
    pub verdict: Option<Verdict>,
    /// All games that were judged.
    pub records: Vec<GameRecord>,
    sprt: Option<Sprt>,
}

impl Standing {
    /// Nothing was played yet, at so many tables.
    #[must_use]
    pub fn new(tables: usize, sprt: Option<Sprt>) -> Self {
        let by_game = vec![Tally::default(); tables];
        Self { by_game, verdict: sprt.map(|_| Verdict::Open), sprt, ..Self::default() }
    }

    /// Whether no further pair is wanted.
    #[must_use]
    pub fn is_decided(&self) -> bool {
        self.verdict.is_some_and(|verdict| verdict != Verdict::Open)
    }

    /// The logarithmic likelihood ratio of the test, if there is one.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        self.sprt.map(|sprt| sprt.ratio(&self.total.scores))
    }

    /// Judges the next pair.
    pub(crate) fn judge(&mut self, table: usize, pair: Vec<GameRecord>) {
        self.total.add(&pair);
        self.by_game[table].add(&pair);
        self.records.extend(pair);
        self.verdict = self.sprt.map(|sprt| sprt.verdict(&self.total.scores));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairing::Side::{A, B};

    fn pair(goals: [[u16; 2]; 2]) -> Vec<GameRecord> {
        let record = |roles: [_; 2], goals: [u16; 2]| GameRecord {
            roles: roles.to_vec(),
            goals: Some(goals.to_vec()),
            ..GameRecord::default()
        };
        vec![record([A, B], goals[0]), record([B, A], goals[1])]
    }

    #[test]
    fn pairs_are_counted_by_game_and_in_all() {
        let mut standing = Standing::new(2, None);
        standing.judge(0, pair([[100, 0], [0, 100]]));
        standing.judge(1, pair([[50, 50], [100, 0]]));
        let Tally { games, wins, draws, losses, .. } = standing.total.clone();
        assert_eq!((games, wins, draws, losses), (4, 2, 1, 1));
        assert_eq!(standing.total.score(), Some(0.625));
        assert_eq!(standing.by_game[0].score(), Some(1.0));
        assert_eq!(standing.by_game[0].elo(), None);
        assert_eq!(standing.by_game[1].score(), Some(0.25));
        assert_eq!((standing.verdict, standing.records.len()), (None, 4));
    }

    #[test]
    fn games_without_goals_are_draws_and_said_so() {
        let mut standing = Standing::new(1, None);
        let ended = |end| GameRecord { end, roles: vec![A, B], ..GameRecord::default() };
        standing.judge(0, vec![ended(End::Endless), ended(End::Stuck)]);
        standing.judge(0, vec![ended(End::Unscored), ended(End::Endless)]);
        let Tally { endless, stuck, unscored, draws, .. } = standing.total;
        assert_eq!((endless, stuck, unscored, draws), (2, 1, 1, 4));
    }

    #[test]
    fn replaced_moves_are_counted_for_each_player() {
        let mut standing = Standing::new(1, None);
        let faulty = |late, illegal| {
            let faults = [Faults::default(), Faults { late, illegal }];
            GameRecord { faults, roles: vec![A, B], ..GameRecord::default() }
        };
        standing.judge(0, vec![faulty(2, 0), faulty(1, 1)]);
        assert_eq!(standing.total.faults, [Faults::default(), Faults { late: 3, illegal: 1 }]);
        assert_eq!(standing.by_game[0].faults, standing.total.faults);
    }

    #[test]
    fn a_test_is_open_until_it_is_decided() {
        let sprt = Sprt::new(0.0, 100.0, 0.05, 0.05).unwrap();
        let mut standing = Standing::new(1, Some(sprt));
        assert_eq!(standing.verdict, Some(Verdict::Open));
        while !standing.is_decided() {
            standing.judge(0, pair([[100, 0], [0, 100]]));
        }
        assert_eq!(standing.verdict, Some(Verdict::Accepted));
        assert!(standing.ratio().unwrap() >= sprt.limits()[1]);
    }
}
