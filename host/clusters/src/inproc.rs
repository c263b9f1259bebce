//! Host, I/O node and clusters in one process.

use std::sync::Arc;
use std::thread::{self, JoinHandle};

use ruche_game::Game;
use ruche_io_node::transport::Endpoint;
use ruche_io_node::transport::inproc::{self, ClusterEndpoint, HostEndpoint, InprocNetwork};
use ruche_io_node::{Inline, IoNode, NodeSettings, Statistics, serve};
use ruche_offload::{Attributes, Batch, Finished, Offload, OffloadError, Usage};
use ruche_threads::Host;

use crate::attended::Attended;
use crate::cluster;
use crate::connect::{ConnectError, ConnectSettings};
use crate::meters::Metered;
use crate::remote::Remote;
use crate::several::{Several, share};
use crate::topology::Topology;

/// Clusters in this process that are ready to play a game.
///
/// Each is a thread, and so is each of its cores. The I/O node runs on the host's
/// thread unless it is [started apart](Self::start_apart).
#[derive(Debug)]
pub struct Inproc<E: Endpoint = Inline<Attended<Metered<InprocNetwork>>>> {
    /// Dropped first: it tells everybody to stop.
    remote: Option<Remote<E>>,
    /// The thread of an I/O node that has one.
    node: Option<JoinHandle<Statistics>>,
    clusters: Vec<JoinHandle<()>>,
}

impl Inproc {
    /// Starts an I/O node and clusters, and loads a game.
    ///
    /// # Errors
    /// If a cluster refuses the game, for instance because it does not fit.
    pub fn start(game: &Game, settings: &ConnectSettings) -> Result<Self, ConnectError> {
        let clusters = settings.topology.clusters;
        let (network, endpoints) = inproc::clusters(clusters);
        let thread = Arc::new(Host::default());
        let network = Attended::new(Metered::new(network, &settings.meters), Arc::clone(&thread));
        let threads = start_clusters(endpoints, settings, Some(&thread));
        let host = Inline::new(IoNode::new(NodeSettings::new(clusters)), network);
        let remote = Remote::connect(host, game, settings)?;
        Ok(Self { remote: Some(remote), node: None, clusters: threads })
    }
}

impl Inproc<HostEndpoint> {
    /// The same with an I/O node that has a thread of its own, as it has a machine of
    /// its own elsewhere: for whoever measures I/O nodes, or has several, which must
    /// not wait for each other.
    ///
    /// # Errors
    /// If a cluster refuses the game.
    pub fn start_apart(game: &Game, settings: &ConnectSettings) -> Result<Self, ConnectError> {
        let clusters = settings.topology.clusters;
        let (host, network, endpoints) = inproc::network(clusters);
        let mut network = Metered::new(network, &settings.meters);
        let node = IoNode::new(NodeSettings::new(clusters));
        let node = spawn("I/O node".to_owned(), move || serve(node, &mut network));
        let clusters = start_clusters(endpoints, settings, None);
        let remote = Remote::connect(host, game, settings)?;
        Ok(Self { remote: Some(remote), node: Some(node), clusters })
    }
}

/// I/O nodes with threads of their own, which share the clusters.
pub(crate) fn start_apart(
    game: &Game,
    settings: &ConnectSettings,
    io_nodes: usize,
) -> Result<Box<dyn Offload>, ConnectError> {
    let clusters = settings.topology.clusters;
    if !(1..=clusters).contains(&io_nodes) {
        return Err(ConnectError::IoNodes { io_nodes, clusters });
    }
    // By itself a node gets batches as they are: what cuts them copies them, and
    // that would be measured too.
    if io_nodes == 1 {
        return Ok(Box::new(Inproc::start_apart(game, settings)?));
    }
    let start = |node| {
        let clusters = share(clusters, io_nodes, node).len();
        let topology = Topology { clusters, ..settings.topology };
        let settings = ConnectSettings { topology, ..settings.clone() };
        Ok((Inproc::start_apart(game, &settings)?, clusters))
    };
    let members = (0..io_nodes).map(start).collect::<Result<_, ConnectError>>()?;
    Ok(Box::new(Several::new(members)))
}

fn start_clusters(
    endpoints: Vec<ClusterEndpoint>,
    settings: &ConnectSettings,
    host: Option<&Arc<Host>>,
) -> Vec<JoinHandle<()>> {
    let start = |(number, endpoint)| {
        let (engine, memory) = (settings.engine.clone(), settings.topology.memory);
        let death = settings.deaths.iter().find(|death| death.cluster == number);
        let frames = death.map_or(u64::MAX, |death| death.after);
        let host = host.cloned();
        let main = move || cluster::run_until(endpoint, &engine, memory, frames, host);
        spawn(format!("cluster {number}"), main)
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

impl<E: Endpoint> Inproc<E> {
    fn remote(&self) -> &Remote<E> {
        self.remote.as_ref().expect("it is there until it is dropped")
    }

    fn remote_mut(&mut self) -> &mut Remote<E> {
        self.remote.as_mut().expect("it is there until it is dropped")
    }
}

impl<E: Endpoint> Offload for Inproc<E> {
    fn attributes(&self) -> Attributes {
        self.remote().attributes()
    }

    fn submit(&mut self, batch: Batch) -> Result<(), OffloadError> {
        self.remote_mut().submit(batch)
    }

    fn collect(&mut self) -> Result<Finished, OffloadError> {
        self.remote_mut().collect()
    }

    fn usage(&self) -> Usage {
        self.remote().usage()
    }
}

impl<E: Endpoint> Drop for Inproc<E> {
    fn drop(&mut self) {
        let has_lost = self.remote().usage().losses > 0;
        drop(self.remote.take());
        let _ = self.node.take().map(JoinHandle::join);
        // A cluster that was given up may hang for ever; it dies with the process.
        if !has_lost {
            self.clusters.drain(..).for_each(|cluster| drop(cluster.join()));
        }
    }
}
