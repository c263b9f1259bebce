//! How long the runs of an assignment take on clusters that have its game.

use std::time::Duration;

use cpu_time::ProcessTime;
use ruche_game::Game;
use ruche_offload::Offload;
use ruche_report::{Point, Positions, Shares};

use super::watched::{Times, Watched};
use crate::laboratory::{Assignment, LaboratoryError, Measured};
use crate::library::EMPTY;
use crate::runs::{self, Runs};
use crate::settings::failed;
use ruche_search::Stop;

/// Times an assignment. The clusters have loaded its game.
pub fn time(
    assignment: &Assignment,
    game: &Game,
    clusters: &mut dyn Offload,
    stop: &Stop,
) -> Result<Measured, LaboratoryError> {
    let mut watched = Watched::new(clusters, stop);
    let raw = match assignment.point.positions {
        Positions::Search => search(assignment, game, &mut watched, stop)?,
        Positions::Initial => initial(assignment, game, &mut watched, stop)?,
    };
    raw.measured(assignment)
}

/// What was timed.
struct Raw {
    playouts: u64,
    time: Duration,
    cpu: Duration,
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
    let runs = Runs::new(&assignment.point, game.image().initial());
    // With numbers of its own, so that results do not depend on the warm-up.
    let after = assignment.runs..assignment.runs + assignment.warm_up;
    runs.play(after, watched, stop)?;
    watched.restart();
    let clock = ProcessTime::now();
    let played = runs.play(0..assignment.runs, watched, stop)?;
    let ((time, times), cpu) = (watched.times(), clock.elapsed());
    Ok(Raw { playouts: played.playouts, time, cpu, times, signature: played.signature })
}

/// Runs from the leaves of a tree.
fn search(
    assignment: &Assignment,
    game: &Game,
    watched: &mut Watched<'_>,
    stop: &Stop,
) -> Result<Raw, LaboratoryError> {
    let run = |runs, watched: &mut Watched<'_>| {
        runs::search(&assignment.point, runs, game, watched, stop)
    };
    if assignment.warm_up > 0 {
        run(assignment.warm_up, watched)?;
    }
    watched.restart();
    let clock = ProcessTime::now();
    let report = run(assignment.runs, watched)?;
    let ((time, times), cpu) = (watched.times(), clock.elapsed());
    let playouts = report.tally.playouts();
    Ok(Raw { playouts, time, cpu, times, signature: report.signature })
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
            cpu_seconds: Some(self.cpu.as_secs_f64()),
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
