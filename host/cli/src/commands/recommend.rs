//! `ruche bench --recommend`: which settings suit a game on this machine, and why.
//!
//! | module | what it knows |
//! |---|---|
//! | [`measure`] | what is tried, and how it is measured |
//! | [`choose`] | which of it to take |
//! | [`report`] | how to tell a person or a program |

mod choose;
mod measure;
mod report;

use std::time::Duration;

use ruche_shared::WordWidth;
use ruche_shared::budget::{Budget, Demand};

use super::CommandError;
use crate::arguments::{Format, RecommendSettings};
use crate::output::{Answer, print};
use choose::Rates;
use measure::{BatchRow, Bench, ShapeRow, WordRow};
use report::Findings;

/// Why there is nothing to recommend.
#[derive(Debug, thiserror::Error)]
pub enum RecommendError {
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
}

/// The parts of the time that words, shapes and batches get. Searches have to warm
/// up, and there are more batches than shapes to try.
const PARTS: [f64; 3] = [0.15, 0.3, 0.55];

/// What was measured, and which of it to take.
struct Found<Row> {
    rows: Vec<Row>,
    chosen: usize,
    why: String,
}

impl<Row> Found<Row> {
    fn row(&self) -> &Row {
        &self.rows[self.chosen]
    }
}

/// Measures, chooses and tells.
///
/// # Errors
/// If the game cannot be loaded or played.
pub fn run(settings: &RecommendSettings) -> Result<Answer, CommandError> {
    let game = super::load(&settings.game)?;
    let image = game.image()?;
    let bytes = &game.file()[..image.length()];
    let bench = Bench { game: &settings.game, image, bytes, seed: settings.seed };
    let [for_words, for_shapes, for_batches] = PARTS.map(|part| settings.time.mul_f64(part));
    let words = words(&bench, for_words)?;
    let shapes = shapes(&bench, words.row(), settings.processors, for_shapes)?;
    let batches = batches(&bench, words.row(), shapes.row(), for_batches)?;
    let findings = Findings { settings, words, shapes, batches };
    print(&match settings.format {
        Format::Text => findings.text(),
        Format::Json => format!("{:#}\n", findings.json()),
    })?;
    Ok(Answer::Yes)
}

fn words(bench: &Bench<'_>, time: Duration) -> Result<Found<WordRow>, CommandError> {
    let rows = bench.words(time)?;
    let rates: Vec<Rates> = rows.iter().map(|row| row.playouts.clone()).collect();
    let (chosen, reason) =
        choose::simplest_of_fastest(&rates).ok_or_else(|| does_not_fit(bench))?;
    let why = report::why(&rows, chosen, reason, report::word_name);
    Ok(Found { rows, chosen, why })
}

fn does_not_fit(bench: &Bench<'_>) -> RecommendError {
    let smallest = Budget { cores: 1, ..Budget::default() };
    let account = smallest.account(&Demand::of(&bench.image), WordWidth::One);
    let verdict = account.verdict().to_string();
    RecommendError::DoesNotFit { game: bench.game.to_owned(), verdict }
}

fn shapes(
    bench: &Bench<'_>,
    word: &WordRow,
    processors: usize,
    time: Duration,
) -> Result<Found<ShapeRow>, CommandError> {
    let rows = bench.shapes(word, processors, time)?;
    let rates: Vec<Rates> = rows.iter().map(|row| row.playouts.clone()).collect();
    let choice = choose::simplest_of_fastest(&rates);
    let (chosen, reason) = choice
        .filter(|(chosen, _)| rates[*chosen].median() > 0.0)
        .ok_or_else(|| no_playouts(bench))?;
    let why = report::why(&rows, chosen, reason, report::shape_name);
    Ok(Found { rows, chosen, why })
}

fn batches(
    bench: &Bench<'_>,
    word: &WordRow,
    shape: &ShapeRow,
    time: Duration,
) -> Result<Found<BatchRow>, CommandError> {
    let rows = bench.batches(word, shape, time)?;
    let rates: Vec<Rates> = rows.iter().map(|row| row.playouts.clone()).collect();
    let playouts: Vec<u32> = rows.iter().map(|row| row.playouts_per_position).collect();
    let choice = choose::enough_with_least(&playouts, &rates);
    let choice = choice
        .filter(|choice| rates[choice.chosen].median() > 0.0)
        .ok_or_else(|| no_playouts(bench))?;
    let why = report::why_batch(&rows, choice);
    Ok(Found { rows, chosen: choice.chosen, why })
}

fn no_playouts(bench: &Bench<'_>) -> RecommendError {
    RecommendError::NoPlayouts { game: bench.game.to_owned() }
}
