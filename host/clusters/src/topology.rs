//! How many clusters of how many cores, and how they work: data, not code.

use std::time::Duration;

use ruche_io_node::RunMode;
use ruche_playouts::widest_word;
use ruche_runtime::strategy::Strategy;
use ruche_shared::Image;
use ruche_shared::WordWidth;
use ruche_shared::budget::{Account, Budget, Demand, TOTAL_BYTES};
use ruche_shared::wire::control::{Load, Mode, Sharing};
use ruche_shared::wire::results::Columns;

/// Strata with fewer gates are not split over cores: a barrier costs more.
pub const DEFAULT_SPLIT_LEAST: u32 = 64;

/// A cluster that is silent for so long with work to do is taken for dead.
pub const DEFAULT_DEADLINE: Duration = Duration::from_secs(8);

/// Where playouts are played. Nothing of it changes a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Topology {
    /// Clusters.
    pub clusters: usize,
    /// Cores of each, 1 to 16.
    pub threads: u32,
    /// How PC0 hands work to the cores.
    pub strategy: Strategy,
    /// How the cores share the work.
    pub mode: Mode,
    /// The widest word to use; a cluster takes the widest up to this that fits.
    pub width: WordWidth,
    /// Whether a batch is scattered over all clusters and gathered, or several
    /// are under way.
    pub run_mode: RunMode,
    /// How long a cluster may be silent with work to do.
    pub deadline: Duration,
    /// In split mode, strata of fewer gates are not split.
    pub split_least: u32,
    /// Bytes of each cluster: [`TOTAL_BYTES`], or what somebody asks for where clusters
    /// are threads or ranks. Whoever starts them gives it to them.
    pub memory: u64,
}

impl Default for Topology {
    /// One cluster with one core and the widest word of this host.
    fn default() -> Self {
        Self {
            clusters: 1,
            threads: 1,
            strategy: Strategy::default(),
            mode: Mode::PerCore,
            width: widest_word(),
            run_mode: RunMode::Sync,
            deadline: DEFAULT_DEADLINE,
            split_least: DEFAULT_SPLIT_LEAST,
            memory: TOTAL_BYTES,
        }
    }
}

impl Topology {
    /// How a game fills the memory of a cluster with words of this width.
    #[must_use]
    pub fn account(&self, image: &Image<'_>, width: WordWidth) -> Account {
        let budget = Budget { total: self.memory, cores: self.threads };
        budget.account(&Demand::of(image), width)
    }

    /// What I/O node and clusters are told about a game.
    #[must_use]
    pub fn load(&self, image: &Image<'_>, seed: u64, ply_limit: u32) -> Load {
        Load {
            width: self.width,
            cores: self.threads,
            strategy: self.strategy.into(),
            mode: self.mode,
            seed,
            ply_limit,
            split_least: self.split_least,
            image_bytes: image.length() as u32,
            further_columns: Columns::of_roles(image.roles()).further as u32,
            sharing: Sharing {
                clusters: self.clusters as u32,
                run_mode: self.run_mode,
                deadline: self.deadline,
            },
        }
    }
}
