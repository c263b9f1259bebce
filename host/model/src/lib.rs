//! The MPPA-256 in virtual time.
//!
//! The search, the host's side of the connection, the I/O node and the cluster
//! kernel with its thread strategies are the real ones; what is modelled is the
//! machine below them: how long messages, wake-ups and gates take, and how cores
//! that wait slow down those that work. What a playout brings is found out by this
//! host, since it does not depend on who plays it; how long it takes follows from
//! the gates that it evaluates.
//!
//! | module | what it knows |
//! |---|---|
//! | [`parameters`] | the machine, from a documented file |
//! | `costs` | how long a ply takes |
//! | `oracle` | how playouts end |
//! | `world` | virtual time and coroutines |
//! | `cluster` | the kernel's machine, engine and link |
//! | `network` | I/O nodes and host |

mod cluster;
mod costs;
mod network;
mod oracle;
pub mod parameters;
mod world;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use ruche_clusters::several::share;
use ruche_clusters::{ConnectError, ConnectSettings, Remote, Several, Topology};
use ruche_game::Game;
use ruche_io_node::{IoNode, NodeSettings};
use ruche_offload::{Attributes, Batch, Finished, Offload, OffloadError, Usage};
use ruche_playouts::{PlayoutSettings, Playouts, PlayoutsError};
use ruche_runtime::cluster::serve;
use ruche_runtime::strategy::Strategy;
use ruche_shared::Image;
use ruche_shared::WordWidth;
use ruche_shared::wire::control::Mode;
use thiserror::Error;

use cluster::{Cluster, Common, CoreUsage, ModelEngine, ModelLink, ModelMachine};
pub use costs::evaluations;
use costs::{Costs, Team};
use network::{HostSide, IoSide, Network};
pub use oracle::Openings;
use oracle::Oracle;
pub use parameters::Parameters;
use world::{Event, Time, World};

/// What is modelled.
#[derive(Clone, Debug)]
pub struct Setup<'a> {
    /// The machine.
    pub parameters: &'a Parameters,
    /// Clusters, cores and strategy.
    pub topology: Topology,
    /// I/O nodes, which share the clusters.
    pub io_nodes: usize,
    /// The run seed.
    pub seed: u64,
    /// Cycles are multiplied by this, to stand for a larger circuit than ours.
    pub cost_factor: f64,
    /// Whether the host chooses positions by a search, which takes time.
    pub is_search: bool,
    /// Playouts from the initial position that are known already.
    pub openings: Arc<Openings>,
}

/// Why there is no model.
#[derive(Debug, Error)]
pub enum ModelError {
    /// The clusters refuse the game.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// This host cannot play it.
    #[error(transparent)]
    Playouts(#[from] PlayoutsError),
    /// The file of the machine says nothing about a strategy.
    #[error(
        "{machine} says nothing about the strategy {strategy}: add [strategy.{strategy}] to its \
         file"
    )]
    Strategy {
        /// The machine.
        machine: String,
        /// The strategy.
        strategy: Strategy,
    },
    /// More I/O nodes than clusters, or none.
    #[error("{io_nodes} I/O nodes for {clusters} clusters: each needs at least one")]
    IoNodes {
        /// I/O nodes that were asked for.
        io_nodes: usize,
        /// Clusters for them.
        clusters: usize,
    },
}

/// Where the time went since the start, in shares of the time of all cores.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TimeShares {
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

/// A modelled machine that is ready to play a game.
pub struct Model {
    remotes: Several<Remote<HostSide>>,
    network: Rc<Network>,
    threads: u32,
    /// When the clock was started.
    start: Time,
    /// The numbers of the first positions of batches under way.
    firsts: HashMap<u64, u64>,
}

impl Model {
    /// Sets up the machine and loads a game.
    ///
    /// # Errors
    /// If a cluster refuses the game, for instance because it does not fit.
    pub fn start(game: &Game, setup: &Setup<'_>) -> Result<Self, ModelError> {
        let Setup { topology, io_nodes, .. } = *setup;
        let clusters = topology.clusters;
        if io_nodes == 0 || io_nodes > clusters {
            return Err(ModelError::IoNodes { io_nodes, clusters });
        }
        let common = Rc::new(common(game, setup)?);
        let network = Rc::new(assemble(&common, setup));
        for (number, cluster) in network.clusters.iter().enumerate() {
            boot(&common, number, cluster);
        }
        let connect = |io: usize| {
            let side = HostSide { network: network.clone(), io };
            let clusters = share(clusters, io_nodes, io).len();
            let topology = Topology { clusters, deadline: NEVER, ..topology };
            let remote = Remote::connect(side, game, &ConnectSettings::new(topology, setup.seed))?;
            Ok((remote, clusters))
        };
        let remotes = match (0..io_nodes).map(connect).collect::<Result<Vec<_>, ConnectError>>() {
            Ok(remotes) => remotes,
            Err(error) => {
                // Who is connected has been told to stop; let it happen.
                while network.step() {}
                return Err(error.into());
            }
        };
        let width = remotes.first().map_or(topology.width, |(remote, _)| remote.attributes().width);
        common.costs.set(costs(game.image(), setup, width));
        Ok(Self {
            remotes: Several::new(remotes),
            network,
            threads: topology.threads,
            start: 0,
            firsts: HashMap::new(),
        })
    }

