//! What is known of a match afterwards: one JSON document. Its states have the keys of the
//! lines of a trace, so that they can be verified like one.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use ruche_rules::{Rules, RulesError};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::manager::told;

/// A match from its first state to its last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchRecord {
    /// Names the match.
    #[serde(rename = "match")]
    pub id: String,
    /// The game.
    pub game: String,
    /// The roles, in the order of the game.
    pub roles: Vec<String>,
    /// Who played them, as it was typed.
    pub players: Vec<String>,
    /// Seconds before the first move.
    pub start_clock: f64,
    /// Seconds for each move.
    pub play_clock: f64,
    /// From which moves were drawn that replace others.
    pub seed: u64,
    /// How it ended.
    pub end: End,
    /// The goal of each role, if it has exactly one at the end.
    pub goals: BTreeMap<String, Option<u16>>,
    /// What went wrong.
    pub errors: Vec<Fault>,
    /// Seconds that it took.
    pub seconds: f64,
    /// State by state.
    pub states: Vec<Ply>,
}

/// How a match ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// By the rules.
    Terminal,
    /// A role had no legal move.
    Stuck,
    /// It was cut.
    Endless,
    /// Somebody stopped it.
    Stopped,
}

/// A state, and what was done there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ply {
    /// Always 0: a record has one game.
    pub playout: u64,
    /// How many joint moves were made before.
    pub ply: u64,
    /// The fluents that hold.
    pub state: Vec<String>,
    /// Whether the game is over.
    pub terminal: bool,
    /// The legal moves of each role, if it is not.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub legal: Option<BTreeMap<String, Vec<String>>>,
    /// The joint move that was then made, in the order of the roles.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub joint: Option<Vec<String>>,
    /// Seconds that each role took for it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub times: Vec<f64>,
    /// The goal of each role at the end, if it has exactly one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub goals: Option<BTreeMap<String, Option<u16>>>,
    /// All goals of the roles that have not exactly one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub goals_raw: Option<BTreeMap<String, Vec<String>>>,
}

/// Something that a player did wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// After how many joint moves; nothing before the first was asked for.
    pub ply: Option<u64>,
    /// The role.
    pub role: String,
    /// What kind.
    pub kind: FaultKind,
    /// What it was, in words.
    pub what: String,
}

/// What can be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FaultKind {
    /// There was no answer in time.
    Late,
    /// The move is not legal.
    Illegal,
    /// The player cannot be reached, or answers as no player does.
    Lost,
    /// It was not ready when the match began.
    Unready,
}

/// Why there is no record.
#[derive(Debug, Error)]
pub enum RecordError {
    /// The file cannot be read.
    #[error("{file}: {source}: give a record that `ruche referee -o` has written")]
    Unreadable {
        /// The path.
        file: String,
        /// What the system says.
        source: io::Error,
    },
    /// It is no record.
    #[error("{file}: {source}: this is no record of `ruche referee`")]
    Malformed {
        /// The path.
        file: String,
        /// What the JSON parser says.
        source: serde_json::Error,
    },
    /// It cannot be written.
    #[error("{file}: {source}: give a path that can be written with -o")]
    Unwritable {
        /// The path.
        file: String,
        /// What the system says.
        source: io::Error,
    },
}

/// What a record says of a match that no referee has seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notes {
    /// The game.
    pub game: String,
    /// Who played the roles.
    pub players: Vec<String>,
}

impl MatchRecord {
    /// The record of a match by its moves.
    ///
    /// # Errors
    /// If one is not legal.
    pub fn of_moves(
        rules: &Rules,
        joints: &[Vec<String>],
        notes: Notes,
    ) -> Result<Self, RulesError> {
        let mut position = rules.initial(None)?;
        let mut states = Vec::new();
        for (ply, joint) in (0..).zip(joints) {
            states.push(Ply { joint: Some(joint.clone()), ..told(&position, ply) });
            position = position.play(joint, None)?;
        }
        let last = told(&position, joints.len() as u64);
        let unknown = || rules.roles().iter().map(|role| (role.clone(), None)).collect();
        let goals = last.goals.clone().unwrap_or_else(unknown);
        let end = match position.is_terminal() {
            true => End::Terminal,
            false if position.stuck_role().is_some() => End::Stuck,
            false => End::Stopped,
        };
        states.push(last);
        Ok(Self {
            id: format!("{}.played", notes.game),
            game: notes.game,
            roles: rules.roles().to_vec(),
            players: notes.players,
            start_clock: 0.0,
            play_clock: 0.0,
            seed: 0,
            end,
            goals,
            errors: Vec::new(),
            seconds: 0.0,
            states,
        })
    }

    /// Reads a record.
    ///
    /// # Errors
    /// If there is none in the file.
    pub fn read(path: &Path) -> Result<Self, RecordError> {
        let file = || path.display().to_string();
        let text = fs::read_to_string(path)
            .map_err(|source| RecordError::Unreadable { file: file(), source })?;
        serde_json::from_str(&text)
            .map_err(|source| RecordError::Malformed { file: file(), source })
    }

    /// Writes it to a file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), RecordError> {
        fs::write(path, self.text())
            .map_err(|source| RecordError::Unwritable { file: path.display().to_string(), source })
    }

    /// As it stands in a file: the match, and below it a line for each state.
    #[must_use]
    pub fn text(&self) -> String {
        let head = Self { states: Vec::new(), ..self.clone() };
        let json = |value: &dyn Fn() -> serde_json::Result<String>| value().unwrap_or_default();
        let head = json(&|| serde_json::to_string_pretty(&head));
        let states = self.states.iter().map(|ply| json(&|| serde_json::to_string(ply)));
        let states: Vec<String> = states.map(|line| format!("    {line}")).collect();
        let head = head.trim_end().trim_end_matches('}').trim_end();
        let head = head.strip_suffix("[]").unwrap_or(head);
        format!("{head}[\n{}\n  ]\n}}\n", states.join(",\n"))
    }

    /// The joint moves, in their order.
    #[must_use]
    pub fn joints(&self) -> Vec<Vec<String>> {
        self.states.iter().filter_map(|ply| ply.joint.clone()).collect()
    }

    /// Faults of a role of some kind.
    #[must_use]
    pub fn count(&self, role: &str, kind: FaultKind) -> usize {
        self.errors.iter().filter(|fault| fault.role == role && fault.kind == kind).count()
    }

    /// Moves that had to be replaced.
    #[must_use]
    pub fn replaced(&self) -> usize {
        self.errors.iter().filter(|fault| fault.ply.is_some()).count()
    }
}
