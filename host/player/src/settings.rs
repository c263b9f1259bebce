//! How to play.

use std::fmt;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use ruche_clusters::{ConnectError, ConnectSettings, Route, Topology, connect};
use ruche_game::Game;
use ruche_offload::Offload;
use ruche_search::{Method, SearchSettings};

/// Finds whoever plays for the search of a game.
pub type Connect = Arc<dyn Fn(&Game) -> Result<Box<dyn Offload>, ConnectError> + Send + Sync>;

/// Is told what happens, a line at a time.
pub type Tell = Arc<dyn Fn(&str) + Send + Sync>;

/// How to play.
#[derive(Clone)]
pub struct PlayerSettings {
    /// By which method to search.
    pub method: Method,
    /// How to search.
    pub search: SearchSettings,
    /// Who plays for the search.
    pub connect: Connect,
    /// Whether to think while others do.
    pub ponders: bool,
    /// How long a manager may be silent, beyond its clocks, before a match is given up.
    pub patience: Duration,
    /// Is told what happens.
    pub tell: Tell,
}

impl Default for PlayerSettings {
    /// The usual search on threads of this process, and nobody is told anything.
    fn default() -> Self {
        let threads = available_parallelism().map_or(1, usize::from).min(16) as u32;
        let topology = Topology { threads, ..Topology::default() };
        Self {
            method: Method::default(),
            search: SearchSettings::default(),
            connect: Arc::new(move |game| on_threads(game, topology)),
            ponders: true,
            patience: Duration::from_secs(60),
            tell: Arc::new(|_| ()),
        }
    }
}

/// Memories of clusters that are tried, one after the other: a game that does not fit into
/// the first is played with more.
const MEMORIES: [u64; 4] = [2 << 20, 16 << 20, 128 << 20, 1 << 30];

/// Threads of this process with as much memory as the game needs.
fn on_threads(game: &Game, topology: Topology) -> Result<Box<dyn Offload>, ConnectError> {
    let mut found = Err(ConnectError::Closed);
    for memory in MEMORIES.into_iter().filter(|memory| *memory >= topology.memory) {
        let topology = Topology { memory, ..topology };
        found = connect(Route::Inproc, game, &ConnectSettings::new(topology, 0));
        if found.is_ok() {
            break;
        }
    }
    found
}

impl PlayerSettings {
    /// Searches on such threads of this process; a game that does not fit into the memory
    /// of a cluster gets more.
    #[must_use]
    pub fn on_threads(mut self, topology: Topology) -> Self {
        self.connect = Arc::new(move |game| on_threads(game, topology));
        self
    }
}

impl fmt::Debug for PlayerSettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { method, search, ponders, .. } = self;
        write!(formatter, "PlayerSettings({method}, {search:?}, ponders: {ponders})")
    }
}
