//! The Eight Puzzle as nine places, 0 for the blank.

use std::collections::{HashSet, VecDeque};
use std::fmt;

use super::Rules;

/// The number of moves of a game.
pub const MOVES: usize = 60;
/// The tiles in order.
const ORDERED: [u8; 9] = [1, 2, 3, 4, 5, 6, 7, 8, 0];

/// Where the blank goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shift {
    /// One row up.
    Up,
    /// One row down.
    Down,
    /// One column to the left.
    Left,
    /// One column to the right.
    Right,
}

impl fmt::Display for Shift {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Shift::Up => "up",
            Shift::Down => "down",
            Shift::Left => "left",
            Shift::Right => "right",
        })
    }
}

/// The game.
#[derive(Clone, Debug)]
pub struct EightPuzzle {
    tiles: [u8; 9],
    moves: usize,
    solved: bool,
}

fn blank(tiles: &[u8; 9]) -> usize {
    tiles.iter().position(|tile| *tile == 0).expect("there is a blank")
}

/// The place where the blank would be, if that is inside of the frame.
fn target(blank: usize, shift: Shift) -> Option<usize> {
    match shift {
        Shift::Up => blank.checked_sub(3),
        Shift::Down => Some(blank + 3).filter(|place| *place < 9),
        Shift::Left => (!blank.is_multiple_of(3)).then(|| blank - 1),
        Shift::Right => (blank % 3 < 2).then(|| blank + 1),
    }
}

fn shifts(tiles: &[u8; 9]) -> Vec<Shift> {
    let blank = blank(tiles);
    let all = [Shift::Up, Shift::Down, Shift::Left, Shift::Right];
    all.into_iter().filter(|shift| target(blank, *shift).is_some()).collect()
}

fn shifted(tiles: &[u8; 9], shift: Shift) -> [u8; 9] {
    let mut tiles = *tiles;
    let from = blank(&tiles);
    target(from, shift).into_iter().for_each(|to| tiles.swap(from, to));
    tiles
}

/// A shortest solution from the start, by breadth-first search.
pub fn solution() -> Option<Vec<Shift>> {
    let start = EightPuzzle::start().tiles;
    let mut seen = HashSet::from([start]);
    let mut waiting = VecDeque::from([(start, Vec::new())]);
    while let Some((tiles, way)) = waiting.pop_front() {
        if tiles == ORDERED {
            return Some(way);
        }
        for shift in shifts(&tiles) {
            let after = shifted(&tiles, shift);
            if seen.insert(after) {
                waiting.push_back((after, [way.as_slice(), &[shift]].concat()));
            }
        }
    }
    None
}

impl Rules for EightPuzzle {
    type Move = Shift;
    const ROLES: &'static [&'static str] = &["player"];

    fn start() -> Self {
        EightPuzzle { tiles: [5, 1, 2, 6, 0, 3, 4, 7, 8], moves: 0, solved: false }
    }

    fn legal(&self, _role: usize) -> Vec<Self::Move> {
        shifts(&self.tiles)
    }

    fn after(&self, joint: &[Self::Move]) -> Self {
        let tiles = shifted(&self.tiles, joint[0]);
        EightPuzzle { tiles, moves: self.moves + 1, solved: self.solved || tiles == ORDERED }
    }

    fn over(&self) -> bool {
        self.moves == MOVES
    }

    fn goals(&self) -> Vec<u16> {
        vec![if self.solved { 100 } else { 0 }]
    }
}
