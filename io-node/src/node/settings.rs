//! What an I/O node is told when it starts.

use ruche_shared::budget::QUEUE_LENGTH;
use ruche_shared::wire::control::RunMode;

/// What an I/O node is, whatever game it is sent: how to share that among clusters
/// is said with the game. Numbers of zero count as one, except for the clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeSettings {
    /// Clusters that will report for duty.
    pub clusters: usize,
    /// Parts that a cluster has at most at a time: one that it plays, the others
    /// so that it need not wait for more. If not said, what suits the run mode.
    pub credit: Option<usize>,
    /// Positions in one part at most: what a cluster has room for.
    pub part_positions: usize,
    /// How often a cluster that died is started again, if the transport can.
    pub restarts: u32,
}

impl NodeSettings {
    /// The usual settings for so many clusters.
    #[must_use]
    pub const fn new(clusters: usize) -> Self {
        Self { clusters, credit: None, part_positions: QUEUE_LENGTH as usize, restarts: 0 }
    }

    /// Parts that a cluster has at most at a time in this mode.
    pub(super) fn credit(&self, run_mode: RunMode) -> usize {
        let usual = match run_mode {
            RunMode::Sync => 1,
            RunMode::Async => 2,
        };
        self.credit.unwrap_or(usual).max(1)
    }

    /// The same settings without numbers that make no sense.
    pub(super) fn sound(self) -> Self {
        Self { part_positions: self.part_positions.max(1), ..self }
    }
}
