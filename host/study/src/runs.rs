//! Runs from copies of the initial position, as in the original study.

use std::collections::BTreeMap;
use std::ops::Range;

use ruche_game::Game;
use ruche_offload::{Batch, Finished, Offload, OffloadError};
use ruche_report::Point;
use ruche_search::{SearchMethod, SearchReport, Searcher, Stop, Uct};
use xxhash_rust::xxh3::Xxh3;
use zerocopy::IntoBytes;

use crate::laboratory::LaboratoryError;
use crate::settings::{failed, search_settings};

/// What all runs of a point have in common.
pub struct Runs {
    positions: Vec<u32>,
    count: usize,
    playouts: u32,
    in_flight: u64,
}

/// What came of runs.
pub struct Played {
    pub playouts: u64,
    /// Over all results in the order of the positions: the same for any
    /// topology, and for any cut of the positions into batches.
    pub signature: u64,
}

impl Runs {
    pub fn new(point: &Point, initial: &[u32]) -> Self {
        Self {
            positions: initial.repeat(point.batch as usize),
            count: point.batch as usize,
            playouts: point.playouts_per_position,
            in_flight: u64::from(point.in_flight),
        }
    }

    /// Plays runs of these numbers.
    pub fn play(
        &self,
        numbers: Range<u64>,
        offload: &mut dyn Offload,
        stop: &Stop,
    ) -> Result<Played, LaboratoryError> {
        let mut digest = Digest::new(numbers.start);
        let mut submitted = numbers.start;
        for finished in numbers.clone() {
            while submitted < numbers.end && submitted < finished + self.in_flight {
                if stop.is_requested() {
                    return Err(LaboratoryError::Stopped);
                }
                offload.submit(self.batch(submitted)).map_err(|error| fail(stop, &error))?;
                submitted += 1;
            }
            digest.take(offload.collect().map_err(|error| fail(stop, &error))?);
        }
        let expected = (numbers.end - numbers.start) * self.count as u64 * u64::from(self.playouts);
        digest.finish(expected)
    }

    fn batch(&self, number: u64) -> Batch {
        Batch {
            number,
            first: number * self.count as u64,
            playouts: self.playouts,
            positions: self.positions.clone(),
            count: self.count,
        }
    }
}

/// Runs from the leaves of a tree.
pub fn search(
    point: &Point,
    runs: u64,
    game: &Game,
    offload: &mut dyn Offload,
    stop: &Stop,
) -> Result<SearchReport, LaboratoryError> {
    let (settings, limits) = search_settings(point, runs)?;
    let report = Uct::new(game, &settings)
        .and_then(|mut search| search.search(offload, &limits, stop, &mut |_| ()));
    match report {
        _ if stop.is_requested() => Err(LaboratoryError::Stopped),
        report => report.map_err(failed),
    }
}

fn fail(stop: &Stop, error: &OffloadError) -> LaboratoryError {
    match stop.is_requested() {
        true => LaboratoryError::Stopped,
        false => LaboratoryError::Failed(error.to_string()),
    }
}

/// A checksum over results, in order even if they come in another.
struct Digest {
    state: Xxh3,
    playouts: u64,
    /// The batch whose turn it is.
    next: u64,
    held: BTreeMap<u64, Finished>,
}

impl Digest {
    fn new(next: u64) -> Self {
        Self { state: Xxh3::new(), playouts: 0, next, held: BTreeMap::new() }
    }

    fn take(&mut self, finished: Finished) {
        self.held.insert(finished.number, finished);
        while let Some(finished) = self.held.remove(&self.next) {
            self.add(&finished);
            self.next += 1;
        }
    }

    fn add(&mut self, finished: &Finished) {
        for index in 0..finished.results.len() {
            self.state.update(finished.results.sums(index).as_bytes());
            self.playouts += finished.results.tally(index).playouts();
        }
    }

    fn finish(self, expected: u64) -> Result<Played, LaboratoryError> {
        match self.playouts == expected {
            true => Ok(Played { playouts: expected, signature: self.state.digest() }),
            false => Err(LaboratoryError::Failed(format!(
                "{} playouts came back instead of {expected}",
                self.playouts
            ))),
        }
    }
}
