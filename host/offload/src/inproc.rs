//! Host, I/O node and clusters in one process.

use std::sync::Arc;
use std::thread::{self, JoinHandle};

use ruche_io_node::transport::Endpoint;
use ruche_io_node::transport::inproc::{self, ClusterEndpoint, HostEndpoint, InprocNetwork};
use ruche_io_node::{Inline, IoNode, NodeSettings, Statistics, serve};
use ruche_search::{Batch, Finished, Offload, OffloadError};
use ruche_shared::Image;
use ruche_shared::wire::control::Loss;

use crate::cluster;
use crate::remote::{ConnectError, Remote};
use crate::{HostEngine, Topology};

/// Clusters in this process that are ready to play a game.
///
/// Each is a thread, and so is each of its cores. The I/O node runs on the host's
/// thread unless it is [started apart](Self::start_apart).
#[derive(Debug)]
pub struct Inproc<E: Endpoint = Inline<InprocNetwork>> {
    /// Dropped first: it tells everybody to stop.
    remote: Option<Remote<E>>,
    /// The thread of an I/O node that has one.
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
        let (network, endpoints) = inproc::clusters(topology.clusters);
        let clusters = start_clusters(endpoints, &engine, deaths);
        let host = Inline::new(IoNode::new(NodeSettings::new(topology.clusters)), network);
        let load = topology.load(image, seed);
        let remote = Remote::connect(host, image, bytes, &load, on_loss)?;
        Ok(Self { remote: Some(remote), node: None, clusters })
    }
}

impl Inproc<HostEndpoint> {
    /// The same with an I/O node that has a thread of its own, as it has a machine of
    /// its own elsewhere: for whoever measures I/O nodes, or has several, which must
    /// not wait for each other.
    ///
    /// # Errors
    /// If a cluster refuses the game.
    pub fn start_apart(
        image: &Image<'_>,
        bytes: &[u8],
        topology: &Topology,
        seed: u64,
        engine: &Arc<HostEngine>,
    ) -> Result<Self, ConnectError> {
        let (host, mut network, endpoints) = inproc::network(topology.clusters);
        let node = IoNode::new(NodeSettings::new(topology.clusters));
        let node = spawn("I/O node".to_owned(), move || serve(node, &mut network));
        let clusters = start_clusters(endpoints, engine, &[]);
        let load = topology.load(image, seed);
        let remote = Remote::connect(host, image, bytes, &load, |_| ())?;
        Ok(Self { remote: Some(remote), node: Some(node), clusters })
    }
}

impl<E: Endpoint> Inproc<E> {
    /// The host's side.
    #[must_use]
    pub fn remote(&self) -> Option<&Remote<E>> {
        self.remote.as_ref()
    }
}

fn start_clusters(
    endpoints: Vec<ClusterEndpoint>,
    engine: &Arc<HostEngine>,
    deaths: &[Death],
) -> Vec<JoinHandle<()>> {
    let start = |(number, endpoint)| {
        let engine = engine.clone();
        let death = deaths.iter().find(|death| death.cluster == number);
        let frames = death.map_or(u64::MAX, |death| death.after);
        spawn(format!("cluster {number}"), move || cluster::run_until(endpoint, &engine, frames))
    };
    endpoints.into_iter().enumerate().map(start).collect()
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

impl<E: Endpoint> Offload for Inproc<E> {
    fn submit(&mut self, batch: Batch) -> Result<(), OffloadError> {
        self.remote.as_mut().ok_or(OffloadError::Idle)?.submit(batch)
    }

    fn collect(&mut self) -> Result<Finished, OffloadError> {
        self.remote.as_mut().ok_or(OffloadError::Idle)?.collect()
    }
}

impl<E: Endpoint> Drop for Inproc<E> {
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
