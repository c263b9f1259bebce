//! Budgets, memory and those who stop playing.

mod support;

use std::time::{Duration, Instant};

use ruche_offload::{Attributes, Batch, Finished, Offload, OffloadError, Tally};
use ruche_search::{
    Decompose, Limits, LimitsError, Proofs, SearchError, SearchMethod, SearchOptions, Searcher,
    Stop, Uct,
};
use support::{
    Fake, bundled, direct, few_playouts, go_on, playouts, report, results, rows, search,
    without_times,
};

#[test]
fn the_budget_is_exceeded_by_less_than_one_position() {
    let game = bundled("connectfour");
    for each in [1, 4, 7] {
        for in_flight in [1, 3] {
            for budget in [1, 2, 27, 28, 29, 1000, 3333] {
                let asked = playouts(budget).with(|options| {
                    (options.playouts_per_position, options.in_flight) = (each, in_flight);
                });
                let found = report(&game, asked, 0);
                let expected = budget.next_multiple_of(each.into());
                assert_eq!(found.playouts, expected, "{budget} by {each}");
                assert_eq!(found.tally.playouts(), found.leaves * u64::from(each));
            }
        }
    }
}

#[test]
fn a_small_game_uses_up_its_budget_only_without_proofs() {
    let game = bundled("tictactoe");
    let asked = few_playouts(300_000);
    let found = report(&game, asked.with(|options| options.proofs = Proofs::Off), 0);
    assert_eq!((found.playouts, found.is_complete), (300_000, false));
    assert!(found.terminal_visits > found.leaves);
    let found = report(&game, asked, 0);
    assert!(found.playouts < 30_000 && found.is_complete, "{}", found.playouts);
}

