//! `ruche bench`: random playouts per second, or a checksum of their results.

pub mod board;

use std::hash::Hasher;
use std::time::Instant;

use fnv::FnvHasher;
use ruche_eval::playouts::PlyPart;
use ruche_game::Game;
use ruche_offload::Tally;
use ruche_playouts::{Amount, Played, PlayoutSettings, Playouts, Results, Stop, widest_word};
use serde_json::{Value, json};

use super::{CommandError, complaint};
use crate::arguments::{BenchGoal, BenchSettings, Format};
use crate::interrupt::Interrupt;
use crate::output::{Align, Answer, grouped, print, rate, table};
use crate::progress::Progress;

/// Plays all games.
///
/// # Errors
/// If a game cannot be loaded or played.
pub fn run(settings: &BenchSettings) -> Result<Answer, CommandError> {
    let progress = Progress::bar("playing".to_owned(), settings.games.len() as u64);
    let interrupt = Interrupt::default();
    interrupt.listen(None)?;
    let mut rows = Vec::new();
    for name in &settings.games {
        rows.push(measure(name, settings, interrupt.stop())?);
        progress.advance();
        if interrupt.stop().is_requested() {
            break;
        }
    }
    drop(progress);
    let complaints = rows.iter().filter_map(|row| complaint(&row.game, &row.total));
    complaints.for_each(|complaint| eprintln!("{complaint}"));
    rows.iter().filter_map(abandoned).for_each(|complaint| eprintln!("{complaint}"));
    print(&match (&settings.goal, settings.format) {
        (BenchGoal::Speed { .. }, Format::Text) => speed_table(&rows),
        (BenchGoal::Speed { .. }, Format::Json) => {
            format!("{:#}\n", rows.iter().map(Row::json).collect::<Value>())
        }
        (BenchGoal::Signature, format) => {
            let whole = rows.iter().filter(|row| !row.is_stopped);
            signatures(&whole.map(Row::signed).collect::<Vec<_>>(), is_stopped(&rows), format)
        }
    })?;
    Ok(interrupt.or(Answer::Yes))
}

/// What a person should know about a game whose playouts take too long.
fn abandoned(row: &Row) -> Option<String> {
    let (game, patience) = (&row.game, row.how.patience.as_secs());
    row.measured.is_abandoned.then(|| {
        format!(
            "ruche: {game}: playouts that were under way {patience} s after the time are given up \
             and not counted: give it more --seconds, or fewer --plies"
        )
    })
}

/// Whether the last game was stopped before its time.
fn is_stopped(rows: &[Row]) -> bool {
    rows.iter().any(|row| row.is_stopped)
}

/// Playouts that a signature covers, from each initial position.
const SIGNED_PLAYOUTS: u64 = 2000;

/// The seed of the playouts that a signature covers.
const SIGNED_SEED: u64 = 7;

/// What was measured of one game.
struct Row {
    game: String,
    how: PlayoutSettings,
    measured: Played,
    total: Tally,
    /// Whether somebody stopped it before its time.
    is_stopped: bool,
}

fn measure(name: &str, settings: &BenchSettings, stop: &Stop) -> Result<Row, CommandError> {
    let game = super::load(name)?;
    let width = settings.word.unwrap_or_else(widest_word);
    let mut how =
        PlayoutSettings { width, threads: settings.threads, ..PlayoutSettings::default() };
    how.engine = settings.engine;
    match settings.goal {
        BenchGoal::Speed { seed, ply_limit, breakdown, .. } => {
            (how.seed, how.ply_limit, how.watches_parts) = (seed, ply_limit, breakdown);
        }
        BenchGoal::Signature => how.seed = SIGNED_SEED,
    }
    let fail = |source| CommandError::Playouts { game: name.to_owned(), source };
    let ready = Playouts::new(&game, &how).map_err(fail)?.stopped_by(stop);
    // The clock starts when the code is made.
    let amount = match settings.goal {
        BenchGoal::Speed { time, .. } => Amount::Until(Instant::now() + time),
        BenchGoal::Signature => Amount::Each(SIGNED_PLAYOUTS),
    };
    let measured = ready.play_initial(amount).map_err(fail)?;
    let total = measured.results.total();
    Ok(Row { game: title(&game), how, measured, total, is_stopped: stop.is_requested() })
}

/// The name of a game without folders and extension.
fn title(game: &Game) -> String {
    let stem = std::path::Path::new(game.name()).file_stem();
    stem.map_or_else(|| game.name().to_owned(), |stem| stem.to_string_lossy().into_owned())
}

impl Row {
    fn per_cpu_second(&self) -> f64 {
        rate(self.total.playouts(), self.measured.cpu)
    }

    fn per_second(&self) -> f64 {
        rate(self.total.playouts(), self.measured.wall)
    }

    fn mean_plies(&self) -> f64 {
        self.total.plies as f64 / self.total.playouts().max(1) as f64
    }

    /// The mean goal of each role over the playouts that were scored.
    fn mean_scores(&self) -> Vec<f64> {
        let scored = self.total.scored.max(1) as f64;
        self.measured.results.scores(0).iter().map(|&sum| sum as f64 / scored).collect()
    }

