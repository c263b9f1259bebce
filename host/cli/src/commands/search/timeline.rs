//! A timeline of everything that has a span, for chrome://tracing or Perfetto: of one
//! process, or of all ranks of MPI.
//!
//! Every rank but the host writes its part into a file beside that of the host, who takes
//! these in at the end. All tell the time of day.

mod book;
mod recorder;

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use ruche_mpi::World;
use tracing_subscriber::prelude::*;

use super::{CommandError, SearchCommandError};
use crate::arguments::SearchCommand;
use crate::output::Answer;
use book::{Book, END};
use recorder::Recorder;

/// How long the host waits for the parts of others, who may have a round to finish.
const PATIENCE: Duration = Duration::from_secs(3);

/// Between two looks for them.
const PAUSE: Duration = Duration::from_millis(10);

/// Which process of a search this is.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    rank: usize,
    ranks: usize,
}

impl Part {
    /// The only one.
    pub const ALONE: Self = Self { rank: 0, ranks: 1 };

    /// A rank of MPI.
    pub fn of(world: &World) -> Self {
        Self { rank: world.rank(), ranks: world.size() }
    }

    /// What people call it.
    fn name(self) -> String {
        match self.rank {
            0 if self.ranks == 1 => "ruche".to_owned(),
            0 => "host (rank 0)".to_owned(),
            1 => "I/O node (rank 1)".to_owned(),
            rank => format!("cluster {} (rank {rank})", rank - 2),
        }
    }

    /// Where it writes, if the host writes here.
    fn file(self, path: &Path) -> PathBuf {
        if self.rank == 0 {
            return path.to_owned();
        }
        let mut file = OsString::from(path);
        file.push(format!(".rank{}", self.rank));
        file.into()
    }

    /// The parts that this one takes in.
    fn others(self) -> impl Iterator<Item = Self> + Clone {
        let others = if self.rank == 0 { 1..self.ranks } else { 0..0 };
        others.map(move |rank| Self { rank, ..self })
    }
}

/// Does something, and writes a timeline of it if one is wanted.
///
/// # Errors
/// If this fails, or the timeline cannot be written: what was found has been printed by
/// then, and is worth something without.
pub fn watch(
    command: &SearchCommand,
    part: Part,
    act: impl FnOnce() -> Result<Answer, CommandError>,
) -> Result<Answer, CommandError> {
    let Some(path) = &command.trace else { return act() };
    let timeline = Timeline::start(path, part)?;
    let answer = act();
    let written = timeline.finish();
    let answer = answer?;
    written?;
    Ok(answer)
}

/// A timeline that is being written.
pub struct Timeline {
    /// That of the host.
    path: PathBuf,
    part: Part,
    recorder: Recorder,
}

impl Timeline {
    /// Starts to write the timeline of one process.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn start(path: &Path, part: Part) -> Result<Self, SearchCommandError> {
        let own = part.file(path);
        let file = File::create(&own).map_err(|source| failed(&own, source))?;
        let recorder = Recorder::new(Book::new(file, part.rank, &part.name()));
        // Only a second timeline of the same process could be in the way.
        let _ = tracing_subscriber::registry().with(recorder.clone()).try_init();
        Ok(Self { path: path.to_owned(), part, recorder })
    }

    /// Writes what is left, and what others have written.
    ///
    /// # Errors
    /// If something could not be written, now or before.
    pub fn finish(self) -> Result<(), SearchCommandError> {
        let Some(mut book) = self.recorder.take() else { return Ok(()) };
        book.end_all();
        let others = self.part.others();
        wait_for(others.clone().map(|part| part.file(&self.path)));
        for part in others {
            let file = part.file(&self.path);
            if let Err(error) = take_in(&mut book, &file) {
                let (name, file) = (part.name(), file.display());
                eprintln!("ruche: the timeline lacks the {name}: {file}: {error}");
            }
        }
        let written = book.close();
        written.map_err(|source| failed(&self.part.file(&self.path), source))
    }
}

/// Waits until all these files have their last lines, but not for ever: who was lost
/// writes none.
fn wait_for(files: impl Iterator<Item = PathBuf> + Clone) {
    let start = Instant::now();
    while !files.clone().all(|file| has_end(&file).unwrap_or(false)) && start.elapsed() < PATIENCE {
        thread::sleep(PAUSE);
    }
}

fn has_end(path: &Path) -> io::Result<bool> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::End(-(END.len() as i64)))?;
    let mut end = String::new();
    file.read_to_string(&mut end)?;
    Ok(end == END)
}

/// Takes in what another process has written, and its file away.
fn take_in(book: &mut Book, path: &Path) -> io::Result<()> {
    book.take_in(BufReader::new(File::open(path)?))?;
    fs::remove_file(path)
}

fn failed(path: &Path, source: io::Error) -> SearchCommandError {
    SearchCommandError::Timeline { file: path.display().to_string(), source }
}
