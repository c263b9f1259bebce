//! A disk in memory and in virtual time, on which everything goes wrong that a seed
//! decides: it is slow, full or broken, and the process or the machine ends at any moment.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io::{self, ErrorKind, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use ruche_study::store::disk::{Disk, DiskFile, Opening};

/// What anything takes at least.
const STEP: Duration = Duration::from_millis(1);

/// How probable each fault is, whenever the disk is asked for something.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DiskFaults {
    /// It takes longer, up to `longest_delay`.
    pub delay: f64,
    pub longest_delay: Duration,
    /// A write takes only some of the bytes.
    pub short: f64,
    /// A signal comes between.
    pub interrupt: f64,
    /// A write finds no more space, after some bytes.
    pub full: f64,
    /// The device fails.
    pub broken: f64,
}

/// All clones are the same disk.
#[derive(Clone, Debug, Default)]
pub struct SimulatedDisk(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    chance: Pcg64Mcg,
    faults: DiskFaults,
    now: Duration,
    /// When the process ends.
    end: Option<Duration>,
    is_dead: bool,
    /// What the process was told and could not put right.
    failure: Option<ErrorKind>,
    contents: Vec<Content>,
    names: BTreeMap<PathBuf, usize>,
    /// What the names would be after a loss of power.
    safe_names: BTreeMap<PathBuf, usize>,
    /// All names as they were after each change since then.
    unsafe_names: Vec<BTreeMap<PathBuf, usize>>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            chance: Pcg64Mcg::seed_from_u64(0),
            faults: DiskFaults::default(),
            now: Duration::ZERO,
            end: None,
            is_dead: false,
            failure: None,
            contents: Vec::new(),
            names: BTreeMap::new(),
            safe_names: BTreeMap::new(),
            unsafe_names: Vec::new(),
        }
    }
}

/// The bytes of a file.
#[derive(Debug, Default)]
struct Content {
    bytes: Vec<u8>,
    /// What they were when they were synced.
    safe: Vec<u8>,
    /// What a sync has failed with, and no later one will write.
    gone: Option<Range<usize>>,
}

impl Content {
    fn sync(&mut self) {
        self.safe.clone_from(&self.bytes);
        if let Some(gone) = self.gone.clone() {
            self.safe[gone].fill(0);
        }
    }

    /// What is left without power: some of what was not synced, or zeros in its place.
    fn lose(&mut self, chance: &mut Pcg64Mcg) {
        let is_longer = self.bytes.starts_with(&self.safe);
        if is_longer || chance.random_bool(0.5) {
            let safe = if is_longer { self.safe.len() } else { 0 };
            let kept = chance.random_range(safe..=self.bytes.len());
            let zeros = chance.random_range(0..=self.bytes.len() - kept);
            self.bytes.truncate(kept);
            let zeros = if chance.random_bool(0.3) { zeros } else { 0 };
            self.bytes.resize(kept + zeros, 0);
        } else {
            self.bytes.clone_from(&self.safe);
        }
        self.gone = None;
        self.safe.clone_from(&self.bytes);
    }
}

