//! Nim, and the theorem that solves it.

use crate::rules::{Outcome, Rules};
use crate::solver::Oracle;

const NAMES: [char; 4] = ['a', 'b', 'c', 'd'];

/// A position.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Nim {
    heaps: [u8; 4],
    mover: usize,
}

/// A heap, and how many objects are left in it.
#[derive(Clone, Copy, Debug)]
pub struct Leave {
    heap: usize,
    count: u8,
}

impl Rules for Nim {
    type Move = Leave;

    fn start() -> Self {
        Nim { heaps: [7, 5, 3, 1], mover: 0 }
    }

    fn mover(&self) -> usize {
        self.mover
    }

    /// Who took the last object has won.
    fn end(&self) -> Option<Outcome> {
        (self.heaps == [0; 4]).then_some(Outcome::Loss)
    }

    fn moves(&self) -> impl Iterator<Item = Leave> {
        let leave = |heap| (0..self.heaps[heap]).map(move |count| Leave { heap, count });
        (0..self.heaps.len()).flat_map(leave)
    }

    fn after(&self, chosen: Leave) -> Self {
        let mut heaps = self.heaps;
        heaps[chosen.heap] = chosen.count;
        Nim { heaps, mover: 1 - self.mover }
    }

    fn name(&self, chosen: Leave) -> String {
        format!("(leave {} {})", NAMES[chosen.heap], chosen.count)
    }
}

/// Bouton's theorem: who is to move loses where the sum without carries is zero.
pub struct NimSum;

impl Oracle for NimSum {
    type Game = Nim;

    fn value(&mut self, position: &Nim) -> Outcome {
        match position.heaps.iter().fold(0, |sum, heap| sum ^ heap) {
            0 => Outcome::Loss,
            _ => Outcome::Win,
        }
    }
}
