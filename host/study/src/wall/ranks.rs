//! Clusters that are there already, behind an I/O node in another process.

use std::sync::Arc;

use ruche_clusters::{Ranks, Route};
use ruche_game::Game;
use ruche_playouts::HostEngine;
use ruche_report::{Clock, Transport};
use ruche_search::Stop;

use super::{check_word, machine, start, time};
use crate::laboratory::{Assignment, Laboratory, LaboratoryError, Measured};
use crate::library::Library;
use crate::settings::{failed, game, impossible};

/// Ranks that are no cluster: the host and the I/O node.
const OTHERS: usize = 2;

/// Measures on ranks: loads game after game into as many of their clusters as a
/// point wants. When it is dropped, the ranks are told to stop.
#[derive(Debug)]
pub struct RanksLaboratory {
    games: Library,
    stop: Stop,
    ranks: Ranks,
}

impl RanksLaboratory {
    /// A laboratory for these games, with clusters that are there.
    #[must_use]
    pub fn new(games: Library, stop: Stop, ranks: Ranks) -> Self {
        Self { games, stop, ranks }
    }

    fn check_clusters(&self, wanted: usize) -> Result<(), LaboratoryError> {
        let (found, needed) = (self.ranks.clusters() + OTHERS, wanted + OTHERS);
        if wanted <= self.ranks.clusters() {
            return Ok(());
        }
        Err(impossible(format!(
            "{wanted} clusters need {needed} ranks, and there are {found}: rank 0 is the host, \
             rank 1 the I/O node, the others are clusters; start `mpirun -n {needed}`"
        )))
    }

    fn try_once(&self, assignment: &Assignment, game: &Game) -> Result<Measured, LaboratoryError> {
        // The clusters have engines of their own.
        let engine = Arc::new(HostEngine::default());
        let mut clusters = start(Route::Ranks(&self.ranks), assignment, game, &engine)?;
        let measured = time(assignment, game, &mut *clusters, &self.stop)?;
        // Only the host's is known.
        Ok(Measured { cpu_seconds: None, ..measured })
    }

    /// Whether enough clusters are left for a point when this many are lost.
    fn check_left(&self, wanted: usize, lost: usize) -> Result<(), LaboratoryError> {
        let left = self.ranks.clusters().saturating_sub(lost);
        match left >= wanted {
            _ if self.stop.is_requested() => Err(LaboratoryError::Stopped),
            true => Ok(()),
            false => Err(failed(format!(
                "{wanted} clusters shall play, but only {left} of {} are left: start again",
                self.ranks.clusters()
            ))),
        }
    }
}

impl Laboratory for RanksLaboratory {
    fn clock(&self) -> Clock {
        Clock::Wall
    }

    fn machine(&self) -> String {
        machine()
    }

    fn transport(&self) -> Transport {
        Transport::Mpi
    }

    /// A connection belongs to one thread.
    fn parallel(&self) -> usize {
        1
    }

    fn check(&self, assignment: &Assignment) -> Result<(), LaboratoryError> {
        let point = &assignment.point;
        if point.io_nodes > 1 {
            let nodes = point.io_nodes;
            return Err(impossible(format!(
                "{nodes} I/O nodes: ranks have one, which is rank 1; start `ruche study` without \
                 mpirun for more"
            )));
        }
        self.check_clusters(point.clusters as usize)?;
        check_word(point.word)?;
        game(&self.games, assignment).map(drop)
    }

    /// A time in which a cluster was lost means nothing: the assignment is measured
    /// again as long as enough clusters are left.
    fn measure(&self, assignment: &Assignment) -> Result<Measured, LaboratoryError> {
        self.check(assignment)?;
        let (wanted, game) = (assignment.point.clusters as usize, game(&self.games, assignment)?);
        loop {
            let lost = self.ranks.losses();
            self.check_left(wanted, lost)?;
            let measured = self.try_once(assignment, &game);
            if self.ranks.losses() == lost {
                return measured;
            }
        }
    }
}
