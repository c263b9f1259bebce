//! Who plays which role, and who has won. What is played from one opening is a *pair*: in
//! most games two games with the roles swapped.

use serde::{Deserialize, Serialize};

use crate::record::GameRecord;

/// One of the two that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The first.
    A,
    /// The second.
    B,
}

impl Side {
    fn other(self) -> Self {
        match self {
            Side::A => Side::B,
            Side::B => Side::A,
        }
    }
}

/// All games of a pair: who plays each role. In each of them one side has one role and the
/// other side all others, each side has each role, and both have the same.
///
/// So two roles are swapped, with more each side is alone against all in turn, and of a game
/// for one each plays one.
#[must_use]
pub fn assignments(roles: usize) -> Vec<Vec<Side>> {
    let mut found: Vec<Vec<Side>> = Vec::new();
    for side in [Side::A, Side::B] {
        for alone in 0..roles {
            let mut sides = vec![side.other(); roles];
            sides[alone] = side;
            if !found.contains(&sides) {
                found.push(sides);
            }
        }
    }
    found
}

/// What came of it for A.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A has more.
    Win,
    /// Both have the same, or nobody knows.
    Draw,
    /// B has more.
    Loss,
}

impl Outcome {
    /// A's share of the point.
    #[must_use]
    pub fn share(self) -> f64 {
        match self {
            Outcome::Win => 1.0,
            Outcome::Draw => 0.5,
            Outcome::Loss => 0.0,
        }
    }
}

/// What the games of a pair brought: an outcome for each, but a single one if each side has
/// played a game for one. In doubt, because a game has no goals, it is a draw.
#[must_use]
pub fn outcomes(pair: &[GameRecord]) -> Vec<Outcome> {
    match pair.iter().all(|record| record.roles.len() == 1) {
        true => vec![compare(pair)],
        false => pair.iter().map(|record| compare(std::slice::from_ref(record))).collect(),
    }
}

/// Compares the mean goals of both sides, over all roles of these games.
fn compare(records: &[GameRecord]) -> Outcome {
    let mut sums = [0_u64; 2];
    let mut counts = [0_u64; 2];
    for record in records {
        let Some(goals) = &record.goals else { return Outcome::Draw };
        for (side, goal) in record.roles.iter().zip(goals) {
            sums[*side as usize] += u64::from(*goal);
            counts[*side as usize] += 1;
        }
    }
    match (sums[0] * counts[1]).cmp(&(sums[1] * counts[0])) {
        std::cmp::Ordering::Greater => Outcome::Win,
        std::cmp::Ordering::Equal => Outcome::Draw,
        std::cmp::Ordering::Less => Outcome::Loss,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Side::{A, B};

    fn record(roles: &[Side], goals: Option<&[u16]>) -> GameRecord {
        let goals = goals.map(<[u16]>::to_vec);
        GameRecord { roles: roles.to_vec(), goals, ..GameRecord::default() }
    }

    #[test]
    fn roles_are_swapped() {
        assert_eq!(assignments(1), [[A], [B]]);
        assert_eq!(assignments(2), [[A, B], [B, A]]);
        let three = [[A, B, B], [B, A, B], [B, B, A], [B, A, A], [A, B, A], [A, A, B]];
        assert_eq!(assignments(3), three);
        for roles in 1..8 {
            for role in 0..roles {
                let all = assignments(roles);
                let of_a = all.iter().filter(|sides| sides[role] == A).count();
                assert_eq!(2 * of_a, all.len(), "each side has role {role} of {roles} as often");
            }
        }
    }

    #[test]
    fn who_has_the_greater_goal_wins() {
        let of = |goals: Option<&[u16]>| outcomes(&[record(&[A, B], goals)])[0];
        assert_eq!(of(Some(&[100, 0])), Outcome::Win);
        assert_eq!(of(Some(&[51, 49])), Outcome::Win);
        assert_eq!(of(Some(&[0, 0])), Outcome::Draw);
        assert_eq!(of(Some(&[0, 1])), Outcome::Loss);
        assert_eq!(of(None), Outcome::Draw, "it has not ended");
        let pair = [record(&[A, B], Some(&[100, 0])), record(&[B, A], Some(&[100, 0]))];
        assert_eq!(outcomes(&pair), [Outcome::Win, Outcome::Loss]);
    }

    #[test]
    fn goals_of_many_roles_are_compared_by_their_means() {
        let of = |goals: [u16; 3]| outcomes(&[record(&[B, A, B], Some(&goals))])[0];
        assert_eq!(of([0, 100, 0]), Outcome::Win);
        assert_eq!(of([100, 50, 0]), Outcome::Draw);
        assert_eq!(of([100, 49, 0]), Outcome::Loss);
    }

    #[test]
    fn a_game_for_one_is_compared_with_that_of_the_other() {
        let of =
            |a: Option<&[u16]>, b: Option<&[u16]>| outcomes(&[record(&[A], a), record(&[B], b)]);
        assert_eq!(of(Some(&[100]), Some(&[99])), [Outcome::Win]);
        assert_eq!(of(Some(&[0]), Some(&[0])), [Outcome::Draw]);
        assert_eq!(of(Some(&[0]), Some(&[1])), [Outcome::Loss]);
        assert_eq!(of(None, Some(&[100])), [Outcome::Draw]);
    }
}
