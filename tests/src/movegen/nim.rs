//! Nim as four numbers.

use std::fmt;

use super::{Rules, Turn, in_turn, played, won_by};

const NAMES: [char; 4] = ['a', 'b', 'c', 'd'];

/// A heap and how many objects are left in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leave {
    heap: usize,
    count: usize,
}

impl fmt::Display for Leave {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "(leave {} {})", NAMES[self.heap], self.count)
    }
}

/// The game.
#[derive(Clone, Debug)]
pub struct Nim {
    heaps: [usize; 4],
    to_move: usize,
}

impl Nim {
    /// The sum without carries: zero where who is to move loses.
    pub fn nim_sum(&self) -> usize {
        self.heaps.iter().fold(0, |sum, heap| sum ^ heap)
    }
}

impl Rules for Nim {
    type Move = Turn<Leave>;
    const ROLES: &'static [&'static str] = &["first", "second"];

    fn start() -> Self {
        Nim { heaps: [7, 5, 3, 1], to_move: 0 }
    }

    fn legal(&self, role: usize) -> Vec<Self::Move> {
        let heaps = self.heaps.iter().enumerate();
        let leave =
            |(heap, size): (usize, &usize)| (0..*size).map(move |count| Leave { heap, count });
        in_turn(self.to_move, role, heaps.flat_map(leave))
    }

    fn after(&self, joint: &[Self::Move]) -> Self {
        let mut heaps = self.heaps;
        played(joint).into_iter().for_each(|Leave { heap, count }| heaps[heap] = count);
        Nim { heaps, to_move: 1 - self.to_move }
    }

    fn over(&self) -> bool {
        self.heaps == [0; 4]
    }

    fn goals(&self) -> Vec<u16> {
        won_by(Some(1 - self.to_move))
    }
}
