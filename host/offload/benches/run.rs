//! A run without playouts: 256 positions of 250 bytes from the host through the
//! I/O node to the cores of all clusters, and back. `cargo bench -p ruche-offload`;
//! the median is what counts.

use std::sync::Arc;

use divan::Bencher;
use ruche_io_node::transport::inproc;
use ruche_io_node::transport::{Endpoint, Event, Network};
use ruche_offload::{HostEngine, Inproc, Topology};
use ruche_runtime::strategy::Strategy;
use ruche_search::{Batch, Offload};
use ruche_shared::Image;
use ruche_shared::image::{Parts, encode, encoded_length};
use ruche_shared::wire::control::Mode;

fn main() {
    divan::main();
}

/// Fluents of a position of 250 bytes.
const FLUENTS: u32 = 2000;

const POSITIONS: usize = 256;

/// A game of two roles in which nothing happens.
fn image_words() -> Vec<u32> {
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
    let mut words = vec![0; encoded_length(&parts) / size_of::<u32>()];
    encode(&parts, bytemuck::cast_slice_mut(&mut words)).expect("a sound image");
    words
}

/// What this machine takes to wake another thread and be woken by it, with an empty
/// frame: a run of one part does so three times, to the I/O node, to PC0 and to a core.
#[divan::bench(sample_count = 2000)]
fn there_and_back(bencher: Bencher<'_, '_>) {
    let (mut host, mut network, _clusters) = inproc::network(0);
    let echo = std::thread::spawn(move || {
        while let Ok(Some((peer, Event::Frame(frame)))) = network.receive(None) {
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
    let words = image_words();
    let bytes: &[u8] = bytemuck::cast_slice(&words);
    let image = Image::parse(bytes).expect("a sound image");
    let mode = Mode::Empty;
    let topology = Topology { clusters, threads, strategy, mode, ..Topology::default() };
    let engine = Arc::new(HostEngine::native());
    let mut offload = Inproc::start(&image, bytes, &topology, 0, engine).expect("the game fits");
    let positions = image.initial().repeat(POSITIONS);
    let mut number = 0;
    bencher.bench_local(|| {
        let positions = positions.clone();
        let batch = Batch { number, first: 0, playouts: 1, positions, count: POSITIONS };
        number += 1;
        offload.submit(batch).expect("somebody plays");
        offload.collect().expect("somebody played")
    });
}
