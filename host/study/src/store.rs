//! What was measured, on disk: nothing that was measured is ever lost.
//!
//! | file | what it is |
//! |---|---|
//! | `plan.toml` | the plan, as it was written |
//! | `results.jsonl` | one sample per line with a checksum, written and synced at once: this is what counts |
//! | `results.csv` | the same as a table, made anew from it whenever a study goes on |
//! | `results.damaged` | what was found in `results.jsonl` and is no sample |
//! | `lock` | nothing: the process that holds it is writing |

pub mod disk;
mod salvage;
mod table;

use std::collections::HashSet;
use std::fmt::Debug;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ruche_report::{Clock, Sample, Transport};
use thiserror::Error;

use crate::plan::{Plan, SampleTask};
use disk::{Disk, DiskFile, LocalDisk, Opening};
pub use salvage::Damage;

const PLAN: &str = "plan.toml";
const LINES: &str = "results.jsonl";
const TABLE: &str = "results.csv";
const DAMAGED: &str = "results.damaged";
const LOCK: &str = "lock";

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
    folder: Folder,
    /// Locked as long as the store is open.
    _lock: Box<dyn Debug>,
    lines: Box<dyn DiskFile>,
    table: Box<dyn DiskFile>,
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
        Self::open_on(Arc::new(LocalDisk), dir, plan)
    }

    /// The same on any disk.
    ///
    /// # Errors
    /// As with [`open`](Self::open).
    pub fn open_on(disk: Arc<dyn Disk>, dir: &Path, plan: &Plan) -> Result<Self, StoreError> {
        let folder = Folder { disk, dir: dir.to_owned() };
        let lock = folder.lock()?;
        folder.claim(plan)?;
        let (samples, damage) = folder.recover()?;
        let table = table::whole(&samples).map_err(|error| folder.failed(TABLE, error))?;
        folder.replace(TABLE, &table)?;
        let keys = samples.iter().map(Key::of).collect();
        let (lines, table) = (folder.append_to(LINES)?, folder.append_to(TABLE)?);
        Ok(Self { folder, _lock: lock, lines, table, samples, keys, damage })
    }

    /// The folder.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.folder.dir
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

    /// Keeps a sample. When this returns, it is in the file, and stays there even if the
    /// machine loses its power.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn append(&mut self, sample: &Sample) -> Result<(), StoreError> {
        let folder = &self.folder;
        let line = salvage::line(sample).map_err(|error| folder.failed(LINES, error.into()))?;
        let written = self.lines.write_all(&line).and_then(|()| self.lines.sync());
        written.map_err(|error| folder.failed(LINES, error))?;
        // Without a sync: it is made anew from the lines.
        let row = table::row(sample).and_then(|row| self.table.write_all(&row));
        row.map_err(|error| folder.failed(TABLE, error))?;
        self.keys.insert(Key::of(sample));
        self.samples.push(sample.clone());
        Ok(())
    }
}

/// A folder on a disk.
#[derive(Debug)]
struct Folder {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
}

impl Folder {
    fn failed(&self, name: &str, source: io::Error) -> StoreError {
        StoreError::File { path: self.dir.join(name), source }
    }

    /// Makes sure that nobody else writes.
    fn lock(&self) -> Result<Box<dyn Debug>, StoreError> {
        let made = self.disk.make_folder(&self.dir);
        made.map_err(|source| StoreError::File { path: self.dir.clone(), source })?;
        let lock = self.disk.lock(&self.dir.join(LOCK));
        let lock = lock.map_err(|error| self.failed(LOCK, error))?;
        lock.ok_or_else(|| StoreError::Busy { dir: self.dir.clone() })
    }

    /// The bytes of a file, if there is one.
    fn read(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        match self.disk.read(&self.dir.join(name)) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.failed(name, error)),
        }
    }

    /// Makes sure that it is that of the plan.
    fn claim(&self, plan: &Plan) -> Result<(), StoreError> {
        let other = |other| StoreError::OtherPlan { dir: self.dir.clone(), other };
        let Some(text) = self.read(PLAN)? else {
            // Results without a plan could be anybody's.
            return match self.read(LINES)? {
                Some(_) => Err(other(None)),
                None => self.replace(PLAN, plan.text.as_bytes()),
            };
        };
        let path = self.dir.join(PLAN).display().to_string();
        match Plan::parse(&plan.name, &path, &String::from_utf8_lossy(&text)) {
            Ok(found) if found.is_same_as(plan) => Ok(()),
            Ok(found) => Err(other(Some(found.title))),
            Err(_) => Err(other(None)),
        }
    }

    /// The samples that are there. Anything else is set aside, first.
    fn recover(&self) -> Result<(Vec<Sample>, Vec<Damage>), StoreError> {
        let salvaged = salvage::salvage(&self.read(LINES)?.unwrap_or_default());
        if !salvaged.damage.is_empty() {
            let pieces = salvaged.damage.iter().flat_map(|damage| [damage.bytes.as_slice(), b"\n"]);
            let mut aside = self.append_to(DAMAGED)?;
            let written = aside.write_all(&pieces.collect::<Vec<_>>().concat());
            let written = written.and_then(|()| aside.sync());
            let written = written.and_then(|()| self.disk.sync_folder(&self.dir));
            written.map_err(|error| self.failed(DAMAGED, error))?;
        }
        // Also if it is sound: whoever wrote it may have been stopped before a sync, and
        // what is here counts from now on.
        self.replace(LINES, &salvaged.lines)?;
        Ok((salvaged.samples, salvaged.damage))
    }

    fn append_to(&self, name: &str) -> Result<Box<dyn DiskFile>, StoreError> {
        let file = self.disk.open(&self.dir.join(name), Opening::Append);
        file.map_err(|error| self.failed(name, error))
    }

    /// Puts a file in the place of another, whole or not at all.
    fn replace(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let (path, beside) = (self.dir.join(name), self.dir.join(format!("{name}.new")));
        let write = || {
            let mut file = self.disk.open(&beside, Opening::Anew)?;
            file.write_all(bytes)?;
            file.sync()?;
            self.disk.rename(&beside, &path)?;
            self.disk.sync_folder(&self.dir)
        };
        write().map_err(|error| self.failed(name, error))
    }
}
