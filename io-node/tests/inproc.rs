//! A node and its clusters as threads, by the wall clock.

use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use ruche_io_node::transport::faulty::{FakeCluster, expected_result, fake_load, fake_work};
use ruche_io_node::transport::inproc::{self, ClusterEndpoint, HostEndpoint};
use ruche_io_node::transport::{Closed, Endpoint, Network, PeerEvent};
use ruche_io_node::{IoNode, NodeSettings, Peer, RunMode, Statistics, frames, serve};
use ruche_shared::wire::control::Sharing;
use ruche_shared::wire::results::{self, Columns};
use ruche_shared::wire::{Frame, Header, Kind};

const SEED: u64 = 9;
const ROLES: usize = 2;
const FLUENTS: usize = 40;
/// Nothing here waits for it: a machine may be busy with other things.
const DEADLINE: Duration = Duration::from_secs(60);

/// Plays until it is stopped, or dies before the answer of this number.
fn play(mut endpoint: ClusterEndpoint, lifetime: usize) {
    let mut cluster = FakeCluster::default();
    let mut left = lifetime;
    let _ = endpoint.send(FakeCluster::hello());
    while let Ok(Some(frame)) = endpoint.receive(None) {
        if let Some(answer) = cluster.answer(&frame) {
            let Some(rest) = left.checked_sub(1) else { return };
            left = rest;
            let _ = endpoint.send(answer);
        }
    }
}

fn start(lifetimes: &[usize]) -> (HostEndpoint, JoinHandle<Statistics>, Vec<JoinHandle<()>>) {
    let (host, mut network, endpoints) = inproc::network(lifetimes.len());
    let settings = NodeSettings::new(lifetimes.len());
    let node = thread::spawn(move || serve(IoNode::new(settings), &mut network));
    let clusters = endpoints.into_iter().zip(lifetimes.to_vec());
    let clusters =
        clusters.map(|(endpoint, lifetime)| thread::spawn(move || play(endpoint, lifetime)));
    (host, node, clusters.collect())
}

fn work(batch: u64, count: u32) -> Vec<u8> {
    let header = Header { run: 1, batch, count, playouts: 7, ..Header::new(Kind::Work) };
    fake_work(header, batch << 20, FLUENTS)
}

fn check(frame: &Frame<'_>, count: u32) {
    assert_eq!((frame.header.first, frame.header.count), (0, count));
    let numbers = results::parse(&frame.header, frame.payload, Columns::of_roles(ROLES)).unwrap();
    for (result, at) in numbers.chunks(Columns::of_roles(ROLES).numbers()).zip(0..) {
        let right = expected_result(SEED, (frame.header.batch << 20) + at, 7, ROLES, FLUENTS);
        assert!(result.iter().map(|number| number.get()).eq(right));
    }
}

/// Loads, plays 40 batches with four in flight, and more until so many clusters have
/// died: which cluster plays how much is up to the system. Checks all results; the
/// kinds of the other frames that came.
fn play_batches(
    host: &mut HostEndpoint,
    clusters: u32,
    run_mode: RunMode,
    deaths: usize,
) -> Vec<Kind> {
    let (mut sent, mut open, mut others) = (0, 0, Vec::new());
    let sharing = Sharing { clusters, run_mode, deadline: DEADLINE };
    host.send(fake_load(1, SEED, ROLES, FLUENTS, sharing)).unwrap();
    loop {
        let bytes = host.receive(Some(DEADLINE)).unwrap().expect("no answer");
        let frame = Frame::parse(&bytes).unwrap();
        match frame.kind {
            Kind::Done => {
                check(&frame, 300);
                open -= 1;
            }
            kind => others.push(kind),
        }
        let is_enough = sent >= 40 && losses(&others) >= deaths;
        while others.contains(&Kind::Ready) && open < 4 && !is_enough && sent < 100_000 {
            host.send(work(sent, 300)).unwrap();
            (sent, open) = (sent + 1, open + 1);
        }
        if is_enough && open == 0 {
            return others;
        }
    }
}

fn losses(kinds: &[Kind]) -> usize {
    kinds.iter().filter(|kind| **kind == Kind::Lost).count()
}

#[test]
fn batches_return_with_the_right_results_and_stop_ends_all_threads() {
    for mode in [RunMode::Sync, RunMode::Async] {
        let (mut host, node, clusters) = start(&[usize::MAX; 3]);
        assert_eq!(play_batches(&mut host, 3, mode, 0), [Kind::Ready]);
        host.send(frames::frame(Header::new(Kind::Stop), &[])).unwrap();
        let statistics = node.join().unwrap();
        clusters.into_iter().for_each(|cluster| cluster.join().unwrap());
        assert_eq!((statistics.lost, statistics.resent), (0, 0));
        assert!((40..44).contains(&statistics.batches), "{}", statistics.batches);
        assert_eq!(host.receive(None), Err(Closed));
    }
}

#[test]
fn a_cluster_that_is_killed_half_way_changes_nothing() {
    for mode in [RunMode::Sync, RunMode::Async] {
        let (mut host, node, clusters) = start(&[20, usize::MAX, 5]);
        let began = Instant::now();
        let others = play_batches(&mut host, 3, mode, 2);
        assert_eq!(losses(&others), 2);
        assert!(began.elapsed() < DEADLINE, "the drop is noticed at once");
        drop(host);
        assert_eq!(node.join().unwrap().lost, 2);
        clusters.into_iter().for_each(|cluster| cluster.join().unwrap());
    }
}

#[test]
fn a_host_that_is_gone_ends_all_threads() {
    let (host, node, clusters) = start(&[usize::MAX; 2]);
    drop(host);
    node.join().unwrap();
    clusters.into_iter().for_each(|cluster| cluster.join().unwrap());
}

#[test]
fn a_timeout_returns_nothing_and_a_dropped_endpoint_is_gone() {
    let (mut host, mut network, mut clusters) = inproc::network(2);
    assert_eq!(host.receive(Some(Duration::ZERO)), Ok(None));
    assert_eq!(network.receive(Some(Duration::from_millis(1))), Ok(None));
    clusters.remove(0);
    let event = network.receive(None).unwrap();
    assert_eq!(event, Some((Peer::Cluster(0), PeerEvent::Gone("it has stopped".to_owned()))));
    assert_eq!(network.send(Peer::Cluster(0), vec![]), Err(Closed));
    assert_eq!(network.send(Peer::Cluster(2), vec![]), Err(Closed));
    assert_eq!(network.send(Peer::Cluster(1), vec![1]), Ok(()));
    assert_eq!(clusters[0].receive(None), Ok(Some(vec![1])));
    drop((host, clusters));
    assert!(network.receive(None).is_ok() && network.receive(None).is_ok());
    assert_eq!(network.receive(None), Err(Closed));
}

#[test]
fn a_panic_in_a_cluster_is_told_as_such() {
    let (_host, mut network, mut clusters) = inproc::network(1);
    let endpoint = clusters.remove(0);
    let cluster = thread::spawn(move || {
        let _endpoint = endpoint;
        panic!("on purpose");
    });
    assert!(cluster.join().is_err());
    let event = network.receive(None).unwrap();
    assert_eq!(event, Some((Peer::Cluster(0), PeerEvent::Gone("its thread panicked".to_owned()))));
}
