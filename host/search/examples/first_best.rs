//! How many playouts a search of a game for one takes to its best score, over many seeds.
//!
//! ```text
//! cargo run --release -p ruche-search --example first_best -- SETTINGS[;SETTINGS…] SEEDS BUDGET GAME[=SCORE]...
//! ```
//! Settings are `default` or as `ruche match` takes them; `method=NAME` may stand in front. A search ends when it has reached
//! the score, 100 if nothing else is said; one that does not counts with its budget.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use ruche_game::Game;
use ruche_offload::{Direct, DirectSettings};
use ruche_search::{Limits, Method, SearchOptions, SearchSettings, Stop};
use ruche_shared::names::Named;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [settings, seeds, budget, games @ ..] = &arguments[..] else {
        return Err("give SETTINGS SEEDS BUDGET GAME...".into());
    };
    let (seeds, budget) = (seeds.parse()?, budget.parse()?);
    println!(
        "{:<28} {:>9} {:>11} {:>11} {:>9}  settings",
        "game", "reached", "mean", "median", "us/each"
    );
    for text in games {
        let (name, score) = text.split_once('=').unwrap_or((text, "100"));
        let (game, score) = (Game::load(name)?, score.parse()?);
        for text in settings.split(';') {
            let (method, options) = match text.strip_prefix("method=") {
                Some(text) => text.split_once(',').unwrap_or((text, "default")),
                None => (Method::default().name(), text),
            };
            let settings = options.parse::<SearchOptions>()?.check()?;
            let method = Method::of_name(method).map_err(|error| error.to_string())?;
            let start = Instant::now();
            let found = playouts(&game, (method, &settings), score, seeds, budget);
            let each =
                start.elapsed().as_secs_f64() * 1e6 / found.iter().sum::<u64>().max(1) as f64;
            let reached = found.iter().filter(|&&playouts| playouts < budget).count();
            let mean = found.iter().sum::<u64>() / found.len() as u64;
            let median = found[found.len() / 2];
            let name = name.rsplit('/').next().unwrap_or(name).trim_end_matches(".kif");
            println!(
                "{name:<28} {reached:>4}/{seeds:<4} {mean:>11} {median:>11} {each:>9.1}  {text}"
            );
        }
    }
    Ok(())
}

/// The playouts that each seed took, the fewest first.
fn playouts(
    game: &Game,
    search: (Method, &SearchSettings),
    score: u16,
    seeds: u64,
    budget: u64,
) -> Vec<u64> {
    let (next, found) = (AtomicU64::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(seed) =
            Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&seed| seed < seeds)
        {
            let playouts = playouts_of(game, search, score, seed, budget);
            found.lock().expect("nobody panics").push(playouts);
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let mut found = found.into_inner().expect("nobody panics");
    found.sort_unstable();
    found
}

fn playouts_of(
    game: &Game,
    (method, settings): (Method, &SearchSettings),
    score: u16,
    seed: u64,
    budget: u64,
) -> u64 {
    let mut search = method.start(game, settings).expect("a root");
    let direct = DirectSettings { seed, ..DirectSettings::default() };
    let mut offload = Direct::new(game, direct).expect("the fastest engine is there");
    let (stop, limits) = (Stop::default(), Limits::playouts(budget));
    let mut watch = |progress: &ruche_search::Progress| {
        if progress.best_score.is_some_and(|best| best >= score) {
            stop.request();
        }
    };
    let report = search.search(&mut offload, &limits, &stop, &mut watch).expect("no failure");
    report.playouts.min(budget)
}
