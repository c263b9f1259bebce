//! The I/O nodes and the host's connections to them, in virtual time.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use ruche_io_node::transport::{Closed, Endpoint};
use ruche_io_node::{IoNode, Peer};
use ruche_runtime::cluster::serve;
use ruche_shared::budget::TOTAL_BYTES;
use ruche_shared::wire::control::Mode;
use ruche_shared::wire::work::NUMBER_BYTES;
use ruche_shared::wire::{Header, Kind};
use ruche_threads::ClusterMemory;
use zerocopy::FromBytes;

use crate::cluster::{Cluster, Common, CoreUsage, ModelEngine, ModelLink, ModelMachine};
use crate::faults::Direction;
use crate::world::{Event, Pause, Time};

/// An I/O node with its clusters, which are numbered over all nodes.
pub(crate) struct IoSide {
    node: RefCell<IoNode>,
    first_cluster: usize,
    /// Until when its processor sets up connections and takes messages.
    busy_until: Cell<Time>,
    /// Until when its way to the clusters is taken.
    sending_until: Cell<Time>,
}

impl IoSide {
    pub fn new(node: IoNode, first_cluster: usize) -> Self {
        let node = RefCell::new(node);
        Self { node, first_cluster, busy_until: Cell::new(0), sending_until: Cell::new(0) }
    }

    /// The processor works for so long, as soon as it can. Returns when it is done.
    fn work(&self, now: Time, time: Time) -> Time {
        let done = self.busy_until.get().max(now) + time;
        self.busy_until.set(done);
        done
    }
}

/// Frames and when they came.
type Inbox = RefCell<VecDeque<(Time, Vec<u8>)>>;

/// The whole machine.
pub(crate) struct Network {
    pub common: Rc<Common>,
    /// Each in its present life.
    clusters: RefCell<Vec<Rc<Cluster>>>,
    pub ios: Vec<IoSide>,
    /// Which I/O node a cluster belongs to.
    pub io_of: Vec<usize>,
    /// What has come for the host from each I/O node.
    inboxes: Vec<Inbox>,
    /// How far the host is with what it does itself.
    host_now: Cell<Time>,
    /// Nanoseconds that the host was busy.
    pub host_busy: Cell<Time>,
    /// Whether positions are chosen by a search, which takes time.
    is_search: bool,
}

impl Network {
    pub fn new(
        common: Rc<Common>,
        clusters: Vec<Rc<Cluster>>,
        ios: Vec<IoSide>,
        io_of: Vec<usize>,
        is_search: bool,
    ) -> Self {
        let inboxes = ios.iter().map(|_| RefCell::default()).collect();
        let (host_now, host_busy) = (Cell::new(0), Cell::new(0));
        let clusters = RefCell::new(clusters);
        Self { common, clusters, ios, io_of, inboxes, host_now, host_busy, is_search }
    }

    /// How late it is for the host.
    pub fn host_now(&self) -> Time {
        self.host_now.get()
    }

    /// What was before is not counted.
    pub fn forget_usage(&self) {
        self.host_busy.set(0);
        let clusters = self.clusters.borrow();
        clusters.iter().for_each(|cluster| cluster.usage.set(CoreUsage::default()));
    }

    /// A cluster in its present life.
    fn cluster(&self, number: usize) -> Rc<Cluster> {
        self.clusters.borrow()[number].clone()
    }

    /// Where the time of the cores of each cluster went.
    pub fn usages(&self) -> Vec<CoreUsage> {
        self.clusters.borrow().iter().map(|cluster| cluster.usage.get()).collect()
    }

    /// Starts the kernel of all clusters.
    pub fn boot_all(&self) {
        let clusters = self.clusters.borrow().clone();
        clusters.iter().for_each(|cluster| boot(&self.common, cluster));
    }

    /// Lets everything come to its end. Who has not heard that it is over is cut off.
    pub fn wind_up(&self) {
        while self.step() {}
        let clusters = self.clusters.borrow().clone();
        clusters.iter().for_each(|cluster| cluster.die());
        while self.step() {}
    }

