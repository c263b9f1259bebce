//! Which samples are to be taken, in which order.
//!
//! A plan is a TOML file or a [built-in](builtin) of the same form; `docs/studies.md`
//! has its keys. Each `[[sweep]]` is the cartesian product of its lists. Of the
//! lists, `games` changes slowest, then `modes`, `strategies`, `words`,
//! `playouts-per-position`, `batch`, `bytes`, `in-flight`, `io-nodes`,
//! `positions`, `clusters`, and `threads` changes fastest. Sweeps follow in the
//! order of the file; a point that was there already is not planned twice.
//! Repetitions are the outermost loop, so that a machine which warms up or
//! slows down does not do so to one point only.

pub mod builtin;
mod keys;
mod product;
mod toml_reader;

use std::collections::BTreeMap;

use ruche_report::{Clock, Point, Positions};
use ruche_runtime::strategy::Strategy;
use ruche_shared::WordWidth;
use ruche_shared::wire::control::Mode;
use thiserror::Error;

use crate::laboratory::Assignment;
use crate::library::Library;

/// What is wrong with a plan, and where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{file}:{line}: {}{message}", prefix(key))]
pub struct PlanError {
    /// The file, or the name of a built-in.
    pub file: String,
    /// Counted from 1.
    pub line: usize,
    /// The key, or nothing where the file is no TOML.
    pub key: String,
    /// What is wrong, and what would be right.
    pub message: String,
}

fn prefix(key: &str) -> String {
    if key.is_empty() { String::new() } else { format!("{key}: ") }
}

/// Something that stands in a line of the plan.
#[derive(Clone, Debug)]
pub(crate) struct Located<T> {
    pub value: T,
    pub line: usize,
}

/// Where it stands makes no difference.
impl<T: PartialEq> PartialEq for Located<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

/// How many positions a run has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BatchSize {
    Fixed(u32),
    /// So many for each thread of each cluster.
    PerThread(u32),
    /// So many for each cluster.
    PerCluster(u32),
}

/// The lists of one sweep.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sweep {
    pub runs: Option<u64>,
    pub games: Vec<Located<String>>,
    pub modes: Vec<Mode>,
    pub strategies: Vec<Strategy>,
    pub words: Located<Vec<WordWidth>>,
    pub playouts_per_position: Vec<u32>,
    pub batch: Located<Vec<BatchSize>>,
    /// Nothing if positions have the length that the game gives them.
    pub bytes: Option<Vec<u32>>,
    pub in_flight: Vec<u32>,
    pub io_nodes: Located<Vec<u32>>,
    pub positions: Vec<Positions>,
    pub clusters: Vec<u32>,
    pub threads: Vec<u32>,
}

/// A plan, checked as far as it can be without its games.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The file without folders and extension, or the name of a built-in.
    pub name: String,
    /// A heading for the report.
    pub title: String,
    /// What it finds out, in a line.
    pub about: String,
    /// The clock, if none is asked for.
    pub clock: Clock,
    /// The plan as it was written.
    pub text: String,
    /// For messages.
    file: String,
    runs: u64,
    warm_up: u64,
    repetitions: u32,
    seed: u64,
    sweeps: Vec<Sweep>,
    cost: BTreeMap<String, f64>,
}

/// What the command line says instead of the plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// Timed runs of every sample.
    pub runs: Option<u64>,
    /// How often each point is measured.
    pub repetitions: Option<u32>,
    /// The seed of the first repetition.
    pub seed: Option<u64>,
}

/// A sample that is to be taken.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleTask {
    /// The number of the point in the plan, from 1.
    pub number: usize,
    /// Counted from 0. Its seed is that of the plan plus this number.
    pub repetition: u32,
    /// What to measure.
    pub assignment: Assignment,
}

impl Plan {
    /// Reads a plan. `file` is what messages call it.
    ///
    /// # Errors
    /// If a key is unknown or a value impossible.
    pub fn parse(name: &str, file: &str, text: &str) -> Result<Self, PlanError> {
        keys::read(name, file, text)
    }

    /// The games that it names, each once, but not [`EMPTY`](crate::library::EMPTY).
    #[must_use]
    pub fn games(&self) -> Vec<&str> {
        let mut games: Vec<&str> = Vec::new();
        for game in self.sweeps.iter().flat_map(|sweep| &sweep.games) {
            if game.value != crate::library::EMPTY && !games.contains(&game.value.as_str()) {
                games.push(&game.value);
            }
        }
        games
    }

    /// Complains about a game of the plan.
    #[must_use]
    pub fn complaint(&self, game: &str, message: impl ToString) -> PlanError {
        let mut games = self.sweeps.iter().flat_map(|sweep| &sweep.games);
        let line = games.find(|found| found.value == game).map_or(1, |found| found.line);
        self.error(line, "games", message)
    }

    /// All points with their timed runs, in the order of the plan.
    ///
    /// # Errors
    /// If a game is not in the library, or does not fit into a cluster.
    pub fn points(&self, library: &Library, clock: Clock) -> Result<Vec<(Point, u64)>, PlanError> {
        product::points(self, library, clock)
    }

    /// All samples, in the order in which they are taken.
    ///
    /// # Errors
    /// As [`points`](Self::points).
    pub fn schedule(
        &self,
        library: &Library,
        clock: Clock,
        overrides: &Overrides,
    ) -> Result<Vec<SampleTask>, PlanError> {
        let points = self.points(library, clock)?;
        let seed = overrides.seed.unwrap_or(self.seed);
        let repetitions = 0..overrides.repetitions.unwrap_or(self.repetitions);
        let task = |repetition: u32, number: usize, (point, runs): &(Point, u64)| SampleTask {
            number: number + 1,
            repetition,
            assignment: Assignment {
                point: point.clone(),
                seed: seed.wrapping_add(u64::from(repetition)),
                runs: overrides.runs.unwrap_or(*runs),
                warm_up: self.warm_up,
            },
        };
        let of_repetition = |repetition| {
            points.iter().enumerate().map(move |(number, point)| task(repetition, number, point))
        };
        Ok(repetitions.flat_map(of_repetition).collect())
    }

    /// Whether both ask for the same samples, whatever they are called and
    /// however they are written down.
    #[must_use]
    pub fn is_same_as(&self, other: &Plan) -> bool {
        let settings = |plan: &Plan| (plan.runs, plan.warm_up, plan.repetitions, plan.seed);
        settings(self) == settings(other) && self.sweeps == other.sweeps && self.cost == other.cost
    }

    fn error(&self, line: usize, key: &str, message: impl ToString) -> PlanError {
        let (file, key) = (self.file.clone(), key.to_owned());
        PlanError { file, line, key, message: message.to_string() }
    }
}
