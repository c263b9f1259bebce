//! Budgets, memory and those who stop playing.

mod support;

use std::time::{Duration, Instant};

use ruche_eval::playouts::Outcome;
use ruche_search::{
    Batch, Finished, Offload, OffloadError, Search, SearchBudget, SearchError, SearchOptions,
};
use support::{Fake, Game, direct, few_playouts, report, search, without_times};

#[test]
fn the_budget_is_exceeded_by_less_than_one_position() {
    let game = Game::bundled("connectfour");
    let image = game.image();
    for each in [1, 4, 7] {
        for in_flight in [1, 3] {
            for budget in [1, 2, 27, 28, 29, 1000, 3333] {
                let options = SearchOptions {
                    playouts_per_position: each,
                    in_flight,
                    ..few_playouts(budget)
                };
                let found = report(&image, options, 0);
                let expected = budget.next_multiple_of(each.into());
                assert_eq!(found.playouts, expected, "{budget} by {each}");
                assert_eq!(found.outcome.playouts(), found.leaves * u64::from(each));
            }
        }
    }
}

#[test]
fn a_solved_game_uses_up_its_budget_and_ends() {
    let game = Game::bundled("tictactoe");
    let image = game.image();
    let found = report(&image, few_playouts(300_000), 0);
    assert_eq!(found.playouts, 300_000);
    assert!(found.terminal_visits > found.leaves);
}

#[test]
fn time_is_a_budget_too() {
    let game = Game::bundled("tictactoe");
    let image = game.image();
    let budget = SearchBudget::Time(Duration::from_millis(100));
    let start = Instant::now();
    let found = report(&image, SearchOptions { budget, ..Default::default() }, 0);
    assert!(found.playouts > 0);
    assert!(found.time >= Duration::from_millis(100));
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn another_run_goes_on_with_the_same_tree() {
    let game = Game::bundled("connectfour");
    let image = game.image();
    let mut search = search(&image, few_playouts(1000));
    let mut offload = direct(&image, 0);
    let first = search.run(&mut offload, |_| {}).expect("playouts do not fail");
    let second = search.run(&mut offload, |_| {}).expect("playouts do not fail");
    assert_eq!((first.playouts, second.playouts), (1000, 2000));
    assert!(second.nodes > first.nodes);
}

#[test]
fn a_full_tree_is_searched_on() {
    for name in ["breakthrough", "connectfour", "blocker", "tictactoe"] {
        let game = Game::bundled(name);
        let image = game.image();
        for in_flight in [1, 3] {
            let options = SearchOptions { memory: 1 << 17, in_flight, ..few_playouts(20_000) };
            let found = report(&image, options, 0);
            assert!(found.is_full && found.bytes <= 1 << 17, "{name}: {} bytes", found.bytes);
            assert_eq!(found.playouts, 20_000);
            let again = report(&image, options, 0);
            assert_eq!(without_times(&again), without_times(&found));
            let visits = found.roles.iter().map(|role| role.moves.iter());
            visits.for_each(|moves| assert_eq!(moves.map(|one| one.visits).sum::<u64>(), 20_000));
        }
    }
}

#[test]
fn memory_that_is_too_small_for_the_root_is_refused() {
    let game = Game::bundled("sudoku");
    let image = game.image();
    let options = SearchOptions { memory: 1 << 16, ..Default::default() };
    let settings = options.check().expect("sound settings");
    // Whether 64 KiB are enough is the game's affair, but nothing may panic.
    if let Err(error) = Search::new(&image, image.initial(), settings) {
        assert!(error.to_string().contains("allow more memory"), "{error}");
    }
}

#[test]
fn a_position_of_another_game_is_refused() {
    let game = Game::bundled("connectfour");
    let error = Search::new(&game.image(), &[0], Default::default()).expect_err("too short");
    assert!(error.to_string().contains("belongs to another game"), "{error}");
    assert_eq!(error.report(), None);
}

/// Fails after some batches.
struct Failing {
    inner: Fake,
    left: u64,
}

impl Offload for Failing {
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
    let game = Game::bundled("breakthrough");
    let image = game.image();
    let mut search = search(&image, SearchOptions { in_flight: 1, ..few_playouts(10_000) });
    let mut offload = Failing { inner: Fake::new(&image), left: 5 };
    let error = search.run(&mut offload, |_| {}).expect_err("it fails");
    assert!(error.to_string().contains("the last cluster died"), "{error}");
    let report = error.report().expect("what was finished");
    assert_eq!((report.batches, report.playouts), (5, 5 * 8 * 4));
    let found = search.run(&mut Fake::new(&image), |_| {}).expect("somebody else plays");
    assert_eq!(found.playouts, 5 * 8 * 4 + 10_000, "nothing is left under way");
}

/// Damages answers.
struct Damaging(Fake, fn(&mut Finished));

impl Offload for Damaging {
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
    let game = Game::bundled("connectfour");
    let image = game.image();
    let damages: [fn(&mut Finished); 7] = [
        |finished| finished.number += 1000,
        |finished| finished.outcomes.truncate(3),
        |finished| finished.scores.push(0),
        |finished| finished.outcomes[2] = Outcome::default(),
        |finished| finished.outcomes[1].stuck = u64::MAX,
        |finished| finished.outcomes[3].plies = u64::MAX,
        |finished| finished.scores[5] = u64::MAX,
    ];
    for damage in damages {
        let mut offload = Damaging(Fake::new(&image), damage);
        let error =
            search(&image, few_playouts(1000)).run(&mut offload, |_| {}).expect_err("damage");
        assert!(matches!(error, SearchError::Answer { .. }), "{error}");
        assert_eq!(error.report().map(|report| report.playouts), Some(0));
    }
}
