//! What a gate computes: expressions of two to four inputs, each read once.
//!
//! A gate that is read just once is worth no slot of its own: its reader computes
//! it on the way.
//!
//! ```text
//!  a PAIR b                              6 kinds   AND OR ANDNOT ORNOT NAND NOR
//!  (a PAIR b) JOIN c                    20         JOIN: AND OR ANDNOT ORNOT
//!  ((a PAIR b) JOIN c) JOIN d           68
//!  (a PAIR b) AND (c PAIR d), same OR   12
//! ```
//! These are all functions of so many inputs that AND, OR and NOT can make if
//! each input is read once: a complement goes down to the inputs by De Morgan.
//! Each has just one encoding, so that equal gates find each other in a run:
//! inputs of one conjunction or disjunction that are complemented come behind
//! those that are not, and two pairs are joined only where a chain cannot do it.

use core::ops::{BitAnd, BitOr, Not};

/// A function of two inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Pair {
    /// `a & b`
    And,
    /// `a | b`
    Or,
    /// `a & !b`
    AndNot,
    /// `a | !b`
    OrNot,
    /// `!(a & b)`
    Nand,
    /// `!(a | b)`
    Nor,
}

/// How one more input `x` joins what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Join {
    /// `… & x`
    And,
    /// `… | x`
    Or,
    /// `… & !x`
    AndNot,
    /// `… | !x`
    OrNot,
}

/// How two pairs join.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum PairLink {
    /// Both hold.
    And,
    /// One of them holds.
    Or,
}

/// What a gate computes of its inputs `a`, `b`, `c`, `d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Expression {
    /// Of `a` and `b`.
    Two(Pair),
    /// Of `a` and `b`, then of that and `c`.
    Three(Pair, Join),
    /// Of `a` and `b`, then with `c`, then with `d`.
    Four(Pair, Join, Join),
    /// Of `a` and `b` and of `c` and `d`, then of both.
    Pairs(Pair, PairLink, Pair),
}

impl Pair {
    const ALL: [Pair; 6] = [Self::And, Self::Or, Self::AndNot, Self::OrNot, Self::Nand, Self::Nor];

    /// What it is a conjunction or a disjunction of, and whether the last of it
    /// is complemented.
    const fn end(self) -> (PairLink, bool) {
        match self {
            Pair::And => (PairLink::And, false),
            Pair::AndNot | Pair::Nor => (PairLink::And, true),
            Pair::Or => (PairLink::Or, false),
            Pair::OrNot | Pair::Nand => (PairLink::Or, true),
        }
    }

    #[inline(always)]
    fn apply<W>(self, a: W, b: W) -> W
    where
        W: BitAnd<Output = W> + BitOr<Output = W> + Not<Output = W>,
    {
        match self {
            Pair::And => a & b,
            Pair::Or => a | b,
            Pair::AndNot => a & !b,
            Pair::OrNot => a | !b,
            Pair::Nand => !(a & b),
            Pair::Nor => !(a | b),
        }
    }
}

impl Join {
    const ALL: [Join; 4] = [Self::And, Self::Or, Self::AndNot, Self::OrNot];

    /// What it goes on with, and whether that is complemented.
    const fn end(self) -> (PairLink, bool) {
        match self {
            Join::And => (PairLink::And, false),
            Join::AndNot => (PairLink::And, true),
            Join::Or => (PairLink::Or, false),
            Join::OrNot => (PairLink::Or, true),
        }
    }

    #[inline(always)]
    fn apply<W>(self, value: W, x: W) -> W
    where
        W: BitAnd<Output = W> + BitOr<Output = W> + Not<Output = W>,
    {
        match self {
            Join::And => value & x,
            Join::Or => value | x,
            Join::AndNot => value & !x,
            Join::OrNot => value | !x,
        }
    }
}

/// Whether what comes after something may be complemented or not as it is: in one
/// conjunction or disjunction the complemented inputs are the last.
const fn in_order(before: (PairLink, bool), after: (PairLink, bool)) -> bool {
    before.0 as u8 != after.0 as u8 || !before.1 || after.1
}

/// Numbers of expressions: six for each of these ways to go on from a pair.
const TWO: u8 = 0;
const THREE: u8 = 1;
const FOUR: u8 = THREE + 4;
const PAIRS: u8 = FOUR + 4 * 4;
const END: u8 = PAIRS + 2 * 6;

impl Expression {
    /// One more than the largest [`number`](Self::number).
    pub const NUMBERS: u8 = 6 * END;

    /// The number of inputs.
    #[must_use]
    #[inline(always)]
    pub const fn inputs(self) -> usize {
        match self {
            Expression::Two(_) => 2,
            Expression::Three(..) => 3,
            Expression::Four(..) | Expression::Pairs(..) => 4,
        }
    }

    /// The number that stands for this expression.
    #[must_use]
    pub const fn number(self) -> u8 {
        let (first, rest) = match self {
            Expression::Two(first) => (first, TWO),
            Expression::Three(first, join) => (first, THREE + join as u8),
            Expression::Four(first, join, last) => (first, FOUR + 4 * join as u8 + last as u8),
            Expression::Pairs(first, link, second) => {
                (first, PAIRS + 2 * second as u8 + link as u8)
            }
        };
        6 * rest + first as u8
    }

