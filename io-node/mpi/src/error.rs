use thiserror::Error;

use crate::HOW_TO_BUILD;

/// Ranks that a search needs at least: host, I/O node and one cluster.
pub(crate) const FEWEST_RANKS: usize = 3;

/// Why there is no [`World`](crate::World).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MpiError {
    /// The feature `mpi` was off.
    #[error("this program was built without MPI: {HOW_TO_BUILD}")]
    NotBuilt,
    /// MPI can be started only once in a process.
    #[error("MPI was started already in this process, and can be only once")]
    StartedTwice,
    /// The library cannot live with other threads in the process.
    #[error(
        "this MPI does not allow other threads in a rank (MPI_THREAD_FUNNELED): use an OpenMPI or MPICH that was built with threads"
    )]
    Threads,
    /// Not enough ranks for host, I/O node and a cluster.
    #[error(
        "{found} ranks are too few: rank 0 is the host, rank 1 the I/O node, the others are clusters; start at least {FEWEST_RANKS}, for example `mpirun -n 6`"
    )]
    TooFewRanks {
        /// Ranks that there are.
        found: usize,
    },
    /// A signal cannot be caught: SIGTERM, with which the launcher ends the job, or
    /// SIGINT, with which a person does.
    #[error("cannot watch for {name}: {why}")]
    Signal {
        /// The signal.
        name: &'static str,
        /// What the system says.
        why: String,
    },
}
