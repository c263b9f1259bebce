//! What the page is told: JSON about the table, and about one position of it.

use std::sync::Arc;

use ruche_picture::{Boards, Cell, Picture, Tie};
use ruche_referee::{MatchRecord, Notes};
use ruche_rules::{Position, Rules};
use serde::Serialize;

use crate::analysis::Analysis;
use crate::table::{Mode, Shared, Table, Task};

/// How the game stands; boards are asked for by themselves.
#[derive(Serialize)]
pub(crate) struct Scene {
    pub version: u64,
    branch: u64,
    ply: usize,
    mode: Mode,
    game: String,
    roles: Vec<String>,
    players: Vec<String>,
    /// Whether a role has a choice in the last position, for each.
    turns: Vec<bool>,
    /// Whether a person has to move, for each role.
    waits: Vec<bool>,
    is_paused: bool,
    is_over: bool,
    /// Whether a search can think about the game.
    has_engine: bool,
    wish: Option<usize>,
    /// What is being thought about.
    task: Option<&'static str>,
    /// How long the engine thinks about a move, if that is a time.
    seconds: Option<f64>,
    playouts: Option<u64>,
    goals: Option<Vec<Vec<u16>>>,
    trouble: Option<String>,
    /// Joint moves; nothing for roles that had no choice.
    moves: Vec<Vec<Option<String>>>,
    values: Vec<Option<Vec<f64>>>,
    analysis: Option<Analysis>,
}

impl Scene {
    pub fn new(table: &Table) -> Self {
        let setup = &table.setup;
        let roles = setup.rules.roles().to_vec();
        let chosen = |(joint, choosers): (&Vec<String>, &Vec<bool>)| {
            let of = |(text, chose): (&String, &bool)| chose.then(|| text.clone());
            joint.iter().zip(choosers).map(of).collect()
        };
        Self {
            version: table.version,
            branch: table.branch,
            ply: table.ply(),
            mode: setup.mode,
            game: setup.game.clone(),
            players: table.players(),
            turns: (0..roles.len()).map(|role| table.has_turn(role)).collect(),
            waits: (0..roles.len()).map(|role| table.waits_for(role)).collect(),
            roles,
            is_paused: table.is_paused,
            is_over: table.is_over(),
            has_engine: setup.rules.game().is_some(),
            wish: table.wish,
            task: table.task.map(|task| match task {
                Task::Choose => "choose",
                Task::Analyse(_) => "analyse",
            }),
            seconds: setup.limits.time.map(|time| time.as_secs_f64()),
            playouts: setup.limits.playouts,
            goals: table.last().goals(),
            trouble: table.trouble.clone(),
            moves: setup.joints.iter().zip(&table.choosers).map(chosen).collect(),
            values: table.values.clone(),
            analysis: table.analysis.clone(),
        }
    }
}

/// One position: its boards, and what its moves mean on them.
#[derive(Serialize)]
pub(crate) struct View {
    ply: usize,
    branch: u64,
    picture: Picture,
    /// Cells that differ from the position before.
    changes: Vec<Cell>,
    /// The cells that the moves before have meant.
    played: Vec<Cell>,
    /// The moves of each role that has a choice.
    legal: Vec<Vec<Choice>>,
    goals: Option<Vec<Vec<u16>>>,
    is_stuck: bool,
}

/// A move that a role may make.
#[derive(Serialize)]
struct Choice {
    text: String,
    #[serde(flatten)]
    tie: Tie,
}

/// A position and what led to it, out of the lock.
pub(crate) struct Spotted {
    ply: usize,
    branch: u64,
    position: Position,
    before: Option<(Position, Vec<String>)>,
    boards: Arc<Boards>,
}

impl Spotted {
    /// The position after as many joint moves, if there were as many.
    pub fn find(shared: &Shared, ply: usize) -> Option<Self> {
        shared.with(|table| {
            let position = table.positions.get(ply)?.clone();
            let before = ply.checked_sub(1).map(|before| {
                (table.positions[before].clone(), table.setup.joints[before].clone())
            });
            let boards = Arc::clone(&table.setup.boards);
            Some(Self { ply, branch: table.branch, position, before, boards })
        })
    }

    pub fn view(&self) -> View {
        let picture = self.boards.picture(&self.position.fluents());
        let (changes, played) = self.before.as_ref().map_or_else(Default::default, |before| {
            let known = self.boards.picture(&before.0.fluents());
            (picture.changes(&known), played(before, &known, &picture))
        });
        let roles = 0..self.position.rules().roles().len();
        View {
            ply: self.ply,
            branch: self.branch,
            changes,
            played,
            legal: roles.map(|role| self.choices(role, &picture)).collect(),
            picture,
            goals: self.position.goals(),
            is_stuck: self.position.stuck_role().is_some(),
        }
    }

    fn choices(&self, role: usize, picture: &Picture) -> Vec<Choice> {
        let legal = self.position.legal(role);
        if legal.len() < 2 || self.position.is_terminal() {
            return Vec::new();
        }
        // Where a step takes long, names have to do.
        let steps = legal.len() <= MOST_STEPS && self.position.state().is_some();
        let choice = |text: &&str| {
            let after = if steps { self.after(role, text) } else { None };
            Choice { text: (*text).to_owned(), tie: picture.tie(text, after.as_ref()) }
        };
        legal.iter().map(choice).collect()
    }

    /// The picture after a move, while all others do the first thing that they may.
    fn after(&self, role: usize, text: &str) -> Option<Picture> {
        let first = |other: usize| self.position.legal(other).first().map(|it| (*it).to_owned());
        let roles = 0..self.position.rules().roles().len();
        let joint: Option<Vec<String>> = roles
            .map(|other| if other == role { Some(text.to_owned()) } else { first(other) })
            .collect();
        let next = self.position.play(&joint?, None).ok()?;
        Some(self.boards.picture(&next.fluents()))
    }
}

/// Moves that are tried at most to see what they change.
const MOST_STEPS: usize = 600;

/// The cells that the moves of a joint move have meant.
fn played(
    (position, joint): &(Position, Vec<String>),
    known: &Picture,
    picture: &Picture,
) -> Vec<Cell> {
    let choosing = joint.iter().enumerate().filter(|(role, _)| position.legal(*role).len() > 1);
    choosing.flat_map(|(_, text)| known.tie(text, Some(picture)).cells).collect()
}

/// The game so far as a record.
pub(crate) fn record(shared: &Shared) -> Option<String> {
    let (rules, joints, notes): (Rules, _, Notes) = shared.with(|table| {
        let notes = Notes { game: table.setup.game.clone(), players: table.players() };
        (table.setup.rules.clone(), table.setup.joints.clone(), notes)
    });
    Some(MatchRecord::of_moves(&rules, &joints, notes).ok()?.text())
}
