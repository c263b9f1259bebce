//! A timeline of everything that has a span, for chrome://tracing or Perfetto.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tracing_chrome::{ChromeLayerBuilder, FlushGuard};
use tracing_subscriber::prelude::*;

use super::SearchCommandError;

/// A timeline that is being written.
pub struct Timeline {
    path: PathBuf,
    guard: FlushGuard,
    failure: Failure,
}

/// What the system said when it did not take any more.
type Failure = Arc<Mutex<Option<io::Error>>>;

/// A file that takes everything, and remembers what it could not keep: whoever writes to
/// it does so on a thread of its own, and would panic there.
struct Patient {
    file: File,
    failure: Failure,
}

impl Patient {
    fn note(&self, result: io::Result<()>) {
        if let Err(error) = result {
            let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
            failure.get_or_insert(error);
        }
    }
}

impl Write for Patient {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let result = self.file.write_all(bytes);
        self.note(result);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let result = self.file.flush();
        self.note(result);
        Ok(())
    }
}

/// Starts to write a timeline.
///
/// # Errors
/// If the file cannot be written.
pub fn start(path: &Path) -> Result<Timeline, SearchCommandError> {
    let file = File::create(path).map_err(|source| failed(path, source))?;
    let failure = Failure::default();
    let patient = Patient { file, failure: Arc::clone(&failure) };
    let (layer, guard) = ChromeLayerBuilder::new().writer(patient).include_args(true).build();
    // Only a second timeline of the same process could be in the way.
    let _ = tracing_subscriber::registry().with(layer).try_init();
    Ok(Timeline { path: path.to_owned(), guard, failure })
}

impl Timeline {
    /// Writes what is left.
    ///
    /// # Errors
    /// If something could not be written, now or before.
    pub fn finish(self) -> Result<(), SearchCommandError> {
        drop(self.guard);
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner).take();
        failure.map_or(Ok(()), |source| Err(failed(&self.path, source)))
    }
}

fn failed(path: &Path, source: io::Error) -> SearchCommandError {
    SearchCommandError::Timeline { file: path.display().to_string(), source }
}
