//! Samples as a real study would have them, without taking hours for it.

use ruche_report::{Clock, Point, Positions, Sample, Shares, Transport};
use ruche_runtime::strategy::Strategy;
use ruche_shared::WordWidth;
use ruche_shared::wire::control::Mode;

/// Sizes that are swept over.
pub const SIZES: [u32; 5] = [1, 2, 4, 8, 16];
/// Games, with the playouts that one core finishes in a second.
pub const GAMES: [(&str, f64); 3] =
    [("breakthrough", 680_000.0), ("connectfour", 4_150_000.0), ("othello", 366_000.0)];
/// Strategies, with what a hand-off to one core takes.
pub const STRATEGIES: [(Strategy, f64); 4] = [
    (Strategy::Condvar, 9e-6),
    (Strategy::Portal, 2e-6),
    (Strategy::Restart, 60e-6),
    (Strategy::Spin, 1e-6),
];
/// Bytes of a position.
pub const BYTES: [u32; 7] = [64, 128, 256, 512, 1024, 2048, 4096];
const REPETITIONS: u32 = 3;

/// A sample with plain settings, to be changed.
pub fn plain() -> Sample {
    Sample {
        plan: "scaling".to_owned(),
        point: Point {
            game: "breakthrough".to_owned(),
            clusters: 1,
            threads: 1,
            strategy: Strategy::Spin,
            mode: Mode::PerCore,
            word: WordWidth::SixtyFour,
            playouts_per_position: 64,
            batch: 256,
            bytes: 24,
            in_flight: 1,
            io_nodes: 1,
            positions: Positions::Initial,
            cost_factor: 1.0,
        },
        clock: Clock::Wall,
        transport: Transport::Inproc,
        repetition: 0,
        seed: 7,
        runs: 100,
        playouts: 1_638_400,
        seconds: 2.4,
        run_seconds: 0.024,
        playouts_per_second: 682_666.5,
        shares: Shares { host: 0.01, transfer: 0.02, hand_off: 0.02, playouts: 0.9, waiting: 0.05 },
        signature: "9a3c".to_owned(),
        machine: "Intel Xeon 8375C, 2.9 GHz".to_owned(),
        taken: None,
        version: "0.4.0".to_owned(),
        invocation: "ruche bench breakthrough --clusters 1 --threads 1 --seed 7".to_owned(),
    }
}

/// Games × strategies × clusters × threads on a modelled machine, a few of them
/// measured, and messages of several sizes.
pub fn study() -> Vec<Sample> {
    let mut samples = Vec::new();
    for (game, speed) in GAMES {
        for (strategy, hand_off) in STRATEGIES {
            for clusters in SIZES {
                samples.extend(SIZES.map(|threads| {
                    let sample = timed(plain(), (clusters, threads), speed, hand_off);
                    modelled(named(sample, game, strategy))
                }));
            }
        }
    }
    samples.extend(messages());
    samples
}

/// Two cores of a real machine, repeated.
pub fn measured() -> Vec<Sample> {
    let mut samples = Vec::new();
    for threads in [1, 2, 3, 4] {
        for repetition in 0..REPETITIONS {
            let noise = 1.0 + 0.04 * f64::from((threads * 7 + repetition * 5) % 9) / 9.0;
            let sample = timed(plain(), (1, threads), 680_000.0 * noise, 2e-6);
            samples.push(Sample { repetition, ..sample });
        }
    }
    samples
}

fn messages() -> Vec<Sample> {
    let mut samples = Vec::new();
    for (clusters, threads) in [(1, 1), (4, 4), (16, 16)] {
        for bytes in BYTES {
            let mut sample = modelled(named(plain(), "empty", Strategy::Portal));
            let seconds = 40e-6 + f64::from(bytes) * 256.0 / 400e6 + f64::from(clusters) * 3e-6;
            (sample.point.bytes, sample.point.clusters) = (bytes, clusters);
            sample.point.threads = threads;
            (sample.run_seconds, sample.seconds) = (seconds, seconds * 100.0);
            (sample.playouts, sample.playouts_per_second) = (0, 0.0);
            sample.shares = Shares { transfer: 0.8, hand_off: 0.1, host: 0.1, ..Shares::default() };
            samples.push(sample);
        }
    }
    samples
}

fn named(mut sample: Sample, game: &str, strategy: Strategy) -> Sample {
    sample.point.game = game.to_owned();
    sample.point.strategy = strategy;
    let Point { clusters, threads, .. } = sample.point;
    sample.invocation = format!(
        "ruche bench {game} --clusters {clusters} --threads {threads} --strategy {strategy} --seed 7"
    );
    sample
}

fn modelled(sample: Sample) -> Sample {
    let machine = "MPPA-256, 16 clusters × 16 cores at 400 MHz (machines/mppa-256.toml)".to_owned();
    Sample { clock: Clock::Model, machine, transport: Transport::Model, ..sample }
}

/// A run lasts as long as its parts: some of them shrink with cores, some grow.
fn timed(mut sample: Sample, machine: (u32, u32), speed: f64, hand_off: f64) -> Sample {
    let (clusters, threads) = machine;
    (sample.point.clusters, sample.point.threads) = machine;
    let cores = f64::from(clusters * threads);
    let playouts = 256.0 * 64.0;
    let play = playouts / speed / cores;
    let parts =
        [20e-6, 6e-6 * f64::from(clusters), hand_off * f64::from(threads), play, 0.06 * play];
    let seconds: f64 = parts.iter().sum();
    let [host, transfer, hand_off, playing, waiting] = parts.map(|part| part / seconds);
    sample.shares = Shares { host, transfer, hand_off, playouts: playing, waiting };
    (sample.run_seconds, sample.seconds) = (seconds, 100.0 * seconds);
    sample.playouts_per_second = playouts / seconds;
    sample
}
