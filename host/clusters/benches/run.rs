//! A run without playouts: 256 positions of 250 bytes from the host through the
//! I/O node to the cores of all clusters, and back. `cargo bench -p ruche-clusters`;
//! the median is what counts.

use divan::Bencher;
use ruche_clusters::{ConnectSettings, Inproc, Topology};
use ruche_game::Game;
use ruche_io_node::transport::inproc;
use ruche_io_node::transport::{Endpoint, Network, PeerEvent};
use ruche_offload::{Batch, Offload};
use ruche_runtime::strategy::Strategy;
use ruche_shared::image::{Parts, encode, encoded_length};
use ruche_shared::wire::control::Mode;

fn main() {
    divan::main();
}

/// Fluents of a position of 250 bytes.
const FLUENTS: u32 = 2000;

const POSITIONS: usize = 256;

/// A game of two roles in which nothing happens.
fn game() -> Game {
    let initial = vec![0; ruche_shared::position::position_words(FLUENTS as usize)];
    let parts = Parts {
        wide: false,
        fluents: FLUENTS,
        slots: FLUENTS + 2,
        terminal_slot: 0,
        move_starts: &[0, 1, 2],
        goals: &[],
        initial: &initial,
        code: [&[], &[], &[]],
    };
    let mut bytes = vec![0; encoded_length(&parts)];
    encode(&parts, &mut bytes).expect("a sound image");
    Game::of_image("empty", &bytes).expect("a sound image")
}

/// What this machine takes to wake another thread and be woken by it, with an empty
/// frame: a run of one part does so three times, to the I/O node, to PC0 and to a core.
#[divan::bench(sample_count = 2000)]
fn there_and_back(bencher: Bencher<'_, '_>) {
    let (mut host, mut network, _clusters) = inproc::network(0);
    let echo = std::thread::spawn(move || {
        while let Ok(Some((peer, PeerEvent::Frame(frame)))) = network.receive(None) {
            network.send(peer, frame).expect("the host waits for it");
        }
    });
    bencher.bench_local(|| {
        host.send(Vec::new()).expect("the other thread is there");
        host.receive(None).expect("it answers")
    });
    drop(host);
    echo.join().expect("it has ended");
}

const TOPOLOGIES: [(usize, u32); 5] = [(1, 1), (1, 2), (2, 1), (4, 1), (16, 1)];

#[divan::bench(args = TOPOLOGIES, sample_count = 2000)]
fn restart(bencher: Bencher<'_, '_>, shape: (usize, u32)) {
    measure(bencher, shape, Strategy::Restart);
}

#[divan::bench(args = TOPOLOGIES, sample_count = 2000)]
fn condvar(bencher: Bencher<'_, '_>, shape: (usize, u32)) {
    measure(bencher, shape, Strategy::Condvar);
}

#[divan::bench(args = TOPOLOGIES, sample_count = 2000)]
fn portal(bencher: Bencher<'_, '_>, shape: (usize, u32)) {
    measure(bencher, shape, Strategy::Portal);
}

#[divan::bench(args = TOPOLOGIES, sample_count = 2000)]
fn spin(bencher: Bencher<'_, '_>, shape: (usize, u32)) {
    measure(bencher, shape, Strategy::Spin);
}

fn measure(bencher: Bencher<'_, '_>, (clusters, threads): (usize, u32), strategy: Strategy) {
    let game = game();
    let mode = Mode::Empty;
    let topology = Topology { clusters, threads, strategy, mode, ..Topology::default() };
    let settings = ConnectSettings::new(topology, 0);
    let mut offload = Inproc::start(&game, &settings).expect("the game fits");
    let positions = game.image().initial().repeat(POSITIONS);
    let mut number = 0;
    bencher.bench_local(|| {
        let positions = positions.clone();
        let batch = Batch { number, first: 0, playouts: 1, positions, count: POSITIONS };
        number += 1;
        offload.submit(batch).expect("somebody plays");
        offload.collect().expect("somebody played")
    });
}
