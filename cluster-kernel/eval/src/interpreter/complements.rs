//! Expressions as conjunctions with complements: `a | b` is `!(!a & !b)`. So one
//! loop serves all expressions of a shape, at the price of an exclusive OR for
//! each place where a complement may be.

use ruche_shared::image::{Expression, FIRST_EXPRESSION, Join, Pair, PairLink};

use super::Function;
use crate::word::Word;

/// Which inputs and results of conjunctions are complemented: one bit for each,
/// the first in the lowest.
#[derive(Clone, Copy)]
pub(super) enum Complements {
    /// a, b, all.
    Two(u8),
    /// a, b, a & b, c, all.
    Three(u8),
    /// a, b, a & b, c, a & b & c, d, all.
    Four(u8),
    /// a, b, a & b, c, d, c & d, all.
    Pairs(u8),
    /// No expression.
    None,
}

/// The complements by the number of the expression.
static ALL: [Complements; Expression::NUMBERS as usize] = all();

const fn all() -> [Complements; Expression::NUMBERS as usize] {
    let mut all = [Complements::None; Expression::NUMBERS as usize];
    let mut number = 0;
    while number < Expression::NUMBERS {
        if let Some(expression) = Expression::of_number(number) {
            all[number as usize] = Complements::of_expression(expression);
        }
        number += 1;
    }
    all
}

impl Complements {
    /// The complements of the expression with this encoding.
    #[inline(always)]
    pub(super) fn of(encoding: u8) -> Self {
        let number = usize::from(encoding.wrapping_sub(FIRST_EXPRESSION));
        ALL.get(number).copied().unwrap_or(Complements::None)
    }

    const fn of_expression(expression: Expression) -> Self {
        match expression {
            Expression::Two(pair) => Complements::Two(of_pair(pair)),
            Expression::Three(first, join) => {
                Complements::Three(of_pair(first) ^ of_join(join) << 2)
            }
            Expression::Four(first, join, last) => {
                Complements::Four(of_pair(first) ^ of_join(join) << 2 ^ of_join(last) << 4)
            }
            Expression::Pairs(first, PairLink::And, second) => {
                Complements::Pairs(of_pair(first) | of_pair(second) << 3)
            }
            Expression::Pairs(first, PairLink::Or, second) => {
                let either = 1 << 2 | 1 << 5 | 1 << 6;
                Complements::Pairs((of_pair(first) | of_pair(second) << 3) ^ either)
            }
        }
    }
}

/// Of the first input, the second and the result.
const fn of_pair(pair: Pair) -> u8 {
    match pair {
        Pair::And => 0b000,
        Pair::Or => 0b111,
        Pair::AndNot => 0b010,
        Pair::OrNot => 0b101,
        Pair::Nand => 0b100,
        Pair::Nor => 0b011,
    }
}

/// Of what is there, the input that joins and the result.
const fn of_join(join: Join) -> u8 {
    match join {
        Join::And => 0b000,
        Join::Or => 0b111,
        Join::AndNot => 0b010,
        Join::OrNot => 0b101,
    }
}

/// A word of ones for each bit that is set.
#[inline(always)]
fn masks<W: Word, const N: usize>(bits: u8) -> [W; N] {
    let mut masks = [W::ZERO; N];
    for (bit, mask) in masks.iter_mut().enumerate() {
        *mask = if bits >> bit & 1 == 1 { W::ONES } else { W::ZERO };
    }
    masks
}

/// Defines what computes any expression of a shape.
macro_rules! any {
    ($(#[$text:meta])* $name:ident, $places:literal, |$masks:ident, $input:ident| $value:expr) => {
        $(#[$text])*
        pub(super) struct $name<W>([W; $places]);

        impl<W: Word> $name<W> {
            #[inline(always)]
            pub(super) fn of(bits: u8) -> Self {
                Self(masks(bits))
            }
        }

        impl<W: Word> Function<W> for $name<W> {
            #[inline(always)]
            fn value(&self, $input: impl Fn(usize) -> W) -> W {
                let $masks = self.0;
                $value
            }
        }
    };
}

any!(
    /// Any expression of two inputs.
    AnyTwo, 3, |m, x| both(x(0) ^ m[0], x(1) ^ m[1], m[2])
);
any!(
    /// Any expression of three inputs.
    AnyThree, 5, |m, x| both(both(x(0) ^ m[0], x(1) ^ m[1], m[2]), x(2) ^ m[3], m[4])
);
any!(
    /// Any chain of four inputs.
    AnyFour, 7, |m, x| {
        let pair = both(x(0) ^ m[0], x(1) ^ m[1], m[2]);
        both(both(pair, x(2) ^ m[3], m[4]), x(3) ^ m[5], m[6])
    }
);
any!(
    /// Any two pairs.
    AnyPairs, 7, |m, x| {
        let pair = both(x(0) ^ m[0], x(1) ^ m[1], m[2]);
        both(pair, both(x(2) ^ m[3], x(3) ^ m[4], m[5]), m[6])
    }
);

/// A conjunction, complemented where `mask` is set.
#[inline(always)]
fn both<W: Word>(a: W, b: W, mask: W) -> W {
    (a & b) ^ mask
}
