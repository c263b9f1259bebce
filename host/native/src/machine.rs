//! Instructions of a machine with registers and memory, before they are bytes.

use crate::polarity::Operation;

/// The number of a register for words.
pub(crate) type Register = u8;

/// A place for a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Memory {
    /// One of the caller's slots.
    Slot(u32),
    /// A word of the frame on the stack.
    Frame(u32),
}

/// Where an instruction finds its last operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    Register(Register),
    Memory(Memory),
}

/// One instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Instruction {
    Load {
        to: Register,
        from: Memory,
    },
    Store {
        to: Memory,
        from: Register,
    },
    Binary {
        operation: Operation,
        to: Register,
        left: Register,
        right: Operand,
    },
    Not {
        to: Register,
        from: Register,
    },
    Zero {
        to: Register,
    },
    /// Looks whether a word is zero, for the branch that follows.
    Test {
        word: Register,
    },
    /// Between chunks that are run for one part of the words after the other.
    Boundary,
}
