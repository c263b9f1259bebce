//! The keys of a plan: what they mean, what is possible.

use std::collections::BTreeMap;

use ruche_report::{Clock, Positions};
use ruche_runtime::strategy::Strategy;
use ruche_shared::WordWidth;
use ruche_shared::budget::CORES;
use ruche_shared::names::Named;
use toml::de::DeValue;

use super::toml_reader::{Entry, Source, Table};
use super::{BatchSize, Located, Mode, Plan, PlanError, Sweep};
use crate::library::{EMPTY, MOST_EMPTY_BYTES};

const TOP: [&str; 9] =
    ["title", "about", "clock", "runs", "warm-up", "repetitions", "seed", "sweep", "cost"];

const SWEEP: [&str; 13] = [
    "games",
    "modes",
    "strategies",
    "words",
    "playouts-per-position",
    "batch",
    "bytes",
    "in-flight",
    "io-nodes",
    "positions",
    "clusters",
    "threads",
    "runs",
];

const MOST_RUNS: u64 = 1_000_000_000;
const MOST_REPETITIONS: u64 = 10_000;
const MOST_CLUSTERS: u64 = 4096;
const MOST_IO_NODES: u64 = 64;
const MOST_IN_FLIGHT: u64 = 1024;
const MOST_PLAYOUTS: u64 = ruche_search::settings::MOST_PLAYOUTS_PER_POSITION as u64;
/// Most positions of a run.
pub const MOST_POSITIONS: u64 = ruche_search::settings::MOST_UNDER_WAY as u64;

const USUAL_RUNS: u64 = 1000;
const USUAL_WARM_UP: u64 = 10;

/// That nobody plays is a matter of the game here.
const MODES: [Mode; 2] = [Mode::PerCore, Mode::Split];

/// Reads a plan.
pub fn read(name: &str, file: &str, text: &str) -> Result<Plan, PlanError> {
    let source = Source { file, text };
    let document = source.parse()?;
    let top = Table { source, table: document.get_ref() };
    top.only(&TOP)?;
    Ok(Plan {
        name: name.to_owned(),
        title: top.text("title")?.unwrap_or(name).to_owned(),
        about: top.text("about")?.unwrap_or_default().trim().to_owned(),
        clock: match top.entry("clock") {
            Some(entry) => one_of(&entry, Clock::ALL)?,
            None => Clock::Wall,
        },
        text: text.to_owned(),
        file: file.to_owned(),
        runs: top.number("runs", 1..=MOST_RUNS)?.unwrap_or(USUAL_RUNS),
        warm_up: top.number("warm-up", 0..=MOST_RUNS)?.unwrap_or(USUAL_WARM_UP),
        repetitions: top.number("repetitions", 1..=MOST_REPETITIONS)?.unwrap_or(1) as u32,
        // TOML has no larger number.
        seed: top.number("seed", 0..=i64::MAX as u64)?.unwrap_or(0),
        sweeps: sweeps(&top)?,
        cost: cost(&top)?,
    })
}

fn sweeps(top: &Table<'_>) -> Result<Vec<Sweep>, PlanError> {
    let Some(entry) = top.entry("sweep") else {
        return Err(top.source.error(0..0, "sweep", "nothing to measure: add a [[sweep]]"));
    };
    let DeValue::Array(array) = entry.value.get_ref() else {
        return Err(entry.error("write [[sweep]], with two brackets: there may be several"));
    };
    if array.is_empty() {
        return Err(entry.error("nothing to measure: add a [[sweep]]"));
    }
    array.iter().map(|value| sweep(&Entry { value, ..entry })).collect()
}

fn sweep(entry: &Entry<'_>) -> Result<Sweep, PlanError> {
    let DeValue::Table(table) = entry.value.get_ref() else {
        return Err(entry.error("write [[sweep]] and its keys below it"));
    };
    let table = Table { source: entry.source, table };
    table.only(&SWEEP)?;
    let words = table.list("words", WordWidth::One, word)?;
    let batch = table.list("batch", BatchSize::PerThread(1), batch_size)?;
    let io_nodes = table.numbers("io-nodes", 1..=MOST_IO_NODES)?;
    let sweep = Sweep {
        runs: table.number("runs", 1..=MOST_RUNS)?,
        games: games(&table, entry)?,
        modes: table.list("modes", Mode::PerCore, |entry| one_of(entry, &MODES))?,
        strategies: table
            .list("strategies", Strategy::Restart, |entry| one_of(entry, Strategy::ALL))?,
        words: table.located("words", entry.line(), words),
        playouts_per_position: table.numbers("playouts-per-position", 1..=MOST_PLAYOUTS)?,
        batch: table.located("batch", entry.line(), batch),
        bytes: bytes(&table)?,
        in_flight: table.numbers("in-flight", 1..=MOST_IN_FLIGHT)?,
        io_nodes: table.located("io-nodes", entry.line(), io_nodes),
        positions: table
            .list("positions", Positions::Initial, |entry| one_of(entry, Positions::ALL))?,
        clusters: table.numbers("clusters", 1..=MOST_CLUSTERS)?,
        threads: table.numbers("threads", 1..=u64::from(CORES))?,
    };
    check_empty(&table, entry, &sweep)?;
    Ok(sweep)
}

