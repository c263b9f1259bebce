//! The modelled machine against what was published of the original, with fewer runs
//! than the plans have. docs/model.md has the figures of the whole plans.

use ruche_game::Game;
use ruche_report::{Clock, Point};
use ruche_runtime::strategy::Strategy;
use ruche_shared::WordWidth;
use ruche_study::plan::builtin;
use ruche_study::{
    Assignment, Laboratory, Library, Measured, ModelLaboratory, Overrides, Plan, Stop, Store, Study,
};

fn plan(name: &str) -> Plan {
    builtin::find(name).expect("a plan that comes with Ruche").plan().expect("it is sound")
}

fn library(plan: &Plan) -> Library {
    let mut library = Library::default();
    for name in plan.games() {
        library.add(name, Game::bundled(name).expect("a bundled game"));
    }
    library
}

/// A plan on the modelled machine.
struct Bench {
    points: Vec<Point>,
    laboratory: ModelLaboratory,
    runs: u64,
}

impl Bench {
    fn new(name: &str, runs: u64) -> Self {
        let plan = plan(name);
        let library = library(&plan);
        let points = plan.points(&library, Clock::Model).expect("a sound plan");
        let points = points.into_iter().map(|(point, _)| point).collect();
        let parameters = ruche_model::Parameters::mppa256();
        let laboratory = ModelLaboratory::new(library, parameters, Stop::default());
        Self { points, laboratory, runs }
    }

    /// The only point of the plan for which something holds.
    fn measure(&self, is_wanted: impl Fn(&Point) -> bool) -> Measured {
        let mut points = self.points.iter().filter(|point| is_wanted(point));
        let point = points.next().expect("a point of the plan").clone();
        assert_eq!(points.next(), None, "only one");
        let assignment = Assignment { point, seed: 0, runs: self.runs, warm_up: 0 };
        self.laboratory.measure(&assignment).expect("a measurement")
    }

    fn rate(&self, is_wanted: impl Fn(&Point) -> bool) -> f64 {
        let measured = self.measure(is_wanted);
        measured.playouts as f64 / measured.seconds
    }

    /// Playouts per second of a game on so many clusters and threads.
    fn rate_of(&self, game: &str, clusters: u32, threads: u32) -> f64 {
        self.rate(|point| {
            point.game == game && (point.clusters, point.threads) == (clusters, threads)
        })
    }
}

fn assert_near(found: f64, published: f64, tolerance: f64) {
    let error = found / published - 1.0;
    assert!(error.abs() <= tolerance, "{found:.1} instead of {published}: {:.1} %", error * 100.0);
}

/// Figure 6.7: the two calibrated points, and what is predicted.
#[test]
fn one_playout_for_each_thread_scales_as_published() {
    let bench = Bench::new("fig6.7", 400);
    let speed_up =
        |game: &str, threads: u32| bench.rate_of(game, 16, threads) / bench.rate_of(game, 1, 1);
    assert_near(bench.rate_of("tictactoe", 1, 1), 450.0, 0.02);
    assert_near(bench.rate_of("tictactoe", 16, 16), 77_700.0, 0.02);
    assert_near(speed_up("breakthrough", 16), 155.0, 0.10);
    assert_near(speed_up("eightpuzzle", 14), 133.0, 0.10);
    // Games of one length end together: no gain after 14 threads.
    for game in ["eightpuzzle", "tictactoe9"] {
        let rates: Vec<f64> = (1..=16).map(|threads| bench.rate_of(game, 16, threads)).collect();
        let best = (0..16).max_by(|a, b| rates[*a].total_cmp(&rates[*b]));
        assert_eq!(best, Some(13), "{game}: {rates:.0?}");
        assert!(rates[..14].is_sorted(), "{game}: {rates:.0?}");
    }
    let rates: Vec<f64> = (1..=16).map(|threads| bench.rate_of("tictactoe", 16, threads)).collect();
    assert!(rates.is_sorted(), "{rates:.0?}");
}

/// Figure 6.5: one calibrated ratio, and what stays flat.
#[test]
fn messages_of_many_threads_in_many_clusters_cost_time() {
    let bench = Bench::new("fig6.5", 50);
    let time = |clusters: u32, threads: u32, bytes: u32| {
        let measured = bench.measure(|point| {
            (point.clusters, point.threads, point.bytes) == (clusters, threads, bytes)
        });
        measured.seconds / measured.runs as f64
    };
    assert_near(time(16, 16, 2000) / time(16, 16, 200), 5.0, 0.05);
    for clusters in [1, 16] {
        assert_near(time(clusters, 1, 2000) / time(clusters, 1, 200), 1.0, 0.05);
    }
    let alone = time(1, 1, 200);
    for (clusters, threads) in [(1, 16), (16, 1)] {
        let extra = time(clusters, threads, 200) / alone;
        assert!((1.0..1.5).contains(&extra), "{clusters}×{threads}: {extra}");
    }
}

