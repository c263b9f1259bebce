//! The way to clusters, whatever they are: one for searches, studies and all that follows.

use std::fmt::Debug;
use std::sync::Arc;

use ruche_eval::playouts::DEFAULT_PLY_LIMIT;
use ruche_game::Game;
use ruche_io_node::transport::Closed;
use ruche_offload::{Direct, DirectSettings, Events, Offload};
use ruche_playouts::{EngineChoice, HostEngine, PlayoutsError};
use ruche_shared::Transport;
use ruche_shared::budget::TOTAL_BYTES;
use thiserror::Error;

use crate::inproc::{self, Inproc};
use crate::meters::Meters;
use crate::ranks::Ranks;
use crate::topology::Topology;

/// How to reach whoever plays: a transport, and what it needs.
#[derive(Clone, Copy, Debug)]
pub enum Route<'w> {
    /// No cluster: the calling thread plays, when results are asked for.
    Direct,
    /// Threads of this process; the I/O node runs on the calling thread.
    Inproc,
    /// Threads of this process, with I/O nodes that have threads of their own, as they
    /// have machines of their own elsewhere.
    Apart {
        /// I/O nodes, which share the clusters.
        io_nodes: usize,
    },
    /// Emulated boards.
    #[cfg(feature = "boards")]
    Boards(&'w ruche_boards::BoardSettings),
    /// Ranks of MPI, or whatever else is there already.
    Ranks(&'w Ranks),
    /// What another crate knows to start, such as the modelled machine.
    Platform(&'w dyn Platform),
}

/// A machine that this crate knows nothing of: it starts clusters of its own.
pub trait Platform: Debug {
    /// What this way of playing is called.
    fn transport(&self) -> Transport;

    /// Its clusters, with a game.
    ///
    /// # Errors
    /// If they cannot be started, or refuse the game.
    fn start(
        &self,
        game: &Game,
        settings: &ConnectSettings,
    ) -> Result<Box<dyn Offload>, ConnectError>;
}

impl Route<'_> {
    /// What this way of playing is called.
    #[must_use]
    pub fn transport(&self) -> Transport {
        match self {
            Route::Direct => Transport::Direct,
            Route::Inproc | Route::Apart { .. } => Transport::Inproc,
            #[cfg(feature = "boards")]
            Route::Boards(_) => Transport::Board,
            Route::Ranks(_) => Transport::Mpi,
            Route::Platform(platform) => platform.transport(),
        }
    }
}

/// A cluster that shall die: before it sends the frame of this number, or, if it is a
/// board, before it is sent that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Death {
    /// Which cluster.
    pub cluster: usize,
    /// Frames before.
    pub after: u64,
}

/// Which clusters, and what they are told beside the game.
#[derive(Clone, Debug)]
pub struct ConnectSettings {
    /// Clusters, cores, and how they work. Nothing of it changes a result.
    pub topology: Topology,
    /// The run seed.
    pub seed: u64,
    /// After how many plies a playout is cut.
    pub ply_limit: u32,
    /// What evaluates gates, where clusters are threads. Shared, it makes the code of a
    /// game once.
    pub engine: Arc<HostEngine>,
    /// Clusters that shall die, to see what happens then.
    pub deaths: Vec<Death>,
    /// Told what happens to clusters.
    pub events: Events,
    /// Counts what clusters of this process and boards are doing, if somebody watches.
    pub meters: Meters,
}

impl ConnectSettings {
    /// Such clusters with this run seed; nobody dies, and nobody is told.
    #[must_use]
    pub fn new(topology: Topology, seed: u64) -> Self {
        Self {
            topology,
            seed,
            ply_limit: DEFAULT_PLY_LIMIT,
            engine: Arc::new(HostEngine::new(EngineChoice::Auto)),
            deaths: Vec::new(),
            events: Events::default(),
            meters: Meters::default(),
        }
    }
}

impl Default for ConnectSettings {
    /// One cluster with one core.
    fn default() -> Self {
        Self::new(Topology::default(), 0)
    }
}

/// Why nobody plays.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// A cluster, the I/O node or the platform says why not.
    #[error("{0}")]
    Refused(String),
    /// Nobody is left.
    #[error("no cluster is left: {0}")]
    Lost(String),
    /// Nobody answers.
    #[error("the I/O node does not answer")]
    Closed,
    /// These clusters have a memory that nobody can change.
    #[error(
        "clusters of {0} have {TOTAL_BYTES} bytes, no more and no less: another memory is for \
         those of inproc and mpi"
    )]
    FixedMemory(Transport),
    /// More I/O nodes than clusters, or none.
    #[error("{io_nodes} I/O nodes for {clusters} clusters: each needs at least one")]
    IoNodes {
        /// I/O nodes that were asked for.
        io_nodes: usize,
        /// Clusters for them.
        clusters: usize,
    },
    /// This thread cannot play the game.
    #[error(transparent)]
    Playouts(#[from] PlayoutsError),
    /// A board cannot be started.
    #[cfg(feature = "boards")]
    #[error(transparent)]
    Board(#[from] ruche_boards::BoardError),
}

impl From<Closed> for ConnectError {
    fn from(_: Closed) -> Self {
        ConnectError::Closed
    }
}

/// Whoever plays a game, made ready.
///
/// # Errors
/// If the clusters cannot be started, or refuse the game, for instance because it does not
/// fit.
pub fn connect<'w>(
    route: Route<'w>,
    game: &Game,
    settings: &ConnectSettings,
) -> Result<Box<dyn Offload + 'w>, ConnectError> {
    let can_grow = matches!(route.transport(), Transport::Inproc | Transport::Mpi);
    if settings.topology.memory != TOTAL_BYTES && !can_grow {
        return Err(ConnectError::FixedMemory(route.transport()));
    }
    Ok(match route {
        Route::Direct => Box::new(direct(game, settings)?),
        Route::Inproc => Box::new(Inproc::start(game, settings)?),
        Route::Apart { io_nodes } => inproc::start_apart(game, settings, io_nodes)?,
        #[cfg(feature = "boards")]
        Route::Boards(boards) => Box::new(crate::Boards::start(game, settings, boards)?),
        Route::Ranks(ranks) => Box::new(ranks.load(game, settings)?),
        Route::Platform(platform) => platform.start(game, settings)?,
    })
}

fn direct(game: &Game, settings: &ConnectSettings) -> Result<Direct, PlayoutsError> {
    let (width, engine) = (settings.topology.width, settings.engine.choice());
    let (seed, ply_limit) = (settings.seed, settings.ply_limit);
    Direct::new(game, DirectSettings { seed, ply_limit, width, engine })
}
