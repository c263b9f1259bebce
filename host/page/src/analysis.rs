//! What a search thinks, in the words of the game: moves by their texts and cells instead of
//! their numbers.

use ruche_game::State;
use ruche_picture::{Boards, Cell, Picture};
use ruche_search::{MoveReport, SearchReport};
use serde::Serialize;

/// What a cluster is doing.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Cluster {
    /// Positions that it has played from.
    pub positions: u64,
    /// Playouts that it has played.
    pub playouts: u64,
    /// Seconds that it was at it.
    pub seconds: f64,
    /// Parts of batches that it has to play.
    pub waiting: u64,
    /// Whether it is lost.
    pub is_lost: bool,
}

/// What a search thinks of a position.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Analysis {
    /// The position: after how many joint moves.
    pub ply: usize,
    /// Whether the search goes on.
    pub is_running: bool,
    /// What it thinks of the moves of each role.
    pub roles: Vec<RoleAnalysis>,
    /// Playouts in its tree.
    pub playouts: u64,
    /// Seconds that it has searched.
    pub seconds: f64,
    /// Playouts of each second of this search.
    pub rate: f64,
    /// Positions in its tree.
    pub nodes: u64,
    /// Bytes of its tree.
    pub bytes: u64,
    /// Whether nothing is left to find out.
    pub is_complete: bool,
    /// What its clusters are doing.
    pub clusters: Vec<Cluster>,
}

/// What a search thinks of the moves of a role.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RoleAnalysis {
    /// Whether it has a choice.
    pub chooses: bool,
    /// Its goal by the move that would be played.
    pub value: f64,
    /// Its goal if everybody plays well, where that is proven.
    pub proven: Option<f64>,
    /// Its moves, the one to play first.
    pub moves: Vec<MoveAnalysis>,
    /// How many more there are.
    pub more: usize,
}

/// What a search thinks of a move.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MoveAnalysis {
    /// Its place among the legal moves of its role.
    pub number: usize,
    /// Its text.
    pub text: String,
    /// Playouts that went through it.
    pub visits: u64,
    /// The mean goal of its role.
    pub mean: f64,
    /// The goal of its role if everybody plays well, where that is proven.
    pub proven: Option<f64>,
    /// How often to play it where several choose at the same time.
    pub share: Option<f64>,
    /// What is expected from it on.
    pub line: Vec<Step>,
}

/// A move of a line.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Step {
    /// Whose.
    pub role: usize,
    /// Its text.
    pub text: String,
    /// The cells that it means.
    pub cells: Vec<Cell>,
}

/// Moves of a role that are told.
const MOST_MOVES: usize = 40;
/// Moves whose lines are told, and how far.
const LINES: usize = 3;
const LINE_LENGTH: usize = 8;

impl Analysis {
    /// What a report says of a state.
    #[must_use]
    pub fn new(state: &State, boards: &Boards, report: &SearchReport) -> Self {
        let roles = (0..report.roles.len()).map(|role| of_role(state, boards, report, role));
        Self {
            roles: roles.collect(),
            playouts: report.playouts,
            seconds: report.seconds(),
            rate: report.playouts as f64 / report.seconds().max(1e-3),
            nodes: report.nodes,
            bytes: report.bytes,
            is_complete: report.is_complete,
            ..Self::default()
        }
    }

    /// The goal of each role, as far as is known.
    #[must_use]
    pub fn values(&self) -> Vec<f64> {
        self.roles.iter().map(|role| role.proven.unwrap_or(role.value)).collect()
    }
}

fn of_role(state: &State, boards: &Boards, report: &SearchReport, role: usize) -> RoleAnalysis {
    let known = &report.roles[role];
    let told = known.moves.iter().take(MOST_MOVES).enumerate();
    let moves: Vec<MoveAnalysis> = told
        .map(|(place, found)| {
            let line = if place < LINES { line(state, boards, &found.line) } else { Vec::new() };
            of_move(state, role, found, line)
        })
        .collect();
    RoleAnalysis {
        chooses: state.legal(role).len() > 1,
        value: known.moves.first().map_or(0.0, |best| best.mean),
        proven: known.proven,
        more: known.moves.len() - moves.len(),
        moves,
    }
}

fn of_move(state: &State, role: usize, found: &MoveReport, line: Vec<Step>) -> MoveAnalysis {
    MoveAnalysis {
        number: state.legal(role).binary_search(&found.number).unwrap_or(0),
        text: state.game().names().moves(role)[found.number as usize].clone(),
        visits: found.visits,
        mean: found.mean,
        proven: found.proven,
        share: found.share,
        line,
    }
}

/// The moves of a line, without those of roles that have no choice.
fn line(state: &State, boards: &Boards, joints: &[Vec<u32>]) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut place = (state.clone(), boards.picture(&state.fluents()));
    for joint in joints.iter().take(LINE_LENGTH) {
        let Ok(next) = place.0.play(joint) else { break };
        let picture = boards.picture(&next.fluents());
        steps.extend(choices(&place, joint, &picture));
        place = (next, picture);
    }
    steps
}

fn choices(
    (state, before): &(State, Picture),
    joint: &[u32],
    after: &Picture,
) -> impl Iterator<Item = Step> {
    let choosing = (0..joint.len()).filter(|role| state.legal(*role).len() > 1);
    choosing.map(|role| {
        let text = state.game().names().moves(role)[joint[role] as usize].clone();
        let cells = before.tie(&text, Some(after)).cells;
        Step { role, text, cells }
    })
}
