//! The arguments of `ruche search`.

use std::path::PathBuf;
use std::thread::available_parallelism;
use std::time::Duration;

use ruche_clusters::{Death, Topology};
use ruche_game::PlayoutPolicy;
use ruche_io_node::RunMode;
use ruche_playouts::EngineChoice;
use ruche_runtime::strategy::Strategy;
use ruche_search::quantity::{count, megabytes, seconds};
use ruche_search::{
    Decompose, Limits, Merge, Method, Order, Proofs, SearchOptions, SearchSettings,
};
use ruche_shared::budget::CORES;
use ruche_shared::names::Named;
use ruche_shared::wire::control::Mode;
use ruche_shared::{Transport, WordWidth};

use super::page::{PageArguments, PageCommand};
use super::{Format, named, parse_bytes};

pub const HELP: &str = "\
The search owns a tree; positions go in batches through an I/O node to clusters, whose \
cores play random games and return the scores. What is found depends on the game, the \
seed and the settings of the search, never on clusters, threads, strategy or transport.

Under mpirun, rank 0 is the host, rank 1 the I/O node and every other rank a cluster.

Examples:
  ruche search breakthrough --seconds 3
  ruche search breakthrough --seconds 60 --page    a page that shows it while it runs
  ruche search connectfour --playouts 200000 --clusters 2 --threads 1
  ruche search tictactoe --moves '(mark 2 2) noop; noop (mark 1 1)'
  ruche search hex --clusters 16 --threads 16 --strategy restart --json
  mpirun -n 18 ruche search breakthrough --threads 2
  ruche search breakthrough --transport board --clusters 2 --threads 16
  ruche search breakthrough --transport model --clusters 16 --threads 16";

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Search")]
pub struct SearchArguments {
    /// A bundled game, a .kif file or an image
    #[arg(help_heading = None)]
    game: String,
    /// Moves from the initial position on, such as '(mark 1 1) noop; noop (mark 2 2)'; a
    /// single move is enough where the other roles have no choice
    #[arg(long, value_name = "JOINT; JOINT; …", default_value = "")]
    moves: String,
    /// How to search
    #[arg(long, value_name = "METHOD", default_value_t, value_parser = named::<Method>(Method::ALL))]
    method: Method,
    /// Stop after so many playouts [default: 100000]
    #[arg(long, value_name = "N", value_parser = count::<u64>("playouts", 0..=u64::MAX))]
    playouts: Option<u64>,
    /// Stop after so many seconds instead
    #[arg(long, value_name = "S", conflicts_with = "playouts", value_parser = seconds)]
    seconds: Option<Duration>,
    /// The run seed
    #[arg(long, value_name = "X", default_value_t = 0)]
    seed: u64,
    /// Leaves in a batch
    #[arg(long, value_name = "N", default_value_t = SearchOptions::default().batch,
          value_parser = count::<usize>("leaves", 0..=u64::MAX))]
    batch: usize,
    /// Playouts from each leaf
    #[arg(long, value_name = "K", default_value_t = SearchOptions::default().playouts_per_position,
          value_parser = count::<u32>("playouts", 0..=u64::MAX))]
    playouts_per_position: u32,
    /// Batches under way at the same time
    #[arg(long, value_name = "N", default_value_t = SearchOptions::default().in_flight,
          value_parser = count::<usize>("batches", 0..=u64::MAX))]
    in_flight: usize,
    /// In which order results enter the tree; with arrival no two runs are alike
    #[arg(long, value_name = "ORDER", default_value_t, value_parser = named::<Order>(Order::ALL))]
    order: Order,
    /// The weight of exploration, for leaves: a leaf with many playouts counts as one look
    #[arg(long, value_name = "C", default_value_t = SearchOptions::default().exploration)]
    exploration: f64,
    /// Leaves that what a move has brought in other positions counts as before it is tried;
    /// 0: each move is tried before any is tried twice
    #[arg(long, value_name = "LEAVES", default_value_t = SearchOptions::default().prior)]
    prior: f64,
    /// Whether to find out what is proven: what follows from the ends of the game
    #[arg(long, value_name = "PROOFS", default_value_t, value_parser = named::<Proofs>(Proofs::ALL))]
    proofs: Proofs,
    /// Whether to use games inside the game: a sum of impartial games, such as Nim, is solved
    /// without a search
    #[arg(long, value_name = "DECOMPOSE", default_value_t, value_parser = named::<Decompose>(Decompose::ALL))]
    decompose: Decompose,
    /// Trees of the method root, each with a thread of its own
    #[arg(long, value_name = "N", default_value_t = SearchOptions::default().trees)]
    trees: usize,
    /// What the trees of the method root say together
    #[arg(long, value_name = "MERGE", default_value_t, value_parser = named::<Merge>(Merge::ALL))]
    merge: Merge,
    /// How playouts choose their moves; tactical where roles take turns and the rules allow
    /// to see ahead, else uniform
    #[arg(long, value_name = "POLICY", default_value_t, value_parser = named::<PlayoutPolicy>(PlayoutPolicy::ALL))]
    policy: PlayoutPolicy,
    /// Memory of the tree; at the limit what few playouts went through makes room
    #[arg(long, value_name = "MB", default_value_t = SearchOptions::default().memory >> 20,
          value_parser = megabytes)]
    memory: u64,
    /// Recompute this share of all batches with the one-lane kernel and fail on a
    /// difference
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = parse_share)]
    check: f64,

    /// Where the playouts are played; mpi under mpirun, else inproc
    #[arg(long, value_name = "TRANSPORT", help_heading = "Machine",
          value_parser = named::<Transport>(Transport::ALL))]
    transport: Option<Transport>,
    /// The modelled machine, a TOML file [default: the MPPA-256; docs/model.md]
    #[arg(long, value_name = "FILE", help_heading = "Machine")]
    machine: Option<PathBuf>,
    /// Clusters [default: 1, or as many as it takes to use all processors]; under MPI there
    /// is one for each rank from 2 on
    #[arg(long, value_name = "C", help_heading = "Machine",
          value_parser = count::<usize>("clusters", 1..=4096))]
    clusters: Option<usize>,
    /// Cores of each cluster that play, 1 to 16 [default: all processors, where clusters are
    /// threads of this process; elsewhere 1]
    #[arg(long, value_name = "T", help_heading = "Machine",
          value_parser = count::<u32>("threads", 1..=16))]
    threads: Option<u32>,
    /// How a cluster hands work to its cores
    #[arg(long, value_name = "STRATEGY", default_value_t, help_heading = "Machine",
          value_parser = named::<Strategy>(Strategy::ALL))]
    strategy: Strategy,
    /// How the cores of a cluster share the work
    #[arg(long, value_name = "MODE", default_value_t = Mode::PerCore, help_heading = "Machine",
          value_parser = named::<Mode>(&[Mode::PerCore, Mode::Split]))]
    mode: Mode,
    /// The widest word to use; the widest that fits is taken
    #[arg(long, value_name = "LANES", help_heading = "Machine")]
    word: Option<WordWidth>,
    /// What evaluates the gates
    #[arg(long, value_name = "ENGINE", default_value_t, help_heading = "Machine",
          value_parser = named::<EngineChoice>(EngineChoice::ALL))]
    engine: EngineChoice,
    /// Whether the results of a run return together, or as they come; async if several
    /// batches are in flight
    #[arg(long, value_name = "RUN_MODE", help_heading = "Machine",
          value_parser = named::<RunMode>(RunMode::ALL))]
    run_mode: Option<RunMode>,
    /// A cluster that is silent for so many seconds is taken for dead [default: 8; 120 on
    /// emulated boards]
    #[arg(long, value_name = "S", help_heading = "Machine", value_parser = seconds)]
    deadline: Option<Duration>,
    /// In split mode, strata of fewer gates are not split
    #[arg(long, value_name = "GATES", help_heading = "Machine",
          default_value_t = ruche_clusters::topology::DEFAULT_SPLIT_LEAST,
          value_parser = count::<u32>("gates", 0..=u64::MAX))]
    split_least: u32,
    /// Memory of each cluster in bytes, where clusters are threads or ranks; K and M stand
    /// for KiB and MiB [default: 2M]
    #[arg(long, value_name = "BYTES", help_heading = "Machine", value_parser = parse_budget)]
    budget: Option<u64>,
    /// Let a cluster die before it sends frame N, or a board before it is sent that, to see
    /// what happens
    #[arg(long, value_name = "CLUSTER@N", help_heading = "Machine", value_parser = parse_death)]
    kill: Vec<Death>,

    /// Write a timeline that chrome://tracing or Perfetto opens
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    trace: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long, help_heading = "Output")]
    json: bool,
    #[command(flatten, next_help_heading = "Page")]
    page: PageArguments,
}

