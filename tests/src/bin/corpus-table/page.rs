//! The page with the tables of all games.

use std::collections::BTreeMap;

use crate::outcome::{COMPILE_BYTES, COMPILE_SECONDS, Outcome, Sizes, Trace};
use crate::table::Align::{Left, Right};
use crate::table::{Align, Table};

const COLUMNS: [(&str, Align); 17] = [
    ("game", Left),
    ("seconds", Right),
    ("MB", Right),
    ("roles", Right),
    ("fluents", Right),
    ("moves", Right),
    ("clauses", Right),
    ("gates", Right),
    ("legal", Right),
    ("next", Right),
    ("goal", Right),
    ("strata", Right),
    ("slots", Right),
    ("bytecode", Right),
    ("image", Right),
    ("fits", Right),
    ("trace", Left),
];

const SMALL_COLUMNS: [(&str, Align); 6] = [
    ("game", Left),
    ("clauses", Right),
    ("gates", Right),
    ("slots", Right),
    ("image", Right),
    ("trace", Left),
];

const INTRODUCTION: &str = "\
# All games of the corpus

Made by `toolchain/corpus`; changes by hand are lost.
";

const LEGEND: &str = "\
**seconds** and **MB** are processor time and the most memory of `ruche compile` on one
core, from reading the rules to the image on disk. **gates** have two inputs; they are
divided into the sections **legal**, **next** and **goal**. **slots** are the words that
each core needs. **bytecode** and **image** are bytes. **fits** is the widest word, in
lanes, with which the game fits in the 2 MB of a cluster of 16 cores. **trace** tells
whether the kernel's evaluator agrees with every line of the reference: state,
terminal, legal moves, goals and next state.
";

const SMALL_INTRODUCTION: &str = "\
## Constructed games

Each is about one oddity of the language. Some are refused on purpose. The reference
itself is wrong or peculiar where a difference is shown: it negates an `or` wrongly,
takes roles from facts only, and takes `(open)` and `open` for two relations.
";

/// The whole page.
pub fn page(games: &[Outcome], small: &[Outcome]) -> String {
    let mut page = [INTRODUCTION, &summary(games), LEGEND, &table(games)].join("\n");
    if !small.is_empty() {
        page += &["", SMALL_INTRODUCTION, &small_table(small)].join("\n");
    }
    page
}

/// What was reached, in a few lines.
pub fn summary(games: &[Outcome]) -> String {
    let sizes: Vec<&Sizes> = games.iter().filter_map(|game| game.compiled.as_ref().ok()).collect();
    let fitting = sizes.iter().filter(|sizes| sizes.fits.is_some()).count();
    let (agreeing, lines) = agreement(games);
    let differing = games.iter().filter(|game| !game.has_no_difference()).count();
    let limits = format!("{COMPILE_SECONDS} s and {} GB on one core", COMPILE_BYTES >> 30);
    format!(
        "- {} of {} compile within {limits}\n\
         - {agreeing} of them agree with all {lines} lines of their traces, {differing} do not\n\
         - {} fit in the 2 MB of a cluster with 16 cores: {}\n\
         - {}\n",
        share(sizes.len(), games.len()),
        count(games.len(), "game"),
        share(fitting, sizes.len()),
        words(&sizes),
        extremes(games)
    )
}

/// How many games agree with their traces, and on how many lines.
fn agreement(games: &[Outcome]) -> (usize, u64) {
    let lines = games.iter().filter_map(|game| match game.trace {
        Trace::Agrees { lines } => Some(lines),
        _ => None,
    });
    lines.fold((0, 0), |(games, sum), lines| (games + 1, sum + lines))
}

fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("{number} {noun}") } else { format!("{number} {noun}s") }
}

fn share(part: usize, whole: usize) -> String {
    format!("{part} ({:.1} %)", 100.0 * part as f64 / whole.max(1) as f64)
}

/// How many games fit with which word, the widest first.
fn words(sizes: &[&Sizes]) -> String {
    let mut counts = BTreeMap::new();
    for fits in sizes.iter().filter_map(|sizes| sizes.fits.as_ref()) {
        *counts.entry(fits.word).or_insert(0) += 1;
    }
    let texts: Vec<String> = counts
        .iter()
        .rev()
        .map(|(word, number)| format!("{number} with {}", count(*word as usize, "lane")))
        .collect();
    if texts.is_empty() { "none".to_owned() } else { texts.join(", ") }
}