    /// Forgets what was before, and starts the clock.
    pub fn restart_clock(&mut self) {
        self.start = self.network.host_now();
        self.network.host_busy.set(0);
        self.network.clusters.iter().for_each(|cluster| cluster.usage.set(CoreUsage::default()));
    }

    /// The host's time since the clock was started.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        Duration::from_nanos(self.network.host_now() - self.start)
    }

    /// The word that the clusters use.
    #[must_use]
    pub fn width(&self) -> WordWidth {
        self.attributes().width
    }

    /// Where the time since the clock was started went.
    #[must_use]
    pub fn shares(&self) -> TimeShares {
        let clusters = self.network.clusters.len() as f64;
        let all = (self.network.host_now() - self.start).max(1) as f64;
        let usages = self.network.clusters.iter().map(|cluster| cluster.usage.get());
        let (mut busy, mut playing, mut handing_off) = (0.0, 0.0, 0.0);
        for usage in usages {
            busy += usage.busy as f64 / clusters;
            playing += usage.playing as f64 / clusters / f64::from(self.threads);
            handing_off += usage.handing_off as f64 / clusters / f64::from(self.threads);
        }
        let busy = busy.min(all);
        let host = (self.network.host_busy.get() as f64).min(all - busy);
        TimeShares {
            host: host / all,
            transfer: (all - busy - host) / all,
            hand_off: handing_off / all,
            playouts: playing / all,
            waiting: (busy - playing - handing_off).max(0.0) / all,
        }
    }
}

impl Offload for Model {
    fn attributes(&self) -> Attributes {
        self.remotes.attributes()
    }

    fn usage(&self) -> Usage {
        self.remotes.usage()
    }

    fn submit(&mut self, batch: Batch) -> Result<(), OffloadError> {
        self.firsts.insert(batch.number, batch.first);
        self.remotes.submit(batch)
    }

    fn collect(&mut self) -> Result<Finished, OffloadError> {
        let finished = self.remotes.collect()?;
        if let Some(first) = self.firsts.remove(&finished.number) {
            let count = finished.results.len() as u64;
            self.network.common.oracle.borrow_mut().forget(first, count);
        }
        Ok(finished)
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        // The remotes have told everybody to stop; let it happen.
        self.remotes = Several::new(Vec::new());
        while self.network.step() {}
    }
}

fn common(game: &Game, setup: &Setup<'_>) -> Result<Common, ModelError> {
    let topology = &setup.topology;
    let strategy = topology.strategy;
    let hand_off = *setup.parameters.hand_off(strategy).ok_or_else(|| {
        let machine = setup.parameters.name.clone();
        ModelError::Strategy { machine, strategy }
    })?;
    let settings = PlayoutSettings { seed: setup.seed, ..PlayoutSettings::default() };
    let playouts = Playouts::new(game, &settings)?;
    Ok(Common {
        world: World::new(),
        parameters: setup.parameters.clone(),
        hand_off,
        mode: topology.mode,
        costs: Cell::default(),
        oracle: RefCell::new(Oracle::new(playouts, setup.seed, setup.openings.clone())),
    })
}

/// What plies cost with words of this width.
fn costs(image: &Image<'_>, setup: &Setup<'_>, width: WordWidth) -> Costs {
    let topology = &setup.topology;
    let team = match topology.mode {
        Mode::Split => Team { cores: topology.threads, split_least: topology.split_least },
        Mode::PerCore | Mode::Empty => Team { cores: 1, split_least: u32::MAX },
    };
    Costs::new(image, setup.parameters, width.lanes(), setup.cost_factor, team)
}

fn assemble(common: &Rc<Common>, setup: &Setup<'_>) -> Network {
    let Setup { topology, io_nodes, .. } = setup;
    let cluster = |number| Rc::new(Cluster::new(common.clone(), number));
    let clusters = (0..topology.clusters).map(cluster).collect();
    let mut io_of = vec![0; topology.clusters];
    let ios = (0..*io_nodes).map(|io| {
        let range = share(topology.clusters, *io_nodes, io);
        io_of[range.clone()].fill(io);
        IoSide::new(IoNode::new(NodeSettings::new(range.len())), range.start)
    });
    let ios = ios.collect();
    Network::new(common.clone(), clusters, ios, io_of, setup.is_search)
}

/// Nobody dies in the model.
const NEVER: Duration = Duration::from_secs(u32::MAX as u64);

/// Starts the kernel of a cluster.
fn boot(common: &Rc<Common>, number: usize, cluster: &Rc<Cluster>) {
    let cluster = cluster.clone();
    let main = move || {
        let (machine, engine) = (ModelMachine(cluster.clone()), ModelEngine(cluster.clone()));
        let mut link = ModelLink::new(cluster);
        // That the I/O node is gone is an end like any other.
        let _ = serve(&machine, &engine, &mut link, &mut ruche_threads::memory());
    };
    let task = common.world.spawn(number, None, main);
    common.world.schedule(0, Event::Resume(task));
}
