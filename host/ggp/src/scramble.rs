//! Other names for everything, as managers send rules: nobody shall play by what a name
//! reminds of.

use std::collections::{HashMap, HashSet};

use crate::kif::{expressions, inside};

/// Names, and what they are called instead.
#[derive(Clone, Debug, Default)]
pub struct Scrambler {
    there: HashMap<String, String>,
    back: HashMap<String, String>,
}

/// What keeps its name, beside variables and numbers.
const KEYWORDS: [&str; 14] = [
    "role", "base", "input", "init", "true", "next", "legal", "does", "goal", "terminal",
    "distinct", "not", "or", "and",
];

impl Scrambler {
    /// Other names for all of a text; which ones follows from the seed.
    #[must_use]
    pub fn new(text: &str, seed: u64) -> Self {
        let mut names: Vec<&str> = Vec::new();
        let mut seen = HashSet::new();
        for_each_name(text, &mut |name| {
            if is_scrambled(name) && seen.insert(name) {
                names.push(name);
            }
        });
        let mut scrambler = Self::default();
        let mut state = seed;
        for name in names {
            let mut word = word(&mut state);
            while scrambler.back.contains_key(&word) || seen.contains(word.as_str()) {
                word = self::word(&mut state);
            }
            scrambler.back.insert(word.clone(), name.to_owned());
            scrambler.there.insert(name.to_owned(), word);
        }
        scrambler
    }

    /// A text with the other names.
    #[must_use]
    pub fn scramble(&self, text: &str) -> String {
        renamed(text, &self.there)
    }

    /// A text with the first names again, also where capitals were changed.
    #[must_use]
    pub fn restore(&self, text: &str) -> String {
        renamed(&text.to_ascii_lowercase(), &self.back)
    }
}

fn is_scrambled(name: &str) -> bool {
    let is_keyword = KEYWORDS.iter().any(|keyword| keyword.eq_ignore_ascii_case(name));
    !is_keyword && !name.starts_with('?') && !name.starts_with("<=") && name.parse::<i64>().is_err()
}

/// A word that can be spoken.
fn word(state: &mut u64) -> String {
    const FIRST: &[u8] = b"bcdfghjklmnprstvwz";
    const SECOND: &[u8] = b"aeiou";
    let mut draw = |letters: &[u8]| {
        *state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(letters[(*state >> 33) as usize % letters.len()])
    };
    (0..4).flat_map(|_| [draw(FIRST), draw(SECOND)]).collect()
}

fn for_each_name<'a>(text: &'a str, visit: &mut dyn FnMut(&'a str)) {
    let mut waiting = vec![text];
    while let Some(text) = waiting.pop() {
        for expression in expressions(text, usize::MAX).unwrap_or_default() {
            match inside(expression) {
                Some(list) => waiting.push(list),
                None => visit(expression),
            }
        }
    }
}

fn renamed(text: &str, names: &HashMap<String, String>) -> String {
    let spaced = crate::kif::plain(text).replace('(', "( ").replace(')', " )");
    let words = spaced.split(' ').map(|word| names.get(word).map_or(word, String::as_str));
    words.collect::<Vec<_>>().join(" ").replace("( ", "(").replace(" )", ")")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_change_and_come_back() {
        let rules = "(role red) (<= (legal red (move ?x 10)) (true (at ?x)) (distinct ?x b))";
        let scrambler = Scrambler::new(rules, 7);
        let scrambled = scrambler.scramble(rules);
        for name in ["red", "move", "at", " b)"] {
            assert!(!scrambled.contains(name), "{scrambled}");
        }
        for keyword in ["(role ", "(<= (legal ", "?x 10))", "(distinct ?x "] {
            assert!(scrambled.contains(keyword), "{scrambled}");
        }
        assert_eq!(scrambler.restore(&scrambled), rules);
        assert_eq!(
            scrambler.restore(&scrambler.scramble("(move b 10)").to_uppercase()),
            "(move b 10)"
        );
        assert_ne!(Scrambler::new(rules, 8).scramble(rules), scrambled);
    }
}
