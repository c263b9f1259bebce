//! Numbers as people type them.

use std::ops::RangeInclusive;
use std::time::Duration;

/// Reads a number of something within a range, such as `1000000`, `1_000_000`, `1e6`,
/// `100k` or `2.5M`.
pub fn count<T: TryFrom<u64>>(
    what: &'static str,
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| {
        let number = number(text).filter(|number| range.contains(number));
        let number = number.and_then(|number| T::try_from(number).ok());
        number.ok_or_else(|| complaint(what, &range))
    }
}

fn complaint(what: &str, range: &RangeInclusive<u64>) -> String {
    match *range.end() {
        u64::MAX => format!("give a number of {what}, such as 20000, 100k, 1e6 or 2.5M"),
        most => format!("give a number of {what} from {} to {most}", range.start()),
    }
}

/// Digits, perhaps with a point and a power of ten, as long as it is a whole number in
/// the end. Everything is exact: `0.1M` is 100000.
#[must_use]
pub fn number(text: &str) -> Option<u64> {
    let text = text.replace('_', "");
    let (text, unit) = match text.char_indices().last()? {
        (end, 'k' | 'K') => (&text[..end], 3),
        (end, 'm' | 'M') => (&text[..end], 6),
        (end, 'g' | 'G') => (&text[..end], 9),
        _ => (&text[..], 0),
    };
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<u32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let fraction = fraction.trim_end_matches('0');
    let digits = format!("{whole}{fraction}");
    if whole.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let power = exponent.checked_add(unit)?.checked_sub(u32::try_from(fraction.len()).ok()?)?;
    digits.parse::<u64>().ok()?.checked_mul(10_u64.checked_pow(power)?)
}

/// Megabytes, as a plain number or with their unit: `512`, `512M`, `2G`.
///
/// # Errors
/// If it is no such number; the error says what is.
pub fn megabytes(text: &str) -> Result<u64, String> {
    let found = match text.char_indices().last() {
        Some((end, 'm' | 'M')) => number(&text[..end]),
        Some((end, 'g' | 'G')) => {
            number(&text[..end]).and_then(|gigabytes| gigabytes.checked_mul(1024))
        }
        _ => number(text),
    };
    found.ok_or_else(|| "give a number of megabytes, such as 512, 512M or 2G".to_owned())
}

/// Seconds, perhaps with a fraction; more than none.
///
/// # Errors
/// If it is no such number; the error says what is.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds| *seconds > 0.0 && *seconds <= 1e6);
    let seconds = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| "give a number of seconds, such as 2 or 0.5".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_people_type_them() {
        let texts = ["7", "1e6", "100k", "2M", "1_000", "2.5M", "0.1m", "1.50e1", "3G", "0"];
        let found = texts.map(|text| number(text).unwrap());
        let expected =
            [7, 1_000_000, 100_000, 2_000_000, 1000, 2_500_000, 100_000, 15, 3_000_000_000, 0];
        assert_eq!(found, expected);
        for wrong in ["", "k", "e6", "-1", "1.5", "1e-3", "1e99", "1kk", "2é", "1e6x", ".5M"] {
            assert_eq!(number(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_number_out_of_range_is_refused_with_its_unit() {
        let threads = count::<u32>("threads", 1..=16);
        assert_eq!(threads("16"), Ok(16));
        assert_eq!(threads("17").unwrap_err(), "give a number of threads from 1 to 16");
        let narrow = count::<u8>("things", 0..=u64::MAX);
        assert!(narrow("1k").unwrap_err().contains("100k, 1e6 or 2.5M"));
    }

    #[test]
    fn memory_is_in_megabytes() {
        assert_eq!(["512", "512M", "2G"].map(|text| megabytes(text).unwrap()), [512, 512, 2048]);
        assert!(megabytes("much").unwrap_err().contains("megabytes"));
    }
}
