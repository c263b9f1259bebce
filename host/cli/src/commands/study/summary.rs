//! The best settings for each game, and how much faster they are.

use std::collections::BTreeMap;

use ruche_report::{Point, Sample};
use serde_json::{Value, json};

use crate::output::{Align, grouped, table};

/// What a study has found, in short.
pub struct Summary {
    samples: usize,
    rows: Vec<Row>,
}

/// The best point of a game beside its base: the same settings on the smallest
/// machine.
struct Row {
    best: Measured,
    base: Measured,
}

/// A point with the medians of its repetitions.
#[derive(Clone)]
struct Measured {
    point: Point,
    playouts_per_second: f64,
    run_seconds: f64,
}

impl Summary {
    /// Of samples by one clock.
    pub fn new(samples: &[Sample]) -> Self {
        let measured = medians(samples);
        let mut games: Vec<&str> = Vec::new();
        for one in &measured {
            if !games.contains(&one.point.game.as_str()) {
                games.push(&one.point.game);
            }
        }
        let rows = games.iter().filter_map(|game| Row::of(game, &measured)).collect();
        Self { samples: samples.len(), rows }
    }

    /// How many samples there are.
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// A row for each game.
    pub fn table(&self) -> String {
        use Align::{Left, Right};
        let heading = [
            "game",
            "best",
            "strategy",
            "mode",
            "lanes",
            "K",
            "batch",
            "playouts/s",
            "µs/run",
            "speed-up",
            "over",
        ];
        let mut lines = vec![heading.map(str::to_owned)];
        lines.extend(self.rows.iter().map(Row::line));
        table([Left, Right, Left, Left, Right, Right, Right, Right, Right, Right, Right], &lines)
    }

    /// An object for each game.
    pub fn json(&self) -> Value {
        self.rows.iter().map(Row::json).collect()
    }
}

impl Row {
    fn of(game: &str, measured: &[Measured]) -> Option<Self> {
        let of_game = || measured.iter().filter(|one| one.point.game == game);
        let faster = |left: &&Measured, right: &&Measured| {
            left.playouts_per_second.total_cmp(&right.playouts_per_second)
        };
        let best = of_game().max_by(faster)?;
        let alike = of_game().filter(|one| is_alike(&one.point, &best.point));
        let base = alike.min_by_key(|one| one.point.clusters * one.point.threads)?;
        Some(Self { best: best.clone(), base: base.clone() })
    }

    fn speed_up(&self) -> f64 {
        self.best.playouts_per_second / self.base.playouts_per_second
    }

    fn line(&self) -> [String; 11] {
        let point = &self.best.point;
        [
            point.game.clone(),
            machine(point),
            point.strategy.to_string(),
            point.mode.to_string(),
            point.word.to_string(),
            point.playouts_per_position.to_string(),
            point.batch.to_string(),
            grouped(self.best.playouts_per_second as i64),
            format!("{:.1}", 1e6 * self.best.run_seconds),
            format!("×{:.2}", self.speed_up()),
            machine(&self.base.point),
        ]
    }

    fn json(&self) -> Value {
        let mut object = json!(self.best.point);
        object["playouts_per_second"] = self.best.playouts_per_second.into();
        object["run_seconds"] = self.best.run_seconds.into();
        object["speed_up"] = self.speed_up().into();
        object["over"] = json!(self.base.point);
        object
    }
}

fn machine(point: &Point) -> String {
    format!("{}×{}", point.clusters, point.threads)
}

/// Whether two points differ at most in the size of the machine and in what
/// follows from it.
fn is_alike(left: &Point, right: &Point) -> bool {
    let Point { clusters, threads, batch, io_nodes, .. } = right.clone();
    Point { clusters, threads, batch, io_nodes, ..left.clone() } == *right
}

/// The medians over repetitions, in the order of the samples.
fn medians(samples: &[Sample]) -> Vec<Measured> {
    let mut order = Vec::new();
    let mut groups: BTreeMap<String, Vec<&Sample>> = BTreeMap::new();
    for sample in samples {
        let key = format!("{:?}", sample.point);
        if !groups.contains_key(&key) {
            order.push(key.clone());
        }
        groups.entry(key).or_default().push(sample);
    }
    let measured = |key: &String| {
        let group = &groups[key];
        Measured {
            point: group[0].point.clone(),
            playouts_per_second: median(group.iter().map(|sample| sample.playouts_per_second)),
            run_seconds: median(group.iter().map(|sample| sample.run_seconds)),
        }
    };
    order.iter().map(measured).collect()
}

/// The upper one of the two in the middle, where there are two.
fn median(figures: impl Iterator<Item = f64>) -> f64 {
    let mut figures: Vec<f64> = figures.collect();
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
