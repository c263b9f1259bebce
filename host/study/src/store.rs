//! What was measured, on disk: nothing that was measured is ever lost.
//!
//! | file | what it is |
//! |---|---|
//! | `plan.toml` | the plan, as it was written |
//! | `results.jsonl` | one sample per line with a checksum, written at once: this is what counts |
//! | `results.csv` | the same as a table, made anew from it whenever a study goes on |
//! | `results.damaged` | what was found in `results.jsonl` and is no sample |
//! | `lock` | nothing: the process that holds it is writing |

mod salvage;
mod table;

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use ruche_report::{Clock, Sample, Transport};
use thiserror::Error;

use crate::plan::{Plan, SampleTask};
pub use salvage::Damage;

/// Why results cannot be kept.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The system says no.
    #[error("{}: {source}: give a folder that can be written with -o", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The folder belongs to another study.
    #[error(
        "{}: this folder has the results of another plan{}: give another folder with -o, or move \
         this one away", dir.display(), of_name(other)
    )]
    OtherPlan {
        /// The folder.
        dir: PathBuf,
        /// The title of the other plan, if it can be read.
        other: Option<String>,
    },
    /// Somebody else is at it.
    #[error("{}: another study is running in this folder: wait for it, or give another with -o",
            dir.display())]
    Busy {
        /// The folder.
        dir: PathBuf,
    },
}

fn of_name(title: &Option<String>) -> String {
    title.as_ref().map(|title| format!(" (“{title}”)")).unwrap_or_default()
}

/// What makes two samples the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key(String);

impl Key {
    /// That of a sample.
    #[must_use]
    pub fn of(sample: &Sample) -> Self {
        let Sample { point, clock, transport, repetition, seed, runs, .. } = sample;
        Self(format!("{clock:?} {transport} {repetition} {seed} {runs} {point:?}"))
    }

    /// That of the sample that a task will give, by this clock and transport.
    #[must_use]
    pub fn of_task(task: &SampleTask, clock: Clock, transport: Transport) -> Self {
        let (repetition, assignment) = (task.repetition, &task.assignment);
        let (seed, runs, point) = (assignment.seed, assignment.runs, &assignment.point);
        Self(format!("{clock:?} {transport} {repetition} {seed} {runs} {point:?}"))
    }
}

/// The folder of a study.
#[derive(Debug)]
pub struct Store {
    dir: PathBuf,
    /// Locked as long as the store is open.
    _lock: File,
    lines: File,
    table: File,
    samples: Vec<Sample>,
    keys: HashSet<Key>,
    damage: Vec<Damage>,
}

impl Store {
    /// Opens the folder of a plan, or makes it. What is damaged is set aside.
    ///
    /// # Errors
    /// If it belongs to another plan, another study is running in it, or it
    /// cannot be written.
    pub fn open(dir: &Path, plan: &Plan) -> Result<Self, StoreError> {
        fs::create_dir_all(dir).map_err(|error| at(dir, error))?;
        let lock = lock(dir)?;
        claim(dir, plan)?;
        let path = dir.join("results.jsonl");
        let (samples, damage) = recover(dir, &path)?;
        let table = dir.join("results.csv");
        replace(&table, &table::whole(&samples).map_err(|error| at(&table, error))?)?;
        let keys = samples.iter().map(Key::of).collect();
        let (lines, table) = (appending(&path)?, appending(&table)?);
        Ok(Self { dir: dir.to_owned(), _lock: lock, lines, table, samples, keys, damage })
    }

    /// The folder.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// All samples, in the order in which they were taken.
    #[must_use]
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// What was damaged when the store was opened.
    #[must_use]
    pub fn damage(&self) -> &[Damage] {
        &self.damage
    }

    /// Whether there is such a sample.
    #[must_use]
    pub fn has(&self, key: &Key) -> bool {
        self.keys.contains(key)
    }

    /// Keeps a sample. When this returns, it is in the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn append(&mut self, sample: &Sample) -> Result<(), StoreError> {
        let path = self.dir.join("results.jsonl");
        let line = salvage::line(sample).map_err(|error| at(&path, error.into()))?;
        // At once: if this process is killed, all lines but the last are whole.
        self.lines.write_all(&line).map_err(|error| at(&path, error))?;
        let path = self.dir.join("results.csv");
        let row = table::row(sample).map_err(|error| at(&path, error))?;
        self.table.write_all(&row).map_err(|error| at(&path, error))?;
        self.keys.insert(Key::of(sample));
        self.samples.push(sample.clone());
        Ok(())
    }
}

fn at(path: &Path, source: io::Error) -> StoreError {
    StoreError::File { path: path.to_owned(), source }
}

/// Makes sure that nobody else writes.
fn lock(dir: &Path) -> Result<File, StoreError> {
    let path = dir.join("lock");
    let file = File::create(&path).map_err(|error| at(&path, error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::Busy { dir: dir.to_owned() }),
        Err(TryLockError::Error(error)) => Err(at(&path, error)),
    }
}

/// Makes sure that the folder is that of the plan.
fn claim(dir: &Path, plan: &Plan) -> Result<(), StoreError> {
    let path = dir.join("plan.toml");
    let other = |other| StoreError::OtherPlan { dir: dir.to_owned(), other };
    let text = match fs::read(&path) {
        Ok(text) => text,
        // Results without a plan could be anybody's.
        Err(_) if dir.join("results.jsonl").exists() => return Err(other(None)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return replace(&path, plan.text.as_bytes());
        }
        Err(error) => return Err(at(&path, error)),
    };
    let text = String::from_utf8_lossy(&text);
    match Plan::parse(&plan.name, &path.display().to_string(), &text) {
        Ok(found) if found.is_same_as(plan) => Ok(()),
        Ok(found) => Err(other(Some(found.title))),
        Err(_) => Err(other(None)),
    }
}

/// The samples of a file. Anything else in it is set aside, first.
fn recover(dir: &Path, path: &Path) -> Result<(Vec<Sample>, Vec<Damage>), StoreError> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(at(path, error)),
    };
    let salvaged = salvage::salvage(&bytes);
    if !salvaged.damage.is_empty() {
        let aside = dir.join("results.damaged");
        let mut file = appending(&aside)?;
        let pieces = salvaged.damage.iter().flat_map(|damage| [damage.bytes.as_slice(), b"\n"]);
        file.write_all(&pieces.collect::<Vec<_>>().concat())
            .and_then(|()| file.sync_data())
            .map_err(|error| at(&aside, error))?;
    }
    if salvaged.lines != bytes {
        replace(path, &salvaged.lines)?;
    }
    Ok((salvaged.samples, salvaged.damage))
}

fn appending(path: &Path) -> Result<File, StoreError> {
    OpenOptions::new().append(true).create(true).open(path).map_err(|error| at(path, error))
}

/// Puts a file in the place of another, whole or not at all.
fn replace(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let beside = PathBuf::from(beside);
    let write = || {
        let mut file = File::create(&beside)?;
        file.write_all(bytes)?;
        file.sync_data()?;
        fs::rename(&beside, path)
    };
    write().map_err(|error| at(path, error))
}
