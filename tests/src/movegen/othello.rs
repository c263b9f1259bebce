//! Othello on an array of squares, walking along the eight directions.

use super::{Rules, Square, Turn, in_turn, played, squares, won_by};

const SIDE: usize = 8;
const DIRECTIONS: [(isize, isize); 8] =
    [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];

/// The game.
#[derive(Clone, Debug)]
pub struct Othello {
    /// Discs by row and column; 0 is black.
    discs: [[Option<usize>; SIDE]; SIDE],
    to_move: usize,
    passed: bool,
}

impl Othello {
    fn at(&self, x: isize, y: isize) -> Option<usize> {
        let (x, y) = (usize::try_from(x).ok()?, usize::try_from(y).ok()?);
        *self.discs.get(y)?.get(x)?
    }

    /// The discs that a new disc here would turn in one direction.
    fn run(&self, square: Square, (dx, dy): (isize, isize)) -> Vec<(usize, usize)> {
        let (mut x, mut y) = (square.x as isize + dx, square.y as isize + dy);
        let mut run = Vec::new();
        while self.at(x, y) == Some(1 - self.to_move) {
            run.push((x as usize, y as usize));
            (x, y) = (x + dx, y + dy);
        }
        if self.at(x, y) == Some(self.to_move) { run } else { Vec::new() }
    }

    fn turned(&self, square: Square) -> Vec<(usize, usize)> {
        DIRECTIONS.iter().flat_map(|direction| self.run(square, *direction)).collect()
    }

    fn placements(&self) -> impl Iterator<Item = Square> {
        squares("place", SIDE, SIDE).filter(|square| {
            self.discs[square.y][square.x].is_none() && !self.turned(*square).is_empty()
        })
    }

    fn count(&self, player: usize) -> usize {
        self.discs.iter().flatten().filter(|disc| **disc == Some(player)).count()
    }

    /// Discs of black and white.
    pub fn counts(&self) -> (usize, usize) {
        (self.count(0), self.count(1))
    }

    /// Whether no player could place a disc.
    pub fn neither_can_move(&self) -> bool {
        let other = Othello { to_move: 1 - self.to_move, ..self.clone() };
        self.placements().next().is_none() && other.placements().next().is_none()
    }
}

impl Rules for Othello {
    type Move = Turn<Square>;
    const ROLES: &'static [&'static str] = &["black", "white"];

    fn start() -> Self {
        let mut discs = [[None; SIDE]; SIDE];
        (discs[3][3], discs[4][4]) = (Some(1), Some(1));
        (discs[4][3], discs[3][4]) = (Some(0), Some(0));
        Othello { discs, to_move: 0, passed: false }
    }

    fn legal(&self, role: usize) -> Vec<Self::Move> {
        let moves = in_turn(self.to_move, role, self.placements());
        if moves.is_empty() { vec![Turn::Wait] } else { moves }
    }

    fn after(&self, joint: &[Self::Move]) -> Self {
        let mut after = self.clone();
        let placed = played(joint);
        if let Some(square) = placed {
            for (x, y) in self.turned(square).into_iter().chain([(square.x, square.y)]) {
                after.discs[y][x] = Some(self.to_move);
            }
        }
        Othello { to_move: 1 - self.to_move, passed: placed.is_none(), ..after }
    }

    fn over(&self) -> bool {
        let full = self.discs.iter().flatten().all(Option::is_some);
        full || self.passed && self.placements().next().is_none()
    }

    fn goals(&self) -> Vec<u16> {
        let (black, white) = self.counts();
        won_by(if black == white { None } else { Some(usize::from(white > black)) })
    }
}
