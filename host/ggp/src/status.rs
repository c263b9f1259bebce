//! What a player says about itself.

use std::fmt;

use crate::kif::{expressions, inside};

/// Whether a player has time for a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It has.
    Available,
    /// It plays one.
    Busy,
}

impl Status {
    /// The status in an answer to `INFO`: a word, or a list such as
    /// `((name somebody) (status busy))`; nothing if it says none.
    #[must_use]
    pub fn parse(answer: &str) -> Option<Self> {
        let parts = expressions(answer, 100).ok()?;
        let [answer] = parts[..] else { return None };
        let Some(entries) = inside(answer) else { return Self::of_word(answer) };
        let entry = |entry: &&str| {
            let parts = expressions(inside(entry)?, 2).ok()?;
            let [key, value] = parts[..] else { return None };
            key.eq_ignore_ascii_case("status").then(|| Self::of_word(value))?
        };
        expressions(entries, 100).ok()?.iter().find_map(entry)
    }

    fn of_word(word: &str) -> Option<Self> {
        match word.to_ascii_lowercase().as_str() {
            "available" => Some(Self::Available),
            "busy" => Some(Self::Busy),
            _ => None,
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Available => "available",
            Self::Busy => "busy",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_and_a_list_say_the_same() {
        assert_eq!(Status::parse("Available"), Some(Status::Available));
        assert_eq!(Status::parse("( ( name x ) ( status BUSY ) )"), Some(Status::Busy));
        for nothing in ["", "ready", "((name x))", "(", "(status)"] {
            assert_eq!(Status::parse(nothing), None, "{nothing}");
        }
    }
}
