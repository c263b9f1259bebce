//! How long an empty run takes: 256 positions of 250 bytes from the host through
//! the I/O node to clusters that play nothing, and the results back.
//!
//! The bar of the project is 100 µs in the median. Everything is counted that a
//! real run does beside playing: frames are put together, sealed, checked, cut and
//! gathered.

use std::hint::black_box;
use std::thread::JoinHandle;
use std::time::Duration;

use divan::Bencher;
use divan::counter::ItemsCount;
use ruche_io_node::transport::Endpoint;
use ruche_io_node::transport::faulty::{FakeCluster, fake_load};
use ruche_io_node::transport::inproc::{self, ClusterEndpoint, HostEndpoint};
use ruche_io_node::{IoNode, NodeSettings, RunMode, Statistics, frames, serve};
use ruche_shared::wire::control::Sharing;
use ruche_shared::wire::results::Columns;
use ruche_shared::wire::{Frame, Header, Kind};
use zerocopy::IntoBytes;

const POSITIONS: usize = 256;
const FLUENTS: usize = 2000;
const ROLES: usize = 2;
/// Of its results.
const COLUMNS: Columns = Columns::of_roles(ROLES);

fn main() {
    divan::main();
}

#[divan::bench(args = [1, 2, 4, 16], sample_count = 2000)]
fn synchronous(bencher: Bencher, clusters: usize) {
    round_trip(bencher, clusters, RunMode::Sync);
}

#[divan::bench(args = [1, 2, 4, 16], sample_count = 2000)]
fn asynchronous(bencher: Bencher, clusters: usize) {
    round_trip(bencher, clusters, RunMode::Async);
}

/// One direction without anybody between: what waking a thread costs.
#[divan::bench(sample_count = 2000)]
fn nothing_but_four_hops(bencher: Bencher) {
    let (mut host, mut network, clusters) = inproc::network(1);
    let relay = std::thread::spawn(move || {
        use ruche_io_node::Peer;
        use ruche_io_node::transport::{Network, PeerEvent};
        while let Ok(Some((from, PeerEvent::Frame(frame)))) = network.receive(None) {
            let to = if from == Peer::Host { Peer::Cluster(0) } else { Peer::Host };
            let _ = network.send(to, frame);
        }
    });
    let echoes: Vec<_> = clusters
        .into_iter()
        .map(|mut cluster| {
            std::thread::spawn(move || {
                while let Ok(Some(frame)) = cluster.receive(None) {
                    let _ = cluster.send(frame);
                }
            })
        })
        .collect();
    bencher.bench_local(|| {
        host.send(vec![0; 8]).expect("there is a relay");
        host.receive(None).expect("there is a relay")
    });
    drop(host);
    relay.join().expect("the relay ends");
    echoes.into_iter().for_each(|echo| echo.join().expect("an echo ends"));
}

fn round_trip(bencher: Bencher, clusters: usize, run_mode: RunMode) {
    let mut machine = Machine::start(clusters, run_mode);
    let positions = vec![0_u32; POSITIONS * FLUENTS.div_ceil(32)];
    let mut batch = 0;
    bencher.counter(ItemsCount::new(POSITIONS)).bench_local(|| {
        batch += 1;
        machine.run(batch, &positions)
    });
    machine.stop();
}

/// An I/O node and its clusters, each a thread.
struct Machine {
    host: HostEndpoint,
    node: JoinHandle<Statistics>,
    clusters: Vec<JoinHandle<()>>,
}

impl Machine {
    fn start(clusters: usize, run_mode: RunMode) -> Self {
        let (host, mut network, endpoints) = inproc::network(clusters);
        let settings = NodeSettings { part_positions: 256, ..NodeSettings::new(clusters) };
        let node = std::thread::spawn(move || serve(IoNode::new(settings), &mut network));
        let play = |endpoint| std::thread::spawn(|| play_nothing(endpoint));
        let mut machine = Self { host, node, clusters: endpoints.into_iter().map(play).collect() };
        let deadline = Duration::from_secs(5);
        let sharing = Sharing { clusters: clusters as u32, run_mode, deadline };
        machine.host.send(fake_load(1, 1, ROLES, FLUENTS, sharing)).expect("the node runs");
        let ready = machine.host.receive(None).expect("the node runs").expect("an answer");
        assert_eq!(Frame::parse(&ready).map(|frame| frame.kind), Ok(Kind::Ready));
        machine
    }

    fn run(&mut self, batch: u64, positions: &[u32]) -> u64 {
        let count = POSITIONS as u32;
        let header = Header { run: 1, batch, count, playouts: 1, ..Header::new(Kind::Work) };
        let number = batch * POSITIONS as u64;
        let work = frames::frame(header, &[number.as_bytes(), positions.as_bytes()]);
        self.host.send(work).expect("the node runs");
        let done = self.host.receive(None).expect("the node runs").expect("an answer");
        let frame = Frame::parse(&done).expect("a sound frame");
        assert_eq!((frame.kind, frame.header.count), (Kind::Done, count));
        black_box(frame.header.checksum)
    }

    fn stop(mut self) {
        self.host.send(frames::frame(Header::new(Kind::Stop), &[])).expect("the node runs");
        let statistics = self.node.join().expect("the node ends");
        assert_eq!((statistics.resent, statistics.lost), (0, 0));
        self.clusters.into_iter().for_each(|cluster| cluster.join().expect("a cluster ends"));
    }
}

/// A cluster that checks what it gets and answers at once.
fn play_nothing(mut endpoint: ClusterEndpoint) {
    let mut loader = FakeCluster::default();
    let mut results = vec![0; POSITIONS * COLUMNS.numbers()];
    results.chunks_exact_mut(COLUMNS.numbers()).for_each(|result: &mut [u64]| result[0] = 1);
    let _ = endpoint.send(FakeCluster::hello());
    while let Ok(Some(bytes)) = endpoint.receive(None) {
        let frame = Frame::parse(&bytes).expect("a sound frame");
        let answer = match frame.kind {
            Kind::Stop => break,
            Kind::Work => {
                let count = frame.header.count as usize * COLUMNS.numbers();
                let header = Header { kind: Kind::Done as u16, ..frame.header };
                Some(frames::frame(header, &[results[..count].as_bytes()]))
            }
            _ => loader.answer(&bytes),
        };
        answer.into_iter().for_each(|answer| endpoint.send(answer).expect("the node runs"));
    }
}

/// What one pass over the positions costs: a frame put together and sealed.
#[divan::bench]
fn seal(bencher: Bencher) {
    let positions = vec![0_u32; POSITIONS * FLUENTS.div_ceil(32)];
    bencher.bench(|| frames::frame(Header::new(Kind::Work), &[positions.as_bytes()]));
}

/// And checked.
#[divan::bench]
fn check(bencher: Bencher) {
    let positions = vec![0_u32; POSITIONS * FLUENTS.div_ceil(32)];
    let frame = frames::frame(Header::new(Kind::Work), &[positions.as_bytes()]);
    bencher.bench(|| Frame::parse(black_box(&frame)).is_ok());
}
