//! The same settings give the same tree, whoever plays and whoever is faster.

mod support;

use std::time::Duration;

use ruche_offload::{
    Attributes, Batch, Checking, Direct, DirectSettings, Finished, Offload, OffloadError, Recording,
};
use ruche_playouts::EngineChoice;
use ruche_search::{Order, Progress, SearchError, Searcher, Stop};
use ruche_shared::WordWidth;
use ruche_shared::position::position_words;
use support::{
    Fake, bundled, direct, few_playouts, go_on, playouts, report, report_with, results, rows,
    search, without_times,
};

#[test]
fn the_order_of_answers_does_not_matter() {
    let game = bundled("breakthrough");
    let options = playouts(6000).with(|options| (options.in_flight, options.batch) = (4, 32));
    let expected = without_times(&report(&game, options, 7));
    for seed in 0..4 {
        let mut offload = Recording::new(direct(&game, 7), seed);
        let found = report_with(&game, options, &mut offload);
        assert_eq!(without_times(&found), expected);
    }
}

#[test]
fn answers_come_in_another_order_with_another_seed() {
    let game = bundled("tictactoe");
    let order = |seed| -> Vec<u64> {
        let mut offload = Recording::new(Fake::new(&game), seed);
        for number in 0..8 {
            let positions = game.image().initial().to_vec();
            let batch = Batch { number, first: number, playouts: 1, positions, count: 1 };
            offload.submit(batch).expect("a batch");
        }
        (0..8).map(|_| offload.collect().expect("a result").number).collect()
    };
    assert_eq!(order(1), order(1));
    assert_ne!(order(1), order(2));
}

#[test]
fn words_and_engines_do_not_matter() {
    for name in ["tictactoe", "blocker", "eightpuzzle"] {
        let game = bundled(name);
        let expected = without_times(&report(&game, playouts(800), 3));
        for width in [WordWidth::One, WordWidth::Eight, WordWidth::SixtyFour] {
            for engine in EngineChoice::available(width) {
                let settings = DirectSettings { seed: 3, width, engine, ..Default::default() };
                let mut offload = Direct::new(&game, settings).expect("an engine of this machine");
                let found = report_with(&game, playouts(800), &mut offload);
                assert_eq!(without_times(&found), expected, "{name}, {width:?}, {engine:?}");
            }
        }
    }
}

#[test]
fn another_seed_gives_another_tree() {
    let game = bundled("connectfour");
    let signature = |seed| report(&game, playouts(2000), seed).signature;
    assert_eq!(signature(1), signature(1));
    assert_ne!(signature(1), signature(2));
}

#[test]
fn batches_and_positions_are_numbered_from_zero_on() {
    let game = bundled("othello");
    let words = position_words(game.image().fluents());
    let mut offload = Recording::new(Fake::new(&game), 5);
    let options = playouts(8000).with(|options| options.in_flight = 3);
    let found = report_with(&game, options, &mut offload);
    let (mut first, records) = (0, offload.records());
    for (number, record) in (0..).zip(records) {
        assert_eq!((record.batch.number, record.batch.first), (number, first));
        assert_eq!(record.batch.positions.len(), record.batch.count * words);
        assert!((1..=256).contains(&record.batch.count));
        assert_eq!(record.finished.as_ref().map(|finished| finished.number), Some(number));
        first += record.batch.count as u64;
    }
    assert_eq!((found.leaves, found.batches), (first, records.len() as u64));
}

#[test]
fn a_batch_holds_distinct_positions() {
    for name in ["breakthrough", "connectfour", "blocker", "sudoku"] {
        let game = bundled(name);
        let words = position_words(game.image().fluents());
        let mut offload = Recording::new(Fake::new(&game), 0);
        report_with(&game, playouts(20_000), &mut offload);
        for record in offload.records() {
            let mut positions: Vec<_> = record.batch.positions.chunks(words).collect();
            positions.sort_unstable();
            positions.dedup();
            assert_eq!(positions.len(), record.batch.count, "{name}");
        }
    }
}

