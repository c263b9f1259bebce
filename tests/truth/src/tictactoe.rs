//! Tic-tac-toe on two masks of nine bits.

use crate::rules::{Outcome, Rules, bits};

/// Rows, columns and diagonals; bit `3 y + x` is the cell.
const LINES: [u64; 8] = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];
const FULL: u64 = 0o777;

/// A position.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TicTacToe {
    marks: [u64; 2],
    mover: usize,
}

impl TicTacToe {
    fn marked(&self) -> u64 {
        self.marks[0] | self.marks[1]
    }
}

impl Rules for TicTacToe {
    type Move = u64;

    fn start() -> Self {
        TicTacToe { marks: [0; 2], mover: 0 }
    }

    fn mover(&self) -> usize {
        self.mover
    }

    fn end(&self) -> Option<Outcome> {
        let theirs = self.marks[1 - self.mover];
        if LINES.iter().any(|line| theirs & line == *line) {
            return Some(Outcome::Loss);
        }
        (self.marked() == FULL).then_some(Outcome::Draw)
    }

    fn moves(&self) -> impl Iterator<Item = u64> {
        bits(FULL & !self.marked())
    }

    fn after(&self, cell: u64) -> Self {
        let mut marks = self.marks;
        marks[self.mover] |= cell;
        TicTacToe { marks, mover: 1 - self.mover }
    }

    fn name(&self, cell: u64) -> String {
        let at = cell.trailing_zeros();
        format!("(mark {} {})", at % 3 + 1, at / 3 + 1)
    }
}
