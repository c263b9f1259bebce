//! The games that there are questions about.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use crate::breakthrough::Breakthrough;
use crate::connectfour::ConnectFourSolver;
use crate::domineering::Domineering;
use crate::nim::NimSum;
use crate::othello::Othello;
use crate::question::{Question, ask};
use crate::sheepandwolf::SheepAndWolf;
use crate::solver::Solver;
use crate::tictactoe::TicTacToe;

/// A kind of question: a game, and how far random play goes into it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Set {
    /// On a board of 5 x 5, after ten plies at least.
    Breakthrough,
    /// Seven columns of six cells, 8 to 20 discs.
    ConnectFour,
    /// On a board of 8 x 8, the second half of the game.
    Domineering,
    /// Heaps of 7, 5, 3 and 1.
    Nim,
    /// On a board of 8 x 8, at most 12 empty squares unless there were passes.
    Othello,
    /// Four sheep and a wolf, with the rules of the corpus.
    SheepAndWolf,
    /// On the usual board.
    TicTacToe,
}

/// Where the rules of a game stand.
enum Place {
    /// They come with Ruche.
    Bundled,
    /// They come with this crate, in this file.
    Here(&'static str),
    /// They are in this file of the corpus, if there is one.
    Corpus(&'static str),
}

struct Facts {
    name: &'static str,
    place: Place,
    /// How many random moves lead to a position.
    plies: RangeInclusive<usize>,
}

impl Set {
    /// All of them.
    pub const ALL: [Set; 7] = [
        Set::Breakthrough,
        Set::ConnectFour,
        Set::Domineering,
        Set::Nim,
        Set::Othello,
        Set::SheepAndWolf,
        Set::TicTacToe,
    ];

    const fn facts(self) -> Facts {
        let (name, place, plies) = match self {
            Set::Breakthrough => ("breakthrough", Place::Here("breakthrough5.kif"), 10..=22),
            Set::ConnectFour => ("connectfour", Place::Bundled, 8..=20),
            Set::Domineering => ("domineering", Place::Bundled, 16..=24),
            Set::Nim => ("nim", Place::Bundled, 0..=6),
            Set::Othello => ("othello", Place::Bundled, 48..=56),
            Set::SheepAndWolf => ("sheepandwolf", Place::Corpus("sheepAndWolf_v0.kif"), 0..=20),
            Set::TicTacToe => ("tictactoe", Place::Bundled, 0..=7),
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
        let file = match self.facts().place {
            Place::Bundled => return Some(self.name().to_owned()),
            Place::Here(file) => here(file),
            Place::Corpus(file) => ruche_corpus::directory(self.name())?.join("games").join(file),
        };
        Some(file.display().to_string())
    }
}

/// A file with rules that this crate has.
pub(crate) fn here(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("kif").join(file)
}

/// So many different questions, or all that were found; the same for the same seed.
#[must_use]
pub fn questions(set: Set, seed: u64, count: usize) -> Vec<Question> {
    let plies = &set.facts().plies;
    match set {
        Set::Breakthrough => ask(Solver::<Breakthrough<5, 5>>::default(), set, plies, seed, count),
        Set::ConnectFour => ask(ConnectFourSolver::<7, 6>::default(), set, plies, seed, count),
        Set::Domineering => ask(Solver::<Domineering<8>>::default(), set, plies, seed, count),
        Set::Nim => ask(NimSum, set, plies, seed, count),
        Set::Othello => ask(Solver::<Othello<8>>::default(), set, plies, seed, count),
        Set::SheepAndWolf => ask(Solver::<SheepAndWolf>::default(), set, plies, seed, count),
        Set::TicTacToe => ask(Solver::<TicTacToe>::default(), set, plies, seed, count),
    }
}