/// The kernel's own share fits into the least; a game that needs more than the most has no
/// image.
fn parse_budget(text: &str) -> Result<u64, String> {
    let bytes = parse_bytes(text)?;
    match (512 << 10..=1 << 30).contains(&bytes) {
        true => Ok(bytes),
        false => Err("a cluster has 512K to 1024M".to_owned()),
    }
}

fn parse_share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "give a share from 0 to 1, such as 0.2".to_owned())
}

fn parse_death(text: &str) -> Result<Death, String> {
    let death = text.split_once('@').and_then(|(cluster, after)| {
        Some(Death { cluster: cluster.parse().ok()?, after: after.parse().ok()? })
    });
    death.ok_or_else(|| "give a cluster and a number of frames, such as 1@5".to_owned())
}

/// What `ruche search` shall do.
#[derive(Debug, PartialEq)]
pub struct SearchCommand {
    /// A name or a path.
    pub game: String,
    /// Joint moves from the initial position on.
    pub moves: String,
    /// By which method.
    pub method: Method,
    /// How to search.
    pub settings: SearchSettings,
    /// How long.
    pub limits: Limits,
    /// The run seed.
    pub seed: u64,
    /// The share of batches that is recomputed.
    pub check: f64,
    /// Where playouts are played, if that was said.
    pub transport: Option<Transport>,
    /// The modelled machine, if not the MPPA-256.
    pub machine: Option<PathBuf>,
    /// On which clusters.
    pub topology: Topology,
    /// What evaluates the gates.
    pub engine: EngineChoice,
    /// Clusters that shall die.
    pub deaths: Vec<Death>,
    /// Where to write a timeline.
    pub trace: Option<PathBuf>,
    /// Where to show it.
    pub page: Option<PageCommand>,
    /// How to print the result.
    pub format: Format,
}

