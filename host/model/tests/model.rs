//! The modelled machine gives the results of a plain player, and the same times
//! whenever it is asked.

use std::sync::Arc;
use std::time::Duration;

use ruche_clusters::Topology;
use ruche_game::Game;
use ruche_io_node::RunMode;
use ruche_model::{Model, ModelError, Openings, Parameters, Setup, TimeShares};
use ruche_offload::{Batch, Direct, DirectSettings, Finished, Offload};
use ruche_runtime::strategy::Strategy;
use ruche_search::{Limits, Method, SearchOptions, Stop};
use ruche_shared::WordWidth;
use ruche_shared::names::Named;
use ruche_shared::wire::control::Mode;

const SEED: u64 = 11;

fn bundled(name: &str) -> Game {
    Game::bundled(name).expect("a bundled game")
}

fn setup(parameters: &Parameters, topology: Topology) -> Setup<'_> {
    Setup {
        parameters,
        topology,
        io_nodes: 1,
        seed: SEED,
        cost_factor: 1.0,
        is_search: false,
        openings: Arc::new(Openings::default()),
    }
}

fn batches(game: &Game, count: usize, playouts: u32) -> Vec<Batch> {
    let batch = |number: u64| Batch {
        number,
        first: number * count as u64,
        playouts,
        positions: game.image().initial().repeat(count),
        count,
    };
    (0..3).map(batch).collect()
}

fn play(offload: &mut impl Offload, batches: &[Batch]) -> Vec<Finished> {
    let play = |batch: &Batch| {
        offload.submit(batch.clone()).expect("somebody plays");
        offload.collect().expect("somebody played")
    };
    batches.iter().map(play).collect()
}

fn direct(game: &Game, batches: &[Batch]) -> Vec<Finished> {
    let settings = DirectSettings { seed: SEED, ..DirectSettings::default() };
    let mut direct = Direct::new(game, settings).expect("a playable game");
    play(&mut direct, batches)
}

#[test]
fn results_are_those_of_a_plain_player_and_times_repeat() {
    let parameters = Parameters::mppa256();
    for (name, playouts) in [("tictactoe", 1), ("connectfour", 5)] {
        let game = bundled(name);
        let batches = batches(&game, 24, playouts);
        let expected = direct(&game, &batches);
        for &strategy in Strategy::ALL {
            for mode in [Mode::PerCore, Mode::Split] {
                for width in [WordWidth::One, WordWidth::SixtyFour] {
                    let topology = Topology {
                        clusters: 3,
                        threads: 4,
                        strategy,
                        mode,
                        width,
                        ..Topology::default()
                    };
                    let run = || {
                        let setup = setup(&parameters, topology);
                        let mut model = Model::start(&game, &setup).expect("the game fits");
                        (play(&mut model, &batches), model.elapsed(), model.shares())
                    };
                    let (found, time, shares) = run();
                    assert_eq!(found, expected, "{name} {topology:?}");
                    assert!(time > Duration::ZERO);
                    let TimeShares { host, transfer, hand_off, playouts, waiting } = shares;
                    let sum = host + transfer + hand_off + playouts + waiting;
                    assert!((sum - 1.0).abs() < 1e-9, "{topology:?}: {shares:?}");
                    assert_eq!((&found, time, shares), (&expected, time, run().2), "{topology:?}");
                    assert_eq!(run().1, time, "{topology:?}");
                }
            }
        }
    }
}

#[test]
fn several_io_nodes_and_batches_change_no_result() {
    let parameters = Parameters::mppa256();
    let game = bundled("connectfour");
    let options = SearchOptions { batch: 32, in_flight: 2, ..SearchOptions::default() };
    let settings = options.check().expect("sound settings");
    let search = |offload: &mut dyn Offload| {
        let mut search = Method::Uct.start(&game, &settings).expect("a position");
        let (limits, stop) = (Limits::playouts(4000), Stop::default());
        search.search(offload, &limits, &stop, &mut |_| ()).expect("somebody plays").signature
    };
    let direct_settings = DirectSettings { seed: SEED, ..DirectSettings::default() };
    let expected = search(&mut Direct::new(&game, direct_settings).expect("a playable game"));
    for io_nodes in [1, 2, 4] {
        let topology = Topology {
            clusters: 4,
            threads: 2,
            width: WordWidth::One,
            run_mode: RunMode::Async,
            ..Topology::default()
        };
        let setup = Setup { io_nodes, is_search: true, ..setup(&parameters, topology) };
        let mut model = Model::start(&game, &setup).expect("the game fits");
        assert_eq!(search(&mut model), expected, "{io_nodes} I/O nodes");
        assert!(model.elapsed() > Duration::ZERO);
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let parameters = Parameters::mppa256();
    let game = bundled("tictactoe");
    let topology = Topology { threads: 17, ..Topology::default() };
    let refused = Model::start(&game, &setup(&parameters, topology));
    assert!(matches!(refused, Err(ModelError::Connect(_))));
    let setup = Setup { io_nodes: 2, ..setup(&parameters, Topology::default()) };
    assert!(matches!(Model::start(&game, &setup), Err(ModelError::IoNodes { .. })));
}

/// A model that is dropped while its thread unwinds lets its cores end, and what was said
/// is heard: a failed assertion is no abort.
#[test]
fn a_panic_beside_a_live_model_is_an_ordinary_panic() {
    let parameters = Parameters::mppa256();
    let game = bundled("tictactoe");
    for strategy in Strategy::ALL {
        let topology = Topology { threads: 4, strategy: *strategy, ..Topology::default() };
        let fail = || {
            let setup = setup(&parameters, topology);
            let mut model = Model::start(&game, &setup).expect("the game fits");
            model.submit(batches(&game, 24, 1).remove(0)).expect("somebody plays");
            panic!("a failed assertion");
        };
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(fail));
        let said = panic.expect_err("it panics").downcast::<&str>().expect("a text");
        assert_eq!(*said, "a failed assertion", "{strategy}");
    }
}
