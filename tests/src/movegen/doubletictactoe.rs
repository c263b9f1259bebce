//! Two boards of Tic-tac-toe; the players change boards after every step.

use std::fmt;

use super::tictactoe::Board;
use super::{Rules, Square, Turn, won_by};

const BOARDS: [&str; 2] = ["west", "east"];

/// A mark on one of the boards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mark {
    board: usize,
    cell: Square,
}

impl fmt::Display for Mark {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (x, y) = (self.cell.x + 1, self.cell.y + 1);
        write!(formatter, "(mark {} {x} {y})", BOARDS[self.board])
    }
}

/// The game.
#[derive(Clone, Debug)]
pub struct DoubleTicTacToe {
    boards: [Board; 2],
    step: usize,
}

impl DoubleTicTacToe {
    fn board_of(&self, role: usize) -> usize {
        (role + self.step) % 2
    }
}

impl Rules for DoubleTicTacToe {
    type Move = Turn<Mark>;
    const ROLES: &'static [&'static str] = &["x", "o"];

    fn start() -> Self {
        DoubleTicTacToe { boards: [Board::default(); 2], step: 0 }
    }

    fn legal(&self, role: usize) -> Vec<Self::Move> {
        let board = self.board_of(role);
        if self.boards[board].finished() {
            return vec![Turn::Wait];
        }
        self.boards[board].open().map(|cell| Turn::Play(Mark { board, cell })).collect()
    }

    fn after(&self, joint: &[Self::Move]) -> Self {
        let mut boards = self.boards;
        for (role, turn) in joint.iter().enumerate() {
            if let Turn::Play(Mark { board, cell }) = turn {
                boards[*board].mark(role, *cell);
            }
        }
        DoubleTicTacToe { boards, step: self.step + 1 }
    }

    fn over(&self) -> bool {
        self.boards.iter().all(|board| board.finished())
    }

    fn goals(&self) -> Vec<u16> {
        let [west, east] = self.boards.map(|board| won_by(board.winner()));
        west.iter().zip(east).map(|(west, east)| (west + east) / 2).collect()
    }
}
