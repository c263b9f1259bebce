//! The Nonogram as five rows of five cells.

use super::{Rules, Square, squares};

const SIDE: usize = 5;
const ROWS: [&[usize]; SIDE] = [&[1, 1, 1], &[3], &[5], &[3], &[1, 1]];
const COLUMNS: [&[usize]; SIDE] = [&[1, 1], &[4], &[4], &[4], &[1, 1]];

/// The game.
#[derive(Clone, Debug)]
pub struct Nonogram {
    black: [[bool; SIDE]; SIDE],
}

/// The lengths of the runs of black cells.
fn runs(line: [bool; SIDE]) -> Vec<usize> {
    let runs = line.split(|black| !black).map(<[bool]>::len);
    runs.filter(|length| *length > 0).collect()
}

impl Nonogram {
    fn lines_right(&self) -> usize {
        let column = |x: usize| std::array::from_fn(|y| self.black[y][x]);
        let rows = (0..SIDE).filter(|y| runs(self.black[*y]) == ROWS[*y]).count();
        rows + (0..SIDE).filter(|x| runs(column(*x)) == COLUMNS[*x]).count()
    }

    /// All pictures with the right rows and columns, by trying every picture.
    pub fn solutions() -> Vec<Vec<Square>> {
        let mut solutions = Vec::new();
        extend(&Nonogram::start(), 0, &mut solutions);
        solutions
    }

    fn cells(&self) -> Vec<Square> {
        squares("fill", SIDE, SIDE).filter(|cell| self.black[cell.y][cell.x]).collect()
    }
}

fn extend(picture: &Nonogram, row: usize, solutions: &mut Vec<Vec<Square>>) {
    if row == SIDE {
        if picture.lines_right() == 2 * SIDE {
            solutions.push(picture.cells());
        }
        return;
    }
    for bits in 0..1_u32 << SIDE {
        let line = std::array::from_fn(|x| bits >> x & 1 == 1);
        if runs(line) == ROWS[row] {
            let mut longer = picture.clone();
            longer.black[row] = line;
            extend(&longer, row + 1, solutions);
        }
    }
}

impl Rules for Nonogram {
    type Move = Square;
    const ROLES: &'static [&'static str] = &["painter"];

    fn start() -> Self {
        Nonogram { black: [[false; SIDE]; SIDE] }
    }

    fn legal(&self, _role: usize) -> Vec<Self::Move> {
        squares("fill", SIDE, SIDE).filter(|cell| !self.black[cell.y][cell.x]).collect()
    }

    fn after(&self, joint: &[Self::Move]) -> Self {
        let mut after = self.clone();
        after.black[joint[0].y][joint[0].x] = true;
        after
    }

    fn over(&self) -> bool {
        let wanted: usize = ROWS.iter().copied().flatten().sum();
        self.black.iter().flatten().filter(|black| **black).count() == wanted
    }

    fn goals(&self) -> Vec<u16> {
        vec![10 * self.lines_right() as u16]
    }
}
