//! Gates in the order of the bytecode, two inputs each, negation on the edges.
//!
//! This is what the bytecode means, whatever cells it is made of: only
//! [`lift`](crate::lift) knows those.

use std::ops::Not;

/// A value of a tape or of a graph, or its complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Literal(u32);

impl Literal {
    pub(crate) const FALSE: Literal = Literal(0);
    pub(crate) const TRUE: Literal = Literal(1);

    pub(crate) fn positive(value: usize) -> Self {
        Self((value as u32) << 1)
    }

    /// The place of the value.
    pub(crate) fn value(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub(crate) fn is_complement(self) -> bool {
        self.0 & 1 == 1
    }

    /// The complement if `complement`, or else the same.
    pub(crate) fn complement_if(self, complement: bool) -> Self {
        Self(self.0 ^ u32::from(complement))
    }
}

impl Not for Literal {
    type Output = Self;
    fn not(self) -> Self {
        self.complement_if(true)
    }
}

/// One step of a tape. Literals name earlier steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The value that is false in all lanes: always the first step.
    False,
    /// The value that a slot has now.
    Read(u32),
    /// Conjunction.
    And(Literal, Literal),
    /// Exclusive disjunction.
    Xor(Literal, Literal),
    /// Puts a value into a slot.
    Write { slot: u32, value: Literal },
    /// Adds the lanes of a value to a variable of the fixpoint around it.
    Grow { slot: u32, value: Literal },
}

/// A straight sequence of steps.
#[derive(Clone, Debug)]
pub(crate) struct Tape {
    pub(crate) steps: Vec<Step>,
}

impl Default for Tape {
    fn default() -> Self {
        Self { steps: vec![Step::False] }
    }
}

impl Tape {
    fn push(&mut self, step: Step) -> Literal {
        self.steps.push(step);
        Literal::positive(self.steps.len() - 1)
    }

    /// Whether it does nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.steps.len() == 1
    }

    pub(crate) fn read(&mut self, slot: u32) -> Literal {
        self.push(Step::Read(slot))
    }

    pub(crate) fn and(&mut self, left: Literal, right: Literal) -> Literal {
        self.push(Step::And(left, right))
    }

    pub(crate) fn xor(&mut self, left: Literal, right: Literal) -> Literal {
        self.push(Step::Xor(left, right))
    }

    pub(crate) fn write(&mut self, slot: u32, value: Literal) {
        self.push(Step::Write { slot, value });
    }

    pub(crate) fn grow(&mut self, slot: u32, value: Literal) {
        self.push(Step::Grow { slot, value });
    }
}

/// A piece of a section.
#[derive(Clone, Debug)]
pub(crate) enum Piece {
    /// Runs once.
    Straight(Tape),
    /// Zeroes its variables, then repeats its body until nothing grows.
    Fixpoint { variables: Vec<u32>, body: Tape },
}
