//! Cores for which there is a processor only while the host waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

use ruche_runtime::strategy::{MOST_CORES, Pulse, Strategy, with_crew};
use ruche_shared::names::Named;
use ruche_threads::{Host, Threads};

/// As long as a guest waits at most.
const PATIENCE: Duration = Duration::from_millis(5);

struct Calm;

impl Pulse for Calm {
    fn interval(&self) -> u64 {
        1_000_000_000
    }

    fn beat(&mut self) {}
}

/// As many cores as there are processors, so that the last of them is a guest; none if a
/// cluster has not so many.
fn cores() -> Option<usize> {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    (2..=MOST_CORES).contains(&processors).then_some(processors)
}

/// One after the other: cores of one would make guests of those of the other.
#[test]
fn guests_wait_for_a_busy_host_and_no_longer() {
    let Some(cores) = cores() else { return };
    a_guest_begins_after_another_core_has_ended_while_the_host_is_busy(cores);
    a_guest_begins_beside_the_others_when_the_host_waits(cores);
}

fn a_guest_begins_after_another_core_has_ended_while_the_host_is_busy(cores: usize) {
    for &strategy in Strategy::ALL {
        let host = Arc::new(Host::default());
        let machine = Threads::beside(Arc::clone(&host));
        let (ended, shares) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let is_early = AtomicBool::new(false);
        let work = |core: usize, (): &mut ()| {
            if core == cores - 1 {
                is_early.store(ended.load(SeqCst) == 0, SeqCst);
            } else {
                thread::sleep(Duration::from_micros(300));
                ended.fetch_add(1, SeqCst);
            }
            shares.fetch_add(1, SeqCst);
        };
        with_crew(strategy, &machine, &mut vec![(); cores], work, &mut |round| {
            for _ in 0..20 {
                host.call();
                ended.store(0, SeqCst);
                let start = Instant::now();
                round(&mut Calm);
                let is_over_soon = start.elapsed() < PATIENCE;
                assert!(!(is_over_soon && is_early.load(SeqCst)), "{strategy}");
            }
        });
        assert_eq!(shares.into_inner(), 20 * cores, "{strategy}");
    }
}

fn a_guest_begins_beside_the_others_when_the_host_waits(cores: usize) {
    let host = Arc::new(Host::default());
    let machine = Threads::beside(Arc::clone(&host));
    let has_begun = AtomicBool::new(false);
    // The others end when the guest has begun: without it no round ends.
    let work = |core: usize, (): &mut ()| {
        if core == cores - 1 {
            has_begun.store(true, SeqCst);
        }
        while !has_begun.load(SeqCst) {
            host.rest();
            thread::yield_now();
        }
    };
    let mut shortest = Duration::MAX;
    with_crew(Strategy::default(), &machine, &mut vec![(); cores], work, &mut |round| {
        for _ in 0..100 {
            host.call();
            has_begun.store(false, SeqCst);
            let start = Instant::now();
            round(&mut Calm);
            shortest = shortest.min(start.elapsed());
        }
    });
    assert!(shortest < PATIENCE, "a guest was let in by its patience alone: {shortest:?}");
}
