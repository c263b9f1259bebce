//! The clock of this machine: clusters are threads of this process.

mod watched;

use std::sync::Arc;
use std::time::Duration;

use ruche_offload::{HostEngine, Inproc, Remote, Topology};
use ruche_playouts::widest_word;
use ruche_search::{Search, SearchError};

use crate::laboratory::{Assignment, Laboratory, LaboratoryError, Measured, Stop};
use crate::library::{EMPTY, Game, Library};
use crate::runs::Runs;
use crate::sample::{Clock, Point, Shares};
use crate::settings::{failed, game, impossible, search_settings, topology};
use watched::{Times, Watched};

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

    fn start(
        &self,
        assignment: &Assignment,
        game: &Game,
        topology: &Topology,
    ) -> Result<Inproc, LaboratoryError> {
        let (image, seed, engine) = (game.image(), assignment.seed, self.engine.clone());
        let inproc = Inproc::start(&image, game.bytes(), topology, seed, engine);
        let inproc = inproc.map_err(|error| {
            LaboratoryError::Failed(format!("{}: {error}", assignment.point.game))
        })?;
        match inproc.remote().map(Remote::width) {
            Some(width) if width == topology.width => Ok(inproc),
            _ => Err(failed("the clusters took another word than the plan asks for")),
        }
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

    fn transport(&self) -> String {
        "inproc".to_owned()
    }

    fn parallel(&self) -> usize {
        1
    }

    fn check(&self, assignment: &Assignment) -> Result<(), LaboratoryError> {
        let point = &assignment.point;
        if point.io_nodes > 1 {
            let nodes = point.io_nodes;
            return Err(impossible(format!(
                "{nodes} I/O nodes: only --clock model has several I/O nodes"
            )));
        }
        let width = topology(point)?.width;
        if width > widest_word() {
            return Err(impossible(format!(
                "words of {} lanes: this machine has up to {}",
                width.lanes(),
                widest_word().lanes()
            )));
        }
        game(&self.games, assignment).map(drop)
    }

    fn measure(&self, assignment: &Assignment) -> Result<Measured, LaboratoryError> {
        self.check(assignment)?;
        let (point, game) = (&assignment.point, game(&self.games, assignment)?);
        let mut inproc = self.start(assignment, &game, &topology(point)?)?;
        let mut watched = Watched::new(&mut inproc, &self.stop);
        let raw = match point.positions.as_str() {
            "search" => self.search(assignment, &game, &mut watched)?,
            _ => initial(assignment, &game, &mut watched, &self.stop)?,
        };
        let has_lost = inproc.remote().is_some_and(|remote| !remote.losses().is_empty());
        match has_lost {
            true => Err(failed("a cluster was lost under way: the time would mean nothing")),
            false => raw.measured(assignment),
        }
    }
}

/// What was timed.
struct Raw {
    playouts: u64,
    time: Duration,
    /// What the time went into, as far as this thread has seen it.
    times: Times,
    signature: u64,
}

/// Runs from copies of the initial position.
fn initial(
    assignment: &Assignment,
    game: &Game,
    watched: &mut Watched<'_>,
    stop: &Stop,
) -> Result<Raw, LaboratoryError> {
    let image = game.image();
    let runs = Runs::new(&assignment.point, image.initial());
    // With numbers of its own, so that results do not depend on the warm-up.
    let after = assignment.runs..assignment.runs + assignment.warm_up;
    runs.play(after, watched, stop)?;
    watched.restart();
    let played = runs.play(0..assignment.runs, watched, stop)?;
    let (time, times) = watched.times();
    Ok(Raw { playouts: played.playouts, time, times, signature: played.signature })
}

impl WallLaboratory {
    /// Runs from the leaves of a tree.
    fn search(
        &self,
        assignment: &Assignment,
        game: &Game,
        watched: &mut Watched<'_>,
    ) -> Result<Raw, LaboratoryError> {
        let image = game.image();
        let run = |runs, watched: &mut Watched<'_>| {
            let settings = search_settings(&assignment.point, runs)?;
            let search = Search::new(&image, image.initial(), settings);
            search
                .and_then(|mut search| search.run(watched, |_| ()))
                .map_err(|error| self.stopped(&error))
        };
        if assignment.warm_up > 0 {
            run(assignment.warm_up, watched)?;
        }
        watched.restart();
        let report = run(assignment.runs, watched)?;
        let (time, times) = watched.times();
        let playouts = report.outcome.playouts();
        Ok(Raw { playouts, time, times, signature: report.signature })
    }

    fn stopped(&self, error: &SearchError) -> LaboratoryError {
        match self.stop.is_requested() {
            true => LaboratoryError::Stopped,
            false => failed(error),
        }
    }
}

impl Raw {
    fn measured(&self, assignment: &Assignment) -> Result<Measured, LaboratoryError> {
        let seconds = self.time.as_secs_f64();
        if seconds <= 0.0 {
            return Err(failed("the clock of this machine stands still"));
        }
        Ok(Measured {
            runs: assignment.runs,
            playouts: self.playouts,
            seconds,
            shares: self.shares(&assignment.point),
            signature: format!("{:016x}", self.signature),
        })
    }

    /// Clusters work while the host does other things if several runs are under
    /// way; what they do then is nobody's waiting.
    fn shares(&self, point: &Point) -> Shares {
        let all = self.time.as_secs_f64();
        let share = |time: Duration, left: f64| (time.as_secs_f64() / all).min(left).max(0.0);
        let transfer = share(self.times.submitting, 1.0);
        let collecting = share(self.times.collecting, 1.0 - transfer);
        let host = 1.0 - transfer - collecting;
        let at_it = share(self.times.playing / point.clusters, collecting);
        let waiting = collecting - at_it;
        // Where nobody plays, cores were only started and gathered.
        let (hand_off, playouts) = if point.game == EMPTY { (at_it, 0.0) } else { (0.0, at_it) };
        Shares { host, transfer, hand_off, playouts, waiting }
    }
}
