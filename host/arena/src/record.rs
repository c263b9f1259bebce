//! What is known of a game that was played.

use std::ops::AddAssign;

use ruche_shared::named;
use serde::{Deserialize, Serialize};

use crate::pairing::Side;

named! {
    /// How a game has ended.
    pub enum End: "end" = Scored {
        /// With a goal for each role
        Scored = "scored",
        /// Not within the limit of plies
        Endless = "endless",
        /// In a state where a role has no legal move
        Stuck = "stuck",
        /// Without exactly one goal for each role
        Unscored = "unscored",
    }
}

/// Moves of a player elsewhere that were replaced by random ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Faults {
    /// Moves that did not come in time.
    pub late: u64,
    /// Answers that were no legal move.
    pub illegal: u64,
}

impl Faults {
    fn are_none(faults: &[Self; 2]) -> bool {
        *faults == <[Self; 2]>::default()
    }
}

impl AddAssign for Faults {
    fn add_assign(&mut self, other: Self) {
        self.late += other.late;
        self.illegal += other.illegal;
    }
}

/// A game that was played to its end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// What was played.
    pub game: String,
    /// The number of its pair among those of this game.
    pub pair: u64,
    /// Its number in the pair.
    pub round: usize,
    /// The seed of the pair, from which the opening was drawn.
    pub seed: u64,
    /// Who played each role.
    pub roles: Vec<Side>,
    /// The goal of each role, if all have one.
    pub goals: Option<Vec<u16>>,
    /// Joint moves, those of the opening included.
    pub plies: usize,
    /// How it ended.
    pub end: End,
    /// Moves of A and of B that were replaced.
    #[serde(default, skip_serializing_if = "Faults::are_none")]
    pub faults: [Faults; 2],
    /// Its moves, as `ruche search --moves` takes them.
    pub moves: String,
}
