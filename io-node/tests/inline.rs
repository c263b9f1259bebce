//! A node on its host's thread, and clusters on theirs.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use ruche_io_node::transport::faulty::{FakeCluster, fake_load, fake_work};
use ruche_io_node::transport::inproc::{self, ClusterEndpoint, InprocNetwork};
use ruche_io_node::transport::{Closed, Endpoint, Network, PeerEvent};
use ruche_io_node::{Inline, IoNode, NodeSettings, Peer, RunMode, frames};
use ruche_shared::wire::control::Sharing;
use ruche_shared::wire::{Frame, Header, Kind};

const ROLES: usize = 2;
const FLUENTS: usize = 40;

fn start(clusters: usize) -> (Inline<InprocNetwork>, Vec<ClusterEndpoint>) {
    let (network, endpoints) = inproc::clusters(clusters);
    (Inline::new(IoNode::new(NodeSettings::new(clusters)), network), endpoints)
}

fn load(clusters: u32, deadline: Duration) -> Vec<u8> {
    let sharing = Sharing { clusters, run_mode: RunMode::Sync, deadline };
    fake_load(1, 9, ROLES, FLUENTS, sharing)
}

fn work(batch: u64, count: u32) -> Vec<u8> {
    let header = Header { run: 1, batch, count, playouts: 7, ..Header::new(Kind::Work) };
    fake_work(header, batch << 20, FLUENTS)
}

/// Plays until it is stopped.
fn play(mut endpoint: ClusterEndpoint) {
    let mut cluster = FakeCluster::default();
    let _ = endpoint.send(FakeCluster::hello());
    while let Ok(Some(frame)) = endpoint.receive(None) {
        if let Some(answer) = cluster.answer(&frame) {
            let _ = endpoint.send(answer);
        }
    }
}

fn spawn(endpoints: Vec<ClusterEndpoint>) -> Vec<JoinHandle<()>> {
    endpoints.into_iter().map(|endpoint| thread::spawn(|| play(endpoint))).collect()
}

fn next_kind(host: &mut impl Endpoint) -> Kind {
    let bytes = host.receive(None).unwrap().expect("without a timeout there is a frame");
    Frame::parse(&bytes).unwrap().kind
}

#[test]
fn a_stopped_node_is_closed() {
    let (mut host, endpoints) = start(3);
    let clusters = spawn(endpoints);
    host.send(load(3, Duration::from_secs(60))).unwrap();
    assert_eq!(next_kind(&mut host), Kind::Ready);
    host.send(work(0, 300)).unwrap();
    assert_eq!(next_kind(&mut host), Kind::Done);
    host.send(frames::frame(Header::new(Kind::Stop), &[])).unwrap();
    assert_eq!(host.send(work(1, 1)), Err(Closed));
    assert_eq!(host.receive(None), Err(Closed));
    drop(host);
    clusters.into_iter().for_each(|cluster| cluster.join().unwrap());
}

#[test]
fn a_host_that_is_away_for_longer_than_a_deadline_does_not_blame_the_clusters() {
    let deadline = Duration::from_millis(50);
    let (mut host, endpoints) = start(2);
    let clusters = spawn(endpoints);
    host.send(load(2, deadline)).unwrap();
    assert_eq!(next_kind(&mut host), Kind::Ready);
    for batch in 0..3 {
        host.send(work(batch, 2)).unwrap();
        thread::sleep(2 * deadline);
        assert_eq!(next_kind(&mut host), Kind::Done);
    }
    drop(host);
    clusters.into_iter().for_each(|cluster| cluster.join().unwrap());
}

#[test]
fn a_wait_ends_with_its_timeout_and_deadlines_are_kept_while_it_lasts() {
    let (mut host, _silent) = start(1);
    assert_eq!(host.receive(Some(Duration::ZERO)), Ok(None));
    assert_eq!(host.receive(Some(Duration::from_millis(1))), Ok(None));
    host.send(load(1, Duration::from_millis(5))).unwrap();
    assert_eq!(next_kind(&mut host), Kind::Lost);
}

#[test]
fn when_all_clusters_are_gone_the_host_hears_so() {
    let (mut host, endpoints) = start(2);
    drop(endpoints);
    host.send(load(2, Duration::from_secs(60))).unwrap();
    assert_eq!(next_kind(&mut host), Kind::Lost);
    assert_eq!(next_kind(&mut host), Kind::Lost);
    host.send(work(0, 1)).unwrap();
    assert_eq!(next_kind(&mut host), Kind::Refused);
}

/// Clusters that answer when they are asked, of which one dies with two frames on their way
/// to it, and can be started again.
struct Mortal {
    clusters: [FakeCluster; 2],
    events: VecDeque<(Peer, PeerEvent)>,
    is_dead: bool,
    restarts: Arc<AtomicUsize>,
}

impl Mortal {
    fn new(restarts: Arc<AtomicUsize>) -> Self {
        let clusters = [FakeCluster::default(), FakeCluster::default()];
        let hello = |cluster| (Peer::Cluster(cluster), PeerEvent::Frame(FakeCluster::hello()));
        Self { clusters, events: [hello(0), hello(1)].into(), is_dead: false, restarts }
    }
}

impl Network for Mortal {
    fn send(&mut self, to: Peer, frame: Vec<u8>) -> Result<(), Closed> {
        let Peer::Cluster(cluster) = to else { return Ok(()) };
        let is_work = Frame::parse(&frame).unwrap().kind == Kind::Work;
        self.is_dead |= cluster == 0 && is_work && self.restarts.load(Relaxed) == 0;
        if cluster == 0 && self.is_dead {
            return Err(Closed);
        }
        let answer = self.clusters[cluster].answer(&frame);
        self.events.extend(answer.map(|answer| (to, PeerEvent::Frame(answer))));
        Ok(())
    }

    fn receive(&mut self, _: Option<Duration>) -> Result<Option<(Peer, PeerEvent)>, Closed> {
        Ok(self.events.pop_front())
    }

    fn restart(&mut self, cluster: usize) -> Result<(), Closed> {
        self.restarts.fetch_add(1, Relaxed);
        (self.is_dead, self.clusters[cluster]) = (false, FakeCluster::default());
        self.events.retain(|(peer, _)| *peer != Peer::Cluster(cluster));
        self.events.push_back((Peer::Cluster(cluster), PeerEvent::Frame(FakeCluster::hello())));
        Ok(())
    }
}

#[test]
fn a_cluster_with_two_frames_on_their_way_to_it_dies_once() {
    let restarts = Arc::new(AtomicUsize::new(0));
    let settings = NodeSettings { restarts: 1, part_positions: 8, ..NodeSettings::new(2) };
    let mut host = Inline::new(IoNode::new(settings), Mortal::new(restarts.clone()));
    host.send(load(2, Duration::from_secs(60))).unwrap();
    assert_eq!(next_kind(&mut host), Kind::Ready);
    host.send(work(0, 64)).unwrap();
    assert_eq!(next_kind(&mut host), Kind::Lost, "told once");
    assert_eq!(next_kind(&mut host), Kind::Done, "and played to the end");
    host.send(work(1, 64)).unwrap();
    assert_eq!(next_kind(&mut host), Kind::Done, "by both");
    assert_eq!(restarts.load(Relaxed), 1);
}
