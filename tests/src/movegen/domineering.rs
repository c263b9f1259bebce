//! Domineering on a mask of 64 bits.

use super::{Rules, Square, Turn, in_turn, played, squares, won_by};

const SIDE: usize = 8;

/// The game.
#[derive(Clone, Debug)]
pub struct Domineering {
    filled: u64,
    to_move: usize,
}

impl Domineering {
    /// The two squares of a domino, if it lies on the board.
    fn domino(&self, square: Square) -> Option<u64> {
        let bit = 1 << (SIDE * square.y + square.x);
        match self.to_move {
            0 => (square.y + 1 < SIDE).then_some(bit | bit << SIDE),
            _ => (square.x + 1 < SIDE).then_some(bit | bit << 1),
        }
    }

    fn placements(&self) -> impl Iterator<Item = Square> {
        squares("place", SIDE, SIDE)
            .filter(|square| self.domino(*square).is_some_and(|domino| domino & self.filled == 0))
    }
}

impl Rules for Domineering {
    type Move = Turn<Square>;
    const ROLES: &'static [&'static str] = &["vertical", "horizontal"];

    fn start() -> Self {
        Domineering { filled: 0, to_move: 0 }
    }

    fn legal(&self, role: usize) -> Vec<Self::Move> {
        in_turn(self.to_move, role, self.placements())
    }

    fn after(&self, joint: &[Self::Move]) -> Self {
        let domino = played(joint).and_then(|square| self.domino(square)).unwrap_or(0);
        Domineering { filled: self.filled | domino, to_move: 1 - self.to_move }
    }

    fn over(&self) -> bool {
        self.placements().next().is_none()
    }

    fn goals(&self) -> Vec<u16> {
        won_by(Some(1 - self.to_move))
    }
}
