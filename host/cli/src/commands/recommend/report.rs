//! What to recommend, for a person or a program.

use ruche_playouts::{EngineChoice, widest_word};
use ruche_study::wall::machine;
use ruche_tune::choose::{BatchChoice, ENOUGH_FOR_BATCH, ENOUGH_FOR_LEAVES, Rates, Reason};
use ruche_tune::measure::{BatchRow, ROUNDS, ShapeRow, WordRow};
use ruche_tune::{Recommendation, Tuned};
use serde_json::{Value, json};

use crate::arguments::RecommendSettings;
use crate::output::Align::{Left, Right};
use crate::output::{Align, grouped, quoted, table};

/// If more visits than this found the game over, the cores had little to do.
const MANY_ENDS: f64 = 0.5;

/// If rounds of a usual search differ by more than this share, something else
/// keeps the machine busy.
const MUCH_NOISE: f64 = 0.1;

/// What changes results and what does not.
const RESULTS: &str = "\
Clusters, threads, strategy and word change only the speed of a search; batch, playouts
per position and in-flight also change what it finds.";

/// What batch and playouts per position are about.
const TRADE_OFF: &str = "\
More playouts per leaf keep the cores busier but leave a smaller tree; the more positions
are under way, the older are the results that guide the choice of the next.";

/// What a word is called.
fn word_name(row: &WordRow) -> String {
    format!("{} lanes, {}", row.width.lanes(), row.engine)
}

/// What a shape is called.
fn shape_name(row: &ShapeRow) -> String {
    format!("{} × {}, {}", row.clusters, row.threads, row.strategy)
}

/// Why a word or a shape was taken.
fn why<Row>(found: &Tuned<Row, Reason>, name: fn(&Row) -> String) -> String {
    let (rows, this) = (&found.rows, name(found.row()));
    match found.why {
        Reason::Only => format!("{this}: there is no other."),
        Reason::Faster { than, times } => {
            format!("{this}: {times:.2} times as fast as the next, {}.", name(&rows[than]))
        }
        Reason::Simpler { than, times } => {
            let (other, share) = (name(&rows[than]), percent(times));
            format!("{this}: within noise of {other} ({share} of its rate), and simpler.")
        }
    }
}

/// Why playouts per position, batch and batches in flight were taken.
fn why_batch(found: &Tuned<BatchRow, BatchChoice>) -> String {
    let (rows, BatchChoice { chosen, fastest_alike, fastest }) = (&found.rows, found.why);
    let [this, alike, fastest] = [chosen, fastest_alike, fastest].map(|index| &rows[index]);
    let playouts = this.playouts_per_position;
    let few = format!(
        "{playouts} playouts per position: the fewest that reach {} of the fastest rate ({}{}).",
        percent(ENOUGH_FOR_LEAVES),
        ratio(alike, fastest),
        fewer(rows, playouts, fastest),
    );
    let less = format!(
        "Batch {}, {} in flight: the fewest positions under way that reach {} of the best row \
         with {playouts} ({}).",
        this.batch,
        this.in_flight,
        percent(ENOUGH_FOR_BATCH),
        ratio(this, alike),
    );
    [few, less, cost(this, fastest)].join("\n")
}

/// What still fewer playouts per position would bring.
fn fewer(rows: &[BatchRow], playouts: u32, fastest: &BatchRow) -> String {
    let fewer = rows.iter().filter(|row| row.playouts_per_position < playouts);
    let best = fewer.max_by(|a, b| a.playouts.median().total_cmp(&b.playouts.median()));
    best.map_or(String::new(), |best| {
        format!("; {} reach {}", best.playouts_per_position, ratio(best, fastest))
    })
}

fn cost(this: &BatchRow, fastest: &BatchRow) -> String {
    if std::ptr::eq(this, fastest) {
        return "It is the fastest row, too.".to_owned();
    }
    let (share, leaves) = (ratio(this, fastest), this.leaves() / fastest.leaves().max(1e-9));
    format!("It has {share} of the playouts of the fastest row and {leaves:.1} times its leaves.")
}

fn ratio(one: &BatchRow, other: &BatchRow) -> String {
    percent(one.playouts.median() / other.playouts.median().max(1e-9))
}

fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

/// Everything that was found out.
pub struct Findings<'a> {
    /// What was asked for.
    pub settings: &'a RecommendSettings,
    /// What was found out.
    pub found: Recommendation,
}

