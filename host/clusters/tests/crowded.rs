//! Clusters on a machine that has other work: they take their share of it, and nobody who
//! lives is taken for dead.

mod support;

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::{Duration, Instant};

use ruche_clusters::{Route, Topology, connect};
use ruche_offload::{Finished, Offload};
use ruche_runtime::strategy::Strategy;
use ruche_shared::names::Named;
use ruche_shared::wire::control::Mode;
use support::{batches, bundled, expected, play, settings};

/// Threads that want a processor and do nothing with it.
const BUSY_LOOPS: usize = 6;

/// Runs something beside busy loops.
fn beside_busy_loops<R>(run: impl FnOnce() -> R) -> R {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..BUSY_LOOPS {
            scope.spawn(|| {
                while !is_over.load(Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let result = run();
        is_over.store(true, Relaxed);
        result
    })
}

#[test]
fn beside_busy_loops_nobody_is_lost_in_any_mode_and_strategy() {
    let game = bundled("breakthrough");
    let batches = batches(&game, &[32; 4], 16);
    let expected = expected(&game, &batches);
    let run = |mode, strategy| -> (Vec<Finished>, usize, Duration) {
        let deadline = Duration::from_secs(2);
        let topology =
            Topology { clusters: 2, threads: 2, mode, strategy, deadline, ..Topology::default() };
        let start = Instant::now();
        let mut clusters = connect(Route::Inproc, &game, &settings(&topology)).expect("it fits");
        let found = play(&mut clusters, &batches).expect("somebody is left");
        (found, clusters.usage().losses, start.elapsed())
    };
    for mode in [Mode::PerCore, Mode::Split] {
        for &strategy in Strategy::ALL {
            let alone = run(mode, strategy).2;
            let (found, losses, crowded) = beside_busy_loops(|| run(mode, strategy));
            println!("{mode} {strategy}: {alone:?} alone, {crowded:?} beside {BUSY_LOOPS} loops");
            assert_eq!((found == expected, losses), (true, 0), "{mode} {strategy}");
            // The share of a thread is less by the number of busy loops; the rest is for
            // slices that have to be waited for, by the machine and by its owner.
            let most = (alone * 20 * BUSY_LOOPS as u32).max(Duration::from_secs(1));
            assert!(crowded < most, "{mode} {strategy}: {crowded:?}, alone {alone:?}");
        }
    }
}
