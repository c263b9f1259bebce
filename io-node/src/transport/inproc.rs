//! Everybody is a thread of one process.
//!
//! ```text
//!  host ─────┐            ┌──▶ host
//!  cluster 0 ┼─▶ I/O node ┼──▶ cluster 0
//!  cluster 1 ┘            └──▶ cluster 1
//! ```
//! One channel leads into the I/O node, whoever sends, so that it waits in one
//! place and is woken once. An I/O node on the host's thread ([`Inline`](crate::Inline))
//! needs no connection to it: then the clusters are all that there is. Frames are moved: what is sent is the memory that is
//! received. Channels have no limit because the I/O node gives a cluster no more
//! work than its credit, and the host decides how many batches are in flight.
//!
//! An endpoint that is dropped reports itself as gone, also when its thread
//! panics: killing a cluster is dropping its endpoint.

use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TryRecvError, unbounded};

use super::{Closed, Endpoint, Network, PeerEvent};
use crate::Peer;

/// The connections of a host and so many clusters with an I/O node.
#[must_use]
pub fn network(clusters: usize) -> (HostEndpoint, InprocNetwork, Vec<ClusterEndpoint>) {
    let (into, events) = unbounded();
    let (host, to_host) = End::new(Peer::Host, &into);
    let (endpoints, to_clusters) = ends(clusters, &into);
    let network = InprocNetwork { events, to_clusters, host: HostSide::Channel(to_host) };
    (HostEndpoint { end: host }, network, endpoints)
}

/// The connections of so many clusters with an I/O node, and of nobody else.
#[must_use]
pub fn clusters(clusters: usize) -> (InprocNetwork, Vec<ClusterEndpoint>) {
    let (into, events) = unbounded();
    let (endpoints, to_clusters) = ends(clusters, &into);
    (InprocNetwork { events, to_clusters, host: HostSide::SameThread { _open: into } }, endpoints)
}

/// The ends of clusters, and what leads to them.
fn ends(
    clusters: usize,
    into: &Sender<(Peer, PeerEvent)>,
) -> (Vec<ClusterEndpoint>, Vec<Sender<Vec<u8>>>) {
    let ends = (0..clusters).map(|number| End::new(Peer::Cluster(number), into));
    ends.map(|(end, sender)| (ClusterEndpoint { end }, sender)).unzip()
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
    events: Receiver<(Peer, PeerEvent)>,
    to_clusters: Vec<Sender<Vec<u8>>>,
    host: HostSide,
}

/// Where the host is.
#[derive(Debug)]
enum HostSide {
    /// Behind this channel.
    Channel(Sender<Vec<u8>>),
    /// Nowhere else. So it is there when all clusters are gone, and the channel into
    /// the I/O node stays open as if it had an end of it.
    SameThread { _open: Sender<(Peer, PeerEvent)> },
}

/// What both kinds of endpoint are.
#[derive(Debug)]
struct End {
    peer: Peer,
    into: Sender<(Peer, PeerEvent)>,
    frames: Receiver<Vec<u8>>,
}

impl End {
    /// An end, and what leads to it.
    fn new(peer: Peer, into: &Sender<(Peer, PeerEvent)>) -> (Self, Sender<Vec<u8>>) {
        let (sender, frames) = unbounded();
        (Self { peer, into: into.clone(), frames }, sender)
    }

    fn send(&self, frame: Vec<u8>) -> Result<(), Closed> {
        self.into.send((self.peer, PeerEvent::Frame(frame))).map_err(|_| Closed)
    }
}

impl Drop for End {
    fn drop(&mut self) {
        let how = if std::thread::panicking() { "its thread panicked" } else { "it has stopped" };
        // An I/O node that is gone itself need not know.
        let _ = self.into.send((self.peer, PeerEvent::Gone(how.to_owned())));
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
        let sender = match (to, &self.host) {
            (Peer::Host, HostSide::Channel(sender)) => Some(sender),
            (Peer::Host, HostSide::SameThread { .. }) => None,
            (Peer::Cluster(number), _) => self.to_clusters.get(number),
        };
        sender.ok_or(Closed)?.send(frame).map_err(|_| Closed)
    }

    fn receive(&mut self, timeout: Option<Duration>) -> Result<Option<(Peer, PeerEvent)>, Closed> {
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
