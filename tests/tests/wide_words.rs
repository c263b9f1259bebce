//! Wide words are worth their width: a regression guard.
//!
//! What works on vector words must be inlined into functions that are compiled for
//! them. Once it was not, because of a closure in between: every result was right,
//! every test passed, and raw playouts had a quarter of their speed, so that 512
//! lanes were hardly faster than 64. Times are compared within one run only, and
//! only with a ratio that noise does not reach.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ruche_clusters::{ConnectSettings, Route, Topology, connect};
use ruche_offload::Batch;
use ruche_playouts::{Amount, EngineChoice, HostEngine, PlayoutSettings, Playouts, widest_word};
use ruche_shared::WordWidth;
use ruche_tests::player::bundled;

/// A word with so many times the lanes must be faster by this share of it. Builds of
/// the development profile give 0.43 to 0.63 with 512 lanes; with the closure they
/// gave 0.18 by native code and 0.25 to 0.28 by the interpreter.
const SHARE: f64 = 0.31;

/// The best of so many rounds counts: whatever else runs here only adds time.
const ROUNDS: usize = 7;

/// Playouts of a round: many more than lanes, so that few are empty at the end.
const PLAYOUTS: u64 = 8192;

/// Whoever is timed does not compete with another test.
static ALONE: Mutex<()> = Mutex::new(());

/// Checks that the widest word is worth its width, where this machine has a wide one.
fn check(what: &str, mut time: impl FnMut(WordWidth) -> Duration) {
    let (widest, narrow) = (widest_word(), WordWidth::SixtyFour);
    if widest < WordWidth::Wide256 {
        return println!("skipped: this machine has words of {} lanes at most", widest.lanes());
    }
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut best = [Duration::MAX; 2];
    for _ in 0..ROUNDS {
        for (best, width) in best.iter_mut().zip([narrow, widest]) {
            *best = time(width).min(*best);
        }
    }
    let faster = best[0].as_secs_f64() / best[1].as_secs_f64();
    let share = faster * f64::from(narrow.lanes()) / f64::from(widest.lanes());
    println!("{what}: {} lanes are {faster:.2} times as fast as 64", widest.lanes());
    assert!(share > SHARE, "{what}: {} lanes are {faster:.2} times as fast", widest.lanes());
}

#[test]
fn the_widest_word_plays_much_faster_than_64_lanes() {
    let game = bundled("breakthrough");
    for engine in EngineChoice::available(widest_word()) {
        check(&engine.to_string(), |width| {
            let settings = PlayoutSettings { width, engine, ..PlayoutSettings::default() };
            let playouts = Playouts::new(&game, &settings).expect("an engine of this machine");
            playouts.play_initial(Amount::Each(PLAYOUTS)).expect("its own position").cpu
        });
    }
}

#[test]
fn the_widest_word_plays_much_faster_in_a_cluster_too() {
    let game = bundled("breakthrough");
    let engine = Arc::new(HostEngine::default());
    check("a cluster", |width| {
        let topology = Topology { width, ..Topology::default() };
        let settings = ConnectSettings::new(topology, 0);
        let settings = ConnectSettings { engine: engine.clone(), ..settings };
        let mut cluster = connect(Route::Inproc, &game, &settings).expect("it fits");
        let (playouts, positions) = (PLAYOUTS as u32, game.image().initial().to_vec());
        let batch = Batch { number: 0, first: 0, playouts, positions, count: 1 };
        cluster.submit(batch).expect("a cluster");
        cluster.collect().expect("a cluster");
        cluster.usage().playing.expect("a cluster counts")
    });
}