impl SearchArguments {
    fn options(&self) -> SearchOptions {
        SearchOptions {
            batch: self.batch,
            playouts_per_position: self.playouts_per_position,
            in_flight: self.in_flight,
            order: self.order,
            exploration: self.exploration,
            prior: self.prior,
            proofs: self.proofs,
            decompose: self.decompose,
            trees: self.trees,
            merge: self.merge,
            policy: self.policy,
            memory: self.memory.saturating_mul(1 << 20),
        }
    }

    fn limits(&self) -> Limits {
        match (self.seconds, self.playouts) {
            (Some(time), _) => Limits::time(time),
            (None, Some(playouts)) => Limits::playouts(playouts),
            (None, None) => Limits::default(),
        }
    }

    /// Processors that are there for clusters. Ranks share machines nobody knows here,
    /// emulated and modelled cores are none of them.
    fn processors(&self) -> usize {
        let is_launched = ruche_mpi::launch::rank_of_environment().is_some();
        match self.transport {
            None if is_launched => 1,
            None | Some(Transport::Inproc) => available_parallelism().map_or(1, usize::from),
            Some(_) => 1,
        }
    }

    fn topology(&self) -> Topology {
        let usual = Topology::default();
        let (clusters, threads) = size(self.clusters, self.threads, self.processors());
        Topology {
            clusters,
            threads,
            strategy: self.strategy,
            mode: self.mode,
            width: self.word.unwrap_or(usual.width),
            run_mode: self.run_mode.unwrap_or(RunMode::usual(self.in_flight)),
            deadline: self.deadline.unwrap_or(match self.transport {
                Some(Transport::Board) => crate::board::DEADLINE,
                _ => usual.deadline,
            }),
            split_least: self.split_least,
            memory: self.budget.unwrap_or(usual.memory),
        }
    }
}

