//! What an I/O node is told when it starts.

use std::time::Duration;

use ruche_shared::budget::QUEUE_LENGTH;

/// How batches follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RunMode {
    /// One batch after the other. Each is scattered evenly over all clusters and
    /// its results return together, as in the original study.
    Sync,
    /// Several batches in flight. Their parts go to whichever cluster is free, and
    /// each batch returns when it is complete.
    Async,
}

/// How an I/O node works. Numbers of zero count as one, except for the clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeSettings {
    /// Clusters that will report for duty.
    pub clusters: usize,
    /// How batches follow each other.
    pub run_mode: RunMode,
    /// How long a cluster may take to report, to load a game, and to play the
    /// part of a batch that is its turn.
    pub deadline: Duration,
    /// Parts that a cluster has at most at a time: one that it plays, the others
    /// so that it need not wait for more.
    pub credit: usize,
    /// Positions in one part at most: what a cluster has room for.
    pub part_positions: usize,
    /// How often a cluster that died is started again, if the transport can.
    pub restarts: u32,
}

impl NodeSettings {
    /// How long a cluster may be silent, unless told otherwise.
    pub const DEADLINE: Duration = Duration::from_secs(5);

    /// The usual settings for so many clusters.
    #[must_use]
    pub const fn new(clusters: usize, run_mode: RunMode) -> Self {
        let credit = match run_mode {
            RunMode::Sync => 1,
            RunMode::Async => 2,
        };
        let part_positions = QUEUE_LENGTH as usize;
        Self { clusters, run_mode, deadline: Self::DEADLINE, credit, part_positions, restarts: 0 }
    }

    /// The same settings without numbers that make no sense.
    pub(super) fn sound(self) -> Self {
        Self {
            deadline: self.deadline.max(Duration::from_nanos(1)),
            credit: self.credit.max(1),
            part_positions: self.part_positions.max(1),
            ..self
        }
    }
}
