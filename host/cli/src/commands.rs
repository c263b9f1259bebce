//! One file per command.

pub mod bench;
pub mod compile;
mod ranks;
pub mod recommend;
pub mod search;
pub mod study;
pub mod verify;

use std::io;

use ruche_cli::replay::ReplayError;
use ruche_cli::trace::TraceError;
use ruche_playouts::PlayoutsError;

use crate::game::{Game, GameError};
use crate::progress::Progress;

/// Why a command has no answer.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// There is no such game, or it is wrong.
    #[error(transparent)]
    Game(#[from] GameError),
    /// A trace cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// A trace cannot be replayed.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The game cannot be played.
    #[error("{game}: {error}")]
    Playouts {
        /// The path or name.
        game: String,
        /// Why not.
        error: PlayoutsError,
    },
    /// There is no board, or it cannot play.
    #[error(transparent)]
    BoardBench(#[from] bench::board::BoardBenchError),
    /// The search has failed.
    #[error(transparent)]
    Search(#[from] search::SearchCommandError),
    /// There is no study.
    #[error(transparent)]
    Study(#[from] study::StudyCommandError),
    /// There is nothing to recommend.
    #[error(transparent)]
    Recommend(#[from] recommend::RecommendError),
    /// The image cannot be written.
    #[error("{file}: {error}: give a path that can be written with -o")]
    Write {
        /// The path.
        file: String,
        /// What the system says.
        error: io::Error,
    },
    /// The result cannot be printed.
    #[error("the result cannot be printed: {0}")]
    Print(#[from] io::Error),
}

impl From<ruche_search::SearchError> for CommandError {
    fn from(error: ruche_search::SearchError) -> Self {
        search::SearchCommandError::from(error).into()
    }
}

/// Loads a game and tells on stderr what is odd about it.
fn load(name: &str) -> Result<Game, GameError> {
    let progress = Progress::spinner(format!("compiling {name}"));
    let game = Game::load(name);
    drop(progress);
    let game = game?;
    game.warnings.iter().for_each(|warning| eprint!("{warning}"));
    Ok(game)
}
