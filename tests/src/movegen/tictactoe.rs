//! Tic-tac-toe on two masks of nine bits.

use super::{Rules, Square, Turn, in_turn, played, squares, won_by};

/// Rows, columns and diagonals; bit `3 y + x` is the cell.
const LINES: [u16; 8] = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];

/// One board.
#[derive(Clone, Copy, Default, Debug)]
pub struct Board {
    marks: [u16; 2],
}

impl Board {
    /// The open cells.
    pub fn open(self) -> impl Iterator<Item = Square> {
        let marked = self.marks[0] | self.marks[1];
        squares("mark", 3, 3).filter(move |cell| marked >> (3 * cell.y + cell.x) & 1 == 0)
    }

    /// Marks a cell.
    pub fn mark(&mut self, player: usize, cell: Square) {
        self.marks[player] |= 1 << (3 * cell.y + cell.x);
    }

    /// Who has a line.
    pub fn winner(self) -> Option<usize> {
        let has_line =
            |player: &usize| LINES.iter().any(|line| self.marks[*player] & line == *line);
        (0..2).find(has_line)
    }

    /// Whether the board is won or full.
    pub fn finished(self) -> bool {
        self.winner().is_some() || self.marks[0] | self.marks[1] == 0o777
    }
}

/// The game.
#[derive(Clone, Debug)]
pub struct TicTacToe {
    board: Board,
    to_move: usize,
}

impl Rules for TicTacToe {
    type Move = Turn<Square>;
    const ROLES: &'static [&'static str] = &["x", "o"];

    fn start() -> Self {
        TicTacToe { board: Board::default(), to_move: 0 }
    }

    fn legal(&self, role: usize) -> Vec<Self::Move> {
        in_turn(self.to_move, role, self.board.open())
    }

    fn after(&self, joint: &[Self::Move]) -> Self {
        let mut board = self.board;
        played(joint).into_iter().for_each(|cell| board.mark(self.to_move, cell));
        TicTacToe { board, to_move: 1 - self.to_move }
    }

    fn over(&self) -> bool {
        self.board.finished()
    }

    fn goals(&self) -> Vec<u16> {
        won_by(self.board.winner())
    }
}