    fn json(&self) -> Value {
        let Tally { scored, unscored, stuck, endless, plies } = self.total;
        json!({
            "game": self.game,
            "word": self.how.width.lanes(),
            "engine": self.measured.engine,
            "threads": self.how.threads,
            "playouts": self.total.playouts(),
            "plies": plies,
            "cpu_seconds": self.measured.cpu.as_secs_f64(),
            "wall_seconds": self.measured.wall.as_secs_f64(),
            "playouts_per_cpu_second": self.per_cpu_second(),
            "playouts_per_second": self.per_second(),
            "mean_scores": self.mean_scores(),
            "cut": { "endless": endless, "stuck": stuck, "unscored": unscored },
            "scored": scored,
            "parts": self.parts_json(),
            "stopped": self.is_stopped,
        })
    }

    /// The share of the time that each part took, if that was asked for.
    fn parts(&self) -> Option<[f64; 4]> {
        let parts = self.measured.parts;
        self.how.watches_parts.then(|| PARTS.map(|(_, part)| parts.share(part)))
    }

    fn parts_json(&self) -> Value {
        let Some(shares) = self.parts() else { return Value::Null };
        PARTS.iter().zip(shares).map(|((name, _), share)| (*name, share)).collect()
    }

    fn signed(&self) -> Signed {
        Signed { game: self.game.clone(), sum: sign(&self.measured.results) }
    }
}

/// A game and a checksum of what its playouts brought.
struct Signed {
    game: String,
    sum: u64,
}

/// A checksum of what the playouts of the only position brought together.
fn sign(results: &Results) -> u64 {
    checksum(results.sums(0).iter().copied())
}

/// FNV-1a over the bytes of the numbers.
fn checksum(numbers: impl Iterator<Item = u64>) -> u64 {
    let mut hasher = FnvHasher::default();
    numbers.for_each(|number| hasher.write(&number.to_le_bytes()));
    hasher.finish()
}

/// The parts of a ply, as they are called in tables.
const PARTS: [(&str, PlyPart); 4] = [
    ("gates", PlyPart::Gates),
    ("chooser", PlyPart::Chooser),
    ("goals", PlyPart::Goals),
    ("refill", PlyPart::Refill),
];

fn speed_table(rows: &[Row]) -> String {
    use Align::{Left, Right};
    let heading = [
        "game",
        "lanes",
        "engine",
        "threads",
        "plies",
        "mean goals",
        "playouts/s of CPU",
        "playouts/s",
        "",
    ];
    let mut lines = vec![heading.map(str::to_owned)];
    lines.extend(rows.iter().map(speed_line));
    table([Left, Right, Left, Right, Right, Right, Right, Right, Left], &lines) + stopped(rows)
}

/// A line below what was measured until somebody stopped it.
fn stopped(rows: &[Row]) -> &'static str {
    match is_stopped(rows) {
        true => {
            "stopped: the last game was played for a shorter time, those behind it not at all\n"
        }
        false => "",
    }
}

fn speed_line(row: &Row) -> [String; 9] {
    let goals: Vec<String> = row.mean_scores().iter().map(|mean| format!("{mean:.1}")).collect();
    let parts = row.parts().map(|shares| {
        let part =
            |((name, _), share): (&(&str, PlyPart), f64)| format!("{name} {:.0} %", 100.0 * share);
        PARTS.iter().zip(shares).map(part).collect::<Vec<_>>().join(", ")
    });
    [
        row.game.clone(),
        row.how.width.lanes().to_string(),
        row.measured.engine.to_string(),
        row.how.threads.to_string(),
        format!("{:.1}", row.mean_plies()),
        goals.join(" "),
        grouped(row.per_cpu_second() as i64),
        grouped(row.per_second() as i64),
        parts.unwrap_or_default(),
    ]
}

/// The checksums of games, and one over all, unless that was stopped.
fn signatures(games: &[Signed], is_stopped: bool, format: Format) -> String {
    let all = checksum(games.iter().map(|game| game.sum));
    let all = (!is_stopped).then(|| format!("{all:016x}"));
    match format {
        Format::Text => signature_table(games, all),
        Format::Json => format!("{:#}\n", signature_json(games, all)),
    }
}

fn signature_table(games: &[Signed], all: Option<String>) -> String {
    let line = |game: &Signed| [game.game.clone(), format!("{:016x}", game.sum)];
    let mut lines: Vec<_> = games.iter().map(line).collect();
    lines.push(["Signature".to_owned(), all.unwrap_or_else(|| "none: stopped".to_owned())]);
    table([Align::Left, Align::Left], &lines)
}

fn signature_json(games: &[Signed], all: Option<String>) -> Value {
    let games = games
        .iter()
        .map(|game| json!({ "game": game.game, "signature": format!("{:016x}", game.sum) }));
    json!({
        "stopped": all.is_none(),
        "signature": all,
        "playouts": SIGNED_PLAYOUTS,
        "seed": SIGNED_SEED,
        "games": games.collect::<Value>(),
    })
}
