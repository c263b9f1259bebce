//! What batches cost: the visits of the best move with batches against those
//! with one position at a time, at equal playouts.
//!
//! ```text
//! cargo run --release -p ruche-search --example batch_loss [PLAYOUTS [SEEDS [BATCH [GAME...]]]]
//! ```

#[path = "../tests/support/mod.rs"]
mod support;

use ruche_search::{SearchBudget, SearchOptions, SearchReport};
use ruche_shared::Image;
use support::{Game, report};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default| match arguments.next() {
        Some(text) => text.parse().unwrap_or_else(|_| panic!("{text} is not a number")),
        None => default,
    };
    let (playouts, seeds, batch) = (number(100_000), number(16), number(256) as usize);
    let mut games: Vec<String> = arguments.collect();
    if games.is_empty() {
        games = ruche_games::all().iter().map(|game| game.name.to_owned()).collect();
    }
    println!("# {playouts} playouts, {seeds} seeds, batches of {batch} against batches of 1");
    println!("# game              role  visits of 1  visits of {batch:<4} kept  same move");
    for name in games {
        let game = Game::bundled(&name);
        compare(&name, &game.image(), playouts, seeds, batch);
    }
}

fn compare(name: &str, image: &Image<'_>, playouts: u64, seeds: u64, batch: usize) {
    let reports = |batch| -> Vec<SearchReport> {
        let budget = SearchBudget::Playouts(playouts);
        let options = SearchOptions { batch, budget, ..SearchOptions::default() };
        (0..seeds).map(|seed| report(image, options, seed)).collect()
    };
    let (single, batched) = (reports(1), reports(batch));
    for role in 0..image.roles() {
        if single[0].roles[role].moves.len() > 1 {
            print_role(name, role, &single, &batched);
        }
    }
}

/// The visits of each run's best move: which one it is may be a matter of luck
/// where several are as good.
fn print_role(name: &str, role: usize, single: &[SearchReport], batched: &[SearchReport]) {
    let visits = |reports: &[SearchReport]| -> u64 {
        reports.iter().map(|report| report.roles[role].moves[0].visits).sum::<u64>()
            / reports.len() as u64
    };
    let (one, many) = (visits(single), visits(batched));
    let best = |report: &SearchReport| report.roles[role].moves[0].number;
    let same = single.iter().zip(batched).filter(|(one, many)| best(one) == best(many)).count();
    let kept = 100.0 * many as f64 / one as f64;
    println!("{name:<19} {role:>4} {one:>12} {many:>12} {kept:>7.1} % {same:>3}/{}", single.len());
}
