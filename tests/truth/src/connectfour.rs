//! Connect Four on bit boards of any size: a column is `HEIGHT` bits and one above them
//! that is never set, so that shifts do not run from one column into the next.

mod search;

pub use search::ConnectFourSolver;

use crate::rules::{Outcome, Rules, bits};

/// A position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ConnectFour<const WIDTH: usize, const HEIGHT: usize> {
    /// Discs of who is to move.
    mine: u64,
    /// All discs.
    filled: u64,
}

impl<const WIDTH: usize, const HEIGHT: usize> ConnectFour<WIDTH, HEIGHT> {
    /// From a cell to the next one to the right; one less and one more are the diagonals.
    const RIGHT: usize = HEIGHT + 1;
    /// The lowest cell of each column.
    const BOTTOM: u64 = {
        assert!(WIDTH * (HEIGHT + 1) <= 56, "a key has to leave a byte");
        let (mut cells, mut column) = (0, 0);
        while column < WIDTH {
            cells |= 1 << (column * (HEIGHT + 1));
            column += 1;
        }
        cells
    };
    const BOARD: u64 = Self::BOTTOM * ((1 << HEIGHT) - 1);

    fn theirs(&self) -> u64 {
        self.mine ^ self.filled
    }

    fn is_full(&self) -> bool {
        self.filled == Self::BOARD
    }

    /// Where discs can come to rest.
    fn open(&self) -> u64 {
        (self.filled + Self::BOTTOM) & Self::BOARD
    }

    fn column(cell: u64) -> usize {
        cell.trailing_zeros() as usize / Self::RIGHT
    }

    /// Whether four of these cells are in a line.
    fn has_four(cells: u64) -> bool {
        [1, Self::RIGHT - 1, Self::RIGHT, Self::RIGHT + 1].iter().any(|step| {
            let pairs = cells & cells >> step;
            pairs & pairs >> (2 * step) != 0
        })
    }

    /// The empty cells that would complete four of these discs.
    fn completing(&self, discs: u64) -> u64 {
        let mut cells = discs << 1 & discs << 2 & discs << 3;
        for step in [Self::RIGHT - 1, Self::RIGHT, Self::RIGHT + 1] {
            let below = discs << step & discs << (2 * step);
            let above = discs >> step & discs >> (2 * step);
            cells |= below & (discs << (3 * step) | discs >> step);
            cells |= above & (discs >> (3 * step) | discs << step);
        }
        cells & Self::BOARD & !self.filled
    }
}

impl<const WIDTH: usize, const HEIGHT: usize> Rules for ConnectFour<WIDTH, HEIGHT> {
    /// The cell.
    type Move = u64;

    fn start() -> Self {
        Self { mine: 0, filled: 0 }
    }

    fn mover(&self) -> usize {
        self.filled.count_ones() as usize % 2
    }

    fn end(&self) -> Option<Outcome> {
        if Self::has_four(self.theirs()) {
            return Some(Outcome::Loss);
        }
        self.is_full().then_some(Outcome::Draw)
    }

    fn moves(&self) -> impl Iterator<Item = u64> {
        bits(self.open())
    }

    fn after(&self, cell: u64) -> Self {
        Self { mine: self.theirs(), filled: self.filled | cell }
    }

    fn name(&self, cell: u64) -> String {
        format!("(drop {})", Self::column(cell) + 1)
    }
}
