//! Runs an I/O node by the wall clock.

use std::time::{Duration, Instant};

use crate::transport::{Event, Network};
use crate::{IoNode, Peer, Statistics};

/// Runs a node over a network until the host stops it or is gone; then the clusters
/// have been told to stop as well.
///
/// What has arrived is read before a deadline counts as missed, so that a node
/// which was kept from running does not blame the clusters.
pub fn serve(mut node: IoNode, network: &mut impl Network) -> Statistics {
    let start = Instant::now();
    while !node.is_stopped() {
        let deadline = node.next_deadline();
        let timeout = deadline.map(|deadline| deadline.saturating_sub(start.elapsed()));
        let received = network.receive(timeout);
        let now = start.elapsed();
        match received {
            Ok(None) => node.on_tick(now),
            Ok(Some((peer, event))) => react(&mut node, peer, event, now),
            Err(_) => node.stop(),
        }
        restart(&mut node, network, now);
        deliver(&mut node, network, now);
    }
    *node.statistics()
}

fn react(node: &mut IoNode, peer: Peer, event: Event, now: Duration) {
    let _span = tracing::info_span!("I/O node", from = ?peer).entered();
    match (peer, event) {
        (Peer::Host, Event::Frame(frame)) => node.on_host(frame, now),
        (Peer::Host, Event::Gone(_)) => node.stop(),
        (Peer::Cluster(cluster), Event::Frame(frame)) => node.on_cluster(cluster, &frame, now),
        (Peer::Cluster(cluster), Event::Gone(reason)) => node.on_gone(cluster, &reason, now),
    }
}

/// Starts clusters again that the node wants back.
fn restart(node: &mut IoNode, network: &mut impl Network, now: Duration) {
    while let Some(cluster) = node.next_restart() {
        if let Err(closed) = network.restart(cluster) {
            node.on_gone(cluster, &closed.to_string(), now);
        }
    }
}

/// Sends all that waits. Whoever cannot be reached is gone.
fn deliver(node: &mut IoNode, network: &mut impl Network, now: Duration) {
    while let Some((peer, frame)) = node.outbox().pop() {
        let _span = tracing::info_span!("forward", to = ?peer).entered();
        match (network.send(peer, frame), peer) {
            (Ok(()), _) => {}
            (Err(_), Peer::Host) if node.is_stopped() => {}
            (Err(_), Peer::Host) => node.stop(),
            (Err(closed), Peer::Cluster(cluster)) => {
                node.on_gone(cluster, &closed.to_string(), now);
            }
        }
    }
}
