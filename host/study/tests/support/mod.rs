//! Games, plans and folders for tests.
#![allow(dead_code, reason = "each test program uses some of it")]

pub mod disk;

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use ruche_game::Game;
use ruche_report::{Clock, Shares, Transport};
use ruche_study::library::empty;
use ruche_study::{
    Assignment, Laboratory, LaboratoryError, Library, Measured, Overrides, Plan, Study,
};

/// A folder for one test, without anything in it.
pub fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    path
}

/// Stands for games of which only the name and the size matter.
pub fn library() -> Library {
    let mut library = Library::default();
    library.add("tictactoe", empty(4));
    library.add("tictactoe9", empty(4));
    library.add("eightpuzzle", empty(16));
    library.add("breakthrough", empty(20));
    library.add("connectfour", empty(12));
    library.add("othello", empty(20));
    library.add("blocker", empty(8));
    library
}

/// A game that can be played.
pub fn playable() -> Library {
    let mut library = Library::default();
    library.add("tictactoe", Game::bundled("tictactoe").unwrap());
    library
}

pub fn plan(text: &str) -> Plan {
    Plan::parse("mine", "mine.toml", text).unwrap()
}

pub fn study(plan: &Plan, library: &Library, clock: Clock) -> Study {
    Study {
        plan: plan.name.clone(),
        version: "0.0.0".to_owned(),
        commit: "0123abcd".to_owned(),
        command: "ruche study mine.toml".to_owned(),
        tasks: plan.schedule(library, clock, &Overrides::default()).unwrap(),
    }
}

/// A laboratory that makes figures up from the settings, some of them slowly.
pub struct Fake {
    pub threads: usize,
    pub transport: Transport,
    /// The quickest point takes as long as this, others up to twenty times.
    pub pause: Duration,
    /// Fails with this point.
    pub fails_at: Option<(u32, LaboratoryError)>,
}

impl Fake {
    pub fn with(threads: usize) -> Self {
        let pause = Duration::from_micros(100);
        Self { threads, transport: Transport::Model, pause, fails_at: None }
    }
}

impl Laboratory for Fake {
    fn clock(&self) -> Clock {
        Clock::Model
    }

    fn machine(&self) -> String {
        "a model, \"quoted\"".to_owned()
    }

    fn transport(&self) -> Transport {
        self.transport
    }

    fn parallel(&self) -> usize {
        self.threads
    }

    fn measure(&self, assignment: &Assignment) -> Result<Measured, LaboratoryError> {
        let point = &assignment.point;
        if let Some((threads, error)) = &self.fails_at
            && point.threads == *threads
        {
            return Err(error.clone());
        }
        // Later points are ready first.
        std::thread::sleep(self.pause * 20_u32.saturating_sub(point.threads));
        let playouts = assignment.runs * u64::from(point.batch);
        let seconds = (1 + assignment.seed) as f64 / f64::from(3 * point.threads);
        let shares = Shares { playouts: 0.7, waiting: 0.3, ..Shares::default() };
        let signature = format!("{:x}", assignment.seed);
        let (runs, cpu_seconds) = (assignment.runs, None);
        Ok(Measured { runs, playouts, seconds, cpu_seconds, shares, signature })
    }
}