impl Findings<'_> {
    /// Tables, reasons and the command.
    pub fn text(&self) -> String {
        let heading = format!(
            "{} on {}, of which up to {} play\n\
             medians of {ROUNDS} rounds in turns, ± half of what the middle rounds differ by\n",
            self.settings.game,
            machine(),
            self.settings.processors,
        );
        let words = section("Word: playouts of one core", &self.word_table(), &self.why_word());
        let title = "Shape: playouts that enter the tree";
        let shapes = section(title, &self.shape_table(), &self.why_shape());
        let title = "Batch: playouts and leaves that enter the tree";
        let why = format!("{}\n{TRADE_OFF}", self.why_batch());
        let batches = section(title, &self.batch_table(), &why);
        let notes: String = self.notes().iter().map(|note| format!("Note: {note}\n")).collect();
        let end = format!("{RESULTS}\n{notes}\n{}\n", self.command());
        [heading, words, shapes, batches, end].join("\n")
    }

    fn why_word(&self) -> String {
        why(&self.found.words, word_name)
    }

    fn why_shape(&self) -> String {
        why(&self.found.shapes, shape_name)
    }

    fn why_batch(&self) -> String {
        why_batch(&self.found.batches)
    }

    fn word_table(&self) -> String {
        let heading = ["", "lanes", "engine", "cores in 2 MB", "playouts/s of CPU", ""];
        let columns = [Left, Right, Left, Right, Right, Right];
        listing(heading, columns, &self.found.words, |row, mark| {
            let [rate, spread] = rate_cells(&row.playouts);
            let engine = row.engine.to_string();
            [mark, row.width.lanes().to_string(), engine, row.cores.to_string(), rate, spread]
        })
    }

    fn shape_table(&self) -> String {
        let heading = ["", "clusters", "threads", "strategy", "lanes", "playouts/s", ""];
        let columns = [Left, Right, Right, Left, Right, Right, Right];
        listing(heading, columns, &self.found.shapes, |row, mark| {
            let [rate, spread] = rate_cells(&row.playouts);
            let (clusters, threads) = (row.clusters.to_string(), row.threads.to_string());
            let strategy = row.strategy.to_string();
            [mark, clusters, threads, strategy, row.width.lanes().to_string(), rate, spread]
        })
    }

    fn batch_table(&self) -> String {
        let heading =
            ["", "playouts", "batch", "in flight", "mean batch", "leaves/s", "playouts/s", ""];
        let columns = [Left, Right, Right, Right, Right, Right, Right, Right];
        listing(heading, columns, &self.found.batches, |row, mark| {
            let [rate, spread] = rate_cells(&row.playouts);
            let playouts = row.playouts_per_position.to_string();
            let (batch, in_flight) = (row.batch.to_string(), row.in_flight.to_string());
            let (mean, leaves) = (format!("{:.0}", row.mean_batch), grouped(row.leaves() as u64));
            [mark, playouts, batch, in_flight, mean, leaves, rate, spread]
        })
    }

    /// What makes the figures worth less.
    fn notes(&self) -> Vec<String> {
        let (ends, noise) = (self.found.batches.row().ends, self.noise());
        let small = (ends > MANY_ENDS).then(|| {
            format!(
                "{} of the visits found the game over, which takes no core: this game is too \
                 small for its settings to matter.",
                percent(ends)
            )
        });
        let busy = (noise > MUCH_NOISE).then(|| {
            format!(
                "the rounds of a usual search differ by ± {}: if something else keeps this \
                 machine busy, repeat it later; if not, with more --seconds.",
                percent(noise)
            )
        });
        small.into_iter().chain(busy).collect()
    }

    /// The share by which rounds of searches differ, in the middle of all rows.
    fn noise(&self) -> f64 {
        let shapes = self.found.shapes.rows.iter().map(|row| uncertainty(&row.playouts));
        let batches = self.found.batches.rows.iter().map(|row| uncertainty(&row.playouts));
        Rates(shapes.chain(batches).collect()).median()
    }

    /// The command that uses what was found.
    fn command(&self) -> String {
        let ShapeRow { clusters, threads, strategy, width, .. } = self.found.shapes.row();
        let BatchRow { batch, playouts_per_position, in_flight, .. } = self.found.batches.row();
        let (game, strategy) = (quoted(&self.settings.game), *strategy);
        format!(
            "ruche search {game} --clusters {clusters} --threads {threads} --strategy {strategy} \
             --word {} --batch {batch} --playouts-per-position {playouts_per_position} \
             --in-flight {in_flight}{}",
            width.lanes(),
            self.engine_option(),
        )
    }

    /// Native code is what a search takes by itself, where there is any.
    fn engine_option(&self) -> &'static str {
        let WordRow { engine, width, .. } = self.found.words.row();
        let has_native =
            EngineChoice::available(*width).any(|engine| engine == EngineChoice::Native);
        match engine {
            EngineChoice::Interpreter if has_native => " --engine interpreter",
            _ => "",
        }
    }

    /// The same as one document.
    pub fn json(&self) -> Value {
        json!({
            "game": self.settings.game,
            "machine": {
                "name": machine(),
                "processors": self.settings.processors,
                "widest_word": widest_word().lanes(),
            },
            "rounds": ROUNDS,
            "seed": self.settings.seed,
            "words": rows_json(&self.found.words, word_json),
            "shapes": rows_json(&self.found.shapes, shape_json),
            "batches": rows_json(&self.found.batches, batch_json),
            "recommendation": self.recommendation(),
        })
    }

    fn recommendation(&self) -> Value {
        let ShapeRow { clusters, threads, strategy, width, .. } = self.found.shapes.row();
        let BatchRow { batch, playouts_per_position, in_flight, .. } = self.found.batches.row();
        json!({
            "clusters": clusters,
            "threads": threads,
            "strategy": *strategy,
            "word": width.lanes(),
            "engine": self.found.words.row().engine,
            "batch": batch,
            "playouts_per_position": playouts_per_position,
            "in_flight": in_flight,
            "why": {
                "word": self.why_word(),
                "shape": self.why_shape(),
                "batch": self.why_batch(),
            },
            "notes": self.notes(),
            "command": self.command(),
        })
    }
}

