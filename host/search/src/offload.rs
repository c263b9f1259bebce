//! The contract between the search and everything below it: positions go in,
//! sums of goals come out. Whoever plays, on whatever machine, implements
//! [`Offload`]; the search sees nothing else of it.
//!
//! | module | what it is for |
//! |---|---|
//! | [`direct`] | plays in the calling thread: the reference, and enough for small searches |
//! | [`recording`] | notes what went through, answers in an order drawn from a seed |
//! | [`checking`] | recomputes a share of all batches with the one-lane interpreter |

pub mod checking;
pub mod direct;
pub mod recording;

use ruche_eval::playouts::Outcome;
use thiserror::Error;

pub use checking::Checking;
pub use direct::{Direct, DirectSettings};
pub use recording::{Record, Recording};

/// Positions to play from. Position `i` of the batch has the number `first + i`
/// in the run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// The number of the batch in the run.
    pub number: u64,
    /// The number of its first position in the run.
    pub first: u64,
    /// Playouts from each position.
    pub playouts: u32,
    /// The positions one behind the other,
    /// [`position_words`](ruche_shared::position::position_words) each.
    pub positions: Vec<u32>,
    /// How many positions.
    pub count: usize,
}

/// What came of a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finished {
    /// The number of the batch.
    pub number: u64,
    /// For each position how its playouts went.
    pub outcomes: Vec<Outcome>,
    /// For each position and role the sum of the goals.
    pub scores: Vec<u64>,
}

/// Plays from positions, somewhere.
///
/// What comes of a batch may depend on nothing but the image, the run seed and
/// the batch itself.
pub trait Offload {
    /// Hands in a batch; several may be under way.
    ///
    /// # Errors
    /// If nobody is left who could play it.
    fn submit(&mut self, batch: Batch) -> Result<(), OffloadError>;

    /// Waits for the next batch that is finished, in any order.
    ///
    /// # Errors
    /// If no batch will ever be finished, or one was answered wrongly.
    fn collect(&mut self) -> Result<Finished, OffloadError>;
}

impl<O: Offload + ?Sized> Offload for &mut O {
    fn submit(&mut self, batch: Batch) -> Result<(), OffloadError> {
        (**self).submit(batch)
    }

    fn collect(&mut self) -> Result<Finished, OffloadError> {
        (**self).collect()
    }
}

impl<O: Offload + ?Sized> Offload for Box<O> {
    fn submit(&mut self, batch: Batch) -> Result<(), OffloadError> {
        (**self).submit(batch)
    }

    fn collect(&mut self) -> Result<Finished, OffloadError> {
        (**self).collect()
    }
}

/// Why a batch cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OffloadError {
    /// Nobody is left who plays.
    #[error("nobody is left to play: {reason}; {finished} playouts were done before")]
    Lost {
        /// What happened to the last one.
        reason: String,
        /// Playouts done before.
        finished: u64,
    },
    /// The batch is not one of this game, or is not what it says of itself.
    #[error("batch {batch} cannot be played: {reason}")]
    Refused {
        /// The number of the batch.
        batch: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// Somebody waits for a batch although none is under way.
    #[error("no batch is under way: submit one before waiting for its results")]
    Idle,
    /// A checked batch was answered differently from the one-lane interpreter.
    #[error(
        "batch {batch}, position {position}: the answer differs from that of the one-lane \
         interpreter ({found} instead of {expected}): do not trust this run, and report the \
         game, the seed and the settings"
    )]
    Different {
        /// The number of the batch.
        batch: u64,
        /// The number of the position in the run.
        position: u64,
        /// What the interpreter says.
        expected: String,
        /// What was answered.
        found: String,
    },
}
