//! Hex with a union-find of stones and edges.

use super::{Rules, Square, Turn, in_turn, played, squares, won_by};

const SIDE: usize = 9;
const CELLS: usize = SIDE * SIDE;
/// Nodes for the edges behind the cells: before row or column 1, and after 9.
const EDGES: [[usize; 2]; 2] = [[CELLS, CELLS + 1], [CELLS + 2, CELLS + 3]];
const NEIGHBOURS: [(isize, isize); 6] = [(-1, 0), (1, 0), (0, -1), (0, 1), (-1, 1), (1, -1)];

/// The game.
#[derive(Clone, Debug)]
pub struct Hex {
    stones: [Option<usize>; CELLS],
    /// For each stone and edge another one of its chain, or itself.
    parents: [usize; CELLS + 4],
    to_move: usize,
}

impl Hex {
    fn root(&self, mut node: usize) -> usize {
        while self.parents[node] != node {
            node = self.parents[node];
        }
        node
    }

    fn join(&mut self, one: usize, other: usize) {
        self.parents[self.root(one)] = self.root(other);
    }

    fn put(&mut self, player: usize, x: usize, y: usize) {
        self.stones[SIDE * y + x] = Some(player);
        for (dx, dy) in NEIGHBOURS {
            let (Some(u), Some(v)) = (x.checked_add_signed(dx), y.checked_add_signed(dy)) else {
                continue;
            };
            if u < SIDE && v < SIDE && self.stones[SIDE * v + u] == Some(player) {
                self.join(SIDE * y + x, SIDE * v + u);
            }
        }
        let along = [y, x][player];
        let edges = [(0, EDGES[player][0]), (SIDE - 1, EDGES[player][1])];
        for (_, edge) in edges.into_iter().filter(|(line, _)| *line == along) {
            self.join(SIDE * y + x, edge);
        }
    }

    /// The players whose edges are connected.
    pub fn connected(&self) -> Vec<usize> {
        let joined = |player: &usize| {
            let [first, last] = EDGES[*player];
            self.root(first) == self.root(last)
        };
        (0..2).filter(joined).collect()
    }
}

impl Rules for Hex {
    type Move = Turn<Square>;
    const ROLES: &'static [&'static str] = &["red", "blue"];

    fn start() -> Self {
        Hex { stones: [None; CELLS], parents: std::array::from_fn(|node| node), to_move: 0 }
    }

    fn legal(&self, role: usize) -> Vec<Self::Move> {
        let empty = squares("place", SIDE, SIDE)
            .filter(|square| self.stones[SIDE * square.y + square.x].is_none());
        in_turn(self.to_move, role, empty)
    }

    fn after(&self, joint: &[Self::Move]) -> Self {
        let mut after = self.clone();
        if let Some(square) = played(joint) {
            after.put(self.to_move, square.x, square.y);
        }
        after.to_move = 1 - self.to_move;
        after
    }

    fn over(&self) -> bool {
        self.stones.iter().all(Option::is_some)
    }

    fn goals(&self) -> Vec<u16> {
        won_by(self.connected().first().copied())
    }
}