fn section(title: &str, table: &str, why: &str) -> String {
    format!("{title}\n{table}{why}\n")
}

/// A table of all rows, with a mark for the one that was taken.
fn listing<Row, Why, const N: usize>(
    heading: [&str; N],
    columns: [Align; N],
    found: &Tuned<Row, Why>,
    cells: impl Fn(&Row, String) -> [String; N],
) -> String {
    let mark = |index| if index == found.chosen { "*" } else { "" };
    let rows = found.rows.iter().enumerate();
    let rows = rows.map(|(index, row)| cells(row, mark(index).to_owned()));
    let lines: Vec<_> = std::iter::once(heading.map(str::to_owned)).chain(rows).collect();
    table(columns, &lines)
}

/// A rate, and how far it is to be trusted.
fn rate_cells(rates: &Rates) -> [String; 2] {
    [grouped(rates.median() as u64), format!("± {}", percent(uncertainty(rates)))]
}

/// Half of what rounds differ by, as a share.
fn uncertainty(rates: &Rates) -> f64 {
    rates.spread() / 2.0 / rates.median().max(1e-9)
}

/// All rows, each with its rates and whether it was taken.
fn rows_json<Row, Why>(found: &Tuned<Row, Why>, json: fn(&Row) -> (Value, &Rates)) -> Value {
    let row = |(index, row): (usize, &Row)| {
        let (mut value, rates) = json(row);
        value["playouts_per_second"] = json!(rates.median());
        value["spread"] = json!(rates.spread());
        value["samples"] = json!(rates.0);
        value["chosen"] = json!(index == found.chosen);
        value
    };
    found.rows.iter().enumerate().map(row).collect()
}

fn word_json(row: &WordRow) -> (Value, &Rates) {
    let (word, engine) = (row.width.lanes(), row.engine);
    (json!({ "word": word, "engine": engine, "cores_that_fit": row.cores }), &row.playouts)
}

fn shape_json(row: &ShapeRow) -> (Value, &Rates) {
    let value = json!({
        "clusters": row.clusters,
        "threads": row.threads,
        "strategy": row.strategy,
        "word": row.width.lanes(),
    });
    (value, &row.playouts)
}

fn batch_json(row: &BatchRow) -> (Value, &Rates) {
    let value = json!({
        "batch": row.batch,
        "playouts_per_position": row.playouts_per_position,
        "in_flight": row.in_flight,
        "mean_batch": row.mean_batch,
        "leaves_per_second": row.leaves(),
        "ends": row.ends,
    });
    (value, &row.playouts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_name_the_rival() {
        let name = |row: &&str| (*row).to_owned();
        let rows = ["slow", "fast"];
        let said = |chosen, why| super::why(&Tuned { rows: rows.to_vec(), chosen, why }, name);
        let faster = Reason::Faster { than: 0, times: 1.5 };
        assert_eq!(said(1, faster), "fast: 1.50 times as fast as the next, slow.");
        let simpler = Reason::Simpler { than: 1, times: 0.97 };
        assert_eq!(said(0, simpler), "slow: within noise of fast (97 % of its rate), and simpler.");
        assert_eq!(said(0, Reason::Only), "slow: there is no other.");
    }

    fn batch_row(playouts_per_position: u32, batch: usize, rate: f64) -> BatchRow {
        let playouts = Rates(vec![rate; ROUNDS]);
        BatchRow {
            playouts_per_position,
            batch,
            in_flight: 1,
            mean_batch: 1.0,
            ends: 0.0,
            playouts,
        }
    }

    #[test]
    fn a_batch_is_explained_by_its_rule_and_by_what_it_costs() {
        let rows = [(4, 64, 40.0), (16, 64, 76.0), (16, 256, 80.0), (64, 64, 100.0)]
            .map(|(playouts, batch, rate)| batch_row(playouts, batch, rate));
        let why = BatchChoice { chosen: 1, fastest_alike: 2, fastest: 3 };
        let said = why_batch(&Tuned { rows: rows.to_vec(), chosen: 1, why });
        let lines: Vec<&str> = said.lines().collect();
        assert!(lines[0].ends_with("70 % of the fastest rate (80 %; 4 reach 40 %)."), "{said}");
        assert!(lines[1].ends_with("90 % of the best row with 16 (95 %)."), "{said}");
        let cost = "It has 76 % of the playouts of the fastest row and 3.0 times its leaves.";
        assert_eq!(lines[2], cost);
    }
}
