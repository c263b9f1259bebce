//! Scales: where a value lies on an axis, and which values are named there.

/// From values to places.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Scale {
    /// Equal differences are equally far apart. Begins at 0.
    Linear {
        /// The last value.
        end: f64,
    },
    /// Equal ratios are equally far apart.
    Logarithmic {
        /// Ticks stand at powers of 2, or at 1, 2 and 5 times powers of 10.
        binary: bool,
        /// The first value.
        start: f64,
        /// The last value.
        end: f64,
    },
}

/// Ticks that an axis has, or a few more.
const TICKS: usize = 6;
/// Values that are this far apart would crowd near 0 on a linear scale.
const WIDE: f64 = 6.0;

impl Scale {
    /// For figures that are measured.
    pub(crate) fn decimal(values: impl IntoIterator<Item = f64>) -> Self {
        let (least, most) = extent(values);
        if is_wide(least, most) {
            return Scale::Logarithmic {
                binary: false,
                start: nice_below(least),
                end: nice_above(most),
            };
        }
        let step = nice_above(most / TICKS as f64);
        Scale::Linear { end: step * (most / step).ceil().max(1.0) }
    }

    /// For sizes, which are often powers of two.
    pub(crate) fn binary(values: impl IntoIterator<Item = f64>) -> Self {
        let (least, most) = extent(values);
        if is_wide(least, most) {
            return Scale::Logarithmic { binary: true, start: least, end: most };
        }
        Scale::Linear { end: if most > 0.0 { most } else { 1.0 } }
    }

    /// Where a value lies: 0 is the start of the axis and 1 its end.
    pub(crate) fn place(&self, value: f64) -> f64 {
        match *self {
            Scale::Linear { end } => value / end,
            Scale::Logarithmic { start, end, .. } => (value / start).ln() / (end / start).ln(),
        }
    }

    /// The values to be named, in order.
    pub(crate) fn ticks(&self) -> Vec<f64> {
        match *self {
            Scale::Linear { end } => linear_ticks(end),
            Scale::Logarithmic { binary: true, start, end } => binary_ticks(start, end),
            Scale::Logarithmic { binary: false, start, end } => decimal_ticks(start, end),
        }
    }

    pub(crate) fn is_logarithmic(&self) -> bool {
        matches!(self, Scale::Logarithmic { .. })
    }
}

fn is_wide(least: f64, most: f64) -> bool {
    least > 0.0 && most >= WIDE * least
}

/// The least and the greatest; what is not finite has no place.
fn extent(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let finite = values.into_iter().filter(|value| value.is_finite());
    let (least, most) = finite
        .fold((f64::INFINITY, 0.0_f64), |(least, most), value| (least.min(value), most.max(value)));
    (least, if most > 0.0 { most } else { 1.0 })
}

/// Ticks of 1, 2 or 5 times a power of ten.
fn linear_ticks(end: f64) -> Vec<f64> {
    let step = nice_above(end / TICKS as f64);
    let count = (end / step + 1e-9).floor() as i64;
    (0..=count).map(|index| tidy(index as f64 * step)).collect()
}

fn binary_ticks(start: f64, end: f64) -> Vec<f64> {
    let first = (start.log2() - 1e-9).ceil() as i32;
    let last = (end.log2() + 1e-9).floor() as i32;
    let step = ((last - first) as usize).div_ceil(9).max(1);
    (first..=last).step_by(step).map(|power| 2.0_f64.powi(power)).collect()
}

fn decimal_ticks(start: f64, end: f64) -> Vec<f64> {
    let decades = (end / start).log10();
    let mantissas: &[f64] = if decades > 4.0 {
        &[1.0]
    } else if decades > 2.2 {
        &[1.0, 3.0]
    } else {
        &[1.0, 2.0, 5.0]
    };
    let powers = start.log10().floor() as i32..=end.log10().ceil() as i32;
    let values =
        powers.flat_map(|power| mantissas.iter().map(move |m| tidy(m * 10.0_f64.powi(power))));
    values.filter(|value| (start * 0.999..=end * 1.001).contains(value)).collect()
}

/// The least of 1, 2, 5, 10, … that is not less.
fn nice_above(value: f64) -> f64 {
    let power = 10.0_f64.powf(value.log10().floor());
    let mantissa = value / power;
    let nice = [1.0, 2.0, 5.0].into_iter().find(|nice| mantissa <= nice + 1e-9).unwrap_or(10.0);
    tidy(nice * power)
}

/// The greatest of 1, 2, 5, 10, … that is not greater.
fn nice_below(value: f64) -> f64 {
    let power = 10.0_f64.powf(value.log10().floor());
    let mantissa = value / power;
    let nice = [5.0, 2.0].into_iter().find(|nice| mantissa >= nice - 1e-9).unwrap_or(1.0);
    tidy(nice * power)
}

/// Takes away what arithmetic added: 0.30000000000000004 is 0.3.
fn tidy(value: f64) -> f64 {
    format!("{value:.9e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_scales_begin_at_zero_and_end_at_a_round_number() {
        let scale = Scale::decimal([30.0, 47.0]);
        assert_eq!(scale, Scale::Linear { end: 50.0 });
        assert_eq!(scale.ticks(), [0.0, 10.0, 20.0, 30.0, 40.0, 50.0]);
        assert_eq!(scale.place(25.0), 0.5);
    }

    #[test]
    fn ticks_of_fractions_have_no_rounding_errors() {
        assert_eq!(linear_ticks(0.5), [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]);
    }

    #[test]
    fn wide_values_are_logarithmic() {
        let scale = Scale::decimal([3_200.0, 410_000.0]);
        assert_eq!(scale, Scale::Logarithmic { binary: false, start: 2_000.0, end: 500_000.0 });
        assert_eq!(scale.ticks(), [3_000.0, 10_000.0, 30_000.0, 100_000.0, 300_000.0]);
        assert!((scale.place(2_000.0)).abs() < 1e-12);
        assert!((scale.place(500_000.0) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn cores_have_ticks_at_powers_of_two() {
        let scale = Scale::binary([1.0, 2.0, 16.0, 256.0]);
        assert_eq!(scale.ticks(), [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0]);
        assert!((scale.place(16.0) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn few_cores_are_linear() {
        assert_eq!(Scale::binary([1.0, 4.0]).ticks(), [0.0, 1.0, 2.0, 3.0, 4.0]);
    }

    #[test]
    fn nothing_and_zero_have_a_scale_too() {
        for scale in [Scale::decimal([]), Scale::decimal([0.0]), Scale::binary([f64::NAN])] {
            assert!(scale.place(0.0).is_finite() && !scale.ticks().is_empty(), "{scale:?}");
        }
    }
}
