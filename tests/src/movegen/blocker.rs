//! Blocker on an array of cells; the bridge is found by depth-first search.

use super::{Rules, Square, squares, won_by};

const SIDE: usize = 4;
const CROSSER: usize = 0;
const BLOCKER: usize = 1;

/// The game.
#[derive(Clone, Debug)]
pub struct Blocker {
    /// Marks by column and row.
    cells: [[Option<usize>; SIDE]; SIDE],
}

impl Blocker {
    /// Whether a bridge that has this cell can be continued to the east.
    fn leads_east(&self, x: usize, y: usize) -> bool {
        let near = y.saturating_sub(1)..=(y + 1).min(SIDE - 1);
        self.cells[x][y] == Some(CROSSER)
            && (x + 1 == SIDE || near.into_iter().any(|v| self.leads_east(x + 1, v)))
    }

    fn has_bridge(&self) -> bool {
        (0..SIDE).any(|y| self.leads_east(0, y))
    }
}

impl Rules for Blocker {
    type Move = Square;
    const ROLES: &'static [&'static str] = &["crosser", "blocker"];

    fn start() -> Self {
        Blocker { cells: [[None; SIDE]; SIDE] }
    }

    fn legal(&self, _role: usize) -> Vec<Self::Move> {
        let open = |cell: &Square| self.cells[cell.x][cell.y].is_none();
        squares("mark", SIDE, SIDE).filter(open).collect()
    }

    fn after(&self, joint: &[Self::Move]) -> Self {
        let mut cells = self.cells;
        for role in [CROSSER, BLOCKER] {
            cells[joint[role].x][joint[role].y] = Some(role);
        }
        Blocker { cells }
    }

    fn over(&self) -> bool {
        self.has_bridge() || self.cells.iter().flatten().all(Option::is_some)
    }

    fn goals(&self) -> Vec<u16> {
        won_by(Some(if self.has_bridge() { CROSSER } else { BLOCKER }))
    }
}
