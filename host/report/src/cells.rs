//! Cells: all samples of the same settings, and their median.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::{Clock, Sample, Shares};

/// What samples can differ by, other than by chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Axis {
    Game,
    Clusters,
    Threads,
    Strategy,
    Mode,
    Word,
    PlayoutsPerPosition,
    Batch,
    Bytes,
    InFlight,
    IoNodes,
    Positions,
    CostFactor,
    /// Clock and machine in one: times of two sources are never mixed.
    Source,
    Transport,
    Version,
}

impl Axis {
    pub(crate) const ALL: [Axis; 16] = [
        Axis::Game,
        Axis::Clusters,
        Axis::Threads,
        Axis::Strategy,
        Axis::Mode,
        Axis::Word,
        Axis::PlayoutsPerPosition,
        Axis::Batch,
        Axis::Bytes,
        Axis::InFlight,
        Axis::IoNodes,
        Axis::Positions,
        Axis::CostFactor,
        Axis::Source,
        Axis::Transport,
        Axis::Version,
    ];

    /// What the axis is called in a sentence and above a column.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Axis::Game => "game",
            Axis::Clusters => "clusters",
            Axis::Threads => "threads per cluster",
            Axis::Strategy => "strategy",
            Axis::Mode => "mode",
            Axis::Word => "lanes of a word",
            Axis::PlayoutsPerPosition => "playouts per position",
            Axis::Batch => "positions per run",
            Axis::Bytes => "bytes per position",
            Axis::InFlight => "runs in flight",
            Axis::IoNodes => "I/O nodes",
            Axis::Positions => "positions",
            Axis::CostFactor => "cost factor",
            Axis::Transport => "transport",
            Axis::Source => "clock",
            Axis::Version => "version",
        }
    }

    /// Whether plans may let it grow with the machine, so that it follows from
    /// other settings instead of being one of its own.
    pub(crate) fn may_follow(self) -> bool {
        matches!(self, Axis::Clusters | Axis::Threads | Axis::Batch | Axis::Bytes | Axis::IoNodes)
    }

    /// The axis whose value says this one too, unless plans make a difference of
    /// it: the model is a transport of its own.
    pub(crate) fn leader(self) -> Option<Axis> {
        matches!(self, Axis::Transport | Axis::Version).then_some(Axis::Source)
    }

    /// A value of this axis where other axes are named too.
    pub(crate) fn label(self, value: &Value) -> String {
        let plural = |one: &str, many: &str| match value {
            Value::Number(number) if *number == 1.0 => format!("1 {one}"),
            _ => format!("{value} {many}"),
        };
        match self {
            Axis::Game | Axis::Strategy | Axis::Mode | Axis::Transport | Axis::Source => {
                value.to_string()
            }
            Axis::Clusters => plural("cluster", "clusters"),
            Axis::Threads => plural("thread", "threads"),
            Axis::Word => plural("lane", "lanes"),
            Axis::PlayoutsPerPosition => plural("playout per position", "playouts per position"),
            Axis::Batch => plural("position per run", "positions per run"),
            Axis::Bytes => plural("byte", "bytes"),
            Axis::InFlight => format!("{value} in flight"),
            Axis::IoNodes => plural("I/O node", "I/O nodes"),
            Axis::Positions => format!("{value} positions"),
            Axis::CostFactor => format!("cost × {value}"),
            Axis::Version => format!("version {value}"),
        }
    }

    fn value(self, sample: &Sample) -> Value {
        let point = &sample.point;
        match self {
            Axis::Game => Value::text(&point.game),
            Axis::Clusters => point.clusters.into(),
            Axis::Threads => point.threads.into(),
            Axis::Strategy => Value::text(&point.strategy),
            Axis::Mode => Value::text(&point.mode),
            Axis::Word => point.word.into(),
            Axis::PlayoutsPerPosition => point.playouts_per_position.into(),
            Axis::Batch => point.batch.into(),
            Axis::Bytes => point.bytes.into(),
            Axis::InFlight => point.in_flight.into(),
            Axis::IoNodes => point.io_nodes.into(),
            Axis::Positions => Value::text(&point.positions),
            Axis::CostFactor => Value::Number(point.cost_factor),
            Axis::Transport => Value::text(&sample.transport),
            Axis::Source => Value::Text(source(sample)),
            Axis::Version => Value::text(&sample.version),
        }
    }
}

/// By which clock a sample was taken, in words.
pub(crate) fn source(sample: &Sample) -> String {
    match sample.clock {
        Clock::Wall => format!("measured on {}", sample.machine),
        Clock::Model => format!("modelled: {}", sample.machine),
    }
}

/// A value of an axis.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Number(f64),
    Text(String),
}

impl Value {
    fn text(text: &str) -> Self {
        Value::Text(text.to_owned())
    }

    /// Names have no size.
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Value::Number(number) => Some(*number),
            Value::Text(_) => None,
        }
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Self {
        Value::Number(number.into())
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Number(number) => number.fmt(f),
            Value::Text(text) => text.fmt(f),
        }
    }
}

impl Ord for Value {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Value::Number(a), Value::Number(b)) => a.total_cmp(b),
            (Value::Text(a), Value::Text(b)) => a.cmp(b),
            (Value::Number(_), Value::Text(_)) => Ordering::Less,
            (Value::Text(_), Value::Number(_)) => Ordering::Greater,
        }
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Value {}

/// A figure over all repetitions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl Spread {
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let sorted = sorted(values);
        let (Some(&least), Some(&most)) = (sorted.first(), sorted.last()) else {
            return Self::default();
        };
        let (low, high) = (sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]);
        // One value stays what it is, to the last bit.
        let median = if low == high { low } else { (low + high) / 2.0 };
        Self { median, least, most }
    }

    pub(crate) fn over(self, base: f64) -> Self {
        Self { median: self.median / base, least: self.least / base, most: self.most / base }
    }

    pub(crate) fn is_wide(self) -> bool {
        self.least < self.most
    }
}