#[test]
fn results_may_enter_as_they_come() {
    let game = bundled("connectfour");
    let options =
        playouts(10_000).with(|options| (options.in_flight, options.order) = (5, Order::Arrival));
    let found = report_with(&game, options, &mut Recording::new(direct(&game, 1), 9));
    assert_eq!(found.playouts, 10_000);
    let ordered = report(&game, options.with(|options| options.order = Order::Batch), 1);
    assert_eq!(ordered.playouts, 10_000);
    assert_ne!(ordered.signature, found.signature, "results came in another order");
}

#[test]
fn progress_grows_up_to_the_report() {
    let game = bundled("connectfour");
    let (mut seen, mut last) = (0, None);
    let asked = playouts(5000);
    let mut progress = |progress: &ruche_search::Progress| {
        assert!(progress.playouts > seen);
        seen = progress.playouts;
        last = Some(progress.best.clone());
    };
    let (mut offload, stop) = (direct(&game, 0), Stop::default());
    let found = search(&game, asked)
        .search(&mut offload, &asked.limits, &stop, &mut progress)
        .expect("playouts do not fail");
    assert_eq!((seen, last), (found.playouts, found.best));
}

/// Answers one position wrongly.
struct Liar<O> {
    inner: O,
    batch: u64,
}

impl<O: Offload> Offload for Liar<O> {
    fn attributes(&self) -> Attributes {
        self.inner.attributes()
    }

    fn submit(&mut self, batch: Batch) -> Result<(), OffloadError> {
        self.inner.submit(batch)
    }

    fn collect(&mut self) -> Result<Finished, OffloadError> {
        let mut finished = self.inner.collect()?;
        if finished.number == self.batch {
            let mut rows = rows(&finished.results);
            rows[3].1[0] ^= 1;
            finished.results = results(&rows);
        }
        Ok(finished)
    }
}

#[test]
fn a_check_finds_nothing_wrong_with_honest_answers() {
    let game = bundled("connectfour");
    for (share, least, most) in [(0.0, 0.0, 0.0), (0.3, 0.1, 0.5), (1.0, 1.0, 1.0)] {
        let mut offload = Checking::new(direct(&game, 2), &game, share).expect("a reference");
        let found = report_with(&game, playouts(4000), &mut offload);
        assert_eq!(without_times(&found), without_times(&report(&game, playouts(4000), 2)));
        let checked = offload.checked() as f64 / found.batches as f64;
        assert!((least..=most).contains(&checked), "{checked} instead of {share}");
    }
}

#[test]
fn a_check_names_batch_and_position_of_a_wrong_answer() {
    let game = bundled("connectfour");
    let liar = Liar { inner: direct(&game, 2), batch: 4 };
    let mut offload = Checking::new(liar, &game, 1.0).expect("a reference");
    let asked = playouts(4000);
    let error = go_on(&mut search(&game, asked), asked, &mut offload).expect_err("a lie");
    assert!(error.to_string().starts_with("batch 4, position 35: "), "{error}");
    let SearchError::Offload { source, report } = error else { panic!("{error}") };
    assert!(matches!(source, OffloadError::Different { batch: 4, position: 35, .. }));
    assert_eq!(report.batches, 4);
}

#[test]
fn whoever_watches_changes_nothing() {
    for name in ["connectfour", "eightpuzzle", "blocker"] {
        let game = bundled(name);
        let asked = few_playouts(3000);
        let alone = report(&game, asked, 0);
        let mut search = search(&game, asked);
        search.report_every(Some(Duration::ZERO));
        let mut seen = Vec::new();
        let mut watch = |progress: &Progress| {
            let report = progress.report.as_ref().expect("there is always time for one");
            assert_eq!(report.playouts, progress.playouts);
            seen.push(report.playouts);
        };
        let (mut offload, stop) = (direct(&game, 0), Stop::default());
        let watched = search.search(&mut offload, &asked.limits, &stop, &mut watch).unwrap();
        assert_eq!(watched.signature, alone.signature, "{name}");
        assert!(seen.len() > 5 && seen.is_sorted(), "{name}: {seen:?}");
    }
}
