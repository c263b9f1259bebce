//! Everybody is a thread of one process.
//!
//! ```text
//!  host ─────┐            ┌──▶ host
//!  cluster 0 ┼─▶ I/O node ┼──▶ cluster 0
//!  cluster 1 ┘            └──▶ cluster 1
//! ```
//! One channel leads into the I/O node, whoever sends, so that it waits in one
//! place and is woken once. Frames are moved: what is sent is the memory that is
//! received. Channels have no limit because the I/O node gives a cluster no more
//! work than its credit, and the host decides how many batches are in flight.
//!
//! An endpoint that is dropped reports itself as gone, also when its thread
//! panics: killing a cluster is dropping its endpoint.

use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TryRecvError, unbounded};

use super::{Closed, Endpoint, Event, Network};
use crate::Peer;

/// The connections of a host and so many clusters with an I/O node.
#[must_use]
pub fn network(clusters: usize) -> (HostEndpoint, InprocNetwork, Vec<ClusterEndpoint>) {
    let (into, events) = unbounded();
    let (host, to_host) = End::new(Peer::Host, &into);
    let ends = (0..clusters).map(|number| End::new(Peer::Cluster(number), &into));
    let (endpoints, to_clusters) =
        ends.map(|(end, sender)| (ClusterEndpoint { end }, sender)).unzip();
    (HostEndpoint { end: host }, InprocNetwork { events, to_host, to_clusters }, endpoints)
}

/// The host's end.
#[derive(Debug)]
pub struct HostEndpoint {
    end: End,
}

/// A cluster's end.
#[derive(Debug)]
pub struct ClusterEndpoint {
    end: End,
}

/// The I/O node's end of all connections.
#[derive(Debug)]
pub struct InprocNetwork {
    events: Receiver<(Peer, Event)>,
    to_host: Sender<Vec<u8>>,
    to_clusters: Vec<Sender<Vec<u8>>>,
}

/// What both kinds of endpoint are.
#[derive(Debug)]
struct End {
    peer: Peer,
    into: Sender<(Peer, Event)>,
    frames: Receiver<Vec<u8>>,
}

impl End {
    /// An end, and what leads to it.
    fn new(peer: Peer, into: &Sender<(Peer, Event)>) -> (Self, Sender<Vec<u8>>) {
        let (sender, frames) = unbounded();
        (Self { peer, into: into.clone(), frames }, sender)
    }

    fn send(&self, frame: Vec<u8>) -> Result<(), Closed> {
        self.into.send((self.peer, Event::Frame(frame))).map_err(|_| Closed)
    }
}

impl Drop for End {
    fn drop(&mut self) {
        let how = if std::thread::panicking() { "its thread panicked" } else { "it has stopped" };
        // An I/O node that is gone itself need not know.
        let _ = self.into.send((self.peer, Event::Gone(how.to_owned())));
    }
}

impl Endpoint for HostEndpoint {
    fn send(&mut self, frame: Vec<u8>) -> Result<(), Closed> {
        self.end.send(frame)
    }

    fn receive(&mut self, timeout: Option<Duration>) -> Result<Option<Vec<u8>>, Closed> {
        wait(&self.end.frames, timeout)
    }
}

impl Endpoint for ClusterEndpoint {
    fn send(&mut self, frame: Vec<u8>) -> Result<(), Closed> {
        self.end.send(frame)
    }

    fn receive(&mut self, timeout: Option<Duration>) -> Result<Option<Vec<u8>>, Closed> {
        wait(&self.end.frames, timeout)
    }
}

impl Network for InprocNetwork {
    fn send(&mut self, to: Peer, frame: Vec<u8>) -> Result<(), Closed> {
        let sender = match to {
            Peer::Host => Some(&self.to_host),
            Peer::Cluster(number) => self.to_clusters.get(number),
        };
        sender.ok_or(Closed)?.send(frame).map_err(|_| Closed)
    }

    fn receive(&mut self, timeout: Option<Duration>) -> Result<Option<(Peer, Event)>, Closed> {
        wait(&self.events, timeout)
    }
}

/// What comes out of a channel before the timeout.
fn wait<T>(channel: &Receiver<T>, timeout: Option<Duration>) -> Result<Option<T>, Closed> {
    match timeout {
        None => channel.recv().map(Some).map_err(|_| Closed),
        Some(Duration::ZERO) => match channel.try_recv() {
            Err(TryRecvError::Disconnected) => Err(Closed),
            received => Ok(received.ok()),
        },
        Some(timeout) => match channel.recv_timeout(timeout) {
            Err(RecvTimeoutError::Disconnected) => Err(Closed),
            received => Ok(received.ok()),
        },
    }
}
