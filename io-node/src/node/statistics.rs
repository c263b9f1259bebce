//! What an I/O node has done so far.

use crate::Peer;

/// Counts since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Batches that were answered completely.
    pub batches: u64,
    /// Positions whose results were taken.
    pub positions: u64,
    /// Parts that were sent, again or for the first time.
    pub parts: u64,
    /// Parts that were sent again.
    pub resent: u64,
    /// Clusters that were lost.
    pub lost: u64,
    /// Frames that were dropped because they came from an earlier run or from a
    /// cluster that is dead by now.
    pub late: u64,
    /// Frames that were dropped because they had come before, or nobody waits for
    /// them any more.
    pub duplicate: u64,
    /// Frames that were dropped because they made no sense.
    pub damaged: u64,
    /// Bytes from the host.
    pub from_host: u64,
    /// Bytes to the host.
    pub to_host: u64,
    /// Bytes from all clusters.
    pub from_clusters: u64,
    /// Bytes to all clusters.
    pub to_clusters: u64,
}

impl Statistics {
    pub(super) fn count_received(&mut self, from: Peer, frame: &[u8]) {
        match from {
            Peer::Host => self.from_host += frame.len() as u64,
            Peer::Cluster(_) => self.from_clusters += frame.len() as u64,
        }
    }

    pub(super) fn count_sent(&mut self, to: Peer, frame: &[u8]) {
        match to {
            Peer::Host => self.to_host += frame.len() as u64,
            Peer::Cluster(_) => self.to_clusters += frame.len() as u64,
        }
    }
}
