//! One file per command.

pub mod bench;
pub mod compile;
mod ranks;
pub mod recommend;
pub mod search;
pub mod study;
pub mod verify;

use std::io;

use ruche_game::{Game, GameError};
use ruche_playouts::PlayoutsError;
use ruche_trace::{ReplayError, TraceError};
use ruche_tune::TuneError;

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
    #[error("{game}: {source}")]
    Playouts {
        /// The path or name.
        game: String,
        /// Why not.
        source: PlayoutsError,
    },
    /// There is no stage to write.
    #[error(transparent)]
    Emit(#[from] compile::EmitCommandError),
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
    Recommend(#[from] TuneError),
    /// The image cannot be written.
    #[error("{file}: {source}: give a path that can be written with -o")]
    Write {
        /// The path.
        file: String,
        /// What the system says.
        source: io::Error,
    },
    /// The result cannot be printed.
    #[error("the result cannot be printed: {0}")]
    Print(#[from] io::Error),
}

/// Loads a game and tells on stderr what is odd about it.
fn load(name: &str) -> Result<Game, GameError> {
    let progress = Progress::spinner(format!("compiling {name}"));
    let game = Game::load(name);
    drop(progress);
    let game = game?;
    game.warnings().iter().for_each(|warning| eprint!("{warning}"));
    Ok(game)
}
