//! Lends an I/O node what it has not: a clock, connections and a thread.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use tracing::info_span;

use crate::transport::{Closed, Endpoint, Network, PeerEvent};
use crate::{IoNode, Peer, Statistics};

/// Runs a node over a network until the host stops it or is gone; then the clusters
/// have been told to stop as well.
pub fn serve(node: IoNode, network: &mut impl Network) -> Statistics {
    let mut service = Service::new(node);
    while !service.node.is_stopped() {
        service.step(network, None);
    }
    *service.node.statistics()
}

/// An I/O node on its host's thread: it runs whenever the host sends something or
/// waits for something, and nobody has to be woken for it.
///
/// While the host does something else, clusters live on their credit, the part that
/// they were sent ahead.
#[derive(Debug)]
pub struct Inline<N> {
    service: Service,
    network: WithInbox<N>,
}

impl<N: Network> Inline<N> {
    /// A node for a network of clusters that has no host.
    pub fn new(node: IoNode, clusters: N) -> Self {
        let network = WithInbox { clusters, inbox: VecDeque::new() };
        Self { service: Service::new(node), network }
    }

    fn is_stopped(&self) -> bool {
        self.service.node.is_stopped()
    }

    /// Serves all clusters that have sent something.
    fn catch_up(&mut self) {
        while !self.is_stopped() && self.service.step(&mut self.network, Some(Duration::ZERO)) {}
    }
}

impl<N: Network + Send> Endpoint for Inline<N> {
    fn send(&mut self, frame: Vec<u8>) -> Result<(), Closed> {
        self.catch_up();
        if self.is_stopped() {
            return Err(Closed);
        }
        self.service.react(Peer::Host, PeerEvent::Frame(frame), &mut self.network);
        Ok(())
    }

    fn receive(&mut self, timeout: Option<Duration>) -> Result<Option<Vec<u8>>, Closed> {
        let end = timeout.map(|timeout| Instant::now() + timeout);
        loop {
            self.catch_up();
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            match self.network.inbox.pop_front() {
                Some(frame) => return Ok(Some(frame)),
                None if self.is_stopped() => return Err(Closed),
                None if left == Some(Duration::ZERO) => return Ok(None),
                None => self.service.step(&mut self.network, left),
            };
        }
    }
}

/// A network of clusters, and what they have for a host on the same thread.
#[derive(Debug)]
struct WithInbox<N> {
    clusters: N,
    inbox: VecDeque<Vec<u8>>,
}

impl<N: Network> Network for WithInbox<N> {
    fn send(&mut self, to: Peer, frame: Vec<u8>) -> Result<(), Closed> {
        match to {
            Peer::Host => {
                self.inbox.push_back(frame);
                Ok(())
            }
            Peer::Cluster(_) => self.clusters.send(to, frame),
        }
    }

    fn receive(&mut self, timeout: Option<Duration>) -> Result<Option<(Peer, PeerEvent)>, Closed> {
        self.clusters.receive(timeout)
    }

    fn restart(&mut self, cluster: usize) -> Result<(), Closed> {
        self.clusters.restart(cluster)
    }
}

/// A node with a clock.
#[derive(Debug)]
struct Service {
    node: IoNode,
    start: Instant,
}

impl Service {
    fn new(node: IoNode) -> Self {
        Self { node, start: Instant::now() }
    }

    /// Waits for the next event, but not longer than this and not beyond a deadline.
    /// Whether there was one.
    ///
    /// What has arrived is read before a deadline counts as missed, so that a node
    /// which was kept from running does not blame the clusters.
    fn step(&mut self, network: &mut impl Network, patience: Option<Duration>) -> bool {
        let deadline = self.node.next_deadline();
        let timeout = deadline.map(|deadline| deadline.saturating_sub(self.start.elapsed()));
        let timeout = timeout.into_iter().chain(patience).min();
        let received = {
            let _span = (timeout != Some(Duration::ZERO)).then(|| info_span!("wait").entered());
            network.receive(timeout)
        };
        match received {
            Ok(Some((peer, event))) => {
                self.react(peer, event, network);
                return true;
            }
            Ok(None) => self.node.on_tick(self.start.elapsed()),
            Err(Closed) => self.node.stop(),
        }
        self.act(network);
        false
    }

    fn react(&mut self, peer: Peer, event: PeerEvent, network: &mut impl Network) {
        let _span = info_span!("I/O node", from = ?peer).entered();
        let (node, now) = (&mut self.node, self.start.elapsed());
        match (peer, event) {
            (Peer::Host, PeerEvent::Frame(frame)) => node.on_host(frame, now),
            (Peer::Host, PeerEvent::Gone(_)) => node.stop(),
            (Peer::Cluster(cluster), PeerEvent::Frame(frame)) => {
                node.on_cluster(cluster, &frame, now)
            }
            (Peer::Cluster(cluster), PeerEvent::Gone(reason)) => {
                node.on_gone(cluster, &reason, now)
            }
        }
        self.act(network);
    }

    /// Does what the node wants to be done. Whoever cannot be reached is gone, and what is
    /// sent after that is for its next life.
    fn act(&mut self, network: &mut impl Network) {
        self.restart(network);
        while let Some((peer, frame)) = self.node.outbox().pop() {
            self.deliver(peer, frame, network);
            self.restart(network);
        }
    }

    /// Starts clusters again that the node wants back.
    fn restart(&mut self, network: &mut impl Network) {
        while let Some(cluster) = self.node.next_restart() {
            if let Err(closed) = network.restart(cluster) {
                self.node.on_gone(cluster, &closed.to_string(), self.start.elapsed());
            }
        }
    }

    fn deliver(&mut self, peer: Peer, frame: Vec<u8>, network: &mut impl Network) {
        let _span = info_span!("forward", to = ?peer).entered();
        match (network.send(peer, frame), peer) {
            (Ok(()), _) => {}
            (Err(_), Peer::Host) if self.node.is_stopped() => {}
            (Err(_), Peer::Host) => self.node.stop(),
            (Err(closed), Peer::Cluster(cluster)) => {
                self.node.on_gone(cluster, &closed.to_string(), self.start.elapsed());
            }
        }
    }
}
