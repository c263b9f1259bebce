//! A node on a table: the test plays host and clusters, and says what time it is.
#![allow(dead_code, reason = "each test file uses its own share")]

use std::time::Duration;

use ruche_io_node::transport::faulty::{FakeCluster, expected_result, fake_load, fake_work};
use ruche_io_node::{IoNode, NodeSettings, Peer, RunMode};
use ruche_shared::wire::control::{self, Loss, Ready, Refusal, Sharing};
use ruche_shared::wire::results::{self, Columns};
use ruche_shared::wire::{Frame, Header, Kind};

pub const SEED: u64 = 42;
pub const ROLES: usize = 2;
pub const FLUENTS: usize = 40;
pub const DEADLINE: Duration = Duration::from_millis(100);

/// What the host was told.
#[derive(Debug, PartialEq)]
pub enum Told {
    Ready(u32, Ready),
    Refused { run: u32, batch: u64, cluster: Option<u32>, text: String },
    Done { batch: u64, first: u32, results: Vec<Vec<u64>> },
    Lost { cluster: u32, left: u32, text: String },
}

pub struct Table {
    pub node: IoNode,
    pub clusters: Vec<FakeCluster>,
    pub now: Duration,
    /// Frames of the node to each cluster that it has not answered.
    pub inboxes: Vec<Vec<Vec<u8>>>,
    /// How games are shared.
    pub sharing: Sharing,
    told: Vec<Told>,
}

impl Table {
    pub fn new(clusters: usize, run_mode: RunMode) -> Self {
        Self::with(NodeSettings::new(clusters), run_mode)
    }

    pub fn with(settings: NodeSettings, run_mode: RunMode) -> Self {
        let clusters = settings.clusters as u32;
        Self {
            sharing: Sharing { clusters, run_mode, deadline: DEADLINE },
            node: IoNode::new(settings),
            clusters: vec![FakeCluster::default(); settings.clusters],
            now: Duration::ZERO,
            inboxes: vec![Vec::new(); settings.clusters],
            told: Vec::new(),
        }
    }

    /// A table whose clusters are ready to play run 1.
    pub fn ready(clusters: usize, run_mode: RunMode) -> Self {
        let mut table = Self::new(clusters, run_mode);
        table.get_ready();
        table
    }

    /// All clusters report, and load run 1.
    pub fn get_ready(&mut self) {
        (0..self.clusters.len()).for_each(|cluster| self.hello(cluster));
        self.load(1);
        self.play_all();
        assert!(matches!(self.told()[..], [Told::Ready(1, _)]));
    }

    pub fn host(&mut self, frame: Vec<u8>) {
        self.node.on_host(frame, self.now);
        self.sort();
    }

    pub fn cluster(&mut self, cluster: usize, frame: &[u8]) {
        self.node.on_cluster(cluster, frame, self.now);
        self.sort();
    }

    pub fn gone(&mut self, cluster: usize) {
        self.node.on_gone(cluster, "it was switched off", self.now);
        self.sort();
    }

    /// Lets the next deadline pass.
    pub fn miss(&mut self) {
        self.now = self.node.next_deadline().expect("somebody is awaited");
        self.node.on_tick(self.now);
        self.sort();
    }

    pub fn hello(&mut self, cluster: usize) {
        self.cluster(cluster, &FakeCluster::hello());
    }

    pub fn load(&mut self, run: u32) {
        self.host(self.load_frame(run, SEED));
    }

    pub fn load_frame(&self, run: u32, seed: u64) -> Vec<u8> {
        fake_load(run, seed, ROLES, FLUENTS, self.sharing)
    }

    pub fn work(&mut self, batch: u64, count: u32) {
        self.host(work(1, batch, count));
    }

    /// What a cluster answers to the oldest frame that it has.
    pub fn answer(&mut self, cluster: usize) -> Vec<u8> {
        let frame = self.inboxes[cluster].remove(0);
        self.clusters[cluster].answer(&frame).expect("an answer")
    }

    /// Lets a cluster answer the oldest frame that it has.
    pub fn play(&mut self, cluster: usize) {
        let answer = self.answer(cluster);
        self.cluster(cluster, &answer);
    }

    /// Lets clusters answer until they have nothing more to do.
    pub fn play_all(&mut self) {
        while let Some(cluster) = self.inboxes.iter().position(|inbox| !inbox.is_empty()) {
            self.play(cluster);
        }
    }

    /// What the host was told since the last time.
    pub fn told(&mut self) -> Vec<Told> {
        std::mem::take(&mut self.told)
    }

    /// Headers of the frames that a cluster has not answered.
    pub fn inbox(&self, cluster: usize) -> Vec<Header> {
        self.inboxes[cluster].iter().map(|frame| Frame::parse(frame).unwrap().header).collect()
    }

    fn sort(&mut self) {
        while let Some((peer, frame)) = self.node.outbox().pop() {
            match peer {
                Peer::Host => self.told.push(tell(&frame)),
                Peer::Cluster(cluster) => self.inboxes[cluster].push(frame),
            }
        }
    }
}

/// A batch of positions that are numbered from 1000 times its own number.
pub fn work(run: u32, batch: u64, count: u32) -> Vec<u8> {
    let header = Header { run, batch, count, playouts: 10, ..Header::new(Kind::Work) };
    fake_work(header, batch * 1000, FLUENTS)
}

/// The right results of such a batch.
pub fn right(batch: u64, range: std::ops::Range<u64>) -> Vec<Vec<u64>> {
    range.map(|at| expected_result(SEED, batch * 1000 + at, 10, ROLES, FLUENTS)).collect()
}

/// The whole batch as it should be told.
pub fn whole(batch: u64, count: u64) -> Told {
    Told::Done { batch, first: 0, results: right(batch, 0..count) }
}

fn tell(frame: &[u8]) -> Told {
    let Frame { header, kind, payload } = Frame::parse(frame).expect("a sound frame");
    match kind {
        Kind::Ready => Told::Ready(header.run, control::unpack(payload, kind).unwrap()),
        Kind::Refused => {
            let Refusal { cluster, text } = control::unpack(payload, kind).unwrap();
            let Header { run, batch, .. } = header;
            Told::Refused { run, batch, cluster, text: text.to_string() }
        }
        Kind::Done => {
            let numbers =
                results::parse(&header, payload, Columns::of_roles(ROLES)).expect("sound results");
            let results = numbers.chunks(Columns::of_roles(ROLES).numbers());
            let results = results.map(|result| result.iter().map(|it| it.get()).collect());
            Told::Done { batch: header.batch, first: header.first, results: results.collect() }
        }
        Kind::Lost => {
            let Loss { cluster, left, text } = control::unpack(payload, kind).unwrap();
            Told::Lost { cluster, left, text: text.to_string() }
        }
        kind => panic!("an I/O node does not send {kind:?} to the host"),
    }
}
