//! Who chooses moves. A player plays one role of one game and knows nothing of the match.

mod remote;
mod searching;
mod simple;

use ruche_game::State;
use ruche_ggp::CallError;
use ruche_playouts::Stop;
use ruche_search::SearchError;
use thiserror::Error;

use crate::record::Faults;
pub(crate) use remote::Remote;
pub(crate) use searching::Searching;
pub(crate) use simple::{Legal, Random};

/// A role has to choose.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    /// Whose turn it is; others may choose at the same time.
    pub role: usize,
    /// Where the game is.
    pub state: &'a State,
    /// How it came there: joint moves from the initial position on, the opening included.
    pub joints: &'a [Vec<u32>],
    /// Whoever finds that somebody wants to stop may answer anything: nobody reads it.
    pub stop: &'a Stop,
}

/// Plays a role of a game from its opening to its end.
pub trait Player {
    /// The number of a legal move of the role. Where there is only one, nobody asks.
    ///
    /// # Errors
    /// If the player cannot go on: this ends the match.
    fn choose(&mut self, turn: &Turn<'_>) -> Result<u32, PlayerError>;

    /// Its moves that had to be replaced so far.
    fn faults(&self) -> Faults {
        Faults::default()
    }
}

/// Why a player cannot go on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PlayerError {
    /// Its search has failed.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// A player elsewhere cannot be reached.
    #[error(transparent)]
    Call(#[from] Box<CallError>),
    /// A player elsewhere does not want to play.
    #[error("{address} is not ready, but says: {answer}")]
    Unready {
        /// Who.
        address: String,
        /// What it says.
        answer: String,
    },
    /// A player elsewhere needs the rules.
    #[error("{address} needs the rules: give a bundled game or a .kif file")]
    NoRules {
        /// Who.
        address: String,
    },
    /// Its search knows no move although the game goes on.
    #[error("the search has found no move although there are some")]
    Silent,
}
