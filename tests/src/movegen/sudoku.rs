//! Sudoku as 81 digits, 0 for an empty cell.

use std::fmt;

use super::Rules;

const SIDE: usize = 9;
const CELLS: usize = SIDE * SIDE;
const GIVEN: &[u8; CELLS] = b"\
7....629.\
3.921.78.\
245..9.1.\
...3.....\
59.....41\
.....8...\
.1.5..927\
.57.924.8\
.247....6";

/// A digit written into a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Write {
    cell: usize,
    digit: u8,
}

impl fmt::Display for Write {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (x, y) = (self.cell % SIDE + 1, self.cell / SIDE + 1);
        write!(formatter, "(write {x} {y} {})", self.digit)
    }
}

/// The game.
#[derive(Clone, Debug)]
pub struct Sudoku {
    digits: [u8; CELLS],
}

/// Whether two cells share a row, column or box.
fn related(one: usize, other: usize) -> bool {
    let parts = |cell: usize| (cell % SIDE, cell / SIDE);
    let ((x, y), (u, v)) = (parts(one), parts(other));
    x == u || y == v || (x / 3, y / 3) == (u / 3, v / 3)
}

impl Sudoku {
    fn fits(&self, write: &Write) -> bool {
        let clashes =
            |other: usize| related(write.cell, other) && self.digits[other] == write.digit;
        self.digits[write.cell] == 0 && !(0..CELLS).any(clashes)
    }

    fn writes(&self, cell: usize) -> Vec<Write> {
        let all = (1..=9).map(|digit| Write { cell, digit });
        all.filter(|write| self.fits(write)).collect()
    }

    fn with(&self, write: Write) -> Self {
        let mut after = self.clone();
        after.digits[write.cell] = write.digit;
        after
    }

    /// All ways to fill the grid, each as the digits to write.
    pub fn solutions(&self) -> Vec<Vec<Write>> {
        let empty = (0..CELLS).filter(|cell| self.digits[*cell] == 0);
        let Some(choices) = empty.map(|cell| self.writes(cell)).min_by_key(Vec::len) else {
            return vec![Vec::new()];
        };
        let follow = |write: Write| {
            let rest = self.with(write).solutions();
            rest.into_iter().map(move |tail| [&[write], tail.as_slice()].concat())
        };
        choices.into_iter().flat_map(follow).collect()
    }
}

impl Rules for Sudoku {
    type Move = Write;
    const ROLES: &'static [&'static str] = &["solver"];

    fn start() -> Self {
        let digit = |character: u8| if character == b'.' { 0 } else { character - b'0' };
        Sudoku { digits: GIVEN.map(digit) }
    }

    fn legal(&self, _role: usize) -> Vec<Self::Move> {
        (0..CELLS).flat_map(|cell| self.writes(cell)).collect()
    }

    fn after(&self, joint: &[Self::Move]) -> Self {
        self.with(joint[0])
    }

    fn over(&self) -> bool {
        (0..CELLS).all(|cell| self.writes(cell).is_empty())
    }

    fn goals(&self) -> Vec<u16> {
        let full = self.digits.chunks(SIDE).filter(|row| !row.contains(&0)).count();
        vec![if full == SIDE { 100 } else { 11 * full as u16 }]
    }
}
