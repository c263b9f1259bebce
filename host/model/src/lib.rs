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
//! | [`faults`] | what goes wrong, for simulations |

mod cluster;
mod costs;
pub mod faults;
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
use ruche_clusters::{ConnectError, ConnectSettings, Platform, Remote, Several, Topology};
use ruche_game::Game;
use ruche_io_node::{IoNode, NodeSettings};
use ruche_offload::{Attributes, Batch, Finished, Offload, OffloadError, Usage, VirtualTime};
use ruche_playouts::{PlayoutSettings, Playouts};
use ruche_shared::wire::control::Mode;
use ruche_shared::{Image, Transport, WordWidth};

use cluster::{Cluster, Common};
pub use costs::evaluations;
use costs::{Costs, Team};
use faults::Fate;
pub use faults::Misfortune;
use network::{HostSide, IoSide, Network};
pub use oracle::Openings;
use oracle::Oracle;
pub use parameters::Parameters;
use world::{Time, World};

/// A modelled machine, to be connected with. What a search or a study asks for beside
/// clusters and cores is said here.
#[derive(Clone, Debug)]
pub struct MachineModel<'a> {
    /// What it costs to do anything on it.
    pub parameters: &'a Parameters,
    /// I/O nodes, which share the clusters.
    pub io_nodes: usize,
    /// Cycles are multiplied by this, to stand for a larger circuit than ours.
    pub cost_factor: f64,
    /// Whether the host chooses positions by a search, which takes time.
    pub is_search: bool,
    /// Playouts from the initial position that are known already.
    pub openings: Arc<Openings>,
    /// What goes wrong, if anything does: then deadlines count, and virtual time says
    /// little about the machine.
    pub misfortune: Option<Misfortune>,
}

impl<'a> MachineModel<'a> {
    /// A machine with one I/O node that searches.
    #[must_use]
    pub fn new(parameters: &'a Parameters) -> Self {
        Self {
            parameters,
            io_nodes: 1,
            cost_factor: 1.0,
            is_search: true,
            openings: Arc::default(),
            misfortune: None,
        }
    }
}

impl Platform for MachineModel<'_> {
    fn transport(&self) -> Transport {
        Transport::Model
    }

    fn start(
        &self,
        game: &Game,
        settings: &ConnectSettings,
    ) -> Result<Box<dyn Offload>, ConnectError> {
        Ok(Box::new(Model::start(game, self, settings)?))
    }
}

/// A modelled machine that is ready to play a game.
struct Model {
    remotes: Several<Remote<HostSide>>,
    network: Rc<Network>,
    threads: u32,
    /// When the clock was started.
    start: Time,
    /// The numbers of the first positions of batches under way.
    firsts: HashMap<u64, u64>,
}

impl Model {
    /// Sets up the machine, loads a game, and starts the clock.
    fn start(
        game: &Game,
        machine: &MachineModel<'_>,
        settings: &ConnectSettings,
    ) -> Result<Self, ConnectError> {
        let io_nodes = machine.io_nodes;
        let width = settings.topology.width.min(WIDEST);
        let deadline = machine.misfortune.map_or(NEVER, |_| settings.topology.deadline);
        let topology = Topology { width, deadline, ..settings.topology };
        let clusters = topology.clusters;
        check(machine, settings)?;
        let common = Rc::new(common(game, machine, settings)?);
        let network = Rc::new(assemble(&common, machine, clusters));
        network.boot_all();
        let connect = |io: usize| {
            let side = HostSide { network: network.clone(), io };
            let clusters = share(clusters, io_nodes, io).len();
            let topology = Topology { clusters, ..topology };
            let settings = ConnectSettings { topology, ..settings.clone() };
            Ok((Remote::connect(side, game, &settings)?, clusters))
        };
        let remotes = match (0..io_nodes).map(connect).collect::<Result<Vec<_>, ConnectError>>() {
            Ok(remotes) => remotes,
            Err(error) => {
                // Who is connected has been told to stop; let it happen.
                network.wind_up();
                return Err(error);
            }
        };
        let width = remotes.first().map_or(topology.width, |(remote, _)| remote.attributes().width);
        common.costs.set(costs(game.image(), machine, &topology, width));
        let start = network.host_now();
        network.forget_usage();
        let (remotes, threads) = (Several::new(remotes), topology.threads);
        Ok(Self { remotes, network, threads, start, firsts: HashMap::new() })
    }

