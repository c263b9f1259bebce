//! From the last joint move to the first: each position is worth what the equilibrium of
//! the matrix of its successors is.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::{Matrix, simplex};

/// A position of a game in which both roles move at once, and share 100.
pub(super) trait Simultaneous: Clone + Eq + Hash {
    /// What role 0 gets, if the game is over.
    fn end(&self) -> Option<f64>;
    /// The moves of a role, by number.
    fn moves(&self, role: usize) -> Vec<u8>;
    /// The position after a joint move.
    fn after(&self, joint: [u8; 2]) -> Self;
    /// A move as it stands in the rules in GDL.
    fn name(chosen: u8) -> String;
}

/// The matrix of a position that is not over.
pub(super) fn matrix<G: Simultaneous>(position: &G) -> Matrix {
    let goals = Induction::default().goals(position);
    Matrix {
        moves: [0, 1].map(|role| position.moves(role).into_iter().map(G::name).collect()),
        goals,
    }
}

struct Induction<G> {
    known: FxHashMap<G, f64>,
}

impl<G> Default for Induction<G> {
    fn default() -> Self {
        Self { known: FxHashMap::default() }
    }
}

impl<G: Simultaneous> Induction<G> {
    fn goals(&mut self, position: &G) -> Vec<Vec<f64>> {
        let [rows, columns] = [position.moves(0), position.moves(1)];
        let mut row = |own: &u8| -> Vec<f64> {
            columns.iter().map(|other| self.value(&position.after([*own, *other]))).collect()
        };
        rows.iter().map(&mut row).collect()
    }

    fn value(&mut self, position: &G) -> f64 {
        if let Some(value) = position.end().or_else(|| self.known.get(position).copied()) {
            return value;
        }
        let value = simplex::solve(&self.goals(position)).value;
        self.known.insert(position.clone(), value);
        value
    }
}
