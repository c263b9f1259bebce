//! Reference traces: what another implementation says about a game, state by
//! state, one JSON document per line.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{fs, io};

use serde::Deserialize;

/// What a trace says about a set of texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Texts<'a> {
    /// All of them.
    Listed(&'a [String]),
    /// Only how many there are, and the SHA-1 of their sorted lines: traces of
    /// large games save space so.
    Digest {
        /// How many.
        count: usize,
        /// In hexadecimal digits.
        sha1: &'a str,
    },
}

/// One line of a trace: a state and what was done there.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct TraceLine {
    /// Which playout.
    pub playout: u64,
    /// How many joint moves were made before.
    pub ply: u64,
    /// Whether the game has ended.
    pub terminal: bool,
    /// The joint move that was then made, in the order of the roles.
    pub joint: Option<Vec<String>>,
    /// The goal of each role at the end, if it has exactly one.
    pub goals: Option<BTreeMap<String, Option<i64>>>,
    /// All goals of the roles that have not exactly one.
    pub goals_raw: Option<BTreeMap<String, Vec<String>>>,
    state: Option<Vec<String>>,
    nstate: Option<usize>,
    state_sha1: Option<String>,
    legal: Option<BTreeMap<String, Vec<String>>>,
    nlegal: Option<BTreeMap<String, usize>>,
    legal_sha1: Option<BTreeMap<String, String>>,
}

impl TraceLine {
    /// The fluents that are true, if the line tells them one by one.
    #[must_use]
    pub fn fluents(&self) -> Option<&[String]> {
        self.state.as_deref()
    }

    /// What the line says about the state.
    #[must_use]
    pub fn state(&self) -> Option<Texts<'_>> {
        let digest = || digest(self.nstate, self.state_sha1.as_ref());
        self.state.as_deref().map(Texts::Listed).or_else(digest)
    }

    /// What the line says about the legal moves of a role.
    #[must_use]
    pub fn legal(&self, role: &str) -> Option<Texts<'_>> {
        let listed = self.legal.as_ref().and_then(|legal| legal.get(role));
        let digest = || {
            let count = self.nlegal.as_ref()?.get(role).copied();
            digest(count, self.legal_sha1.as_ref()?.get(role))
        };
        listed.map(|texts| Texts::Listed(texts)).or_else(digest)
    }

    /// All roles that the line speaks of.
    #[must_use]
    pub fn roles(&self) -> BTreeSet<&str> {
        let legal = self.legal.iter().flat_map(BTreeMap::keys);
        let digests = self.legal_sha1.iter().flat_map(BTreeMap::keys);
        let goals = self.goals.iter().flat_map(BTreeMap::keys);
        legal.chain(digests).chain(goals).map(String::as_str).collect()
    }
}

fn digest(count: Option<usize>, sha1: Option<&String>) -> Option<Texts<'_>> {
    Some(Texts::Digest { count: count?, sha1: sha1? })
}

/// Why a trace cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The file cannot be read.
    #[error("{file}: {error}: give the path of a trace, a file of JSON lines")]
    Unreadable {
        /// The path.
        file: String,
        /// What the system says.
        error: io::Error,
    },
    /// A line is not what it should be.
    #[error(
        "{file}:{line}: {error}: a line of a trace is a JSON object with at least \
         `playout`, `ply` and `terminal`"
    )]
    Malformed {
        /// The path.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What the JSON parser says.
        error: serde_json::Error,
    },
    /// There is nothing to compare with.
    #[error("{file}: the trace is empty: nothing would be verified")]
    Empty {
        /// The path.
        file: String,
    },
}

/// A trace with its lines, each with its number in the file.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The path, as it was given.
    pub file: String,
    /// The lines that are not blank.
    pub lines: Vec<(usize, TraceLine)>,
}

impl Trace {
    /// Reads a trace from a file.
    ///
    /// # Errors
    /// If it cannot be read, is empty or has a line that is no trace line.
    pub fn read(path: &Path) -> Result<Self, TraceError> {
        let file = path.display().to_string();
        match fs::read_to_string(path) {
            Ok(text) => Self::parse(file, &text),
            Err(error) => Err(TraceError::Unreadable { file, error }),
        }
    }

    /// Parses the text of a trace; `file` is for messages.
    ///
    /// # Errors
    /// If it is empty or has a line that is no trace line.
    pub fn parse(file: String, text: &str) -> Result<Self, TraceError> {
        if let Some(lines) = of_record(text) {
            return Ok(Self { file, lines });
        }
        let mut lines = Vec::new();
        for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
            match serde_json::from_str(text) {
                Ok(parsed) => lines.push((line, parsed)),
                Err(error) => return Err(TraceError::Malformed { file, line, error }),
            }
        }
        if lines.is_empty() { Err(TraceError::Empty { file }) } else { Ok(Self { file, lines }) }
    }
}

/// The record of a match: a document whose states are like the lines of a trace. Where
/// each stands on a line of its own, as `ruche referee` writes them, lines have their
/// numbers.
fn of_record(text: &str) -> Option<Vec<(usize, TraceLine)>> {
    #[derive(Deserialize)]
    struct Record {
        states: Vec<TraceLine>,
    }
    let states = serde_json::from_str::<Record>(text).ok()?.states;
    let before = text.lines().position(|line| line.trim_start().starts_with("\"states\":"))?;
    Some((before + 2..).zip(states).collect()).filter(|lines: &Vec<_>| !lines.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Trace, TraceError> {
        Trace::parse("t.jsonl".to_owned(), text)
    }

    #[test]
    fn lists_and_digests_are_told_apart() {
        let text = r#"{"playout":0,"ply":3,"terminal":false,"state":["a"],"legal":{"r":["m"]},"cut":1}

{"playout":0,"ply":4,"terminal":false,"nstate":2,"state_sha1":"ab","nlegal":{"r":1},"legal_sha1":{"r":"cd"}}"#;
        let trace = parse(text).unwrap();
        let [(1, listed), (3, digest)] = &trace.lines[..] else { panic!("{trace:?}") };
        assert_eq!(listed.state(), Some(Texts::Listed(&["a".to_owned()])));
        assert_eq!(listed.legal("r"), Some(Texts::Listed(&["m".to_owned()])));
        assert_eq!(listed.legal("q"), None);
        assert_eq!(digest.state(), Some(Texts::Digest { count: 2, sha1: "ab" }));
        assert_eq!(digest.legal("r"), Some(Texts::Digest { count: 1, sha1: "cd" }));
        assert_eq!(digest.fluents(), None);
        assert_eq!(digest.roles(), BTreeSet::from(["r"]));
    }

    #[test]
    fn the_states_of_a_record_are_lines() {
        let text = "{\n\"game\": \"g\",\n\"states\": [\n\
             {\"playout\":0,\"ply\":0,\"terminal\":false,\"joint\":[\"a\"],\"times\":[0.5]},\n\
             {\"playout\":0,\"ply\":1,\"terminal\":true}\n]}\n";
        let trace = parse(text).unwrap();
        let numbers: Vec<usize> = trace.lines.iter().map(|(number, _)| *number).collect();
        assert_eq!((numbers, trace.lines[1].1.terminal), (vec![4, 5], true));
    }

    #[test]
    fn malformed_lines_are_named_by_file_and_line() {
        let good = r#"{"playout":0,"ply":0,"terminal":true}"#;
        let error = parse(&format!("{good}\n{{\"ply\":1}}")).unwrap_err().to_string();
        assert!(error.starts_with("t.jsonl:2: missing field `playout`"), "{error}");
        assert!(parse("\n \n").unwrap_err().to_string().contains("empty"));
    }
}
