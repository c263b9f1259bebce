//! Clusters give the results of a plain player, whatever they are made of.

mod support;

use std::sync::{Arc, Mutex};

use ruche_clusters::{
    ConnectError, ConnectSettings, Death, Inproc, Meters, Route, Topology, connect,
};
use ruche_game::Game;
use ruche_io_node::RunMode;
use ruche_offload::{Batch, Event, Events, Finished, Offload, OffloadError, Tally};
use ruche_playouts::{EngineChoice, HostEngine, widest_word};
use ruche_runtime::strategy::Strategy;
use ruche_shared::budget::{Budget, Demand, LONGEST_QUEUE, QUEUE_LENGTH, TOTAL_BYTES};
use ruche_shared::names::Named;
use ruche_shared::wire::control::Mode;
use ruche_shared::{Transport, WordWidth};
use support::{SEED, batches, bundled, expected, game_of_slots, play, settings};

fn found(game: &Game, batches: &[Batch], topology: &Topology, deaths: &[Death]) -> Vec<Finished> {
    let settings = ConnectSettings { deaths: deaths.to_vec(), ..settings(topology) };
    let mut clusters = connect(Route::Inproc, game, &settings).expect("the game fits");
    play(&mut clusters, batches).expect("somebody is left")
}

#[test]
fn every_strategy_mode_and_word_gives_the_same_results() {
    for name in ["tictactoe", "breakthrough", "doubletictactoe", "sudoku"] {
        let game = bundled(name);
        let batches = batches(&game, &[1, 3, 40, 200], 7);
        let expected = expected(&game, &batches);
        for &strategy in Strategy::ALL {
            for mode in [Mode::PerCore, Mode::Split] {
                for (clusters, threads, width) in [
                    (1, 1, WordWidth::One),
                    (2, 3, WordWidth::SixtyFour),
                    (3, 2, WordWidth::Wide512),
                ] {
                    let base = Topology::default();
                    let topology = Topology { clusters, threads, strategy, mode, width, ..base };
                    let found = found(&game, &batches, &topology, &[]);
                    assert_eq!(found, expected, "{name}: {topology:?}");
                }
            }
        }
    }
}

#[test]
fn a_split_of_the_smallest_strata_gives_the_same_results() {
    let game = bundled("connectfour");
    let batches = batches(&game, &[20], 5);
    let topology =
        Topology { threads: 3, mode: Mode::Split, split_least: 1, ..Topology::default() };
    assert_eq!(found(&game, &batches, &topology, &[]), expected(&game, &batches));
}

#[test]
fn a_killed_cluster_changes_nothing() {
    let game = bundled("connectfour");
    let batches = batches(&game, &[64; 6], 5);
    let expected = expected(&game, &batches);
    for run_mode in [RunMode::Sync, RunMode::Async] {
        for after in [0, 1, 2, 3] {
            let topology = Topology { clusters: 3, run_mode, ..Topology::default() };
            let deaths = [Death { cluster: 1, after }];
            assert_eq!(
                found(&game, &batches, &topology, &deaths),
                expected,
                "{run_mode:?} {after}"
            );
        }
    }
}

#[test]
fn when_all_are_dead_the_finished_playouts_are_counted() {
    let game = bundled("connectfour");
    let batches = batches(&game, &[64; 6], 5);
    let topology = Topology { clusters: 2, ..Topology::default() };
    let deaths = [Death { cluster: 0, after: 4 }, Death { cluster: 1, after: 4 }];
    let told = Arc::new(Mutex::new(Vec::new()));
    let tell = told.clone();
    let settings = ConnectSettings {
        deaths: deaths.to_vec(),
        events: Events::new(move |event| tell.lock().unwrap().push(event.clone())),
        ..settings(&topology)
    };
    let mut clusters = Inproc::start(&game, &settings).expect("the game fits");
    let error = play(&mut clusters, &batches).expect_err("nobody is left");
    assert!(matches!(error, OffloadError::Lost { finished: 640.., .. }), "{error}");
    assert_eq!(clusters.usage().losses, 2);
    let told = told.lock().unwrap();
    assert!(matches!(told[..], [Event::Lost { left: 1, .. }, Event::Lost { left: 0, .. }]));
}

#[test]
fn empty_playouts_count_as_games_without_end() {
    let game = bundled("tictactoe");
    let batches = batches(&game, &[100], 3);
    let topology = Topology { clusters: 2, threads: 2, mode: Mode::Empty, ..Topology::default() };
    let found = found(&game, &batches, &topology, &[]);
    let empty = Tally { endless: 3, ..Tally::default() };
    assert!(found[0].results.rows().all(|row| Tally::of_row(row) == empty));
}

#[test]
fn what_does_not_fit_on_a_board_does_not_run_here() {
    let game = bundled("hex");
    let topology = Topology { threads: 17, ..Topology::default() };
    let refused = Inproc::start(&game, &settings(&topology));
    let Err(ConnectError::Refused(text)) = refused else { panic!("17 cores are too many") };
    assert!(text.contains("17 cores"), "{text}");
}

