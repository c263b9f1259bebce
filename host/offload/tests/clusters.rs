//! Clusters give the results of a plain player, whatever they are made of.

mod support;

use std::sync::Arc;

use ruche_eval::playouts::Outcome;
use ruche_io_node::RunMode;
use ruche_offload::inproc::{Death, Inproc};
use ruche_offload::remote::ConnectError;
use ruche_offload::{HostEngine, Topology};
use ruche_playouts::widest_word;
use ruche_runtime::strategy::Strategy;
use ruche_search::{Batch, Finished, OffloadError};
use ruche_shared::budget::{Budget, Demand, LONGEST_QUEUE, QUEUE_LENGTH, WordWidth};
use ruche_shared::names::Named;
use ruche_shared::wire::control::Mode;
use support::{SEED, Words, batches, expected, play};

fn found(words: &Words, batches: &[Batch], topology: &Topology, deaths: &[Death]) -> Vec<Finished> {
    let engine = Arc::new(HostEngine::native());
    let mut clusters = Inproc::start_with_deaths(
        &words.image(),
        words.bytes(),
        topology,
        SEED,
        engine,
        deaths,
        |_| (),
    )
    .expect("the game fits");
    play(&mut clusters, batches).expect("somebody is left")
}

#[test]
fn every_strategy_mode_and_word_gives_the_same_results() {
    for game in ["tictactoe", "breakthrough", "doubletictactoe", "sudoku"] {
        let words = Words::of_game(game);
        let batches = batches(&words.image(), &[1, 3, 40, 200], 7);
        let expected = expected(&words.image(), &batches);
        for &strategy in Strategy::ALL {
            for mode in [Mode::PerCore, Mode::Split] {
                for (clusters, threads, width) in [
                    (1, 1, WordWidth::One),
                    (2, 3, WordWidth::SixtyFour),
                    (3, 2, WordWidth::Wide512),
                ] {
                    let base = Topology::default();
                    let topology = Topology { clusters, threads, strategy, mode, width, ..base };
                    let found = found(&words, &batches, &topology, &[]);
                    assert_eq!(found, expected, "{game}: {topology:?}");
                }
            }
        }
    }
}

#[test]
fn a_split_of_the_smallest_strata_gives_the_same_results() {
    let words = Words::of_game("connectfour");
    let batches = batches(&words.image(), &[20], 5);
    let topology =
        Topology { threads: 3, mode: Mode::Split, split_least: 1, ..Topology::default() };
    assert_eq!(found(&words, &batches, &topology, &[]), expected(&words.image(), &batches));
}

#[test]
fn a_killed_cluster_changes_nothing() {
    let words = Words::of_game("connectfour");
    let batches = batches(&words.image(), &[64; 6], 5);
    let expected = expected(&words.image(), &batches);
    for run_mode in [RunMode::Sync, RunMode::Async] {
        for after in [0, 1, 2, 3] {
            let topology = Topology { clusters: 3, run_mode, ..Topology::default() };
            let deaths = [Death { cluster: 1, after }];
            assert_eq!(
                found(&words, &batches, &topology, &deaths),
                expected,
                "{run_mode:?} {after}"
            );
        }
    }
}

#[test]
fn when_all_are_dead_the_finished_playouts_are_counted() {
    let words = Words::of_game("connectfour");
    let batches = batches(&words.image(), &[64; 6], 5);
    let topology = Topology { clusters: 2, ..Topology::default() };
    let deaths = [Death { cluster: 0, after: 4 }, Death { cluster: 1, after: 4 }];
    let engine = Arc::new(HostEngine::native());
    let image = words.image();
    let mut clusters =
        Inproc::start_with_deaths(&image, words.bytes(), &topology, SEED, engine, &deaths, |_| ())
            .expect("the game fits");
    let error = play(&mut clusters, &batches).expect_err("nobody is left");
    assert!(matches!(error, OffloadError::Lost { finished: 640.., .. }), "{error}");
}

#[test]
fn empty_playouts_count_as_games_without_end() {
    let words = Words::of_game("tictactoe");
    let batches = batches(&words.image(), &[100], 3);
    let topology = Topology { clusters: 2, threads: 2, mode: Mode::Empty, ..Topology::default() };
    let found = found(&words, &batches, &topology, &[]);
    let empty = Outcome { endless: 3, ..Outcome::default() };
    assert!(found[0].outcomes.iter().all(|outcome| *outcome == empty));
}

#[test]
fn what_does_not_fit_on_a_board_does_not_run_here() {
    let words = Words::of_game("hex");
    let topology = Topology { threads: 17, ..Topology::default() };
    let engine = Arc::new(HostEngine::native());
    let refused = Inproc::start(&words.image(), words.bytes(), &topology, SEED, engine);
    let Err(ConnectError::Refused(text)) = refused else { panic!("17 cores are too many") };
    assert!(text.contains("17 cores"), "{text}");
}

#[test]
fn the_widest_word_that_fits_is_taken() {
    let words = Words::of_game("breakthrough");
    let topology = Topology { threads: 16, ..Topology::default() };
    let engine = Arc::new(HostEngine::native());
    let clusters = Inproc::start(&words.image(), words.bytes(), &topology, SEED, engine).unwrap();
    let width = clusters.remote().unwrap().width();
    assert!(width >= WordWidth::SixtyFour && width <= topology.width, "{width:?}");
}

/// The most slots of a game that fits by the account, found by halving.
fn most_slots(budget: &Budget, width: WordWidth) -> u32 {
    let fits = |slots| {
        let demand = Demand::of(&Words::of_slots(slots).image());
        budget.account(&demand, width).fits()
    };
    let (mut most, mut too_many) = (102_u32, 1 << 22);
    while most + 1 < too_many {
        let middle = most.midpoint(too_many);
        *(if fits(middle) { &mut most } else { &mut too_many }) = middle;
    }
    most
}

#[test]
fn a_game_that_fits_by_the_account_fits_in_the_memory() {
    for width in WordWidth::ALL.into_iter().filter(|width| *width <= widest_word()) {
        for cores in [1, 16] {
            let budget = Budget { cores, ..Budget::default() };
            let most = most_slots(&budget, width);
            // Also with a queue that takes what is left.
            let fewer = most - (10_000 / (width.bytes() * u64::from(cores))) as u32;
            let queues = [most, fewer].map(|slots| {
                let words = Words::of_slots(slots);
                let topology = Topology { threads: cores, width, ..Topology::default() };
                let engine = Arc::new(HostEngine::interpreter());
                let image = words.image();
                let clusters = Inproc::start(&image, words.bytes(), &topology, SEED, engine);
                let clusters =
                    clusters.unwrap_or_else(|error| panic!("{width:?}, {cores}: {error}"));
                assert_eq!(clusters.remote().unwrap().width(), width);
                budget.account(&Demand::of(&image), width).queue
            });
            assert!(QUEUE_LENGTH <= queues[0] && queues[0] < queues[1], "{queues:?}");
            assert!(queues[1] < LONGEST_QUEUE, "{queues:?}");
        }
    }
}
