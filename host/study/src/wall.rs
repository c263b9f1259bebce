//! The clock of this machine: clusters are threads of this process, or ranks.

mod ranks;
mod timing;
mod watched;

use std::sync::Arc;

use ruche_clusters::Route;
use ruche_offload::Offload;
use ruche_playouts::{HostEngine, widest_word};
use ruche_report::{Clock, Transport};
use ruche_search::Stop;
use ruche_shared::WordWidth;

use crate::laboratory::{Assignment, Laboratory, LaboratoryError, Measured};
use crate::library::Library;
use crate::settings::{check_io_nodes, failed, game, impossible, start};
pub use ranks::RanksLaboratory;
use timing::time;

/// Measures on this machine, one point after the other.
#[derive(Debug)]
pub struct WallLaboratory {
    games: Library,
    stop: Stop,
    /// Keeps the code of games from point to point.
    engine: Arc<HostEngine>,
}

impl WallLaboratory {
    /// A laboratory for these games, that stops between two runs when somebody
    /// wants it to.
    #[must_use]
    pub fn new(games: Library, stop: Stop) -> Self {
        Self { games, stop, engine: Arc::new(HostEngine::default()) }
    }
}

/// Whether this machine has the word of a point.
fn check_word(width: WordWidth) -> Result<(), LaboratoryError> {
    let widest = widest_word();
    match width > widest {
        true => Err(impossible(format!("words of {width} lanes: this machine has up to {widest}"))),
        false => Ok(()),
    }
}

/// The processor of this machine, and how many threads it runs at a time.
#[must_use]
pub fn machine() -> String {
    let information = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = information.lines().find_map(|line| line.strip_prefix("model name"));
    let model = model.map_or("processor", |model| model.trim_start_matches([' ', '\t', ':']));
    let count = std::thread::available_parallelism().map_or(1, |count| count.get());
    format!("{model}, {count} hardware threads")
}

impl Laboratory for WallLaboratory {
    fn clock(&self) -> Clock {
        Clock::Wall
    }

    fn machine(&self) -> String {
        machine()
    }

    fn transport(&self) -> Transport {
        Transport::Inproc
    }

    fn parallel(&self) -> usize {
        1
    }

    fn check(&self, assignment: &Assignment) -> Result<(), LaboratoryError> {
        check_io_nodes(&assignment.point)?;
        check_word(assignment.point.word)?;
        game(&self.games, assignment).map(drop)
    }

    fn measure(&self, assignment: &Assignment) -> Result<Measured, LaboratoryError> {
        self.check(assignment)?;
        let game = game(&self.games, assignment)?;
        let route = Route::Apart { io_nodes: assignment.point.io_nodes as usize };
        let mut clusters = start(route, assignment, &game, &self.engine)?;
        let measured = time(assignment, &game, &mut *clusters, &self.stop)?;
        match clusters.usage().losses {
            0 => Ok(measured),
            _ => Err(failed("a cluster was lost under way: the time would mean nothing")),
        }
    }
}
