//! What an I/O node is told when it starts.

use ruche_shared::budget::LONGEST_QUEUE;

/// What an I/O node is, whatever game it is sent: how to share that among clusters
/// is said with the game. Numbers of zero count as one, except for the clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeSettings {
    /// Clusters that will report for duty.
    pub clusters: usize,
    /// Parts that a cluster has at most at a time: one that it plays, the others
    /// so that it need not wait for more.
    pub credit: usize,
    /// Positions in one part at most: what a cluster has room for.
    pub part_positions: usize,
    /// How often a cluster that died is started again, if the transport can.
    pub restarts: u32,
}

impl NodeSettings {
    /// The usual settings for so many clusters.
    #[must_use]
    pub const fn new(clusters: usize) -> Self {
        Self { clusters, credit: 2, part_positions: LONGEST_QUEUE as usize, restarts: 0 }
    }

    /// The same settings without numbers that make no sense.
    pub(super) fn sound(self) -> Self {
        Self { credit: self.credit.max(1), part_positions: self.part_positions.max(1), ..self }
    }
}
