//! The contract between a search and everything below it: positions go in, sums of goals
//! come out. Whoever plays, on whatever machine, implements [`Offload`]; a search sees
//! nothing else of it.
//!
//! | module | what it is for |
//! |---|---|
//! | [`direct`] | plays in the calling thread: the reference, and enough for small searches |
//! | [`recording`] | notes what went through, answers in an order drawn from a seed |
//! | [`checking`] | recomputes a share of all batches with the one-lane interpreter |
//!
//! Clusters behind an I/O node are in `ruche-clusters`, those in virtual time in
//! `ruche-model`.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use ruche_game::Game;
//! use ruche_offload::{Batch, Direct, DirectSettings, Offload};
//!
//! let game = Game::bundled("tictactoe")?;
//! let mut offload = Direct::new(&game, DirectSettings { seed: 7, ..Default::default() })?;
//! let positions = game.initial().position().to_vec();
//! offload.submit(Batch { number: 0, first: 0, playouts: 100, positions, count: 1 })?;
//! let finished = offload.collect()?;
//! assert_eq!(finished.results.tally(0).playouts(), 100);
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

pub mod checking;
pub mod direct;
mod event;
pub mod recording;

use std::time::Duration;

use ruche_shared::WordWidth;
use thiserror::Error;

pub use checking::Checking;
pub use direct::{Direct, DirectSettings};
pub use event::{Event, Events};
pub use recording::{Record, Recording};
pub use ruche_playouts::Results;
pub use ruche_shared::wire::results::{Best, Columns, Tally};

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
    /// For each position what its playouts brought.
    pub results: Results,
}

/// What an offload says of itself. What results depend on comes first; the rest is for
/// those who measure or tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attributes {
    /// The columns of its results, and with them the roles of its game.
    pub columns: Columns,
    /// The run seed.
    pub seed: u64,
    /// After how many plies a playout is cut.
    pub ply_limit: u32,
    /// The word that playouts are played with.
    pub width: WordWidth,
    /// Clusters that play; 0 where the calling thread does.
    pub clusters: usize,
    /// Positions that keep everybody busy for a while: fewer at a time waste cores. A
    /// search whose answer shall not depend on the machine takes no notice of it.
    pub sensible_batch: usize,
}

/// What happened below so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// How long clusters were at it, all together; nothing where nobody counts.
    pub playing: Option<Duration>,
    /// Clusters that were lost.
    pub losses: usize,
    /// What the clock of a modelled machine says.
    pub virtual_time: Option<VirtualTime>,
}

/// How long it took on a machine whose time is not ours, since it had loaded its game, and
/// where that time went, in shares of the time of all cores.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VirtualTime {
    /// The time of its host.
    pub elapsed: Duration,
    /// The host chooses positions, and all wait for it.
    pub host: f64,
    /// Positions and results are on their way, or the I/O node is busy.
    pub transfer: f64,
    /// Cores are started, woken and heard.
    pub hand_off: f64,
    /// Cores compute.
    pub playouts: f64,
    /// Cores wait for others of their cluster.
    pub waiting: f64,
}

/// Plays from positions, somewhere.
///
/// What comes of a batch may depend on nothing but the game, the run seed, the ply limit
/// and the batch itself.
pub trait Offload {
    /// What this is.
    fn attributes(&self) -> Attributes;

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

    /// The same, but nothing if it takes longer than about this. Whoever plays in the
    /// calling thread has nothing to wait for and takes its time.
    ///
    /// # Errors
    /// As [`collect`](Self::collect).
    fn collect_within(&mut self, patience: Duration) -> Result<Option<Finished>, OffloadError> {
        let _ = patience;
        self.collect().map(Some)
    }

    /// What happened so far.
    fn usage(&self) -> Usage {
        Usage::default()
    }
}

/// Whatever leads to an offload is one.
macro_rules! forward {
    ($($Way:ty),*) => {$(
        impl<O: Offload + ?Sized> Offload for $Way {
            fn attributes(&self) -> Attributes {
                (**self).attributes()
            }

            fn submit(&mut self, batch: Batch) -> Result<(), OffloadError> {
                (**self).submit(batch)
            }

            fn collect(&mut self) -> Result<Finished, OffloadError> {
                (**self).collect()
            }

            fn collect_within(
                &mut self,
                patience: Duration,
            ) -> Result<Option<Finished>, OffloadError> {
                (**self).collect_within(patience)
            }

            fn usage(&self) -> Usage {
                (**self).usage()
            }
        }
    )*};
}

forward!(&mut O, Box<O>);

/// Why a batch cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
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
