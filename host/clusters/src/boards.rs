//! Clusters on emulated boards, behind an I/O node in this process.

use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use ruche_boards::{Accident, BoardError, BoardSettings, Harm, network};
use ruche_game::Game;
use ruche_io_node::transport::inproc::HostEndpoint;
use ruche_io_node::{IoNode, NodeSettings, serve};
use ruche_offload::{Attributes, Batch, Event, Events, Finished, Offload, OffloadError, Usage};

use crate::connect::{ConnectError, ConnectSettings, Death};
use crate::meters::Metered;
use crate::remote::Remote;

/// How often a board that has died is started again.
const RESTARTS: u32 = 1;

/// Boards that are ready to play a game. When they are dropped, they stop, and their logs
/// are told as events.
#[derive(Debug)]
pub struct Boards {
    remote: Remote<HostEndpoint>,
    node: Node,
}

/// The thread of the I/O node. Dropped after the host's end, which tells it to stop.
#[derive(Debug)]
struct Node {
    /// Ends with the logs of the boards.
    thread: Option<JoinHandle<Vec<String>>>,
    events: Events,
}

impl Drop for Node {
    fn drop(&mut self) {
        let logs = self.thread.take().map(JoinHandle::join);
        let logs = logs.and_then(Result::ok).unwrap_or_default();
        for (cluster, log) in logs.into_iter().enumerate() {
            self.events.tell(&Event::Stopped { cluster, log });
        }
    }
}

impl Boards {
    /// Starts an I/O node and a board for each cluster, and loads a game.
    ///
    /// # Errors
    /// If a board cannot be started, or refuses the game.
    pub fn start(
        game: &Game,
        settings: &ConnectSettings,
        boards: &BoardSettings,
    ) -> Result<Self, ConnectError> {
        let clusters = settings.topology.clusters;
        let mut boards = boards.clone();
        boards.accidents.extend(settings.deaths.iter().map(crash));
        let node = NodeSettings { restarts: RESTARTS, ..NodeSettings::new(clusters) };
        let (started, starting) = mpsc::sync_channel(1);
        let meters = settings.meters.clone();
        // Boards end with the thread that has started them.
        let serve_boards = move || match network(clusters, &boards) {
            Err(error) => {
                let _ = started.send(Err(error));
                Vec::new()
            }
            Ok((host, network)) => {
                let _ = started.send(Ok(host));
                let mut network = Metered::new(network, &meters);
                serve(IoNode::new(node), &mut network);
                network.into_inner().await_end()
            }
        };
        let thread = thread::Builder::new().name("I/O node".to_owned()).spawn(serve_boards);
        let thread = Some(thread.map_err(BoardError::Place)?);
        let node = Node { thread, events: settings.events.clone() };
        let host = starting.recv().map_err(|_| ConnectError::Closed)??;
        let remote = Remote::connect(host, game, settings)?;
        Ok(Self { remote, node })
    }

    /// Stops all boards; their logs are told as events.
    pub fn stop(self) {
        let Self { remote, node } = self;
        drop(remote);
        drop(node);
    }
}

fn crash(death: &Death) -> Accident {
    Accident { board: death.cluster, frame: death.after, harm: Harm::Crash }
}

impl Offload for Boards {
    fn attributes(&self) -> Attributes {
        self.remote.attributes()
    }

    fn submit(&mut self, batch: Batch) -> Result<(), OffloadError> {
        self.remote.submit(batch)
    }

    fn collect(&mut self) -> Result<Finished, OffloadError> {
        self.remote.collect()
    }

    fn usage(&self) -> Usage {
        self.remote.usage()
    }
}
