//! The bundled games once more, by hand and without GDL: plain arrays and bit
//! masks that share nothing with the descriptions but the rules of the game.

pub mod blocker;
pub mod breakthrough;
pub mod connectfour;
pub mod domineering;
pub mod doubletictactoe;
pub mod eightpuzzle;
pub mod hex;
pub mod nim;
pub mod nonogram;
pub mod othello;
pub mod sudoku;
pub mod tictactoe;

use std::fmt;

/// A game by hand. Moves print as the terms of the bundled description.
pub trait Rules: Clone {
    /// A move of any role.
    type Move: Copy + Eq + fmt::Debug + fmt::Display;
    /// The names of the roles, in order.
    const ROLES: &'static [&'static str];

    /// The start of the game.
    fn start() -> Self;
    /// The legal moves of a role while the game is not over.
    fn legal(&self, role: usize) -> Vec<Self::Move>;
    /// The position after a legal move of each role.
    #[must_use]
    fn after(&self, joint: &[Self::Move]) -> Self;
    /// Whether the game is over.
    fn over(&self) -> bool;
    /// The goal of each role when the game is over.
    fn goals(&self) -> Vec<u16>;
}

/// A move of a game in which the roles take turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn<M> {
    /// A real move.
    Play(M),
    /// The only move of who is not to move.
    Wait,
}

impl<M: fmt::Display> fmt::Display for Turn<M> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Turn::Play(played) => played.fmt(formatter),
            Turn::Wait => formatter.write_str("noop"),
        }
    }
}

/// The one real move of a joint move, if there is one.
pub fn played<M: Copy>(joint: &[Turn<M>]) -> Option<M> {
    joint.iter().find_map(|turn| match turn {
        Turn::Play(played) => Some(*played),
        Turn::Wait => None,
    })
}

/// All moves, or waiting where it is another role's turn.
pub fn in_turn<M>(to_move: usize, role: usize, moves: impl Iterator<Item = M>) -> Vec<Turn<M>> {
    if role == to_move { moves.map(Turn::Play).collect() } else { vec![Turn::Wait] }
}

/// 100 for the winner and 0 for the other, or 50 for both.
pub fn won_by(winner: Option<usize>) -> Vec<u16> {
    let points = |role| winner.map_or(50, |winner| if winner == role { 100 } else { 0 });
    (0..2).map(points).collect()
}

/// A move that names a square.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Square {
    /// What is done there.
    pub verb: &'static str,
    /// Column, from 0.
    pub x: usize,
    /// Row, from 0.
    pub y: usize,
}

impl fmt::Display for Square {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "({} {} {})", self.verb, self.x + 1, self.y + 1)
    }
}

/// All squares of a board, row by row.
pub fn squares(
    verb: &'static str,
    columns: usize,
    rows: usize,
) -> impl Iterator<Item = Square> + Clone {
    (0..rows * columns).map(move |at| Square { verb, x: at % columns, y: at / columns })
}

/// All joint moves of a position.
pub fn joints<R: Rules>(game: &R) -> Vec<Vec<R::Move>> {
    let mut joints = vec![Vec::new()];
    for role in 0..R::ROLES.len() {
        let legal = game.legal(role);
        let longer = |joint: &Vec<R::Move>| {
            let joint = joint.clone();
            legal.iter().map(move |last| [joint.as_slice(), &[*last]].concat())
        };
        joints = joints.iter().flat_map(longer).collect();
    }
    joints
}

/// The numbers of ways to make 1, 2, ... `depth` moves from the start.
pub fn perft<R: Rules>(depth: usize) -> Vec<u64> {
    let mut counts = vec![0; depth];
    count(&R::start(), &mut counts);
    counts
}

fn count<R: Rules>(game: &R, counts: &mut [u64]) {
    let Some((here, deeper)) = counts.split_first_mut() else { return };
    if game.over() {
        return;
    }
    let joints = joints(game);
    *here += joints.len() as u64;
    if !deeper.is_empty() {
        joints.iter().for_each(|joint| count(&game.after(joint), deeper));
    }
}