    /// Lets the next event happen; false if there is none.
    pub fn step(&self) -> bool {
        if let Some(fate) = &self.common.fate {
            fate.count_step();
            if self.tick() {
                return true;
            }
        }
        let Some(event) = self.common.world.next() else { return false };
        let now = self.common.world.now();
        match event {
            Event::Resume(task) => {
                let (cluster, pause) = self.common.world.resume(task);
                if pause != Some(Pause::Polling) && cluster < self.io_of.len() {
                    self.cluster(cluster).stir();
                }
            }
            Event::FromHost { io, frame } => {
                self.ios[io].node.borrow_mut().on_host(frame, Duration::from_nanos(now));
                self.send_out(io);
            }
            Event::FromCluster { cluster, frame } => {
                let time = self.common.parameters.io.receive_ns;
                let done = self.ios[self.io_of[cluster]].work(now, time);
                self.common.world.schedule(done, Event::Handle { cluster, frame });
            }
            Event::Handle { cluster, frame } => {
                let (io, now) = (self.io_of[cluster], Duration::from_nanos(now));
                let local = cluster - self.ios[io].first_cluster;
                self.ios[io].node.borrow_mut().on_cluster(local, &frame, now);
                self.send_out(io);
            }
            Event::ToCluster { cluster, frame } => self.cluster(cluster).deliver(frame),
            Event::Alarm { cluster, waiter } => self.cluster(cluster).look_up(waiter),
            Event::ToHost { io, frame } => self.inboxes[io].borrow_mut().push_back((now, frame)),
        }
        true
    }

    /// Sends what the I/O node has to say. While one message is on its way, the
    /// connection for the next is set up.
    fn send_out(&self, io: usize) {
        let (side, world) = (&self.ios[io], &self.common.world);
        let (parameters, now) = (&self.common.parameters, self.common.world.now());
        loop {
            self.restart(io);
            let next = side.node.borrow_mut().outbox().pop();
            let Some((peer, frame)) = next else { break };
            match peer {
                Peer::Host => {
                    let sent = side.work(now, parameters.pcie.occupied(frame.len()));
                    let arrival = sent + parameters.pcie.latency_ns;
                    world.schedule(arrival, Event::ToHost { io, frame });
                }
                Peer::Cluster(local) => {
                    let connected = side.work(now, parameters.io.connect_ns);
                    let start = side.sending_until.get().max(connected);
                    let sent = start + parameters.noc.occupied(frame.len());
                    side.sending_until.set(sent);
                    let (arrival, cluster) =
                        (sent + parameters.noc.latency_ns, side.first_cluster + local);
                    self.forward(io, cluster, arrival, frame);
                }
            }
        }
    }

    /// A frame goes to a cluster, which may be its death.
    fn forward(&self, io: usize, cluster: usize, arrival: Time, frame: Vec<u8>) {
        let world = &self.common.world;
        let Some(fate) = &self.common.fate else {
            return world.schedule(arrival, Event::ToCluster { cluster, frame });
        };
        let known = self.cluster(cluster);
        if known.dies_of_frame() {
            known.die();
            if fate.is_noticed() {
                let side = &self.ios[io];
                let now = Duration::from_nanos(world.now());
                let local = cluster - side.first_cluster;
                side.node.borrow_mut().on_gone(local, "it was switched off", now);
            }
        }
        for (arrival, frame) in fate.pass(cluster, Direction::ToCluster, arrival, frame) {
            world.schedule(arrival, Event::ToCluster { cluster, frame });
        }
    }

    /// Starts clusters again that the I/O node wants back.
    fn restart(&self, io: usize) {
        let side = &self.ios[io];
        while let Some(local) = { side.node.borrow_mut().next_restart() } {
            let number = side.first_cluster + local;
            self.cluster(number).die();
            let cluster = Rc::new(Cluster::new(self.common.clone(), number));
            self.clusters.borrow_mut()[number] = cluster.clone();
            boot(&self.common, &cluster);
        }
    }