/// Clusters and their cores: what was asked for, and for the rest as many as it takes to
/// use all processors once. The host needs none for itself: it works while clusters wait
/// for it, and two threads on two processors are faster than one (docs/offload.md).
pub(super) fn size(
    clusters: Option<usize>,
    threads: Option<u32>,
    processors: usize,
) -> (usize, u32) {
    let cores = CORES as usize;
    let clusters = clusters.unwrap_or(match threads {
        Some(_) => 1,
        None => processors.div_ceil(cores),
    });
    let share = (processors / clusters).clamp(1, cores);
    (clusters, threads.unwrap_or(share as u32))
}

/// Refuses another memory where clusters have a fixed one, or are none.
fn check_budget(arguments: &SearchArguments) -> Result<(), String> {
    match arguments.transport {
        _ if arguments.budget.is_none() => Ok(()),
        None | Some(Transport::Inproc | Transport::Mpi) => Ok(()),
        Some(Transport::Direct) => {
            Err("--budget is for clusters, and --transport direct has none".to_owned())
        }
        Some(fixed @ (Transport::Board | Transport::Model)) => {
            Err(format!("--budget: clusters of --transport {fixed} have 2 MB"))
        }
    }
}

impl TryFrom<SearchArguments> for SearchCommand {
    type Error = String;

    fn try_from(arguments: SearchArguments) -> Result<Self, String> {
        let (options, topology) = (arguments.options(), arguments.topology());
        if let Some(death) = arguments.kill.iter().find(|death| death.cluster >= topology.clusters)
        {
            let (cluster, clusters) = (death.cluster, topology.clusters);
            return Err(format!("--kill {cluster}: there are clusters 0 to {}", clusters - 1));
        }
        if arguments.machine.is_some() && arguments.transport != Some(Transport::Model) {
            return Err("--machine is for --transport model".to_owned());
        }
        check_budget(&arguments)?;
        Ok(Self {
            settings: options.check().map_err(|error| error.to_string())?,
            limits: arguments.limits().check().map_err(|error| error.to_string())?,
            method: arguments.method,
            topology,
            game: arguments.game,
            moves: arguments.moves,
            seed: arguments.seed,
            check: arguments.check,
            transport: arguments.transport,
            machine: arguments.machine,
            engine: arguments.engine,
            deaths: arguments.kill,
            trace: arguments.trace,
            page: arguments.page.command(),
            format: Format::of(arguments.json),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_processors_are_used_once_unless_it_is_said_otherwise() {
        let found = |clusters, threads| {
            [1, 2, 12, 16, 17, 64, 100].map(|processors| size(clusters, threads, processors))
        };
        let all = [(1, 1), (1, 2), (1, 12), (1, 16), (2, 8), (4, 16), (7, 14)];
        assert_eq!(found(None, None), all);
        assert_eq!(found(None, Some(1)), [(1, 1); 7], "as it was asked for");
        assert_eq!(found(Some(4), Some(3)), [(4, 3); 7]);
        let four = [(4, 1), (4, 1), (4, 3), (4, 4), (4, 4), (4, 16), (4, 16)];
        assert_eq!(found(Some(4), None), four);
    }
}
