//! Clusters that are there already, behind an I/O node in another process.

use std::sync::{Mutex, PoisonError};

use ruche_io_node::transport::Endpoint;
use ruche_offload::Remote;
use ruche_report::{Clock, Transport};
use ruche_shared::wire::control::Loss;

use super::{cannot_play, check_taken, check_word, machine, time};
use crate::laboratory::{Assignment, Laboratory, LaboratoryError, Measured, Stop};
use crate::library::{Game, Library};
use crate::settings::{failed, game, impossible, topology};

/// Ranks that are no cluster: the host and the I/O node.
const OTHERS: usize = 2;

/// Measures on ranks: loads game after game into as many of their clusters as a
/// point wants. When it is dropped, the ranks are told to stop.
#[derive(Debug)]
pub struct RanksLaboratory<E: Endpoint> {
    games: Library,
    stop: Stop,
    /// Clusters at the start.
    clusters: usize,
    remote: Mutex<Remote<E>>,
}

impl<E: Endpoint> RanksLaboratory<E> {
    /// A laboratory for these games, with the host's end of a connection to an I/O
    /// node that has this many clusters. `on_loss` is told of those that die.
    #[must_use]
    pub fn new(
        games: Library,
        stop: Stop,
        endpoint: E,
        clusters: usize,
        on_loss: fn(&Loss),
    ) -> Self {
        Self { games, stop, clusters, remote: Mutex::new(Remote::new(endpoint, on_loss)) }
    }

    fn check_clusters(&self, wanted: usize) -> Result<(), LaboratoryError> {
        let (found, needed) = (self.clusters + OTHERS, wanted + OTHERS);
        if wanted <= self.clusters {
            return Ok(());
        }
        Err(impossible(format!(
            "{wanted} clusters need {needed} ranks, and there are {found}: rank 0 is the host, \
             rank 1 the I/O node, the others are clusters; start `mpirun -n {needed}`"
        )))
    }

    fn try_once(
        &self,
        assignment: &Assignment,
        game: &Game,
        remote: &mut Remote<E>,
    ) -> Result<Measured, LaboratoryError> {
        let (image, topology) = (game.image(), topology(&assignment.point));
        let load = topology.load(&image, assignment.seed);
        let loaded = remote.load(&image, game.bytes(), &load);
        loaded.map_err(|error| cannot_play(assignment, error))?;
        check_taken(Some(remote.width()), &topology)?;
        time(assignment, game, remote, &self.stop)
    }

    /// Whether enough clusters are left for a point when this many are lost.
    fn check_left(&self, wanted: usize, lost: usize) -> Result<(), LaboratoryError> {
        let left = self.clusters.saturating_sub(lost);
        match left >= wanted {
            _ if self.stop.is_requested() => Err(LaboratoryError::Stopped),
            true => Ok(()),
            false => Err(failed(format!(
                "{wanted} clusters shall play, but only {left} of {} are left: start again",
                self.clusters
            ))),
        }
    }
}

impl<E: Endpoint> Laboratory for RanksLaboratory<E> {
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
        let mut remote = self.remote.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let lost = remote.losses().len();
            self.check_left(wanted, lost)?;
            let measured = self.try_once(assignment, &game, &mut remote);
            if remote.losses().len() == lost {
                return measured;
            }
        }
    }
}