    /// Lets the deadline pass that is next, if nothing else happens before it. The books of
    /// the I/O nodes are looked at whenever something happens.
    ///
    /// # Panics
    /// If they are wrong.
    fn tick(&self) -> bool {
        let mut next: Option<(Duration, usize)> = None;
        for (io, side) in self.ios.iter().enumerate() {
            let node = side.node.borrow();
            if let Err(why) = node.audit() {
                panic!("I/O node {io}: {why}");
            }
            let deadline = node.next_deadline().filter(|_| !node.is_stopped());
            next = next.into_iter().chain(deadline.map(|deadline| (deadline, io))).min();
        }
        let Some((deadline, io)) = next else { return false };
        let time = deadline.as_nanos() as Time;
        if self.common.world.next_time().is_some_and(|event| event <= time) {
            return false;
        }
        self.common.world.pass_time(time);
        self.ios[io].node.borrow_mut().on_tick(deadline);
        self.send_out(io);
        true
    }

    /// The host sends a frame, after it has found the positions that are in it.
    fn send(&self, io: usize, frame: Vec<u8>) -> Result<(), Closed> {
        if let Ok((header, payload)) = Header::read_from_prefix(&frame)
            && header.kind() == Ok(Kind::Work)
        {
            if self.common.mode != Mode::Empty {
                self.foresee(&header, payload)?;
            }
            if self.is_search {
                let time = self.common.parameters.host.select_ns * u64::from(header.count);
                self.host_now.set(self.host_now() + time);
                self.host_busy.set(self.host_busy.get() + time);
            }
        }
        let pcie = &self.common.parameters.pcie;
        let arrival = self.host_now() + pcie.latency_ns + pcie.occupied(frame.len());
        self.common.world.schedule(arrival, Event::FromHost { io, frame });
        Ok(())
    }

    fn foresee(&self, header: &Header, payload: &[u8]) -> Result<(), Closed> {
        let mut oracle = self.common.oracle.borrow_mut();
        // A vector of bytes need not be aligned for words.
        let (number, positions) = payload.split_at_checked(NUMBER_BYTES).ok_or(Closed)?;
        let number = u64::read_from_bytes(number).map_err(|_| Closed)?;
        let positions: Vec<u32> = positions
            .chunks_exact(size_of::<u32>())
            .map(|bytes| u32::from_ne_bytes(bytes.try_into().unwrap_or_default()))
            .collect();
        oracle.foresee(number, &positions, header.playouts).map_err(|_| Closed)
    }
}

/// Starts the kernel of a cluster.
fn boot(common: &Rc<Common>, cluster: &Rc<Cluster>) {
    let (number, cluster) = (cluster.number(), cluster.clone());
    let main = move || {
        let (machine, engine) = (ModelMachine(cluster.clone()), ModelEngine(cluster.clone()));
        let mut link = ModelLink::new(cluster);
        let mut memory = ClusterMemory::new(TOTAL_BYTES);
        // That the I/O node is gone is an end like any other.
        let _ = serve(&machine, &engine, &mut link, memory.games());
    };
    let task = common.world.spawn(number, None, main);
    common.world.schedule(common.world.now(), Event::Resume(task));
}

/// The host's end of the connection to an I/O node.
pub(crate) struct HostSide {
    pub network: Rc<Network>,
    pub io: usize,
}

// SAFETY: an endpoint may be moved to another thread. This one is owned by a
// `Model`, which is not `Send`, and is never given away.
unsafe impl Send for HostSide {}

impl Endpoint for HostSide {
    fn send(&mut self, frame: Vec<u8>) -> Result<(), Closed> {
        self.network.send(self.io, frame)
    }

    fn receive(&mut self, _timeout: Option<Duration>) -> Result<Option<Vec<u8>>, Closed> {
        loop {
            let arrived = self.network.inboxes[self.io].borrow_mut().pop_front();
            if let Some((time, frame)) = arrived {
                self.network.host_now.set(self.network.host_now().max(time));
                return Ok(Some(frame));
            }
            if !self.network.step() {
                return Err(Closed);
            }
        }
    }
}
