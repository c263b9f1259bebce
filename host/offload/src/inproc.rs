//! Host, I/O node and clusters as threads of one process.

use std::sync::Arc;
use std::thread::{self, JoinHandle};

use ruche_io_node::transport::inproc::{self, HostEndpoint};
use ruche_io_node::{IoNode, NodeSettings, Statistics, serve};
use ruche_search::{Batch, Finished, Offload, OffloadError};
use ruche_shared::Image;
use ruche_shared::wire::control::Loss;

use crate::cluster;
use crate::remote::{ConnectError, Remote};
use crate::{HostEngine, Topology};

/// Clusters in this process that are ready to play a game.
#[derive(Debug)]
pub struct Inproc {
    /// Dropped first: it tells everybody to stop.
    remote: Option<Remote<HostEndpoint>>,
    node: Option<JoinHandle<Statistics>>,
    clusters: Vec<JoinHandle<()>>,
}

/// A cluster that shall die before it sends the frame of this number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Death {
    /// Which cluster.
    pub cluster: usize,
    /// Frames that it sends before.
    pub after: u64,
}

impl Inproc {
    /// Starts an I/O node and clusters, and loads a game.
    ///
    /// # Errors
    /// If a cluster refuses the game, for instance because it does not fit.
    pub fn start(
        image: &Image<'_>,
        bytes: &[u8],
        topology: &Topology,
        seed: u64,
        engine: Arc<HostEngine>,
    ) -> Result<Self, ConnectError> {
        Self::start_with_deaths(image, bytes, topology, seed, engine, &[], |_| ())
    }

    /// The same, with clusters that die, and somebody who is told.
    ///
    /// # Errors
    /// If a cluster refuses the game.
    pub fn start_with_deaths(
        image: &Image<'_>,
        bytes: &[u8],
        topology: &Topology,
        seed: u64,
        engine: Arc<HostEngine>,
        deaths: &[Death],
        on_loss: fn(&Loss),
    ) -> Result<Self, ConnectError> {
        let (host, mut network, endpoints) = inproc::network(topology.clusters);
        let node = IoNode::new(NodeSettings::new(topology.clusters));
        let node = spawn("I/O node".to_owned(), move || serve(node, &mut network));
        let clusters = endpoints.into_iter().enumerate().map(|(number, endpoint)| {
            let engine = engine.clone();
            let death = deaths.iter().find(|death| death.cluster == number);
            let frames = death.map_or(u64::MAX, |death| death.after);
            spawn(format!("cluster {number}"), move || {
                cluster::run_until(endpoint, &engine, frames);
            })
        });
        let clusters = clusters.collect();
        let load = topology.load(image, seed);
        let remote = Remote::connect(host, image, bytes, &load, on_loss)?;
        Ok(Self { remote: Some(remote), node: Some(node), clusters })
    }

    /// The host's side.
    #[must_use]
    pub fn remote(&self) -> Option<&Remote<HostEndpoint>> {
        self.remote.as_ref()
    }
}

/// # Panics
/// If the system cannot start another thread.
fn spawn<T: Send + 'static>(
    name: String,
    main: impl FnOnce() -> T + Send + 'static,
) -> JoinHandle<T> {
    thread::Builder::new()
        .name(name)
        .spawn(main)
        .expect("the system starts a thread for each cluster: use fewer --clusters")
}

impl Offload for Inproc {
    fn submit(&mut self, batch: Batch) -> Result<(), OffloadError> {
        self.remote.as_mut().ok_or(OffloadError::Idle)?.submit(batch)
    }

    fn collect(&mut self) -> Result<Finished, OffloadError> {
        self.remote.as_mut().ok_or(OffloadError::Idle)?.collect()
    }
}

impl Drop for Inproc {
    fn drop(&mut self) {
        let has_lost = self.remote.as_ref().is_some_and(|remote| !remote.losses().is_empty());
        drop(self.remote.take());
        let _ = self.node.take().map(JoinHandle::join);
        // A cluster that was given up may hang for ever; it dies with the process.
        if !has_lost {
            self.clusters.drain(..).for_each(|cluster| drop(cluster.join()));
        }
    }
}