impl SimulatedDisk {
    /// An empty one whose faults this seed decides.
    pub fn of_seed(seed: u64) -> Self {
        let chance = Pcg64Mcg::seed_from_u64(seed);
        Self(Arc::new(Mutex::new(State { chance, ..State::default() })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A process starts that has these faults, and dies within this time if it shall.
    pub fn start(&self, faults: DiskFaults, life: Option<Duration>) {
        let state = &mut *self.state();
        let life = life.map(|life| state.chance.random_range(Duration::ZERO..=life));
        state.end = life.map(|life| state.now + life);
        (state.faults, state.is_dead, state.failure) = (faults, false, None);
    }

    /// Whether the process has died meanwhile.
    pub fn is_dead(&self) -> bool {
        self.state().is_dead
    }

    /// What the process was told and could not put right.
    pub fn failure(&self) -> Option<ErrorKind> {
        self.state().failure
    }

    /// The machine loses its power.
    pub fn lose_power(&self) {
        let State { chance, contents, names, safe_names, unsafe_names, .. } = &mut *self.state();
        // Names change in their order.
        let kept = chance.random_range(0..=unsafe_names.len());
        if let Some(kept) = kept.checked_sub(1) {
            safe_names.clone_from(&unsafe_names[kept]);
        }
        unsafe_names.clear();
        names.clone_from(safe_names);
        contents.iter_mut().for_each(|content| content.lose(chance));
    }

    /// The bytes of a file, whatever else goes wrong.
    pub fn bytes(&self, path: &Path) -> Option<Vec<u8>> {
        let state = self.state();
        state.names.get(path).map(|number| state.contents[*number].bytes.clone())
    }

    /// Puts these in the place of its bytes.
    pub fn set_bytes(&self, path: &Path, bytes: &[u8]) {
        let state = &mut *self.state();
        let number = state.number(path);
        state.contents[number].bytes = bytes.to_vec();
    }
}

impl State {
    /// Lets time pass; what the disk answers if it does not do what it was asked for.
    fn step(&mut self) -> io::Result<()> {
        let DiskFaults { delay, longest_delay, interrupt, broken, .. } = self.faults;
        if self.is_dead {
            return Err(switched_off());
        }
        self.now += STEP;
        if self.chance.random_bool(delay) {
            self.now += self.chance.random_range(Duration::ZERO..=longest_delay);
        }
        self.is_dead = self.end.is_some_and(|end| end <= self.now);
        if self.is_dead {
            return Err(switched_off());
        }
        if self.chance.random_bool(broken) {
            // EIO, which has no name in the library.
            return Err(self.fail(io::Error::from_raw_os_error(5)));
        }
        match self.chance.random_bool(interrupt) {
            true => Err(ErrorKind::Interrupted.into()),
            false => Ok(()),
        }
    }

    /// The same for what is never interrupted.
    fn whole_step(&mut self) -> io::Result<()> {
        match self.step() {
            Err(error) if error.kind() == ErrorKind::Interrupted => Ok(()),
            result => result,
        }
    }

    fn fail(&mut self, error: io::Error) -> io::Error {
        self.failure.get_or_insert(error.kind());
        error
    }

    /// The content of this name, a new one if there is none.
    fn number(&mut self, path: &Path) -> usize {
        if let Some(number) = self.names.get(path) {
            return *number;
        }
        let number = self.contents.len();
        self.contents.push(Content::default());
        self.names.insert(path.to_owned(), number);
        self.unsafe_names.push(self.names.clone());
        number
    }

    fn write(&mut self, number: usize, bytes: &[u8]) -> io::Result<usize> {
        let step = self.step();
        let DiskFaults { short, full, .. } = self.faults;
        let some = self.chance.random_range(0..=bytes.len());
        let is_full = step.is_ok() && self.chance.random_bool(full);
        let is_short = self.chance.random_bool(short);
        let taken = match &step {
            Ok(()) if is_full => some,
            Ok(()) if is_short => some.max(1).min(bytes.len()),
            Ok(()) => bytes.len(),
            // Whoever dies or fails may have come as far as this.
            Err(error) if error.kind() != ErrorKind::Interrupted => some,
            Err(_) => 0,
        };
        self.contents[number].bytes.extend_from_slice(&bytes[..taken]);
        step?;
        match is_full {
            true => Err(self.fail(ErrorKind::StorageFull.into())),
            false => Ok(taken),
        }
    }

    fn sync(&mut self, number: usize) -> io::Result<()> {
        let step = self.whole_step();
        let content = &mut self.contents[number];
        match &step {
            Ok(()) => content.sync(),
            Err(_) if self.is_dead => {}
            Err(_) => content.gone = Some(content.safe.len()..content.bytes.len()),
        }
        step
    }
}

fn switched_off() -> io::Error {
    io::Error::other("nobody is there any more")
}

impl Disk for SimulatedDisk {
    fn make_folder(&self, _path: &Path) -> io::Result<()> {
        self.state().whole_step()
    }

    fn lock(&self, _path: &Path) -> io::Result<Option<Box<dyn Debug>>> {
        self.state().whole_step().map(|()| Some(Box::new(()) as Box<dyn Debug>))
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.state().whole_step()?;
        self.bytes(path).ok_or_else(|| ErrorKind::NotFound.into())
    }

    fn open(&self, path: &Path, opening: Opening) -> io::Result<Box<dyn DiskFile>> {
        let state = &mut *self.state();
        state.whole_step()?;
        let number = state.number(path);
        if opening == Opening::Anew {
            state.contents[number].bytes.clear();
            state.contents[number].gone = None;
        }
        Ok(Box::new(SimulatedFile { disk: self.clone(), number }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let state = &mut *self.state();
        state.whole_step()?;
        let number = state.names.remove(from).ok_or(ErrorKind::NotFound)?;
        state.names.insert(to.to_owned(), number);
        state.unsafe_names.push(state.names.clone());
        Ok(())
    }

    fn sync_folder(&self, _path: &Path) -> io::Result<()> {
        let state = &mut *self.state();
        state.whole_step()?;
        state.unsafe_names.clear();
        state.safe_names.clone_from(&state.names);
        Ok(())
    }
}

/// A file that is being written, at its end.
#[derive(Debug)]
struct SimulatedFile {
    disk: SimulatedDisk,
    number: usize,
}

impl Write for SimulatedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.disk.state().write(self.number, bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl DiskFile for SimulatedFile {
    fn sync(&mut self) -> io::Result<()> {
        self.disk.state().sync(self.number)
    }
}
