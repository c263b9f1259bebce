//! What batches cost: the visits of the best move with batches against those
//! with one position at a time, at equal playouts.
//!
//! ```text
//! cargo run --release -p ruche-search --example batch_loss [PLAYOUTS [SEEDS [BATCH [IN_FLIGHT [GAME...]]]]]
//! ```

#[path = "../tests/support/mod.rs"]
mod support;

use ruche_game::Game;
use ruche_search::{SearchOptions, SearchReport};
use support::{Asked, bundled, report};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default| match arguments.next() {
        Some(text) => text.parse().unwrap_or_else(|_| panic!("{text} is not a number")),
        None => default,
    };
    let (playouts, seeds) = (number(100_000), number(16));
    let usual = SearchOptions::default();
    let batch = number(usual.batch as u64) as usize;
    let in_flight = number(usual.in_flight as u64) as usize;
    let mut games: Vec<String> = arguments.collect();
    if games.is_empty() {
        games = ruche_games::all().iter().map(|game| game.name.to_owned()).collect();
    }
    println!("# {playouts} playouts, {seeds} seeds");
    println!("# {in_flight} batches of {batch} under way against one batch of 1");
    println!("# game              role   one by one   in batches     kept  same move");
    for name in games {
        let asked = support::playouts(playouts)
            .with(|options| (options.batch, options.in_flight) = (batch, in_flight));
        compare(&name, &bundled(&name), seeds, asked);
    }
}

fn compare(name: &str, game: &Game, seeds: u64, asked: Asked) {
    let reports =
        |asked| -> Vec<SearchReport> { (0..seeds).map(|seed| report(game, asked, seed)).collect() };
    let single = reports(asked.with(|options| (options.batch, options.in_flight) = (1, 1)));
    let batched = reports(asked);
    for role in 0..game.roles() {
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
