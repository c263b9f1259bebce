//! One file per command.

pub mod analyse;
pub mod bench;
pub mod compile;
pub mod decompose;
pub mod matches;
mod page;
pub mod play;
pub mod player;
mod ranks;
pub mod recommend;
pub mod referee;
pub mod search;
pub mod show;
pub mod study;
mod thinking;
pub mod trace;
pub mod ugi;
pub mod verify;

use std::io;

use ruche_arena::MatchError;
use ruche_game::{Game, GameError};
use ruche_offload::Tally;
use ruche_playouts::PlayoutsError;
use ruche_trace::{ReplayError, TraceError};
use ruche_tune::TuneError;

use crate::interrupt::InterruptError;
use crate::output::grouped;
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
    /// The games inside a game are not found.
    #[error(transparent)]
    Decompose(#[from] decompose::DecomposeCommandError),
    /// There is no board, or it cannot play.
    #[error(transparent)]
    BoardBench(#[from] bench::board::BoardBenchError),
    /// The search has failed.
    #[error(transparent)]
    Search(#[from] search::SearchCommandError),
    /// There is no match.
    #[error(transparent)]
    Match(#[from] MatchError),
    /// Nobody plays.
    #[error(transparent)]
    Play(#[from] play::PlayCommandError),
    /// Nobody thinks.
    #[error(transparent)]
    Thinking(#[from] thinking::ThinkingError),
    /// The game is not for arenas.
    #[error(transparent)]
    Ugi(#[from] ugi::UgiError),
    /// Nobody can be listened to.
    #[error(transparent)]
    Server(#[from] ruche_ggp::ServerError),
    /// There is no page.
    #[error(transparent)]
    Page(#[from] ruche_page::PageError),
    /// There is no match under a referee.
    #[error(transparent)]
    Referee(#[from] ruche_referee::RefereeError),
    /// The rules do not lead there.
    #[error(transparent)]
    Rules(#[from] ruche_rules::RulesError),
    /// A record cannot be read or written.
    #[error(transparent)]
    Record(#[from] ruche_referee::RecordError),
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
    /// Ctrl-C would not be noticed.
    #[error(transparent)]
    Interrupt(#[from] InterruptError),
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

/// What a person should know about playouts that did not end as they should.
fn complaint(game: &str, total: &Tally) -> Option<String> {
    let reasons = [
        (total.endless, "did not end within the limit of plies"),
        (total.stuck, "came to a state where a role has no legal move"),
        (total.unscored, "ended without exactly one goal for each role"),
    ];
    let reasons = reasons.iter().filter(|(count, _)| *count > 0);
    let reasons: Vec<String> =
        reasons.map(|(count, why)| format!("{} {why}", grouped(*count))).collect();
    let playouts = grouped(total.playouts());
    let text = || format!("ruche: {game}: of {playouts} playouts {}", reasons.join(", "));
    (!reasons.is_empty()).then(text)
}
