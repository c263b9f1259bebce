//! What was measured: one line of `results.jsonl`.

use ruche_runtime::strategy::Strategy;
use ruche_shared::wire::control::Mode;
use ruche_shared::{Transport, WordWidth, named};
use serde::{Deserialize, Serialize};

named! {
    /// By which clock a sample was taken. The two are never compared unsaid.
    pub enum Clock: "clock" {
        /// The clock of this machine.
        Wall = "wall",
        /// The virtual time of a modelled machine.
        Model = "model",
    }
}

named! {
    /// Where the positions of a run come from.
    pub enum Positions: "source of positions" {
        /// All are the initial position of the game.
        Initial = "initial",
        /// They are the leaves of a tree.
        Search = "search",
    }
}

/// The settings of a sample: what a plan sweeps over.
///
/// In files they are called as on the command line: `restart`, `per-core`, …
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// A bundled game, a file, or `empty` for positions that nobody plays from.
    pub game: String,
    /// Clusters of the machine.
    pub clusters: u32,
    /// Cores of each cluster that play.
    pub threads: u32,
    /// How a cluster hands work to its cores.
    pub strategy: Strategy,
    /// How its cores share the work; of no matter in the game `empty`.
    pub mode: Mode,
    /// The word that they play with.
    pub word: WordWidth,
    /// Playouts from each position.
    pub playouts_per_position: u32,
    /// Positions of one run.
    pub batch: u32,
    /// Bytes of a position.
    pub bytes: u32,
    /// Runs under way at the same time; 1 is the synchronous original.
    pub in_flight: u32,
    /// I/O nodes, which share the clusters.
    pub io_nodes: u32,
    /// Where positions come from.
    pub positions: Positions,
    /// In the model: cycles are multiplied by this, to stand for a circuit that
    /// is larger than ours. 1 is our real circuit.
    pub cost_factor: f64,
}

/// How the time of all runs was spent, in shares that add up to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Shares {
    /// The host chooses positions and takes results.
    pub host: f64,
    /// Positions and results are on their way.
    pub transfer: f64,
    /// Cores are started, woken and gathered.
    pub hand_off: f64,
    /// Games are played.
    pub playouts: f64,
    /// Everything else: cores that have played wait for others.
    pub waiting: f64,
}

/// When and where a sample was taken by the clock of a machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Taken {
    /// In UTC: `2026-11-18T04:30:00Z`.
    pub date: String,
    /// The name of the machine.
    pub host: String,
    /// The commit that ruche was built from.
    pub commit: String,
    /// Threads that the machine runs at a time, where all clusters are on it.
    pub processors: Option<u32>,
    /// The time of all processors over all runs, where all clusters are in this process.
    pub cpu_seconds: Option<f64>,
}

/// One measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// The name of the plan.
    pub plan: String,
    /// The settings.
    #[serde(flatten)]
    pub point: Point,
    /// By which clock.
    pub clock: Clock,
    /// Where the clusters were.
    pub transport: Transport,
    /// Counted from 0.
    pub repetition: u32,
    /// The run seed.
    pub seed: u64,
    /// Runs that were timed.
    pub runs: u64,
    /// Playouts of all runs.
    pub playouts: u64,
    /// Of all runs.
    pub seconds: f64,
    /// Of one run in the mean.
    pub run_seconds: f64,
    /// The figure of merit.
    pub playouts_per_second: f64,
    /// Where the time went.
    pub shares: Shares,
    /// Over all results: equal settings must have equal ones.
    pub signature: String,
    /// The processor, or the model and the file it is from.
    pub machine: String,
    /// When and where it was taken. Samples of a model have nothing of it: they are the
    /// same whoever takes them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken: Option<Taken>,
    /// Of ruche.
    pub version: String,
    /// The command that takes this sample again.
    pub invocation: String,
}
