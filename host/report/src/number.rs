//! Numbers as people read them.

/// What a number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Things: 10k, 1.5M.
    Count,
    /// Time: 20 ms.
    Seconds,
    /// Memory: 64 B, 4 KiB.
    Bytes,
    /// Shares of a whole: 80 %.
    Share,
}

impl Unit {
    /// As short as the tick of an axis needs it.
    pub(crate) fn tick(self, value: f64) -> String {
        match self {
            Unit::Count => count(value),
            Unit::Seconds => seconds(value),
            Unit::Bytes => bytes(value),
            Unit::Share => share(value),
        }
    }

    /// As exact as a table needs it.
    pub(crate) fn figure(self, value: f64) -> String {
        match self {
            Unit::Count if value.abs() >= 1000.0 => grouped(value),
            Unit::Count => significant(value, 4),
            Unit::Seconds => seconds(value),
            Unit::Bytes => grouped(value),
            Unit::Share => format!("{:.1} %", 100.0 * value),
        }
    }
}

/// 1500 is 1.5k.
pub(crate) fn count(value: f64) -> String {
    let scales = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    // 999,999 is 1M, not 1000k.
    let scale = scales.iter().find(|(scale, _)| value.abs() >= scale * 0.9995);
    scale.map_or_else(
        || significant(value, 3),
        |(scale, suffix)| format!("{}{suffix}", significant(value / scale, 3)),
    )
}

fn seconds(value: f64) -> String {
    let scales = [(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")];
    let scale = scales.iter().find(|(scale, _)| value.abs() >= scale * 0.9995);
    scale.map_or_else(
        || significant(value, 3) + " s",
        |(scale, suffix)| format!("{} {suffix}", significant(value / scale, 3)),
    )
}

fn bytes(value: f64) -> String {
    let scales = [(1024.0 * 1024.0, "MiB"), (1024.0, "KiB"), (1.0, "B")];
    let scale = scales.iter().find(|(scale, _)| value.abs() >= *scale);
    let (scale, suffix) = scale.copied().unwrap_or((1.0, "B"));
    format!("{} {suffix}", significant(value / scale, 3))
}

fn share(value: f64) -> String {
    format!("{:.0} %", 100.0 * value)
}

/// So many significant digits at most, without trailing zeros, never fewer than
/// the integer part has.
pub(crate) fn significant(value: f64, digits: i32) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.abs().to_string();
    }
    let magnitude = value.abs().log10().floor() as i32;
    let decimals = (digits - 1 - magnitude).clamp(0, 12) as usize;
    let text = format!("{value:.decimals$}");
    if !text.contains('.') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// 1,234,568: rounded, with separators.
pub(crate) fn grouped(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if value <= -0.5 { format!("−{text}") } else { text }
}

/// "1 sample", "2 samples".
pub(crate) fn counted(count: usize, singular: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {singular}{plural}", grouped(count as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_and_millions_are_short() {
        let cases = [
            (0.0, "0"),
            (7.0, "7"),
            (0.25, "0.25"),
            (950.0, "950"),
            (1500.0, "1.5k"),
            (1e4, "10k"),
        ];
        for (value, expected) in cases {
            assert_eq!(count(value), expected);
        }
        assert_eq!(count(1e6), "1M");
        assert_eq!(count(999_999.0), "1M");
        assert_eq!(count(2.5e9), "2.5G");
    }

    #[test]
    fn times_have_the_unit_that_suits_them() {
        assert_eq!(Unit::Seconds.tick(0.02), "20 ms");
        assert_eq!(Unit::Seconds.tick(5e-7), "500 ns");
        assert_eq!(Unit::Seconds.tick(0.000_25), "250 µs");
        assert_eq!(Unit::Seconds.tick(12.0), "12 s");
    }

    #[test]
    fn bytes_are_counted_in_powers_of_two() {
        assert_eq!(Unit::Bytes.tick(64.0), "64 B");
        assert_eq!(Unit::Bytes.tick(4096.0), "4 KiB");
        assert_eq!(Unit::Bytes.tick(2_097_152.0), "2 MiB");
    }

    #[test]
    fn figures_are_grouped() {
        assert_eq!(grouped(1_234_567.8), "1,234,568");
        assert_eq!(grouped(999.0), "999");
        assert_eq!(grouped(-1000.0), "−1,000");
        assert_eq!(Unit::Count.figure(0.123_456), "0.1235");
        assert_eq!(Unit::Share.figure(0.987), "98.7 %");
    }

    #[test]
    fn one_is_singular() {
        assert_eq!(counted(1, "sample"), "1 sample");
        assert_eq!(counted(1200, "sample"), "1,200 samples");
    }
}
