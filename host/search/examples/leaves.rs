//! What a leaf costs the host, with playouts that cost nothing:
//!
//! ```console
//! $ cargo run --release -p ruche-search --example leaves -- 1M connectfour breakthrough
//! $ cargo run --release -p ruche-search --example leaves -- 1M othello batch=1024
//! ```
//!
//! The first number is how many descents to make; words with `=` are settings, all others
//! games, bundled ones by name and others by their files. `toolchain/compare-leaves` lets two
//! builds run in turns.

use std::collections::VecDeque;
use std::error::Error;
use std::fs;

use ruche_game::Game;
use ruche_offload::{Attributes, Batch, Columns, Finished, Offload, OffloadError, Results, Tally};
use ruche_search::quantity::number;
use ruche_search::{
    Limits, SearchMethod, SearchOptions, SearchReport, Searcher, SettingsError, Stop, Uct,
};
use ruche_shared::WordWidth;
use zerocopy::IntoBytes;

/// Games that are measured if none are named.
const GAMES: [&str; 4] = ["connectfour", "breakthrough", "othello", "blocker"];

/// Room for the largest trees.
const MEMORY: u64 = 16 << 30;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (descents, words) = match words.split_first().map(|(first, rest)| (number(first), rest)) {
        Some((Some(descents), rest)) => (descents, rest),
        _ => (1_000_000, &words[..]),
    };
    let mut options = SearchOptions { memory: MEMORY, ..SearchOptions::default() };
    for (key, value) in words.iter().filter_map(|word| word.split_once('=')) {
        options.set(key, value)?;
    }
    let named = words.iter().filter(|word| !word.contains('=')).map(String::as_str);
    let mut games: Vec<&str> = named.collect();
    if games.is_empty() {
        games.extend(GAMES);
    }
    println!("{}", HEADER);
    for name in games {
        let game = load(name)?;
        let report = measure(&game, options, descents)?;
        print(name, &report);
    }
    Ok(())
}

fn load(name: &str) -> Result<Game, Box<dyn Error>> {
    match Game::bundled(name) {
        Ok(game) => Ok(game),
        Err(_) => Ok(Game::compile(name, &fs::read(name)?)?),
    }
}

fn measure(
    game: &Game,
    options: SearchOptions,
    descents: u64,
) -> Result<SearchReport, Box<dyn Error>> {
    let playouts = descents * u64::from(options.playouts_per_position);
    let settings = options.check().map_err(|error: SettingsError| error.to_string())?;
    let mut search = Uct::new(game, &settings)?;
    let mut nobody = Nobody { roles: game.roles(), finished: VecDeque::new() };
    let limits = Limits::playouts(playouts);
    Ok(search.search(&mut nobody, &limits, &Stop::default(), &mut |_| ())?)
}

const HEADER: &str = "game              leaves/s    leaves     nodes  bytes/leaf  ns/leaf: \
                      selection  backup  rest  signature";

fn print(name: &str, report: &SearchReport) {
    let leaves = report.leaves.max(1) as f64;
    // What nobody takes to answer is not the tree's.
    let time = report.time - report.split.waiting;
    let nanoseconds = |part: std::time::Duration| part.as_nanos() as f64 / leaves;
    let [selection, backup] = [report.split.selection, report.split.backup].map(nanoseconds);
    println!(
        "{:<16} {:>9.0} {:>9} {:>9} {:>11.0} {:>19.0} {:>7.0} {:>5.0}  {:016x}",
        name.rsplit('/').next().unwrap_or(name),
        leaves / time.as_secs_f64(),
        report.leaves,
        report.nodes,
        report.bytes as f64 / leaves,
        selection,
        backup,
        nanoseconds(time) - selection - backup,
        report.signature,
    );
}

/// Answers at once. What is good for a role is a sum over the fluents of a position: so
/// positions are about as good as where they come from, good moves stay good, and the tree
/// grows as deep as with playouts.
struct Nobody {
    roles: usize,
    finished: VecDeque<Finished>,
}

impl Nobody {
    fn scores(&self, position: &[u32], playouts: u64) -> impl Iterator<Item = u64> {
        let score = (50 + value(position)).clamp(0, 100) as u64;
        // Roles take turns in it: what one has, the other has not.
        let score = move |role| if role % 2 == 0 { score } else { 100 - score };
        (0..self.roles).map(move |role| playouts * score(role))
    }
}

/// What the fluents of a position are worth together, for most between -50 and 50.
fn value(position: &[u32]) -> i64 {
    let mut sum = 0;
    for (index, &word) in (0_u64..).zip(position) {
        let mut rest = word;
        while rest != 0 {
            let fluent = index * 32 + u64::from(rest.trailing_zeros());
            let mixed = (fluent + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            sum += (mixed ^ mixed >> 29).wrapping_mul(0x9E37_79B9_7F4A_7C15) as i64 >> 60;
            rest &= rest - 1;
        }
    }
    sum
}

impl Offload for Nobody {
    fn attributes(&self) -> Attributes {
        Attributes {
            columns: Columns { roles: self.roles, further: 0 },
            seed: 0,
            ply_limit: 1,
            width: WordWidth::One,
            clusters: 0,
            sensible_batch: 1,
        }
    }

    fn submit(&mut self, batch: Batch) -> Result<(), OffloadError> {
        let playouts = u64::from(batch.playouts);
        let words = batch.positions.len() / batch.count;
        let tally = Tally { scored: playouts, ..Tally::default() };
        let rows: Vec<u64> = batch
            .positions
            .chunks_exact(words)
            .flat_map(|position| tally.numbers().into_iter().chain(self.scores(position, playouts)))
            .collect();
        let mut results = Results::new(self.attributes().columns, batch.count);
        results.put_bytes(0, rows.as_bytes());
        self.finished.push_back(Finished { number: batch.number, results });
        Ok(())
    }

    fn collect(&mut self) -> Result<Finished, OffloadError> {
        self.finished.pop_front().ok_or(OffloadError::Idle)
    }
}
