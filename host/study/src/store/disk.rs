//! What a store needs of a disk, so that it can be tried with one that fails.

use std::fmt::Debug;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::ErrorKind::{InvalidInput, Unsupported};
use std::io::{self, Write};
use std::path::Path;

/// Where a store keeps its files. What was not synced may be lost with the machine: bytes
/// with [`DiskFile::sync`], names with [`Disk::sync_folder`].
pub trait Disk: Debug + Send + Sync {
    /// Makes a folder that is not there, for good.
    ///
    /// # Errors
    /// What the system says.
    fn make_folder(&self, path: &Path) -> io::Result<()>;

    /// Makes sure that nobody else works with this file, as long as the guard lives. None
    /// if somebody does.
    ///
    /// # Errors
    /// What the system says.
    fn lock(&self, path: &Path) -> io::Result<Option<Box<dyn Debug>>>;

    /// All bytes of a file.
    ///
    /// # Errors
    /// What the system says.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// A file to write to, made if it is not there.
    ///
    /// # Errors
    /// What the system says.
    fn open(&self, path: &Path, opening: Opening) -> io::Result<Box<dyn DiskFile>>;

    /// Gives a file another name, which belongs to no other any more.
    ///
    /// # Errors
    /// What the system says.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Returns when the names in a folder will outlive the machine.
    ///
    /// # Errors
    /// What the system says.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;
}

/// How a file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// To write behind what is there.
    Append,
    /// Without what was there.
    Anew,
}

/// A file that is being written.
pub trait DiskFile: Write + Debug {
    /// Returns when what was written will outlive the machine.
    ///
    /// # Errors
    /// What the system says.
    fn sync(&mut self) -> io::Result<()>;
}

/// The disks of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct LocalDisk;

impl Disk for LocalDisk {
    fn make_folder(&self, path: &Path) -> io::Result<()> {
        let new: Vec<&Path> = path.ancestors().take_while(|folder| !folder.exists()).collect();
        fs::create_dir_all(path)?;
        new.into_iter().filter_map(Path::parent).try_for_each(|parent| self.sync_folder(parent))
    }

    fn lock(&self, path: &Path) -> io::Result<Option<Box<dyn Debug>>> {
        let file = File::create(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Box::new(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        fs::read(path)
    }

    fn open(&self, path: &Path, opening: Opening) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(match opening {
            Opening::Append => OpenOptions::new().append(true).create(true).open(path)?,
            Opening::Anew => File::create(path)?,
        }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    /// Some systems and some file systems do not know how; with them names are safe when
    /// they say so.
    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        if !cfg!(unix) {
            return Ok(());
        }
        let here = path.as_os_str().is_empty();
        let folder = File::open(if here { Path::new(".") } else { path })?;
        match folder.sync_all() {
            Err(error) if matches!(error.kind(), InvalidInput | Unsupported) => Ok(()),
            synced => synced,
        }
    }
}

impl DiskFile for File {
    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}
