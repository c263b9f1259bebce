//! Root parallelism: trees side by side.

mod support;

use std::time::Duration;

use ruche_offload::{Attributes, Batch, Finished, Offload, OffloadError};
use ruche_search::settings::LEAST_MEMORY;
use ruche_search::{Limits, Merge, Method, SearchError, SearchReport, Stop};
use support::{Asked, Fake, bundled, direct, few_playouts, playouts, report, without_times};

/// What so many trees find.
fn root(name: &str, asked: Asked, trees: usize, merge: Merge) -> SearchReport {
    let game = bundled(name);
    let asked = asked.with(|options| (options.trees, options.merge) = (trees, merge));
    let settings = asked.options.check().expect("sound settings");
    let mut search = Method::Root.start(&game, &settings).expect("memory");
    let found = search.search(&mut direct(&game, 7), &asked.limits, &Stop::default(), &mut |_| ());
    found.expect("playouts do not fail")
}

#[test]
fn trees_share_the_playouts_and_find_the_same_every_time() {
    for name in ["connectfour", "breakthrough", "blocker", "eightpuzzle"] {
        for trees in [1, 2, 5] {
            let found = root(name, few_playouts(20_000), trees, Merge::Sum);
            let again = root(name, few_playouts(20_000), trees, Merge::Sum);
            assert_eq!(without_times(&found), without_times(&again), "{name} with {trees}");
            let most = 20_000 + 64 * trees as u64;
            let is_used_up = (20_000..most).contains(&found.playouts);
            assert!(is_used_up || found.is_complete, "{name}: {}", found.playouts);
            for role in &found.roles {
                let visits: u64 = role.moves.iter().map(|one| one.visits).sum();
                assert!(
                    visits <= found.playouts && 10 * visits > 9 * found.playouts,
                    "{name} with {trees}"
                );
                assert!(role.moves.iter().all(|one| (0.0..=100.0).contains(&one.mean)));
            }
        }
    }
}

#[test]
fn one_tree_finds_what_uct_finds() {
    let alone = report(&bundled("connectfour"), few_playouts(20_000), 7);
    let found = root("connectfour", few_playouts(20_000), 1, Merge::Vote);
    let signature = alone.signature;
    let found = SearchReport { signature, split: alone.split, ..found };
    assert_eq!(without_times(&alone), without_times(&found));
}

#[test]
fn trees_differ() {
    let [one, two] = [1, 2].map(|trees| {
        let asked = few_playouts(10_000 * trees as u64);
        root("connectfour", asked, trees, Merge::Sum)
    });
    let visits = |found: &SearchReport, number| {
        let mut moves = found.roles[0].moves.iter();
        moves.find(|one| one.number == number).map(|one| one.visits)
    };
    assert!((0..7).any(|number| visits(&two, number) != visits(&one, number).map(|v| 2 * v)));
}

#[test]
fn what_is_proven_is_told_whatever_the_merge() {
    for merge in [Merge::Sum, Merge::Best, Merge::Vote] {
        let found = root("tictactoe", playouts(400_000), 3, merge);
        assert!(found.is_complete, "{merge:?}");
        assert!(found.roles.iter().all(|role| role.proven == Some(50.0)), "{merge:?}");
    }
}

#[test]
fn the_best_line_of_all_trees_is_told() {
    let found = root("eightpuzzle", few_playouts(60_000), 3, Merge::Sum);
    let line = found.best_line.expect("a game for one");
    assert_eq!(found.best.map(|best| best[0]), line.moves.first().copied());
}

#[test]
fn a_game_is_played_on_and_a_search_is_stopped() {
    let game = bundled("connectfour");
    let asked = few_playouts(5000).with(|options| options.trees = 3);
    let settings = asked.options.check().expect("sound settings");
    let mut search = Method::Root.start(&game, &settings).expect("memory");
    let mut offload = direct(&game, 1);
    let mut state = game.initial();
    while !state.is_terminal() {
        search.set_position(&state).expect("of this game");
        let found = search.search(&mut offload, &asked.limits, &Stop::default(), &mut |_| ());
        let best = found.expect("playouts do not fail").best.expect("the game goes on");
        state = state.play(&best).expect("it is legal");
    }
    let stop = Stop::default();
    search.set_position(&game.initial()).expect("of this game");
    let mut told = 0;
    let found = search.search(&mut offload, &Limits::none(), &stop, &mut |progress| {
        told += 1;
        assert!(progress.playouts > 0);
        if told == 20 {
            stop.request();
        }
    });
    assert!(found.expect("playouts do not fail").is_stopped);
    let more = search.search(&mut offload, &asked.limits, &Stop::default(), &mut |_| ());
    assert!(more.expect("what was under way disturbs nobody").playouts > 5000);
}

/// Plays some batches and is lost then.
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
        self.left = self.left.checked_sub(1).ok_or_else(|| OffloadError::Lost {
            reason: String::from("the last cluster"),
            finished: 0,
        })?;
        self.inner.collect()
    }
}

#[test]
fn when_nobody_is_left_to_play_all_trees_end_and_tell_what_they_know() {
    let game = bundled("connectfour");
    let settings = few_playouts(1).with(|options| options.trees = 3).options.check();
    let settings = settings.expect("sound settings");
    let mut search = Method::Root.start(&game, &settings).expect("memory");
    let mut failing = Failing { inner: Fake::new(&game), left: 10 };
    let limits = Limits::time(Duration::from_secs(1000));
    let error = search.search(&mut failing, &limits, &Stop::default(), &mut |_| ());
    let Err(SearchError::Offload { source, report }) = error else { panic!("{error:?}") };
    assert!(source.to_string().contains("the last cluster"), "{source}");
    assert!(report.playouts > 0 && report.best.is_some());
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    for trees in [0, 65] {
        let asked = few_playouts(1).with(|options| options.trees = trees);
        let error = asked.options.check().expect_err("too few or too many");
        assert!(error.to_string().contains("not in 1 to 64"), "{error}");
    }
    let asked = few_playouts(1).with(|o| (o.trees, o.memory) = (64, LEAST_MEMORY));
    let settings = asked.options.check().expect("sound settings");
    // Each has the least memory, which may be too little for the root.
    if let Err(error) = Method::Root.start(&bundled("sudoku"), &settings) {
        assert!(error.to_string().contains("allow more memory"), "{error}");
    }
}
