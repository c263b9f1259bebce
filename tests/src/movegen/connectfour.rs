//! Connect Four on two bit boards: seven bits per column, the top one always
//! empty, so that shifts never run from one column into the next.

use std::fmt;

use super::{Rules, Turn, in_turn, played, won_by};

const COLUMNS: usize = 7;
const ROWS: usize = 6;
const HEIGHT: usize = ROWS + 1;

/// A disc dropped into a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Drop(usize);

impl fmt::Display for Drop {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "(drop {})", self.0 + 1)
    }
}

/// The game.
#[derive(Clone, Debug)]
pub struct ConnectFour {
    discs: [u64; 2],
    to_move: usize,
}

impl ConnectFour {
    fn filled(&self) -> u64 {
        self.discs[0] | self.discs[1]
    }

    fn has_room(&self, column: usize) -> bool {
        self.filled() >> (column * HEIGHT + ROWS - 1) & 1 == 0
    }

    fn winner(&self) -> Option<usize> {
        (0..2).find(|player| has_four(self.discs[*player]))
    }
}

fn has_four(discs: u64) -> bool {
    [1, HEIGHT, HEIGHT - 1, HEIGHT + 1].iter().any(|direction| {
        let pairs = discs & (discs >> direction);
        pairs & (pairs >> (2 * direction)) != 0
    })
}

impl Rules for ConnectFour {
    type Move = Turn<Drop>;
    const ROLES: &'static [&'static str] = &["red", "yellow"];

    fn start() -> Self {
        ConnectFour { discs: [0; 2], to_move: 0 }
    }

    fn legal(&self, role: usize) -> Vec<Self::Move> {
        let open = (0..COLUMNS).filter(|column| self.has_room(*column)).map(Drop);
        in_turn(self.to_move, role, open)
    }

    fn after(&self, joint: &[Self::Move]) -> Self {
        let mut discs = self.discs;
        if let Some(Drop(column)) = played(joint) {
            // Adding one at the bottom carries through all filled cells.
            let carried = self.filled() + (1 << (column * HEIGHT));
            discs[self.to_move] |= carried & !self.filled() & (0x3F << (column * HEIGHT));
        }
        ConnectFour { discs, to_move: 1 - self.to_move }
    }

    fn over(&self) -> bool {
        self.winner().is_some() || !(0..COLUMNS).any(|column| self.has_room(column))
    }

    fn goals(&self) -> Vec<u16> {
        won_by(self.winner())
    }
}
