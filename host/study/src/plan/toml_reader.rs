//! A table of TOML whose every complaint names file, line and key.

use std::ops::{Range, RangeInclusive};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Located, PlanError};

/// Most values that one list may have.
const LONGEST_LIST: usize = 4096;

/// Where a text comes from.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    pub file: &'a str,
    pub text: &'a str,
}

impl<'a> Source<'a> {
    /// The whole text as a table.
    pub fn parse(self) -> Result<Spanned<DeTable<'a>>, PlanError> {
        DeTable::parse(self.text).map_err(|error| {
            let at = error.span().unwrap_or(0..0);
            self.error(at, "", format!("this is no TOML: {}", error.message()))
        })
    }

    pub fn error(&self, at: Range<usize>, key: &str, message: impl ToString) -> PlanError {
        let (file, key, message) = (self.file.to_owned(), key.to_owned(), message.to_string());
        PlanError { file, line: self.line(at), key, message }
    }

    pub fn line(&self, at: Range<usize>) -> usize {
        let before = &self.text.as_bytes()[..at.start.min(self.text.len())];
        before.iter().filter(|byte| **byte == b'\n').count() + 1
    }
}

/// A value of a key, or one of the values of its list.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    pub source: Source<'a>,
    pub key: &'a str,
    pub value: &'a Spanned<DeValue<'a>>,
}

impl<'a> Entry<'a> {
    pub fn error(&self, message: impl ToString) -> PlanError {
        self.source.error(self.value.span(), self.key, message)
    }

    pub fn line(&self) -> usize {
        self.source.line(self.value.span())
    }

    fn wrong_type(&self, wanted: &str) -> PlanError {
        let found = self.value.get_ref().type_str();
        self.error(format!("give {wanted}, not {}", with_article(found)))
    }

    pub fn text(&self) -> Result<&'a str, PlanError> {
        self.value.get_ref().as_str().ok_or_else(|| self.wrong_type("a text in quotes"))
    }

    pub fn number(&self, possible: &RangeInclusive<u64>) -> Result<u64, PlanError> {
        let DeValue::Integer(integer) = self.value.get_ref() else {
            return Err(self.wrong_type("a whole number"));
        };
        let number = i128::from_str_radix(integer.as_str(), integer.radix());
        let number = number.ok().and_then(|number| u64::try_from(number).ok());
        number
            .filter(|number| possible.contains(number))
            .ok_or_else(|| self.error(outside(integer.as_str(), possible)))
    }

    /// A number of any kind that is more than zero.
    pub fn factor(&self) -> Result<f64, PlanError> {
        let text = match self.value.get_ref() {
            DeValue::Integer(integer) => integer.as_str(),
            DeValue::Float(float) => float.as_str(),
            _ => return Err(self.wrong_type("a number")),
        };
        let factor = text.parse().ok().filter(|factor: &f64| *factor > 0.0 && *factor <= 1e9);
        factor.ok_or_else(|| self.error(format!("{text} is no factor: give more than 0, to 1e9")))
    }

    /// The value as a list: a single value is a list of one.
    pub fn entries(&self) -> Result<Vec<Entry<'a>>, PlanError> {
        let DeValue::Array(array) = self.value.get_ref() else { return Ok(vec![*self]) };
        match array.len() {
            0 => Err(self.error("the list is empty: give at least one value")),
            1..=LONGEST_LIST => Ok(array.iter().map(|value| Entry { value, ..*self }).collect()),
            _ => Err(self.error(format!("more than {LONGEST_LIST} values"))),
        }
    }

    /// One number, or those of a range such as `"1..16"` or `"200..2000 step 200"`.
    pub fn range(&self, possible: &RangeInclusive<u64>) -> Result<Vec<u64>, PlanError> {
        let DeValue::String(text) = self.value.get_ref() else {
            return Ok(vec![self.number(possible)?]);
        };
        let range = parse_range(text).ok_or_else(|| {
            self.error(format!(
                "`{text}` is neither a number nor a range: write 4, \"1..16\" or \
                 \"200..2000 step 200\""
            ))
        })?;
        let (first, last, step) = range;
        if let Some(end) = [first, last].iter().find(|end| !possible.contains(end)) {
            return Err(self.error(outside(&end.to_string(), possible)));
        }
        let count = (last - first) / step + 1;
        match count <= LONGEST_LIST as u64 {
            true => Ok((0..count).map(|index| first + index * step).collect()),
            false => Err(self.error(format!("more than {LONGEST_LIST} values"))),
        }
    }
}

/// First and last number and the step of a range, both ends included.
fn parse_range(text: &str) -> Option<(u64, u64, u64)> {
    let (ends, step) = match text.split_once("step") {
        Some((ends, step)) => (ends, step.trim().parse().ok()?),
        None => (text, 1),
    };
    let (first, last) = ends.split_once("..")?;
    let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    (first <= last && step > 0).then_some((first, last, step))
}

fn outside(found: &str, possible: &RangeInclusive<u64>) -> String {
    format!("{found} is not in {} to {}", possible.start(), possible.end())
}

fn with_article(kind: &str) -> String {
    let article = if kind.starts_with(['a', 'i']) { "an" } else { "a" };
    format!("{article} {kind}")
}

/// A table of a plan.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    pub source: Source<'a>,
    pub table: &'a DeTable<'a>,
}

impl<'a> Table<'a> {
    /// Refuses keys that nobody knows.
    pub fn only(&self, known: &[&str]) -> Result<(), PlanError> {
        let unknown = self.table.keys().filter(|key| !known.contains(&key.get_ref().as_ref()));
        // The first in the file, not in the alphabet.
        match unknown.min_by_key(|key| key.span().start) {
            None => Ok(()),
            Some(key) => {
                let message = format!("unknown key; possible here: {}", known.join(", "));
                Err(self.source.error(key.span(), key.get_ref(), message))
            }
        }
    }

    pub fn entry(&self, key: &'a str) -> Option<Entry<'a>> {
        let value = self.table.get(key)?;
        Some(Entry { source: self.source, key, value })
    }

    pub fn text(&self, key: &'a str) -> Result<Option<&'a str>, PlanError> {
        self.entry(key).map(|entry| entry.text()).transpose()
    }

    pub fn number(
        &self,
        key: &'a str,
        possible: RangeInclusive<u64>,
    ) -> Result<Option<u64>, PlanError> {
        self.entry(key).map(|entry| entry.number(&possible)).transpose()
    }

    /// A list of numbers; one 1 if there is none.
    pub fn numbers(
        &self,
        key: &'a str,
        possible: RangeInclusive<u64>,
    ) -> Result<Vec<u32>, PlanError> {
        let Some(entry) = self.entry(key) else { return Ok(vec![1]) };
        let mut numbers = Vec::new();
        for entry in entry.entries()? {
            numbers.extend(entry.range(&possible)?.iter().map(|number| *number as u32));
        }
        Ok(numbers)
    }

    /// A list whose values are read one by one; the usual one if there is none.
    pub fn list<T>(
        &self,
        key: &'a str,
        usual: T,
        read: impl Fn(&Entry<'a>) -> Result<T, PlanError>,
    ) -> Result<Vec<T>, PlanError> {
        match self.entry(key) {
            None => Ok(vec![usual]),
            Some(entry) => entry.entries()?.iter().map(read).collect(),
        }
    }

    /// The line of a key; that of another, if there is none.
    pub fn located<T>(&self, key: &'a str, otherwise: usize, value: T) -> Located<T> {
        let line = self.entry(key).map_or(otherwise, |entry| entry.line());
        Located { value, line }
    }
}
