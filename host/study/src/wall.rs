//! The clock of this machine: clusters are threads of this process, or ranks.

mod ranks;
mod timing;
mod watched;

use std::sync::Arc;

use ruche_io_node::transport::inproc::HostEndpoint;
use ruche_offload::several::share;
use ruche_offload::{HostEngine, Inproc, Remote, Several, Topology};
use ruche_playouts::widest_word;
use ruche_report::{Clock, Transport};
use ruche_shared::WordWidth;

use crate::laboratory::{Assignment, Laboratory, LaboratoryError, Measured, Stop};
use crate::library::{Game, Library};
use crate::settings::{check_io_nodes, failed, game, impossible, topology};
pub use ranks::RanksLaboratory;
use timing::time;
use watched::Clusters;

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
        Self { games, stop, engine: Arc::new(HostEngine::native()) }
    }

    /// The clusters of a point, divided over its I/O nodes.
    fn start(
        &self,
        assignment: &Assignment,
        game: &Game,
    ) -> Result<Box<dyn Clusters>, LaboratoryError> {
        let (topology, nodes) = (topology(&assignment.point), assignment.point.io_nodes as usize);
        // By itself a node gets batches as they are: what cuts them copies them, and
        // that would be measured too.
        if nodes == 1 {
            return Ok(Box::new(self.start_node(assignment, game, &topology)?));
        }
        let start = |node| {
            let clusters = share(topology.clusters, nodes, node).len();
            let inproc = self.start_node(assignment, game, &Topology { clusters, ..topology })?;
            Ok((inproc, clusters))
        };
        let members = (0..nodes).map(start).collect::<Result<_, LaboratoryError>>()?;
        Ok(Box::new(Several::new(members)))
    }

    /// One I/O node with its clusters.
    fn start_node(
        &self,
        assignment: &Assignment,
        game: &Game,
        topology: &Topology,
    ) -> Result<Inproc<HostEndpoint>, LaboratoryError> {
        let (image, seed) = (game.image(), assignment.seed);
        let inproc = Inproc::start_apart(&image, game.bytes(), topology, seed, &self.engine)
            .map_err(|error| cannot_play(assignment, error))?;
        check_taken(inproc.remote().map(Remote::width), topology)?;
        Ok(inproc)
    }
}

fn cannot_play(assignment: &Assignment, why: impl std::fmt::Display) -> LaboratoryError {
    failed(format!("{}: {why}", assignment.point.game))
}

/// Whether clusters took the word that they were told.
fn check_taken(width: Option<WordWidth>, topology: &Topology) -> Result<(), LaboratoryError> {
    match width == Some(topology.width) {
        true => Ok(()),
        false => Err(failed("the clusters took another word than the plan asks for")),
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
        let mut clusters = self.start(assignment, &game)?;
        let measured = time(assignment, &game, &mut *clusters, &self.stop)?;
        match clusters.losses() {
            0 => Ok(measured),
            _ => Err(failed("a cluster was lost under way: the time would mean nothing")),
        }
    }
}
