//! What a simulation of a search by parts costs, beside one of a plain search: seconds of this
//! thread, measured in turns so that other work on the machine concerns both alike.
//!
//! ```text
//! cargo run --release -p ruche-search --example cost_of_parts -- PLAYOUTS ROUNDS GAME...
//! ```
//! Playouts begin one from each leaf, in batches of 1. A search that is complete begins again
//! with another seed.

use std::fs;
use std::time::Instant;

use ruche_game::Game;
use ruche_offload::{Direct, DirectSettings};
use ruche_search::{Limits, Method, SearchOptions, SearchSettings, Stop};
use ruche_shared::names::Named;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [playouts, rounds, games @ ..] = &arguments[..] else {
        return Err("give PLAYOUTS ROUNDS GAME...".into());
    };
    let (playouts, rounds) = (playouts.parse()?, rounds.parse()?);
    let one = "batch=1,in-flight=1,playouts-per-position=1".parse::<SearchOptions>()?.check()?;
    println!("{:<28} {:>12} {:>12} {:>7}", "game", "plain us", "by parts us", "ratio");
    for text in games {
        let game = Game::load(text)?;
        let mut spent = [Spent::default(); 2];
        for round in 0..rounds {
            for (spent, name) in spent.iter_mut().zip(["uct", "decomposed"]) {
                let method = Method::of_name(name).map_err(|error| error.to_string())?;
                spent.search(&game, (method, &one), playouts, round)?;
            }
        }
        let [plain, parts] = spent.map(|spent| 1e6 * spent.seconds / spent.playouts as f64);
        let name = text.rsplit('/').next().unwrap_or(text).trim_end_matches(".kif");
        println!("{name:<28} {plain:>12.1} {parts:>12.1} {:>7.2}", parts / plain);
    }
    Ok(())
}

/// What some searches took together.
#[derive(Clone, Copy, Default)]
struct Spent {
    playouts: u64,
    seconds: f64,
}

impl Spent {
    fn search(
        &mut self,
        game: &Game,
        (method, settings): (Method, &SearchSettings),
        playouts: u64,
        round: u64,
    ) -> Result<(), Failure> {
        let mut left = playouts;
        for again in 0.. {
            let mut search = method.start(game, settings)?;
            let direct = DirectSettings { seed: round << 32 | again, ..DirectSettings::default() };
            let mut offload = Direct::new(game, direct)?;
            let start = thread_seconds();
            let report = search.search(
                &mut offload,
                &Limits::playouts(left),
                &Stop::default(),
                &mut |_| (),
            )?;
            self.seconds += thread_seconds() - start;
            self.playouts += report.playouts;
            left = left.saturating_sub(report.playouts.max(1));
            if left == 0 {
                break;
            }
        }
        Ok(())
    }
}

/// Seconds that this thread has worked, as far as the system tells; else the wall clock.
fn thread_seconds() -> f64 {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let first = text.split_whitespace().next().and_then(|first| first.parse::<f64>().ok());
    first.map_or_else(wall_seconds, |nanoseconds| nanoseconds * 1e-9)
}

fn wall_seconds() -> f64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}
