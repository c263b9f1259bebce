//! The games of both roles at once.

use super::Matrix;
use super::induction::{Simultaneous, matrix};
use crate::set::here;

/// A game whose rules are in a file of this crate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MatrixGame {
    /// A stone that blunts scissors wins more than the others.
    RockPaperScissors,
    /// Three rounds, in which equal heads count twice.
    MatchingPennies,
    /// Four cards each. The order of the prizes is one in which who bids must mix.
    Goofspiel4,
    /// Five cards each, in such an order too.
    Goofspiel5,
}

impl MatrixGame {
    /// All of them.
    pub const ALL: [Self; 4] =
        [Self::RockPaperScissors, Self::MatchingPennies, Self::Goofspiel4, Self::Goofspiel5];

    /// What people type.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::RockPaperScissors => "rockpaperscissors",
            Self::MatchingPennies => "matchingpennies",
            Self::Goofspiel4 => "goofspiel4",
            Self::Goofspiel5 => "goofspiel5",
        }
    }

    /// The file with its rules, which `ruche` takes as the game.
    #[must_use]
    pub fn game(self) -> String {
        here(&format!("{}.kif", self.name())).display().to_string()
    }

    /// What the first joint move leads to.
    #[must_use]
    pub fn matrix(self) -> Matrix {
        match self {
            Self::RockPaperScissors => matrix(&RockPaperScissors { signs: None }),
            Self::MatchingPennies => matrix(&MatchingPennies { rounds: 3, score: 3 }),
            Self::Goofspiel4 => matrix(&Goofspiel::new(&[3, 4, 2, 1])),
            Self::Goofspiel5 => matrix(&Goofspiel::new(&[4, 3, 5, 2, 1])),
        }
    }
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct RockPaperScissors {
    signs: Option<[u8; 2]>,
}

impl Simultaneous for RockPaperScissors {
    fn end(&self) -> Option<f64> {
        const GOALS: [[u8; 3]; 3] = [[50, 25, 100], [75, 50, 25], [0, 75, 50]];
        self.signs.map(|[own, other]| f64::from(GOALS[usize::from(own)][usize::from(other)]))
    }

    fn moves(&self, _: usize) -> Vec<u8> {
        vec![0, 1, 2]
    }

    fn after(&self, joint: [u8; 2]) -> Self {
        Self { signs: Some(joint) }
    }

    fn name(chosen: u8) -> String {
        ["rock", "paper", "scissors"][usize::from(chosen)].to_owned()
    }
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct MatchingPennies {
    /// That are left.
    rounds: u8,
    score: u8,
}

impl Simultaneous for MatchingPennies {
    fn end(&self) -> Option<f64> {
        (self.rounds == 0).then(|| 10.0 * f64::from(self.score))
    }

    fn moves(&self, _: usize) -> Vec<u8> {
        vec![0, 1]
    }

    fn after(&self, joint: [u8; 2]) -> Self {
        let score = match joint {
            [0, 0] => self.score + 2,
            [1, 1] => self.score + 1,
            _ => self.score - 1,
        };
        Self { rounds: self.rounds - 1, score }
    }

    fn name(chosen: u8) -> String {
        ["heads", "tails"][usize::from(chosen)].to_owned()
    }
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Goofspiel {
    /// Bit `n` is the card `n`.
    hands: [u8; 2],
    /// What role 0 has won more than role 1.
    lead: i8,
    /// What is still bid for, in this order.
    prizes: &'static [u8],
}

impl Goofspiel {
    fn new(prizes: &'static [u8]) -> Self {
        let hand = (2 << prizes.len()) - 2;
        Self { hands: [hand; 2], lead: 0, prizes }
    }
}

impl Simultaneous for Goofspiel {
    fn end(&self) -> Option<f64> {
        self.prizes.is_empty().then(|| 50.0 + 50.0 * f64::from(self.lead.signum()))
    }

    fn moves(&self, role: usize) -> Vec<u8> {
        (1..8).filter(|card| self.hands[role] >> card & 1 == 1).collect()
    }

    fn after(&self, joint: [u8; 2]) -> Self {
        let (prize, prizes) = self.prizes.split_first().expect("the game goes on");
        let hands = [0, 1].map(|role| self.hands[role] & !(1 << joint[role]));
        let won = joint[0].cmp(&joint[1]) as i8 * *prize as i8;
        Self { hands, lead: self.lead + won, prizes }
    }

    fn name(chosen: u8) -> String {
        format!("(bid {chosen})")
    }
}
