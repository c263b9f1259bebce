//! `ruche trace`: random games, state by state, as `ruche verify` reads them.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use ruche_game::Game;
use ruche_trace::{RecordSettings, ReplayError, record};

use super::CommandError;
use crate::arguments::TraceSettings;
use crate::output::Answer;

/// Plays and writes.
///
/// # Errors
/// If there is no game, or the trace cannot be written.
pub fn run(settings: &TraceSettings) -> Result<Answer, CommandError> {
    let game = super::load(&settings.game)?;
    if !game.has_names() {
        return Err(ReplayError::Nameless { game: settings.game.clone() }.into());
    }
    match &settings.output {
        Some(path) => write(&game, &settings.games, path)?,
        None => print(&game, &settings.games)?,
    }
    Ok(Answer::Yes)
}

fn write(game: &Game, games: &RecordSettings, path: &Path) -> Result<(), CommandError> {
    let failed = |source| CommandError::Write { file: path.display().to_string(), source };
    let mut file = BufWriter::new(File::create(path).map_err(failed)?);
    record(game, games, &mut file).and_then(|()| file.flush()).map_err(failed)
}

/// To stdout. Whoever closed the pipe has seen enough.
fn print(game: &Game, games: &RecordSettings) -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    match record(game, games, &mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}