/// The games that took most.
fn extremes(games: &[Outcome]) -> String {
    let compiled = || games.iter().filter(|game| game.compiled.is_ok());
    let slowest = compiled().max_by(|one, other| one.seconds.total_cmp(&other.seconds));
    let largest = compiled().max_by_key(|game| game.peak_bytes);
    let (Some(slowest), Some(largest)) = (slowest, largest) else {
        return "no game compiles".to_owned();
    };
    format!(
        "longest: {} with {:.2} s; most memory: {} with {} MB",
        slowest.id,
        slowest.seconds,
        largest.id,
        largest.peak_bytes >> 20
    )
}

fn table(games: &[Outcome]) -> String {
    let mut table = Table::new(&COLUMNS);
    for game in games {
        let mut cells = vec![game.id.clone(), format!("{:.2}", game.seconds)];
        cells.push((game.peak_bytes >> 20).to_string());
        cells.extend(size_cells(game));
        cells.push(game.verdict());
        table.row(cells);
    }
    table.text()
}

/// The columns from the roles to the word; empty if there is no image.
fn size_cells(game: &Outcome) -> Vec<String> {
    let Ok(sizes) = &game.compiled else { return vec![String::new(); COLUMNS.len() - 4] };
    let gates = &sizes.gates;
    let numbers = [
        sizes.roles,
        sizes.fluents,
        sizes.moves,
        sizes.clauses,
        gates.total,
        gates.legal,
        gates.next,
        gates.goal,
        sizes.strata,
        sizes.slots,
        sizes.bytecode_bytes,
        sizes.image_bytes,
    ];
    let mut cells: Vec<String> = numbers.iter().map(u64::to_string).collect();
    cells.push(sizes.fits.as_ref().map_or("no".to_owned(), |fits| fits.word.to_string()));
    cells
}

fn small_table(games: &[Outcome]) -> String {
    let mut table = Table::new(&SMALL_COLUMNS);
    for game in games {
        let numbers = game.compiled.as_ref().map_or_else(
            |_| vec![String::new(); SMALL_COLUMNS.len() - 2],
            |sizes| {
                let numbers = [sizes.clauses, sizes.gates.total, sizes.slots, sizes.image_bytes];
                numbers.iter().map(u64::to_string).collect()
            },
        );
        table.row([vec![game.id.clone()], numbers, vec![game.verdict()]].concat());
    }
    table.text()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Fits;

    fn game(id: &str, word: Option<u32>) -> Outcome {
        let sizes = Sizes { fits: word.map(|word| Fits { word }), ..Sizes::default() };
        let trace = Trace::Agrees { lines: 5 };
        let id = id.to_owned();
        Outcome { id, seconds: 1.0, peak_bytes: 3 << 20, compiled: Ok(sizes), trace }
    }

    fn failed(id: &str) -> Outcome {
        let compiled = Err("no role".to_owned());
        Outcome { compiled, trace: Trace::Absent, seconds: 9.0, ..game(id, None) }
    }

    #[test]
    fn the_summary_counts() {
        let games = [game("a", Some(64)), game("b", Some(1)), game("c", None), failed("d")];
        let summary = summary(&games);
        for expected in [
            "3 (75.0 %) of 4 games compile",
            "3 of them agree with all 15 lines of their traces, 0 do not",
            "2 (66.7 %) fit",
            "1 with 64 lanes, 1 with 1 lane",
            "with 1.00 s; most memory",
        ] {
            assert!(summary.contains(expected), "{expected}\n{summary}");
        }
    }

    #[test]
    fn every_row_has_all_columns() {
        let text = page(&[game("a", None), failed("b")], &[game("micro/c", None), failed("d")]);
        let bars = |line: &str| line.matches('|').count();
        let rows: Vec<usize> = text.lines().filter(|l| l.starts_with('|')).map(bars).collect();
        let (large, small) = (COLUMNS.len() + 1, SMALL_COLUMNS.len() + 1);
        assert_eq!(rows, [[large; 4], [small; 4]].concat());
        assert!(text.contains("| does not compile: no role |"));
    }

    #[test]
    fn no_games_are_no_fault() {
        assert!(summary(&[]).contains("0 (0.0 %) of 0 games"));
    }
}