    /// The expression of a number; `None` for numbers that stand for nothing or
    /// for what another number stands for already.
    #[must_use]
    #[inline(always)]
    pub const fn of_number(number: u8) -> Option<Self> {
        let first = Pair::ALL[number as usize % 6];
        let rest = number / 6;
        let expression = match rest {
            TWO => Expression::Two(first),
            THREE..FOUR => Expression::Three(first, Join::ALL[(rest - THREE) as usize]),
            FOUR..PAIRS => {
                let joins = (rest - FOUR) as usize;
                Expression::Four(first, Join::ALL[joins / 4], Join::ALL[joins % 4])
            }
            PAIRS..END => {
                let link = if (rest - PAIRS) & 1 == 0 { PairLink::And } else { PairLink::Or };
                Expression::Pairs(first, link, Pair::ALL[(rest - PAIRS) as usize / 2])
            }
            _ => return None,
        };
        if expression.is_canonical() { Some(expression) } else { None }
    }

    const fn is_canonical(self) -> bool {
        match self {
            Expression::Two(_) => true,
            Expression::Three(first, join) => in_order(first.end(), join.end()),
            Expression::Four(first, join, last) => {
                in_order(first.end(), join.end()) && in_order(join.end(), last.end())
            }
            Expression::Pairs(first, link, second) => {
                let is_needed =
                    first.end().0 as u8 != link as u8 && second.end().0 as u8 != link as u8;
                is_needed && first as u8 <= second as u8
            }
        }
    }

    /// The value for given inputs.
    #[inline(always)]
    pub fn evaluate<W>(self, input: impl Fn(usize) -> W) -> W
    where
        W: BitAnd<Output = W> + BitOr<Output = W> + Not<Output = W>,
    {
        match self {
            Expression::Two(first) => first.apply(input(0), input(1)),
            Expression::Three(first, join) => join.apply(first.apply(input(0), input(1)), input(2)),
            Expression::Four(first, join, last) => {
                last.apply(join.apply(first.apply(input(0), input(1)), input(2)), input(3))
            }
            Expression::Pairs(first, link, second) => {
                let values = (first.apply(input(0), input(1)), second.apply(input(2), input(3)));
                match link {
                    PairLink::And => values.0 & values.1,
                    PairLink::Or => values.0 | values.1,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> impl Iterator<Item = Expression> {
        (0..=u8::MAX).filter_map(Expression::of_number)
    }

    /// The truth table of an expression, one bit per assignment.
    fn table(expression: Expression) -> u16 {
        (0..16).fold(0, |table, inputs| {
            table | u16::from(expression.evaluate(|input| inputs >> input & 1 == 1)) << inputs
        })
    }

    #[test]
    fn numbers_and_expressions_are_one_to_one() {
        assert_eq!(all().count(), 6 + 20 + 68 + 12);
        for number in 0..=u8::MAX {
            let expression = Expression::of_number(number);
            assert!(expression.is_none_or(|expression| expression.number() == number));
            assert!(expression.is_none() || number < Expression::NUMBERS);
        }
    }

    /// The truth table after the inputs have changed places.
    fn permuted(table: u16, places: [usize; 4]) -> u16 {
        (0..16_usize).fold(0, |permuted, inputs| {
            let from = (0..4).fold(0, |from, input| from | (inputs >> places[input] & 1) << input);
            permuted | (table >> from & 1) << inputs
        })
    }

    /// The least truth table that the inputs can be permuted to.
    fn class(table: u16) -> u16 {
        let orders = (0..256).map(|n| [n & 3, n >> 2 & 3, n >> 4 & 3, n >> 6 & 3]);
        let permutations = orders.filter(|order| (0..4).all(|place| order.contains(&place)));
        permutations.map(|order| permuted(table, order)).min().unwrap_or(table)
    }

    #[test]
    fn each_function_has_one_encoding() {
        for expression in all() {
            let same = all().filter(|other| class(table(*other)) == class(table(expression)));
            assert_eq!(same.count(), 1, "{expression:?}");
        }
    }

    #[test]
    fn each_complement_has_an_encoding() {
        for expression in all() {
            let complement = class(!table(expression));
            assert!(all().any(|other| class(table(other)) == complement), "{expression:?}");
        }
    }

    #[test]
    fn complemented_operands_are_written_behind_the_others() {
        let value = |expression: Expression, inputs: u8| {
            expression.evaluate(|input| inputs >> input & 1 == 1)
        };
        assert!(value(Expression::Two(Pair::AndNot), 0b01));
        assert!(!value(Expression::Two(Pair::AndNot), 0b10));
        assert!(value(Expression::Three(Pair::And, Join::OrNot), 0b000));
        assert!(!value(Expression::Three(Pair::And, Join::OrNot), 0b101));
        assert!(value(Expression::Four(Pair::Nor, Join::Or, Join::AndNot), 0b0100));
        assert!(!value(Expression::Four(Pair::Nor, Join::Or, Join::AndNot), 0b1100));
        assert!(value(Expression::Pairs(Pair::And, PairLink::Or, Pair::Nor), 0b0000));
        assert!(!value(Expression::Pairs(Pair::Or, PairLink::And, Pair::Nand), 0b0000));
    }
}
