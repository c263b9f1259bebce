//! Signals that end a command early: the first lets it print what is done, the second
//! ends it at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::{io, process, thread};

use ruche_mpi::{MpiError, World};
use ruche_playouts::Stop;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::output::Answer;

/// Why a signal would not be noticed.
#[derive(Debug, thiserror::Error)]
pub enum InterruptError {
    /// The system does not allow it.
    #[error("Ctrl-C cannot be caught: {0}")]
    System(#[from] io::Error),
    /// MPI does not.
    #[error(transparent)]
    Mpi(#[from] MpiError),
}

/// The wish of a person, or of the system, that this command ends.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    stop: Stop,
    /// The first signal, or 0.
    signal: Arc<AtomicI32>,
}

impl Interrupt {
    /// Listens from now on. Before that a signal ends this process, as there is nothing
    /// to print.
    ///
    /// # Errors
    /// If the system does not allow it.
    pub fn listen(&self, world: Option<&World>) -> Result<(), InterruptError> {
        let heard = self.clone();
        // Ranks need SIGTERM for themselves.
        if let Some(world) = world {
            return Ok(world.on_interrupt(move || heard.hear(SIGINT))?);
        }
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
        let watch = move || signals.forever().for_each(|signal| heard.hear(signal));
        thread::Builder::new().name("interrupt".to_owned()).spawn(watch)?;
        Ok(())
    }

    fn hear(&self, signal: i32) {
        if self.stop.is_requested() {
            process::exit(Answer::Stopped { signal }.status());
        }
        eprintln!("ruche: stopping; once more stops at once");
        self.signal.store(signal, Ordering::Relaxed);
        self.stop.request();
    }

    /// Asked by whoever can stop.
    pub fn stop(&self) -> &Stop {
        &self.stop
    }

    /// This answer, unless somebody wanted to stop.
    pub fn or(&self, answer: Answer) -> Answer {
        match self.signal.load(Ordering::Relaxed) {
            0 => answer,
            signal => Answer::Stopped { signal },
        }
    }
}
