//! The games that there are questions about.

use std::ops::RangeInclusive;

use crate::connectfour::ConnectFourSolver;
use crate::nim::NimSum;
use crate::question::{Question, ask};
use crate::solver::Solver;
use crate::tictactoe::TicTacToe;

/// A kind of question: a game, and how far random play goes into it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Set {
    /// Seven columns of six cells, 8 to 20 discs.
    ConnectFour,
    /// Heaps of 7, 5, 3 and 1.
    Nim,
    /// On the usual board.
    TicTacToe,
}

/// Where the rules of a game stand.
enum Place {
    /// They come with Ruche.
    Bundled(&'static str),
}

struct Facts {
    name: &'static str,
    place: Place,
    /// How many random moves lead to a position.
    plies: RangeInclusive<usize>,
}

impl Set {
    /// All of them.
    pub const ALL: [Set; 3] = [Set::ConnectFour, Set::Nim, Set::TicTacToe];

    const fn facts(self) -> Facts {
        let (name, place, plies) = match self {
            Set::ConnectFour => ("connectfour", Place::Bundled("connectfour"), 8..=20),
            Set::Nim => ("nim", Place::Bundled("nim"), 0..=6),
            Set::TicTacToe => ("tictactoe", Place::Bundled("tictactoe"), 0..=7),
        };
        Facts { name, place, plies }
    }

    /// What people type.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// The set of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|set| set.name() == name)
    }

    /// What `ruche` takes as the game: the name of a bundled one, or a file. None, and a
    /// word about it, where that is in a corpus which is missing.
    #[must_use]
    pub fn game(self) -> Option<String> {
        match self.facts().place {
            Place::Bundled(name) => Some(name.to_owned()),
        }
    }
}

/// So many different questions, or all that were found; the same for the same seed.
#[must_use]
pub fn questions(set: Set, seed: u64, count: usize) -> Vec<Question> {
    let plies = &set.facts().plies;
    match set {
        Set::ConnectFour => ask(ConnectFourSolver::<7, 6>::default(), set, plies, seed, count),
        Set::Nim => ask(NimSum, set, plies, seed, count),
        Set::TicTacToe => ask(Solver::<TicTacToe>::default(), set, plies, seed, count),
    }
}