fn sorted(values: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    values
}

/// Added up in order of size, so that the order of samples leaves no trace.
fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let sorted = sorted(values.into_iter().filter(|value| value.is_finite()));
    sorted.iter().sum::<f64>() / sorted.len().max(1) as f64
}

/// All samples of the same settings.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    /// In the order of [`Axis::ALL`].
    settings: Vec<Value>,
    pub(crate) clock: Clock,
    pub(crate) repetitions: usize,
    pub(crate) playouts_per_second: Spread,
    pub(crate) run_seconds: Spread,
    /// The mean, since medians would not add up to 1.
    pub(crate) shares: Shares,
    /// Whether samples with the same seed found different results.
    pub(crate) disagrees: bool,
    /// Takes the first repetition again.
    pub(crate) invocation: String,
}

impl Cell {
    fn new(settings: Vec<Value>, mut samples: Vec<&Sample>) -> Self {
        samples.sort_by_key(|sample| (sample.repetition, sample.seed, &sample.invocation));
        let share = |of: fn(&Shares) -> f64| mean(samples.iter().map(|sample| of(&sample.shares)));
        Self {
            settings,
            clock: samples[0].clock,
            repetitions: samples.len(),
            playouts_per_second: Spread::of(samples.iter().map(|s| s.playouts_per_second)),
            run_seconds: Spread::of(samples.iter().map(|s| s.run_seconds)),
            shares: Shares {
                host: share(|shares| shares.host),
                transfer: share(|shares| shares.transfer),
                hand_off: share(|shares| shares.hand_off),
                playouts: share(|shares| shares.playouts),
                waiting: share(|shares| shares.waiting),
            },
            disagrees: disagree(&samples),
            invocation: samples[0].invocation.clone(),
        }
    }

    pub(crate) fn value(&self, axis: Axis) -> &Value {
        &self.settings[axis as usize]
    }

    pub(crate) fn values(&self, axes: &[Axis]) -> Vec<Value> {
        axes.iter().map(|axis| self.value(*axis).clone()).collect()
    }

    /// Cores that play.
    pub(crate) fn cores(&self) -> f64 {
        let number = |axis| self.value(axis).number().unwrap_or(1.0);
        number(Axis::Clusters) * number(Axis::Threads)
    }

    /// Whether there were playouts: from `empty` positions nobody plays.
    pub(crate) fn is_played(&self) -> bool {
        let Spread { least, most, .. } = self.playouts_per_second;
        least > 0.0 && most.is_finite()
    }

    /// By which clock, in one word.
    pub(crate) fn clock_word(&self) -> &'static str {
        match self.clock {
            Clock::Wall => "measured",
            Clock::Model => "modelled",
        }
    }

    /// "4 clusters · spin".
    pub(crate) fn label(&self, axes: &[Axis]) -> String {
        let labels: Vec<String> = axes.iter().map(|axis| axis.label(self.value(*axis))).collect();
        labels.join(" · ")
    }
}

/// Whether there are two samples of the same seed and length with different
/// results.
fn disagree(samples: &[&Sample]) -> bool {
    let mut known = BTreeMap::new();
    samples.iter().any(|sample| {
        let key = (sample.seed, sample.runs, sample.playouts);
        *known.entry(key).or_insert(&sample.signature) != &sample.signature
    })
}

/// Brings together what belongs together, in an order that does not depend on
/// that of the samples.
pub(crate) fn gather(samples: &[Sample]) -> Vec<Cell> {
    let mut cells: BTreeMap<Vec<Value>, Vec<&Sample>> = BTreeMap::new();
    for sample in samples {
        let settings = Axis::ALL.iter().map(|axis| axis.value(sample)).collect();
        cells.entry(settings).or_default().push(sample);
    }
    cells.into_iter().map(|(settings, samples)| Cell::new(settings, samples)).collect()
}

/// The values that cells have on an axis, in order.
pub(crate) fn values<'a>(cells: impl IntoIterator<Item = &'a Cell>, axis: Axis) -> Vec<Value> {
    let mut values: Vec<Value> = cells.into_iter().map(|cell| cell.value(axis).clone()).collect();
    values.sort();
    values.dedup();
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_three_is_the_middle_one() {
        let spread = Spread::of([3.0, 1.0, 10.0]);
        assert_eq!(spread, Spread { median: 3.0, least: 1.0, most: 10.0 });
        assert!(spread.is_wide());
    }

    #[test]
    fn the_median_of_an_even_number_lies_between() {
        assert_eq!(Spread::of([4.0, 1.0, 2.0, 10.0]).median, 3.0);
    }

    #[test]
    fn one_value_is_its_own_median_to_the_last_bit() {
        let value = 0.1 + 0.2;
        assert_eq!(Spread::of([value]), Spread { median: value, least: value, most: value });
        assert!(!Spread::of([value]).is_wide());
    }

    #[test]
    fn axes_are_listed_in_the_order_of_their_numbers() {
        for (index, axis) in Axis::ALL.iter().enumerate() {
            assert_eq!(*axis as usize, index);
        }
    }

    #[test]
    fn labels_know_the_singular() {
        assert_eq!(Axis::Clusters.label(&1.into()), "1 cluster");
        assert_eq!(Axis::Clusters.label(&4.into()), "4 clusters");
        assert_eq!(Axis::CostFactor.label(&Value::Number(2.5)), "cost × 2.5");
    }
}
