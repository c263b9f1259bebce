//! The modelled machine gives the results of a plain player, and the same times
//! whenever it is asked.

use std::time::Duration;

use ruche_clusters::{ConnectError, ConnectSettings, Platform, Route, Topology, connect};
use ruche_game::Game;
use ruche_io_node::RunMode;
use ruche_model::{MachineModel, Parameters};
use ruche_offload::{Batch, Direct, DirectSettings, Finished, Offload, VirtualTime};
use ruche_runtime::strategy::Strategy;
use ruche_search::{Limits, Method, SearchOptions, Stop};
use ruche_shared::WordWidth;
use ruche_shared::names::Named;
use ruche_shared::wire::control::Mode;

const SEED: u64 = 11;

fn bundled(name: &str) -> Game {
    Game::bundled(name).expect("a bundled game")
}

fn start(
    machine: &MachineModel<'_>,
    game: &Game,
    topology: Topology,
) -> Result<Box<dyn Offload>, ConnectError> {
    let settings = ConnectSettings::new(topology, SEED);
    // Not by `connect`, whose offload may live only as long as its route.
    machine.start(game, &settings)
}

fn virtual_time(offload: &dyn Offload) -> VirtualTime {
    offload.usage().virtual_time.expect("a modelled machine has a clock")
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
    let machine = MachineModel { is_search: false, ..MachineModel::new(&parameters) };
    for (name, playouts) in [("tictactoe", 1), ("connectfour", 5), ("nonogram", 5)] {
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
                        let mut model = start(&machine, &game, topology).expect("the game fits");
                        (play(&mut model, &batches), virtual_time(&*model))
                    };
                    let (found, time) = run();
                    assert_eq!(found, expected, "{name} {topology:?}");
                    assert!(time.elapsed > Duration::ZERO);
                    let VirtualTime { host, transfer, hand_off, playouts, waiting, .. } = time;
                    let sum = host + transfer + hand_off + playouts + waiting;
                    assert!((sum - 1.0).abs() < 1e-9, "{topology:?}: {time:?}");
                    assert_eq!(run(), (found, time), "{topology:?}");
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
        let machine = MachineModel { io_nodes, ..MachineModel::new(&parameters) };
        let route = Route::Platform(&machine);
        let settings = ConnectSettings::new(topology, SEED);
        let mut model = connect(route, &game, &settings).expect("the game fits");
        assert_eq!(search(&mut *model), expected, "{io_nodes} I/O nodes");
        assert!(virtual_time(&*model).elapsed > Duration::ZERO);
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let parameters = Parameters::mppa256();
    let game = bundled("tictactoe");
    let topology = Topology { threads: 17, ..Topology::default() };
    let machine = MachineModel::new(&parameters);
    assert!(matches!(start(&machine, &game, topology), Err(ConnectError::Refused(_))));
    let machine = MachineModel { io_nodes: 2, ..machine };
    let refused = start(&machine, &game, Topology::default());
    assert!(matches!(refused, Err(ConnectError::IoNodes { .. })));
    let mut silent = parameters.clone();
    silent.strategy.clear();
    let refused = start(&MachineModel::new(&silent), &game, Topology::default());
    let refused = refused.err().expect("such a machine hands no work over").to_string();
    assert!(refused.contains("says nothing about the strategy"), "{refused}");
}

/// A model that is dropped while its thread unwinds lets its cores end, and what was said
/// is heard: a failed assertion is no abort.
#[test]
fn a_panic_beside_a_live_model_is_an_ordinary_panic() {
    let parameters = Parameters::mppa256();
    let machine = MachineModel::new(&parameters);
    let game = bundled("tictactoe");
    for strategy in Strategy::ALL {
        let topology = Topology { threads: 4, strategy: *strategy, ..Topology::default() };
        let fail = || {
            let mut model = start(&machine, &game, topology).expect("the game fits");
            model.submit(batches(&game, 24, 1).remove(0)).expect("somebody plays");
            panic!("a failed assertion");
        };
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(fail));
        let said = panic.expect_err("it panics").downcast::<&str>().expect("a text");
        assert_eq!(*said, "a failed assertion", "{strategy}");
    }
}
