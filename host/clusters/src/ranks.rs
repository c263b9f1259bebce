//! Clusters that are there already, behind an I/O node in another process: ranks of MPI.
//!
//! Rank 0 is the host, rank 1 the I/O node, the others are clusters.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ruche_game::Game;
use ruche_io_node::transport::Endpoint;
use ruche_io_node::{IoNode, NodeSettings, serve};
use ruche_mpi::World;
use ruche_offload::{Attributes, Batch, Events, Finished, Offload, OffloadError, Usage};
use ruche_playouts::HostEngine;

use crate::cluster;
use crate::connect::{ConnectError, ConnectSettings};
use crate::remote::Remote;

/// The host's way to clusters that play one game after the other. When it is dropped,
/// they are told to stop.
pub struct Ranks {
    /// Clusters at the start.
    clusters: usize,
    remote: Mutex<Remote<Box<dyn Endpoint>>>,
}

impl Ranks {
    /// The host's end of a connection to an I/O node that has so many clusters.
    pub fn new(endpoint: impl Endpoint + 'static, clusters: usize, events: Events) -> Self {
        let endpoint: Box<dyn Endpoint> = Box::new(endpoint);
        Self { clusters, remote: Mutex::new(Remote::new(endpoint, events)) }
    }

    /// That of rank 0.
    #[must_use]
    pub fn of_world(world: &World, events: Events) -> Self {
        Self::new(world.host_endpoint(), world.clusters(), events)
    }

    /// Clusters that there were at the start.
    #[must_use]
    pub fn clusters(&self) -> usize {
        self.clusters
    }

    /// Clusters that were lost since.
    #[must_use]
    pub fn losses(&self) -> usize {
        self.lock().usage().losses
    }

    fn lock(&self) -> MutexGuard<'_, Remote<Box<dyn Endpoint>>> {
        self.remote.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Loads a game in the place of the one before.
    pub(crate) fn load(
        &self,
        game: &Game,
        settings: &ConnectSettings,
    ) -> Result<Loaded<'_>, ConnectError> {
        let mut remote = self.lock();
        remote.load(game, settings)?;
        Ok(Loaded(remote))
    }

    /// The same for as long as nobody loads another game, whatever becomes of whoever asks.
    ///
    /// # Errors
    /// If a cluster refuses the game, or nobody is left.
    pub fn lease(
        self: &Arc<Self>,
        game: &Game,
        settings: &ConnectSettings,
    ) -> Result<Lease, ConnectError> {
        let mut remote = self.lock();
        remote.load(game, settings)?;
        Ok(Lease { ranks: Arc::clone(self), run: remote.run(), attributes: remote.attributes() })
    }
}

impl fmt::Debug for Ranks {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Ranks({} clusters)", self.clusters)
    }
}

/// Ranks that have a game. As long as this lives nobody else can load another.
pub(crate) struct Loaded<'a>(MutexGuard<'a, Remote<Box<dyn Endpoint>>>);

impl Offload for Loaded<'_> {
    fn attributes(&self) -> Attributes {
        self.0.attributes()
    }

    fn submit(&mut self, batch: Batch) -> Result<(), OffloadError> {
        self.0.submit(batch)
    }

    fn collect(&mut self) -> Result<Finished, OffloadError> {
        self.0.collect()
    }

    fn usage(&self) -> Usage {
        self.0.usage()
    }
}

/// Ranks that have a game until they are given another.
#[derive(Debug)]
pub struct Lease {
    ranks: Arc<Ranks>,
    run: u32,
    attributes: Attributes,
}

impl Lease {
    /// The connection, if the game is still this one.
    fn remote(&self) -> Result<MutexGuard<'_, Remote<Box<dyn Endpoint>>>, OffloadError> {
        let remote = self.ranks.lock();
        match remote.run() == self.run {
            true => Ok(remote),
            false => {
                let reason = "the clusters were given another game".to_owned();
                Err(OffloadError::Lost { reason, finished: 0 })
            }
        }
    }
}

impl Offload for Lease {
    fn attributes(&self) -> Attributes {
        self.attributes
    }

    fn submit(&mut self, batch: Batch) -> Result<(), OffloadError> {
        self.remote()?.submit(batch)
    }

    fn collect(&mut self) -> Result<Finished, OffloadError> {
        self.remote()?.collect()
    }

    fn usage(&self) -> Usage {
        self.remote().map(|remote| remote.usage()).unwrap_or_default()
    }
}

/// The part of a rank that is not the host: serves until the host has ended. A cluster has
/// so many bytes.
pub fn serve_rank(world: &World, engine: &HostEngine, memory: u64) {
    match world.rank() {
        1 => {
            let node = IoNode::new(NodeSettings::new(world.clusters()));
            serve(node, &mut world.network());
        }
        _ => cluster::run(world.cluster_endpoint(), engine, memory),
    }
}
