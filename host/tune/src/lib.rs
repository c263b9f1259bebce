//! Which settings suit a game on this machine, found by measuring.
//!
//! | module | what it knows |
//! |---|---|
//! | [`measure`] | what is tried, and how it is measured |
//! | [`choose`] | which of it to take, and why |
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use std::time::Duration;
//! use ruche_game::Game;
//! use ruche_tune::{TuneSettings, tune};
//!
//! let settings = TuneSettings { processors: 2, time: Duration::from_secs(30), seed: 0 };
//! let found = tune(&Game::bundled("hex")?, &settings, &mut |_| ())?;
//! println!("{} clusters", found.shapes.row().clusters);
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

pub mod choose;
pub mod measure;

use std::time::Duration;

use ruche_clusters::ConnectError;
use ruche_game::Game;
use ruche_playouts::PlayoutsError;
use ruche_search::SearchError;
use ruche_shared::WordWidth;
use ruche_shared::budget::{Budget, Demand};
use thiserror::Error;

use choose::{BatchChoice, Rates, Reason};
use measure::{BatchRow, Bench, ShapeRow, WordRow};

/// How long to measure, and on what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TuneSettings {
    /// The most threads that may play, at least one.
    pub processors: usize,
    /// About how long to measure in all.
    pub time: Duration,
    /// The run seed.
    pub seed: u64,
}

/// How far the measurements are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TuneProgress {
    /// What is measured: words, shapes or batches.
    pub what: &'static str,
    /// Measurements of it that are done.
    pub done: usize,
    /// All measurements of it.
    pub all: usize,
}

/// Why there is nothing to recommend.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TuneError {
    /// No cluster can play it.
    #[error("{game}: does not fit into a cluster: {verdict}")]
    DoesNotFit {
        /// The path or name.
        game: String,
        /// By how much not.
        verdict: String,
    },
    /// Nothing was played while it counted.
    #[error(
        "{game}: no playout came back in time: give more --seconds, or another game if this one \
         is over in its initial position"
    )]
    NoPlayouts {
        /// The path or name.
        game: String,
    },
    /// The clusters cannot play it.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// One core cannot play it.
    #[error(transparent)]
    Playouts(#[from] PlayoutsError),
    /// A search has failed.
    #[error(transparent)]
    Search(#[from] SearchError),
}

/// What was measured, and which of it to take.
#[derive(Debug)]
pub struct Tuned<Row, Why> {
    /// All candidates.
    pub rows: Vec<Row>,
    /// The one to take.
    pub chosen: usize,
    /// Why this one.
    pub why: Why,
}

impl<Row, Why> Tuned<Row, Why> {
    /// The candidate to take.
    #[must_use]
    pub fn row(&self) -> &Row {
        &self.rows[self.chosen]
    }
}

/// Everything that was found out.
#[derive(Debug)]
pub struct Recommendation {
    /// What one core does.
    pub words: Tuned<WordRow, Reason>,
    /// What clusters × threads do.
    pub shapes: Tuned<ShapeRow, Reason>,
    /// What batches do.
    pub batches: Tuned<BatchRow, BatchChoice>,
}

/// The parts of the time that words, shapes and batches get. Searches have to warm
/// up, and there are more batches than shapes to try.
const PARTS: [f64; 3] = [0.15, 0.3, 0.55];

/// Measures, and chooses.
///
/// # Errors
/// If the game does not fit into a cluster, or cannot be played.
pub fn tune(
    game: &Game,
    settings: &TuneSettings,
    progress: &mut dyn FnMut(TuneProgress),
) -> Result<Recommendation, TuneError> {
    let mut bench = Bench { game, seed: settings.seed, progress };
    let [for_words, for_shapes, for_batches] = PARTS.map(|part| settings.time.mul_f64(part));
    let words = words(&mut bench, for_words)?;
    let shapes = shapes(&mut bench, words.row(), settings.processors, for_shapes)?;
    let batches = batches(&mut bench, words.row(), shapes.row(), for_batches)?;
    Ok(Recommendation { words, shapes, batches })
}

fn words(bench: &mut Bench<'_>, time: Duration) -> Result<Tuned<WordRow, Reason>, TuneError> {
    let rows = bench.words(time)?;
    let rates: Vec<Rates> = rows.iter().map(|row| row.playouts.clone()).collect();
    let (chosen, why) =
        choose::simplest_of_fastest(&rates).ok_or_else(|| does_not_fit(bench.game))?;
    Ok(Tuned { rows, chosen, why })
}

fn does_not_fit(game: &Game) -> TuneError {
    let smallest = Budget { cores: 1, ..Budget::default() };
    let account = smallest.account(&Demand::of(game.image()), WordWidth::One);
    let verdict = account.verdict().to_string();
    TuneError::DoesNotFit { game: game.name().to_owned(), verdict }
}

fn shapes(
    bench: &mut Bench<'_>,
    word: &WordRow,
    processors: usize,
    time: Duration,
) -> Result<Tuned<ShapeRow, Reason>, TuneError> {
    let rows = bench.shapes(word, processors, time)?;
    let rates: Vec<Rates> = rows.iter().map(|row| row.playouts.clone()).collect();
    let choice = choose::simplest_of_fastest(&rates);
    let (chosen, why) = choice
        .filter(|(chosen, _)| rates[*chosen].median() > 0.0)
        .ok_or_else(|| no_playouts(bench.game))?;
    Ok(Tuned { rows, chosen, why })
}

fn batches(
    bench: &mut Bench<'_>,
    word: &WordRow,
    shape: &ShapeRow,
    time: Duration,
) -> Result<Tuned<BatchRow, BatchChoice>, TuneError> {
    let rows = bench.batches(word, shape, time)?;
    let rates: Vec<Rates> = rows.iter().map(|row| row.playouts.clone()).collect();
    let playouts: Vec<u32> = rows.iter().map(|row| row.playouts_per_position).collect();
    let choice = choose::enough_with_least(&playouts, &rates);
    let why = choice
        .filter(|choice| rates[choice.chosen].median() > 0.0)
        .ok_or_else(|| no_playouts(bench.game))?;
    Ok(Tuned { rows, chosen: why.chosen, why })
}

fn no_playouts(game: &Game) -> TuneError {
    TuneError::NoPlayouts { game: game.name().to_owned() }
}