#[test]
fn a_larger_memory_holds_a_larger_game_and_changes_no_result() {
    let game = game_of_slots(2, 600_000);
    let start = |memory| {
        let topology = Topology { threads: 2, memory, ..Topology::default() };
        Inproc::start(&game, &settings(&topology))
    };
    let Err(ConnectError::Refused(text)) = start(TOTAL_BYTES) else { panic!("it is too large") };
    assert!(text.contains("more than are free"), "{text}");
    let batches = batches(&game, &[3], 5);
    let found = play(&mut start(64 << 20).expect("it fits"), &batches).expect("it plays");
    assert_eq!(found, expected(&game, &batches));
    let Err(ConnectError::Refused(text)) = start(1 << 60) else { panic!("nobody has as much") };
    assert!(text.contains("more than are free"), "{text}");
}

#[test]
fn only_threads_and_ranks_have_another_memory() {
    let topology = Topology { memory: 2 * TOTAL_BYTES, ..Topology::default() };
    let refused = connect(Route::Direct, &bundled("nim"), &settings(&topology));
    assert!(matches!(refused, Err(ConnectError::FixedMemory(Transport::Direct))));
}

#[test]
fn the_widest_word_that_fits_is_taken() {
    let game = bundled("breakthrough");
    let topology = Topology { threads: 16, ..Topology::default() };
    let clusters = Inproc::start(&game, &settings(&topology)).unwrap();
    let width = clusters.attributes().width;
    assert!(width >= WordWidth::SixtyFour && width <= topology.width, "{width:?}");
}

/// The most slots of a game that fits by the account, found by halving.
fn most_slots(roles: usize, budget: &Budget, width: WordWidth) -> u32 {
    let fits = |slots| {
        let demand = Demand::of(game_of_slots(roles, slots).image());
        budget.account(&demand, width).fits()
    };
    let (mut most, mut too_many) = (102_u32, 1 << 21);
    while most + 1 < too_many {
        let middle = most.midpoint(too_many);
        *(if fits(middle) { &mut most } else { &mut too_many }) = middle;
    }
    most
}

#[test]
fn a_game_that_fits_by_the_account_fits_in_the_memory() {
    for width in WordWidth::ALL.into_iter().filter(|width| *width <= widest_word()) {
        for (roles, cores) in [(2, 1), (2, 16), (1, 1), (1, 16)] {
            let budget = Budget { cores, ..Budget::default() };
            let most = most_slots(roles, &budget, width);
            // Also with a queue that takes what is left.
            let code = size_of::<u32>() as u64;
            let fewer = most - (10_000 / (width.bytes() * u64::from(cores) + code)) as u32;
            let queues = [most, fewer].map(|slots| {
                let game = game_of_slots(roles, slots);
                let topology = Topology { threads: cores, width, ..Topology::default() };
                let engine = Arc::new(HostEngine::new(EngineChoice::Interpreter));
                let settings = ConnectSettings { engine, ..settings(&topology) };
                let clusters = Inproc::start(&game, &settings);
                let clusters =
                    clusters.unwrap_or_else(|error| panic!("{width:?}, {cores}: {error}"));
                let account = budget.account(&Demand::of(game.image()), width);
                let attributes = clusters.attributes();
                assert_eq!(attributes.width, width);
                assert_eq!(attributes.sensible_batch as u64, account.queue);
                account.queue
            });
            assert!(QUEUE_LENGTH <= queues[0] && queues[0] < queues[1], "{queues:?}");
            assert!(queues[1] < LONGEST_QUEUE, "{queues:?}");
        }
    }
}

#[test]
fn every_way_leads_to_the_same_results_and_says_what_it_is() {
    let game = bundled("breakthrough");
    let batches = batches(&game, &[40, 7], 5);
    let expected = expected(&game, &batches);
    let settings = settings(&Topology { clusters: 3, ..Topology::default() });
    let routes = [
        (Route::Direct, Transport::Direct, 0),
        (Route::Inproc, Transport::Inproc, 3),
        (Route::Apart { io_nodes: 1 }, Transport::Inproc, 3),
        (Route::Apart { io_nodes: 2 }, Transport::Inproc, 3),
    ];
    for (route, transport, clusters) in routes {
        let mut offload = connect(route, &game, &settings).expect("the game fits");
        let attributes = offload.attributes();
        assert_eq!((route.transport(), attributes.clusters), (transport, clusters));
        assert_eq!((attributes.seed, attributes.columns.roles), (SEED, 2));
        assert!(attributes.sensible_batch > 0, "{attributes:?}");
        assert_eq!(play(&mut offload, &batches).unwrap(), expected, "{route:?}");
        assert_eq!(offload.usage().playing.is_some(), clusters > 0);
    }
    for io_nodes in [0, 4] {
        let refused = connect(Route::Apart { io_nodes }, &game, &settings).err();
        assert!(matches!(refused, Some(ConnectError::IoNodes { .. })), "{refused:?}");
    }
}

#[test]
fn meters_count_what_each_cluster_has_played() {
    let game = bundled("connectfour");
    let topology = Topology { clusters: 2, ..Topology::default() };
    let meters = Meters::new();
    let settings = ConnectSettings { meters: meters.clone(), ..settings(&topology) };
    let mut offload = connect(Route::Inproc, &game, &settings).unwrap();
    play(&mut offload, &batches(&game, &[600], 10)).unwrap();
    let read = meters.read();
    assert_eq!(read.iter().map(|meter| meter.positions).sum::<u64>(), 600);
    assert_eq!(read.iter().map(|meter| meter.playouts).sum::<u64>(), 6000);
    assert!(read.iter().all(|meter| meter.waiting == 0 && !meter.is_gone), "{read:?}");
    assert!(read.iter().any(|meter| !meter.playing.is_zero()), "{read:?}");
}