#[test]
fn time_is_a_budget_too() {
    let game = bundled("breakthrough");
    let mut asked = playouts(1);
    asked.limits = Limits::time(Duration::from_millis(100));
    let start = Instant::now();
    let found = report(&game, asked, 0);
    assert!(found.playouts > 0);
    assert!(found.time >= Duration::from_millis(100));
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn another_run_goes_on_with_the_same_tree() {
    let game = bundled("connectfour");
    let mut search = search(&game, few_playouts(1000));
    let mut offload = direct(&game, 0);
    let first = go_on(&mut search, playouts(1000), &mut offload).expect("playouts do not fail");
    let second = go_on(&mut search, playouts(500), &mut offload).expect("playouts do not fail");
    assert_eq!((first.playouts, second.playouts), (1000, 1500), "each call has its limits");
    assert!(second.nodes > first.nodes);
}

#[test]
fn the_first_limit_that_is_reached_ends_a_search() {
    let game = bundled("tictactoe");
    let mut search = search(&game, few_playouts(0));
    let mut offload = direct(&game, 0);
    let limits = Limits { playouts: Some(400), ..Limits::time(Duration::from_secs(1000)) };
    let found = search.search(&mut offload, &limits, &Stop::default(), &mut |_| ());
    assert_eq!(found.expect("playouts").playouts, 400);
    for limit in [Limits::time, Limits::thread_time] {
        let limits = Limits { playouts: Some(4_000_000_000), ..limit(Duration::from_millis(1)) };
        let start = Instant::now();
        search.search(&mut offload, &limits, &Stop::default(), &mut |_| ()).expect("playouts");
        assert!(start.elapsed() < Duration::from_secs(20));
    }
    assert_eq!(Limits::playouts(0).check(), Err(LimitsError { found: 0 }));
}

#[test]
fn a_search_can_be_stopped_from_outside_and_goes_on() {
    let game = bundled("connectfour");
    let mut search = search(&game, few_playouts(0));
    let (stop, mut offload) = (Stop::default(), direct(&game, 0));
    let elsewhere = stop.clone();
    let mut batches = 0;
    let found = search.search(&mut offload, &Limits::none(), &stop, &mut |_| {
        batches += 1;
        if batches == 5 {
            let elsewhere = elsewhere.clone();
            std::thread::spawn(move || elsewhere.request()).join().expect("it is requested");
        }
    });
    let found = found.expect("playouts");
    assert!(found.is_stopped && found.playouts > 0, "{found:?}");
    let visits: u64 = found.roles[0].moves.iter().map(|one| one.visits).sum();
    assert_eq!(visits, found.playouts, "what was under way has come");
    let more = go_on(&mut search, playouts(400), &mut offload).expect("playouts");
    assert_eq!((more.playouts, more.is_stopped), (found.playouts + 400, false));
}

#[test]
fn a_full_tree_is_searched_on() {
    for name in ["breakthrough", "connectfour", "blocker", "tictactoe"] {
        let game = bundled(name);
        for in_flight in [1, 3] {
            let asked = few_playouts(20_000)
                .with(|options| (options.memory, options.in_flight) = (1 << 17, in_flight));
            let found = report(&game, asked, 0);
            assert!(found.is_full && found.bytes <= 1 << 17, "{name}: {} bytes", found.bytes);
            assert!(found.playouts == 20_000 || found.is_complete, "{name}: {}", found.playouts);
            let again = report(&game, asked, 0);
            assert_eq!(without_times(&again), without_times(&found));
            for role in &found.roles {
                let visits: u64 = role.moves.iter().map(|one| one.visits).sum();
                assert_eq!(visits, found.playouts, "{name}");
            }
        }
    }
}

#[test]
fn what_does_not_fit_into_the_memory_at_once_is_proven_nevertheless() {
    for (name, best, worst) in [("tictactoe", 50.0, 50.0), ("nim", 0.0, 100.0)] {
        let asked = few_playouts(4_000_000).with(|options| {
            (options.memory, options.decompose) = (1 << 16, Decompose::Off);
        });
        let found = report(&bundled(name), asked, 0);
        assert!(found.is_full && found.is_complete, "{name}: {} playouts", found.playouts);
        let values = found.roles.iter().map(|role| role.proven);
        assert!(values.eq([Some(best), Some(worst)]), "{name}: {:?}", found.roles);
    }
}

#[test]
fn whole_games_are_played_with_trees_that_are_full() {
    for name in ["tictactoe", "connectfour", "breakthrough", "blocker", "eightpuzzle", "nim"] {
        let game = bundled(name);
        let asked = few_playouts(40_000).with(|options| options.memory = 1 << 17);
        let settings = asked.options.check().expect("sound settings");
        let Ok(mut search) = Uct::new(&game, &settings) else { continue };
        let (mut offload, mut state) = (direct(&game, 3), game.initial());
        while !state.is_terminal() {
            search.set_position(&state).expect("what fitted before fits now");
            let found = go_on(&mut search, asked, &mut offload).expect("playouts do not fail");
            assert!(found.bytes <= 1 << 17, "{name}: {} bytes", found.bytes);
            state = state.play(&found.best.expect("the game goes on")).expect("it is legal");
        }
    }
}

#[test]
fn memory_that_is_too_small_for_the_root_is_refused() {
    let game = bundled("sudoku");
    let options = SearchOptions { memory: 1 << 16, ..Default::default() };
    let settings = options.check().expect("sound settings");
    // Whether 64 KiB are enough is the game's affair, but nothing may panic.
    if let Err(error) = Uct::new(&game, &settings) {
        assert!(error.to_string().contains("allow more memory"), "{error}");
    }
}

#[test]
fn a_position_of_another_game_is_refused() {
    let game = bundled("connectfour");
    let other = bundled("nim").initial();
    let mut search = search(&game, few_playouts(100));
    let error = search.set_position(&other).expect_err("another game");
    assert!(error.to_string().contains("belongs to another game"), "{error}");
    assert_eq!(error.report(), None);
}

/// Fails after some batches.
struct Failing {
    inner: Fake,
    left: u64,
}

impl Offload for Failing {
    fn attributes(&self) -> Attributes {
        self.inner.attributes()
    }

    fn submit(&mut self, batch: Batch) -> Result<(), OffloadError> {
        self.inner.submit(batch)
    }

    fn collect(&mut self) -> Result<Finished, OffloadError> {
        if self.left == 0 {
            return Err(OffloadError::Lost { reason: "the last cluster died".into(), finished: 1 });
        }
        self.left -= 1;
        self.inner.collect()
    }
}

#[test]
fn what_was_finished_is_there_when_nobody_is_left_to_play() {
    let game = bundled("breakthrough");
    let asked = few_playouts(10_000).with(|options| options.in_flight = 1);
    let mut search = search(&game, asked);
    let mut offload = Failing { inner: Fake::new(&game), left: 5 };
    let error = go_on(&mut search, asked, &mut offload).expect_err("it fails");
    assert!(error.to_string().contains("the last cluster died"), "{error}");
    let report = error.report().expect("what was finished");
    assert_eq!((report.batches, report.playouts), (5, 5 * 8 * 4));
    let found = go_on(&mut search, asked, &mut Fake::new(&game)).expect("somebody else plays");
    assert_eq!(found.playouts, 5 * 8 * 4 + 10_000, "nothing is left under way");
}

/// Answers so many batches, then nothing, though it is alive.
struct Slow {
    inner: Fake,
    left: u64,
    stop: Stop,
}

impl Offload for Slow {
    fn attributes(&self) -> Attributes {
        self.inner.attributes()
    }

    fn submit(&mut self, batch: Batch) -> Result<(), OffloadError> {
        self.inner.submit(batch)
    }

    fn collect(&mut self) -> Result<Finished, OffloadError> {
        unreachable!("a search that can be stopped does not wait for ever")
    }

    fn collect_within(&mut self, patience: Duration) -> Result<Option<Finished>, OffloadError> {
        if self.left == 0 {
            self.stop.request();
            std::thread::sleep(patience);
            return Ok(None);
        }
        self.left -= 1;
        self.inner.collect().map(Some)
    }
}

#[test]
fn a_search_that_waits_for_a_slow_cluster_can_be_stopped() {
    let game = bundled("breakthrough");
    let asked = few_playouts(10_000).with(|options| options.in_flight = 1);
    let mut search = search(&game, asked);
    let stop = Stop::default();
    let mut offload = Slow { inner: Fake::new(&game), left: 5, stop: stop.clone() };
    let found = search.search(&mut offload, &asked.limits, &stop, &mut |_| ()).expect("a report");
    assert!(found.is_stopped);
    assert_eq!((found.batches, found.playouts), (5, 5 * 8 * 4));
    offload.left = u64::MAX;
    let found = go_on(&mut search, asked, &mut offload).expect("late answers are dropped");
    assert_eq!(found.playouts, 5 * 8 * 4 + 10_000, "nothing is left under way");
}

/// Damages answers.
struct Damaging(Fake, fn(&mut Finished));

impl Offload for Damaging {
    fn attributes(&self) -> Attributes {
        self.0.attributes()
    }

    fn submit(&mut self, batch: Batch) -> Result<(), OffloadError> {
        self.0.submit(batch)
    }

    fn collect(&mut self) -> Result<Finished, OffloadError> {
        let mut finished = self.0.collect()?;
        (self.1)(&mut finished);
        Ok(finished)
    }
}

#[test]
fn answers_that_make_no_sense_are_refused() {
    let game = bundled("connectfour");
    let damages: [fn(&mut Finished); 7] = [
        |finished| finished.number += 1000,
        |finished| change(finished, |rows| rows.truncate(3)),
        |finished| change(finished, |rows| rows.iter_mut().for_each(|row| row.1.push(0))),
        |finished| change(finished, |rows| rows[2].0 = Tally::default()),
        |finished| change(finished, |rows| rows[1].0.stuck = u64::MAX),
        |finished| change(finished, |rows| rows[3].0.plies = u64::MAX),
        |finished| change(finished, |rows| rows[2].1[1] = u64::MAX),
    ];
    for damage in damages {
        let mut offload = Damaging(Fake::new(&game), damage);
        let asked = few_playouts(1000);
        let error = go_on(&mut search(&game, asked), asked, &mut offload).expect_err("damage");
        assert!(matches!(error, SearchError::Answer { .. }), "{error}");
        assert_eq!(error.report().map(|report| report.playouts), Some(0));
    }
}

fn change(finished: &mut Finished, damage: impl FnOnce(&mut Vec<(Tally, Vec<u64>)>)) {
    let mut rows = rows(&finished.results);
    damage(&mut rows);
    finished.results = results(&rows);
}

#[test]
fn whoever_plays_another_game_is_refused() {
    let game = bundled("eightpuzzle");
    let asked = few_playouts(100);
    let mut other = Fake::new(&bundled("connectfour"));
    let error = go_on(&mut search(&game, asked), asked, &mut other).expect_err("other roles");
    assert!(matches!(error, SearchError::Roles { needed: 1, found: 2 }), "{error}");
}
