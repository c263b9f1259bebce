//! What a search has found out.

use std::fmt;
use std::time::Duration;

use ruche_decompose::Convention;
use ruche_game::StateError;
use ruche_offload::{OffloadError, Tally};
use thiserror::Error;

/// One move of a role in the root position.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MoveReport {
    /// The number of the move among those of its role.
    pub number: u32,
    /// Playouts that went through it.
    pub visits: u64,
    /// The sum of the role's goals over them.
    pub sum: u64,
    /// The role's mean goal, 0 to 100 in most games; 0 without visits. A playout
    /// without a score counts as 0 for every role.
    pub mean: f64,
    /// The role's goal after this move if everybody plays well, where that is proven.
    pub proven: Option<f64>,
    /// How often to play it where several roles choose at the same time, 0 to 1.
    pub share: Option<f64>,
    /// What the search expects from this move on: joint moves, this one first,
    /// each with the number of a move for every role. Where roles choose at the
    /// same time, the others answer with their most visited moves. The lines of the
    /// sixteen most visited moves are followed; of all others it is this move alone.
    pub line: Vec<Vec<u32>>,
}

/// The moves of one role in the root position.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RoleReport {
    /// The legal moves: the one to play first, then the most visited.
    pub moves: Vec<MoveReport>,
    /// The role's goal if everybody plays well, where that is proven.
    pub proven: Option<f64>,
}

/// How to play where two roles choose at the same time.
#[derive(Clone, Debug, PartialEq)]
pub struct MixedReport {
    /// For each role its mean goal if both play their [shares](MoveReport::share).
    pub values: Vec<f64>,
    /// How much both could win together by something better against the other's shares, in
    /// goals, by what is known of joint moves: 0 in an equilibrium.
    pub exploitability: f64,
}

/// The best that one role alone was seen to reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BestLine {
    /// The goal.
    pub score: u16,
    /// The number of each move from the root position to the end of the game.
    pub moves: Vec<u32>,
}

/// The sum of impartial games that a position is proved to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SumReport {
    /// Who wins when nobody can move any more.
    pub convention: Convention,
    /// The Grundy number of each part.
    pub numbers: Vec<u32>,
}

impl fmt::Display for SumReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.numbers.iter().map(u32::to_string).collect();
        write!(
            formatter,
            "a sum of {} impartial games with the numbers {}, {} play",
            numbers.len(),
            numbers.join(" "),
            self.convention.name()
        )
    }
}

/// Where the time went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeSplit {
    /// Choosing leaves, with the new nodes they need.
    pub selection: Duration,
    /// Handing batches over and waiting for their results.
    pub waiting: Duration,
    /// Bringing results into the tree.
    pub backup: Duration,
}

/// Everything that a search has found out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchReport {
    /// For each role its moves in the root position; no moves where the game is
    /// over or cannot go on.
    pub roles: Vec<RoleReport>,
    /// The move to play of each role, if the game goes on: the most visited one, unless
    /// another is proven to be as good; where it is proven who wins, the shortest way there
    /// or the longest; in games for one the first of the best line.
    pub best: Option<Vec<u32>>,
    /// Whether nothing is left to find out: the search has ended by itself.
    pub is_complete: bool,
    /// The best score that was seen and how to reach it, in games for one.
    pub best_line: Option<BestLine>,
    /// How the game was solved without a search, if it was.
    pub sum: Option<SumReport>,
    /// How good the shares are, where two roles choose at the same time.
    pub mixed: Option<MixedReport>,
    /// Playouts in the tree. A visit of a position where the game is over counts
    /// like the playouts from any other.
    pub playouts: u64,
    /// How the playouts went that were really played.
    pub tally: Tally,
    /// Positions that were played from.
    pub leaves: u64,
    /// Visits of positions where the game was over.
    pub terminal_visits: u64,
    /// Positions in the tree.
    pub nodes: u64,
    /// Moves in the tree.
    pub edges: u64,
    /// Bytes of the tree.
    pub bytes: u64,
    /// Whether the tree has reached its limit of memory.
    pub is_full: bool,
    /// Whether somebody stopped the search before its limits.
    pub is_stopped: bool,
    /// Batches whose results are in the tree.
    pub batches: u64,
    /// Time on the clock, of all calls since the position was set.
    pub time: Duration,
    /// Where it went.
    pub split: TimeSplit,
    /// Over the moves, visits and sums of the root, and the size of the tree:
    /// the same for the same search on any machine.
    pub signature: u64,
}

impl SearchReport {
    /// Seconds on the clock.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.time.as_secs_f64()
    }
}

/// How far a search is.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// Playouts in the tree.
    pub playouts: u64,
    /// Time since the position was set.
    pub time: Duration,
    /// The most visited move of each role so far.
    pub best: Vec<u32>,
    /// The mean goal of each role by its most visited move.
    pub means: Vec<f64>,
    /// The best score that was seen, in games for one.
    pub best_score: Option<u16>,
    /// Everything that is known by now, where somebody [asked](crate::Searcher::report_every)
    /// for it and it is time again.
    pub report: Option<Box<SearchReport>>,
}

/// Why a search has stopped early, or cannot start.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SearchError {
    /// The root position is of another game.
    #[error("the root position: {0}")]
    Position(#[from] StateError),
    /// Whoever plays, plays another game.
    #[error("whoever plays has a game of {found} roles, but this one has {needed}")]
    Roles {
        /// Roles of this game.
        needed: usize,
        /// Roles of the offload's.
        found: usize,
    },
    /// The root position does not fit into the memory of the tree.
    #[error(
        "the root position and its moves do not fit into the {memory} bytes that the tree may \
         have: allow more memory"
    )]
    Memory {
        /// Bytes that there are.
        memory: u64,
    },
    /// Whoever plays has failed; what was finished is in the report.
    #[error("{source}")]
    Offload {
        /// What happened.
        source: OffloadError,
        /// What was found out before.
        report: Box<SearchReport>,
    },
    /// What is proven contradicts itself, which must not happen.
    #[error(
        "what is proven of a position contradicts itself: this is a bug of Ruche; please report \
         the game and the seed, and search with proofs off meanwhile"
    )]
    Contradiction {
        /// What was found out before.
        report: Box<SearchReport>,
    },
    /// The best line does not reach its score, which must not happen.
    #[error(
        "the line to the best score does not reach it: this is a bug of Ruche; please report the \
         game, the seed and the settings"
    )]
    Line {
        /// What was found out before.
        report: Box<SearchReport>,
    },
    /// Whoever plays has answered something else than was asked.
    #[error("the answer to batch {batch} makes no sense: {reason}; whoever played it is broken")]
    Answer {
        /// The number of the batch.
        batch: u64,
        /// What is wrong.
        reason: String,
        /// What was found out before.
        report: Box<SearchReport>,
    },
}

impl SearchError {
    /// What was found out before the search stopped.
    #[must_use]
    pub fn report(&self) -> Option<&SearchReport> {
        match self {
            SearchError::Offload { report, .. }
            | SearchError::Answer { report, .. }
            | SearchError::Line { report }
            | SearchError::Contradiction { report } => Some(report),
            _ => None,
        }
    }
}