/// Figure 6.6: clusters help, threads hurt.
#[test]
fn splitting_a_playout_makes_it_slower() {
    let bench = Bench::new("fig6.6", 30);
    for clusters in [1, 16] {
        let rates: Vec<f64> =
            (1..=16).map(|threads| bench.rate_of("tictactoe", clusters, threads)).collect();
        assert!(rates.windows(2).all(|pair| pair[1] < pair[0]), "{clusters}: {rates:.0?}");
    }
    for threads in [1, 16] {
        let rates: Vec<f64> =
            (1..=16).map(|clusters| bench.rate_of("tictactoe", clusters, threads)).collect();
        assert!(rates.windows(2).all(|pair| pair[1] > pair[0]), "{threads}: {rates:.0?}");
    }
}

/// Figure 6.8: which strategy is best.
#[test]
fn restarting_threads_is_best_and_portals_are_worst() {
    let bench = Bench::new("fig6.8", 200);
    let rate = |game: &str, strategy: Strategy, threads: u32| {
        bench.rate(|point| {
            (point.game.as_str(), point.strategy, point.threads) == (game, strategy, threads)
        })
    };
    for threads in 1..=16 {
        use Strategy::{Condvar, Portal, Restart, Spin};
        let [restart, condvar, spin, portal] =
            [Restart, Condvar, Spin, Portal].map(|strategy| rate("tictactoe", strategy, threads));
        assert!(restart > condvar && restart > spin, "{threads} threads");
        assert!(condvar > portal && spin > portal, "{threads} threads");
        for game in ["eightpuzzle", "breakthrough"] {
            let ratio = rate(game, Condvar, threads) / rate(game, Restart, threads);
            assert!((ratio - 1.0).abs() < 0.07, "{game} {threads}: {ratio}");
        }
    }
    // Threads that stay alive gain less from the last two cores.
    let gain = |strategy| rate("tictactoe", strategy, 16) / rate("tictactoe", strategy, 14);
    for strategy in [Strategy::Condvar, Strategy::Spin, Strategy::Portal] {
        assert!(gain(strategy) < gain(Strategy::Restart), "{strategy}");
    }
}

/// What the original could not do.
#[test]
fn many_playouts_from_a_position_keep_all_cores_busy() {
    let mut bench = Bench::new("beyond", 1);
    bench.runs = 2;
    for game in ["tictactoe", "eightpuzzle", "breakthrough"] {
        let rate = |clusters: u32, playouts: u32| {
            bench.rate(|point| {
                (point.game.as_str(), point.clusters, point.playouts_per_position)
                    == (game, clusters, playouts)
                    && (point.word, point.in_flight, point.io_nodes) == (WordWidth::One, 1, 1)
            })
        };
        let efficiency = |playouts| rate(16, playouts) / rate(1, playouts) / 256.0;
        assert!(efficiency(512) >= 0.9, "{game}: {:.3}", efficiency(512));
        assert!(efficiency(1) < 0.75, "{game}: {:.3}", efficiency(1));
    }
}

#[test]
fn files_are_the_same_to_the_last_byte() {
    let plan = plan("fig6.8");
    let take = |folder: &str| {
        let library = library(&plan);
        let overrides = Overrides { runs: Some(5), ..Overrides::default() };
        let tasks = plan.schedule(&library, Clock::Model, &overrides).expect("a sound plan");
        let study = Study {
            plan: plan.name.clone(),
            version: "0".to_owned(),
            commit: folder.to_owned(),
            command: "ruche study fig6.8".to_owned(),
            tasks,
        };
        let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
        let _ = std::fs::remove_dir_all(&folder);
        let mut store = Store::open(&folder, &plan).expect("a new folder");
        let stop = Stop::default();
        let parameters = ruche_model::Parameters::mppa256();
        let laboratory = ModelLaboratory::new(library, parameters, stop.clone());
        study.run(&laboratory, &mut store, &stop, &mut |_| ()).expect("measurements");
        std::fs::read(folder.join("results.jsonl")).expect("results")
    };
    assert_eq!(take("model-once"), take("model-again"));
}
