//! Cells: all samples of the same settings, and their median.

use std::collections::BTreeMap;

use super::settings::{Axis, Value};
use crate::{Clock, Sample, Shares};

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
    /// Whether there were more threads than processors.
    pub(crate) is_oversubscribed: bool,
    /// Takes the first repetition again.
    pub(crate) invocation: String,
}

/// Repetitions that differ by more than this part of the least say more about the machine
/// than about the settings.
const NOISE: f64 = 0.2;

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
            is_oversubscribed: samples.iter().any(|sample| is_oversubscribed(sample)),
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

    /// Whether repetitions differ too much.
    pub(crate) fn is_noisy(&self) -> bool {
        let Spread { least, most, .. } = self.playouts_per_second;
        self.is_played() && most > (1.0 + NOISE) * least
    }

    /// Why its figure is to be taken with care, if it is.
    pub(crate) fn doubt(&self) -> Option<&'static str> {
        match (self.is_oversubscribed, self.is_noisy()) {
            (true, true) => {
                Some("more threads than processors, and repetitions differ by over 20 %")
            }
            (true, false) => Some("more threads than processors"),
            (false, true) => Some("repetitions differ by over 20 %"),
            (false, false) => None,
        }
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

/// Whether a sample had more threads than its machine runs at a time.
fn is_oversubscribed(sample: &Sample) -> bool {
    let threads = sample.point.clusters.saturating_mul(sample.point.threads);
    let processors = sample.taken.as_ref().and_then(|taken| taken.processors);
    processors.is_some_and(|processors| threads > processors)
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
}
