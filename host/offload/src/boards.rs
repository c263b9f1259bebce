//! Clusters on emulated boards, behind an I/O node in this process.

use std::thread::{self, JoinHandle};

use ruche_boards::{BoardError, BoardSettings, network};
use ruche_io_node::transport::inproc::HostEndpoint;
use ruche_io_node::{IoNode, NodeSettings, serve};
use ruche_search::{Batch, Finished, Offload, OffloadError};
use ruche_shared::Image;
use ruche_shared::wire::control::Loss;
use thiserror::Error;

use crate::Topology;
use crate::remote::{ConnectError, Remote};

/// How often a board that has died is started again.
const RESTARTS: u32 = 1;

/// Why boards cannot play a game.
#[derive(Debug, Error)]
pub enum BoardsError {
    /// A board cannot be started.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// The boards refuse the game.
    #[error(transparent)]
    Connect(#[from] ConnectError),
}

/// Boards that are ready to play a game.
#[derive(Debug)]
pub struct Boards {
    /// Dropped first: it tells everybody to stop.
    remote: Option<Remote<HostEndpoint>>,
    /// Ends with the logs of the boards.
    node: Option<JoinHandle<Vec<String>>>,
}

impl Boards {
    /// Starts an I/O node and a board for each cluster, and loads a game.
    ///
    /// # Errors
    /// If a board cannot be started, or refuses the game.
    pub fn start(
        image: &Image<'_>,
        bytes: &[u8],
        topology: &Topology,
        seed: u64,
        settings: &BoardSettings,
        on_loss: fn(&Loss),
    ) -> Result<Self, BoardsError> {
        let (host, mut network) = network(topology.clusters, settings)?;
        let node = IoNode::new(NodeSettings {
            restarts: RESTARTS,
            ..NodeSettings::new(topology.clusters)
        });
        let node = thread::Builder::new().name("I/O node".to_owned()).spawn(move || {
            serve(node, &mut network);
            network.await_end()
        });
        let mut boards = Self { remote: None, node: node.map_err(BoardError::Place)?.into() };
        let load = topology.load(image, seed);
        boards.remote = Some(Remote::connect(host, image, bytes, &load, on_loss)?);
        Ok(boards)
    }

    /// The host's side.
    #[must_use]
    pub fn remote(&self) -> Option<&Remote<HostEndpoint>> {
        self.remote.as_ref()
    }

    /// Stops all boards. What each wrote to its log, the stacks' depths among it.
    #[must_use]
    pub fn stop(mut self) -> Vec<String> {
        self.end()
    }

    fn end(&mut self) -> Vec<String> {
        drop(self.remote.take());
        let logs = self.node.take().map(JoinHandle::join);
        logs.and_then(Result::ok).unwrap_or_default()
    }
}

impl Offload for Boards {
    fn submit(&mut self, batch: Batch) -> Result<(), OffloadError> {
        self.remote.as_mut().ok_or(OffloadError::Idle)?.submit(batch)
    }

    fn collect(&mut self) -> Result<Finished, OffloadError> {
        self.remote.as_mut().ok_or(OffloadError::Idle)?.collect()
    }
}

impl Drop for Boards {
    fn drop(&mut self) {
        self.end();
    }
}