    /// How long it took, and where the time went.
    fn virtual_time(&self) -> VirtualTime {
        let elapsed = self.network.host_now() - self.start;
        let usages = self.network.usages();
        let (clusters, all) = (usages.len() as f64, elapsed.max(1) as f64);
        let (mut busy, mut playing, mut handing_off) = (0.0, 0.0, 0.0);
        for usage in usages {
            busy += usage.busy as f64 / clusters;
            playing += usage.playing as f64 / clusters / f64::from(self.threads);
            handing_off += usage.handing_off as f64 / clusters / f64::from(self.threads);
        }
        let busy = busy.min(all);
        let host = (self.network.host_busy.get() as f64).min(all - busy);
        VirtualTime {
            elapsed: Duration::from_nanos(elapsed),
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
        Usage { virtual_time: Some(self.virtual_time()), ..self.remotes.usage() }
    }

    fn submit(&mut self, batch: Batch) -> Result<(), OffloadError> {
        self.firsts.insert(batch.number, batch.first);
        self.remotes.submit(batch)
    }

    fn collect(&mut self) -> Result<Finished, OffloadError> {
        let finished = self.remotes.collect()?;
        // Where something goes wrong, somebody may still be at a part that others have
        // played.
        if let Some(first) = self.firsts.remove(&finished.number)
            && self.network.common.fate.is_none()
        {
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
        self.network.wind_up();
    }
}

/// What this machine cannot do.
fn check(machine: &MachineModel<'_>, settings: &ConnectSettings) -> Result<(), ConnectError> {
    let (clusters, io_nodes) = (settings.topology.clusters, machine.io_nodes);
    if io_nodes == 0 || io_nodes > clusters {
        return Err(ConnectError::IoNodes { io_nodes, clusters });
    }
    if !settings.deaths.is_empty() {
        return Err(ConnectError::Refused("in the model no cluster dies".to_owned()));
    }
    Ok(())
}

fn common(
    game: &Game,
    machine: &MachineModel<'_>,
    settings: &ConnectSettings,
) -> Result<Common, ConnectError> {
    let (strategy, parameters) = (settings.topology.strategy, machine.parameters);
    let hand_off = *parameters.hand_off(strategy).ok_or_else(|| {
        let machine = &parameters.name;
        ConnectError::Refused(format!(
            "{machine} says nothing about the strategy {strategy}: add [strategy.{strategy}] to \
             its file"
        ))
    })?;
    let (seed, ply_limit) = (settings.seed, settings.ply_limit);
    let playouts =
        Playouts::new(game, &PlayoutSettings { seed, ply_limit, ..PlayoutSettings::default() })?;
    Ok(Common {
        world: World::new(),
        parameters: parameters.clone(),
        hand_off,
        mode: settings.topology.mode,
        costs: Cell::default(),
        oracle: RefCell::new(Oracle::new(playouts, seed, machine.openings.clone())),
        fate: machine
            .misfortune
            .map(|misfortune| Fate::new(misfortune, settings.topology.clusters)),
    })
}

/// What plies cost with words of this width.
fn costs(
    image: &Image<'_>,
    machine: &MachineModel<'_>,
    topology: &Topology,
    width: WordWidth,
) -> Costs {
    let team = match topology.mode {
        Mode::Split => Team { cores: topology.threads, split_least: topology.split_least },
        Mode::PerCore | Mode::Empty => Team { cores: 1, split_least: u32::MAX },
    };
    Costs::new(image, machine.parameters, width.lanes(), machine.cost_factor, team)
}

fn assemble(common: &Rc<Common>, machine: &MachineModel<'_>, clusters: usize) -> Network {
    let cluster = |number| Rc::new(Cluster::new(common.clone(), number));
    let mut io_of = vec![0; clusters];
    let ios = (0..machine.io_nodes).map(|io| {
        let range = share(clusters, machine.io_nodes, io);
        io_of[range.clone()].fill(io);
        let restarts = machine.misfortune.map_or(0, |misfortune| misfortune.restarts);
        let settings = NodeSettings { restarts, ..NodeSettings::new(range.len()) };
        IoSide::new(IoNode::new(settings), range.start)
    });
    let ios = ios.collect();
    let clusters = (0..clusters).map(cluster).collect();
    Network::new(common.clone(), clusters, ios, io_of, machine.is_search)
}

/// The widest word that the cores of the model have.
pub const WIDEST: WordWidth = WordWidth::SixtyFour;

/// Nobody dies in the model.
const NEVER: Duration = Duration::from_secs(u32::MAX as u64);
