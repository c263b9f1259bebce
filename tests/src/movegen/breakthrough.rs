//! Breakthrough on an array of squares.

use std::fmt;

use super::{Rules, Turn, in_turn, played, won_by};

const SIDE: usize = 8;

/// A pawn's step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    from: (usize, usize),
    to: (usize, usize),
}

impl fmt::Display for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ((x, y), (u, v)) = (self.from, self.to);
        write!(formatter, "(move {} {} {} {})", x + 1, y + 1, u + 1, v + 1)
    }
}

/// The game.
#[derive(Clone, Debug)]
pub struct Breakthrough {
    /// Pawns by row and column; 0 is white.
    pawns: [[Option<usize>; SIDE]; SIDE],
    to_move: usize,
}

impl Breakthrough {
    fn squares_of(&self, player: usize) -> impl Iterator<Item = (usize, usize)> {
        let squares = (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y)));
        squares.filter(move |(x, y)| self.pawns[*y][*x] == Some(player))
    }

    fn steps_from(&self, (x, y): (usize, usize)) -> Vec<Step> {
        let v = if self.to_move == 0 { y + 1 } else { y.wrapping_sub(1) };
        if v >= SIDE {
            return Vec::new();
        }
        let columns = [x.wrapping_sub(1), x, x + 1];
        let free = |u: &usize| {
            *u < SIDE && self.pawns[v][*u].is_none_or(|pawn| *u != x && pawn != self.to_move)
        };
        columns.into_iter().filter(free).map(|u| Step { from: (x, y), to: (u, v) }).collect()
    }

    fn winner(&self) -> Option<usize> {
        let far = [SIDE - 1, 0];
        (0..2).find(|player| {
            self.pawns[far[*player]].contains(&Some(*player))
                || self.squares_of(1 - player).next().is_none()
        })
    }
}

impl Rules for Breakthrough {
    type Move = Turn<Step>;
    const ROLES: &'static [&'static str] = &["white", "black"];

    fn start() -> Self {
        let mut pawns = [[None; SIDE]; SIDE];
        pawns[..2].fill([Some(0); SIDE]);
        pawns[SIDE - 2..].fill([Some(1); SIDE]);
        Breakthrough { pawns, to_move: 0 }
    }

    fn legal(&self, role: usize) -> Vec<Self::Move> {
        let pawns = self.squares_of(self.to_move);
        in_turn(self.to_move, role, pawns.flat_map(|square| self.steps_from(square)))
    }

    fn after(&self, joint: &[Self::Move]) -> Self {
        let mut pawns = self.pawns;
        if let Some(Step { from: (x, y), to: (u, v) }) = played(joint) {
            pawns[v][u] = pawns[y][x].take();
        }
        Breakthrough { pawns, to_move: 1 - self.to_move }
    }

    fn over(&self) -> bool {
        self.winner().is_some()
    }

    fn goals(&self) -> Vec<u16> {
        won_by(self.winner())
    }
}
