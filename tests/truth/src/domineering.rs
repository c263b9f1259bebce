//! Domineering on a mask of 64 bits, on boards of any size up to 8 x 8.

use crate::rules::{Outcome, Rules, bits};

/// From a square to the one above it; the next one to the right is one further.
const UP: usize = 8;

/// A position.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Domineering<const SIDE: usize> {
    /// Squares that a domino can still cover.
    empty: u64,
    /// 0 puts dominoes along a column.
    mover: usize,
}

impl<const SIDE: usize> Domineering<SIDE> {
    const BOARD: u64 = {
        assert!(SIDE <= 8);
        let row = 0xFF >> (8 - SIDE);
        (0x0101_0101_0101_0101 >> (8 * (8 - SIDE))) * row
    };

    const fn step(&self) -> usize {
        if self.mover == 0 { UP } else { 1 }
    }

    /// The lower or left squares of all dominoes that can be placed.
    fn places(&self) -> u64 {
        let right_column = if self.mover == 0 { 0 } else { 0x8080_8080_8080_8080 };
        self.empty & !right_column & self.empty >> self.step()
    }
}

impl<const SIDE: usize> Rules for Domineering<SIDE> {
    /// The lower or left square.
    type Move = u64;

    fn start() -> Self {
        Self { empty: Self::BOARD, mover: 0 }
    }

    fn mover(&self) -> usize {
        self.mover
    }

    fn end(&self) -> Option<Outcome> {
        (self.places() == 0).then_some(Outcome::Loss)
    }

    fn moves(&self) -> impl Iterator<Item = u64> {
        bits(self.places())
    }

    fn after(&self, square: u64) -> Self {
        let domino = square | square << self.step();
        Self { empty: self.empty & !domino, mover: 1 - self.mover }
    }

    fn name(&self, square: u64) -> String {
        let at = square.trailing_zeros();
        format!("(place {} {})", at % 8 + 1, at / 8 + 1)
    }
}