fn games(table: &Table<'_>, sweep: &Entry<'_>) -> Result<Vec<Located<String>>, PlanError> {
    let Some(entry) = table.entry("games") else {
        let message = "say which: bundled names, files, or \"empty\" for playouts of nothing";
        return Err(sweep.source.error(sweep.value.span(), "games", message));
    };
    let name = |entry: &Entry<'_>| match entry.text()? {
        "" => Err(entry.error("a game has a name")),
        name => Ok(Located { value: name.to_owned(), line: entry.line() }),
    };
    entry.entries()?.iter().map(name).collect()
}

fn word(entry: &Entry<'_>) -> Result<WordWidth, PlanError> {
    let lanes = entry.number(&(0..=u64::from(u32::MAX)))?;
    WordWidth::try_from(lanes as u32).map_err(|unknown| entry.error(unknown))
}

/// A number, `"threads"`, `"clusters"`, or one of them times a number.
fn batch_size(entry: &Entry<'_>) -> Result<BatchSize, PlanError> {
    let DeValue::String(text) = entry.value.get_ref() else {
        return Ok(BatchSize::Fixed(entry.number(&(1..=MOST_POSITIONS))? as u32));
    };
    let (unit, factor) = text.split_once('*').unwrap_or((text, "1"));
    let factor = factor.trim().parse().ok();
    let factor = factor.filter(|factor| (1..=MOST_POSITIONS as u32).contains(factor));
    match (unit.trim(), factor) {
        ("threads", Some(factor)) => Ok(BatchSize::PerThread(factor)),
        ("clusters", Some(factor)) => Ok(BatchSize::PerCluster(factor)),
        _ => Err(entry.error(format!(
            "`{text}` is no size of a batch: give a number from 1, \"threads\" (one position for \
             each thread of each cluster), \"clusters\", or a multiple such as \"threads*4\""
        ))),
    }
}

/// Numbers, or nothing for `"game"`.
fn bytes(table: &Table<'_>) -> Result<Option<Vec<u32>>, PlanError> {
    let Some(entry) = table.entry("bytes") else { return Ok(None) };
    if entry.value.get_ref().as_str() == Some("game") {
        return Ok(None);
    }
    let mut all = Vec::new();
    for entry in entry.entries()? {
        for bytes in entry.range(&(4..=u64::from(MOST_EMPTY_BYTES)))? {
            if !bytes.is_multiple_of(4) {
                let message = format!("{bytes} bytes: positions are words of 4 bytes");
                return Err(entry.error(message));
            }
            all.push(bytes as u32);
        }
    }
    Ok(Some(all))
}

/// Either somebody plays, and the game says how long a position is, or nobody
/// does, and the plan says it.
fn check_empty(table: &Table<'_>, entry: &Entry<'_>, sweep: &Sweep) -> Result<(), PlanError> {
    let error = |key, message: &str| {
        let entry = table.entry(key).unwrap_or(Entry { key, ..*entry });
        Err(entry.source.error(entry.value.span(), key, message))
    };
    let is_empty = sweep.games.iter().any(|game| game.value == EMPTY);
    match is_empty {
        true if sweep.games.len() > 1 => {
            error("games", "\"empty\" needs bytes and real games have theirs: make two sweeps")
        }
        true if sweep.bytes.is_none() => {
            error("bytes", "say how long the positions of game \"empty\" are, such as 200")
        }
        true if table.entry("modes").is_some() => {
            error("modes", "nobody plays the game \"empty\": leave modes out")
        }
        true if sweep.positions != [Positions::Initial] => {
            error("positions", "nobody searches the game \"empty\": possible is \"initial\"")
        }
        false if sweep.bytes.is_some() => error(
            "bytes",
            "positions of a real game have the length that it gives them: write \"game\", or \
             games = \"empty\" for playouts of nothing",
        ),
        _ => Ok(()),
    }
}

fn cost(top: &Table<'_>) -> Result<BTreeMap<String, f64>, PlanError> {
    let Some(entry) = top.entry("cost") else { return Ok(BTreeMap::new()) };
    let DeValue::Table(table) = entry.value.get_ref() else {
        return Err(entry.error("write [cost] and below it a factor for each game"));
    };
    let factor = |(game, value): (&'_ toml::Spanned<_>, &'_ _)| {
        let game: &std::borrow::Cow<'_, str> = game.get_ref();
        let entry = Entry { source: top.source, key: game, value };
        Ok((game.to_string(), entry.factor()?))
    };
    table.iter().map(factor).collect()
}

/// One of some things that have names.
fn one_of<T: Named>(entry: &Entry<'_>, possible: &[T]) -> Result<T, PlanError> {
    let text = entry.text()?;
    possible.iter().copied().find(|one| one.name() == text).ok_or_else(|| {
        let names: Vec<&str> = possible.iter().map(|one| one.name()).collect();
        entry.error(format!("`{text}` is unknown; possible: {}", names.join(", ")))
    })
}
