//! The modelled machine gives the results of a plain player, and the same times
//! whenever it is asked.

use std::sync::Arc;
use std::time::Duration;

use ruche_io_node::RunMode;
use ruche_model::{Model, ModelError, Openings, Parameters, Setup, TimeShares};
use ruche_offload::Topology;
use ruche_runtime::strategy::Strategy;
use ruche_search::{
    Batch, Direct, DirectSettings, Finished, Offload, Search, SearchBudget, SearchOptions,
};
use ruche_shared::names::Named;
use ruche_shared::wire::control::Mode;
use ruche_shared::{Image, WordWidth};

const SEED: u64 = 11;

fn words_of(name: &str) -> Vec<u32> {
    let game = ruche_games::find(name).expect("a bundled game");
    let (description, _) = ruche_gdl::load(game.source.as_bytes()).expect("sound rules");
    let compiled =
        ruche_compiler::compile(&description, &Default::default()).expect("a compiled game");
    bytemuck::pod_collect_to_vec(compiled.image())
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

fn batches(image: &Image<'_>, count: usize, playouts: u32) -> Vec<Batch> {
    let batch = |number: u64| Batch {
        number,
        first: number * count as u64,
        playouts,
        positions: image.initial().repeat(count),
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

fn direct(image: &Image<'_>, batches: &[Batch]) -> Vec<Finished> {
    let settings = DirectSettings { seed: SEED, ..DirectSettings::default() };
    let mut direct = Direct::new(image, settings).expect("a playable game");
    play(&mut direct, batches)
}

#[test]
fn results_are_those_of_a_plain_player_and_times_repeat() {
    let parameters = Parameters::mppa256();
    for (game, playouts) in [("tictactoe", 1), ("connectfour", 5)] {
        let words = words_of(game);
        let bytes: &[u8] = bytemuck::cast_slice(&words);
        let image = Image::parse(bytes).expect("a sound image");
        let batches = batches(&image, 24, playouts);
        let expected = direct(&image, &batches);
        for strategy in [Strategy::Restart, Strategy::Condvar, Strategy::Spin, Strategy::Portal] {
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
                        let mut model = Model::start(&image, bytes, &setup).expect("the game fits");
                        (play(&mut model, &batches), model.elapsed(), model.shares())
                    };
                    let (found, time, shares) = run();
                    assert_eq!(found, expected, "{game} {topology:?}");
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
    let words = words_of("connectfour");
    let bytes: &[u8] = bytemuck::cast_slice(&words);
    let image = Image::parse(bytes).expect("a sound image");
    let options = SearchOptions {
        batch: 32,
        in_flight: 2,
        budget: SearchBudget::Playouts(4000),
        ..SearchOptions::default()
    };
    let settings = options.check().expect("sound settings");
    let search = |offload: &mut dyn Offload| {
        let mut search = Search::new(&image, image.initial(), settings).expect("a position");
        search.run(offload, |_| ()).expect("somebody plays").signature
    };
    let direct_settings = DirectSettings { seed: SEED, ..DirectSettings::default() };
    let expected = search(&mut Direct::new(&image, direct_settings).expect("a playable game"));
    for io_nodes in [1, 2, 4] {
        let topology = Topology {
            clusters: 4,
            threads: 2,
            width: WordWidth::One,
            run_mode: RunMode::Async,
            ..Topology::default()
        };
        let setup = Setup { io_nodes, is_search: true, ..setup(&parameters, topology) };
        let mut model = Model::start(&image, bytes, &setup).expect("the game fits");
        assert_eq!(search(&mut model), expected, "{io_nodes} I/O nodes");
        assert!(model.elapsed() > Duration::ZERO);
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let parameters = Parameters::mppa256();
    let words = words_of("tictactoe");
    let bytes: &[u8] = bytemuck::cast_slice(&words);
    let image = Image::parse(bytes).expect("a sound image");
    let topology = Topology { threads: 17, ..Topology::default() };
    let refused = Model::start(&image, bytes, &setup(&parameters, topology));
    assert!(matches!(refused, Err(ModelError::Connect(_))));
    let setup = Setup { io_nodes: 2, ..setup(&parameters, Topology::default()) };
    assert!(matches!(Model::start(&image, bytes, &setup), Err(ModelError::IoNodes { .. })));
}

/// A model that is dropped while its thread unwinds lets its cores end, and what was said
/// is heard: a failed assertion is no abort.
#[test]
fn a_panic_beside_a_live_model_is_an_ordinary_panic() {
    let parameters = Parameters::mppa256();
    let words = words_of("tictactoe");
    let bytes: &[u8] = bytemuck::cast_slice(&words);
    let image = Image::parse(bytes).expect("a sound image");
    for strategy in Strategy::ALL {
        let topology = Topology { threads: 4, strategy: *strategy, ..Topology::default() };
        let fail = || {
            let setup = setup(&parameters, topology);
            let mut model = Model::start(&image, bytes, &setup).expect("the game fits");
            model.submit(batches(&image, 24, 1).remove(0)).expect("somebody plays");
            panic!("a failed assertion");
        };
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(fail));
        let said = panic.expect_err("it panics").downcast::<&str>().expect("a text");
        assert_eq!(*said, "a failed assertion", "{strategy}");
    }
}
