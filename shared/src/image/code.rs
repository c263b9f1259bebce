//! The bytecode: words, opcodes and the one decoder that checks while it reads.

use core::fmt;

use bytemuck::Pod;

use super::error::CodeFault;
use super::expression::Expression;
use super::layout::MAX_VARIABLES;

/// A part of the bytecode that runs as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Section {
    /// Computes the legality of all moves and `terminal` from the state.
    Legal,
    /// Computes the goals; run only when some lane has ended.
    Goal,
    /// Computes the next state from the state and the chosen moves.
    Next,
}

impl Section {
    /// The sections in the order in which they stand in the image.
    pub const ALL: [Section; 3] = [Section::Legal, Section::Goal, Section::Next];

    /// The place of this section in [`Section::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Section {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(["legal", "goal", "next"][self.index()])
    }
}

/// What a run does to its operands: the low eight bits of its header word.
///
/// `d` is the slot that is written, `a` is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Opcode {
    /// Ends a stratum.
    Stratum,
    /// `d = a`
    Copy,
    /// `d = !a`
    Not,
    /// `d = 0`
    Zero,
    /// `d = 1` in all lanes
    One,
    /// `d |= a`; a change in any lane sends the enclosing fixpoint round again.
    Grow,
    /// Zeroes its variables, then repeats its body until nothing grows.
    Fixpoint,
    /// `d =` an expression of two to four slots.
    Gate(Expression),
}

/// Bits of a header word that hold the opcode; the rest is the count.
pub const OPCODE_BITS: u32 = 8;

/// The encoding of the first expression; those of the others follow.
pub const FIRST_EXPRESSION: u8 = 8;

impl Opcode {
    /// All opcodes in the order of their encoding.
    pub fn all() -> impl Iterator<Item = Opcode> {
        (0..=u8::MAX).filter_map(Opcode::of_code)
    }

    /// The encoding.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Opcode::Stratum => 0,
            Opcode::Copy => 1,
            Opcode::Not => 2,
            Opcode::Zero => 3,
            Opcode::One => 4,
            Opcode::Grow => 5,
            Opcode::Fixpoint => 6,
            Opcode::Gate(expression) => FIRST_EXPRESSION + expression.number(),
        }
    }

    /// The opcode of an encoding; `None` for reserved ones.
    #[must_use]
    #[inline(always)]
    pub const fn of_code(code: u8) -> Option<Opcode> {
        Some(match code {
            0 => Opcode::Stratum,
            1 => Opcode::Copy,
            2 => Opcode::Not,
            3 => Opcode::Zero,
            4 => Opcode::One,
            5 => Opcode::Grow,
            6 => Opcode::Fixpoint,
            FIRST_EXPRESSION.. => match Expression::of_number(code - FIRST_EXPRESSION) {
                Some(expression) => Opcode::Gate(expression),
                None => return None,
            },
            _ => return None,
        })
    }

    /// The opcode of a header word; `None` for reserved ones.
    #[must_use]
    #[inline(always)]
    pub const fn of_header(header: u32) -> Option<Opcode> {
        Opcode::of_code(header as u8)
    }

    /// Operand words of each gate of a run: the slot that it writes, then those
    /// that it reads. [`Opcode::Stratum`] and [`Opcode::Fixpoint`] have no gates.
    #[must_use]
    pub const fn operands(self) -> usize {
        match self {
            Opcode::Stratum | Opcode::Fixpoint => 0,
            Opcode::Zero | Opcode::One => 1,
            Opcode::Copy | Opcode::Not | Opcode::Grow => 2,
            Opcode::Gate(expression) => 1 + expression.inputs(),
        }
    }
}

/// The largest count that a header word can hold.
#[must_use]
pub const fn max_count(wide: bool) -> u32 {
    if wide { u32::MAX >> OPCODE_BITS } else { u16::MAX as u32 >> OPCODE_BITS }
}

/// The largest number of slots that code words of 16 bits can name.
pub const NARROW_SLOTS: u32 = 1 << u16::BITS;

/// The header word of a run of `count` gates. A longer run must be cut: see
/// [`max_count`]. The count of a stratum's end and of a fixpoint is 0.
#[must_use]
pub const fn header(opcode: Opcode, count: u32, wide: bool) -> u32 {
    debug_assert!(count <= max_count(wide), "this run must be cut into shorter ones");
    opcode.code() as u32 | count << OPCODE_BITS
}

/// The words that open a fixpoint: its header, the number of its variables and
/// the length of its body in code words.
#[must_use]
pub const fn fixpoint_header(variables: u32, body: u32, wide: bool) -> [u32; 4] {
    debug_assert!(variables <= MAX_VARIABLES, "no image has so long a fixpoint");
    let [low, high] = if wide { [body, 0] } else { [body & 0xFFFF, body >> 16] };
    [header(Opcode::Fixpoint, 0, wide), variables, low, high]
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for u16 {}
    impl Sealed for u32 {}
}

/// A code word: `u16` in narrow images, `u32` in wide ones.
pub trait CodeWord: Pod + Eq + sealed::Sealed {
    /// Whether images with these words have the wide flag.
    const WIDE: bool;

    /// The word as a number.
    fn value(self) -> u32;
}

impl CodeWord for u16 {
    const WIDE: bool = false;
    #[inline(always)]
    fn value(self) -> u32 {
        u32::from(self)
    }
}

impl CodeWord for u32 {
    const WIDE: bool = true;
    #[inline(always)]
    fn value(self) -> u32 {
        self
    }
}

/// The code words of one section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code<'a> {
    /// Words of 16 bits.
    Narrow(&'a [u16]),
    /// Words of 32 bits, when the slots do not fit in 16.
    Wide(&'a [u32]),
}

impl Code<'_> {
    /// Counts gates and strata.
    #[must_use]
    pub fn tally(&self) -> CodeSize {
        match self {
            Code::Narrow(words) => tally(words),
            Code::Wide(words) => tally(words),
        }
    }

    /// The length in code words.
    #[must_use]
    pub fn words(&self) -> usize {
        match self {
            Code::Narrow(words) => words.len(),
            Code::Wide(words) => words.len(),
        }
    }

    /// The length in bytes, without padding.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self {
            Code::Narrow(words) => size_of_val(*words),
            Code::Wide(words) => size_of_val(*words),
        }
    }
}

/// How much there is in some code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CodeSize {
    /// Gates with two inputs, also those inside fixpoints; a gate of more inputs
    /// counts as the two-input gates that it replaces. Copies, negations and
    /// constants are not counted: they compute nothing.
    pub gates: usize,
    /// Strata that are not empty; a fixpoint is one.
    pub strata: usize,
}

/// Counts the gates and strata of parsed code.
fn tally<C: CodeWord>(code: &[C]) -> CodeSize {
    let mut tally = CodeSize::default();
    let mut is_empty = true;
    for instruction in Instructions::new(code).filter_map(|(_, decoded)| decoded.ok()) {
        tally.gates += two_input_gates(&instruction);
        let ends = instruction == Instruction::Stratum;
        tally.strata += usize::from(is_empty && !ends);
        is_empty = ends;
    }
    tally
}

fn two_input_gates<C: CodeWord>(instruction: &Instruction<'_, C>) -> usize {
    match *instruction {
        Instruction::Gates { opcode: Opcode::Gate(expression), operands } => {
            operands.len() / (expression.inputs() + 1) * (expression.inputs() - 1)
        }
        Instruction::Fixpoint { body, .. } => tally(body).gates,
        Instruction::Gates { .. } | Instruction::Stratum => 0,
    }
}

/// One run, a fixpoint or the end of a stratum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instruction<'a, C> {
    /// The end of a stratum.
    Stratum,
    /// A run of gates of one kind.
    Gates {
        /// What the gates do.
        opcode: Opcode,
        /// The operands of all gates, one gate after the other.
        operands: &'a [C],
    },
    /// A least fixpoint.
    Fixpoint {
        /// The slots that start at zero and grow.
        variables: &'a [C],
        /// Strata that are repeated.
        body: &'a [C],
        /// The place of the first word of `body` in the decoded code.
        body_start: usize,
    },
}

/// Decodes code words into instructions, each with the place of its header
/// word. Ends after the first fault; the code of a parsed image has none.
#[derive(Clone, Debug)]
pub struct Instructions<'a, C> {
    code: &'a [C],
    at: usize,
}

impl<'a, C: CodeWord> Instructions<'a, C> {
    /// A decoder at the start of `code`.
    #[must_use]
    pub fn new(code: &'a [C]) -> Self {
        Self { code, at: 0 }
    }

    /// Splits off the next `words` words.
    fn take(&mut self, words: usize) -> Option<&'a [C]> {
        let end = self.at.checked_add(words)?;
        let taken = self.code.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    fn decode(&mut self) -> Result<Instruction<'a, C>, CodeFault> {
        let header = self.code[self.at].value();
        self.at += 1;
        let count = (header >> OPCODE_BITS) as usize;
        let reserved = CodeFault::ReservedOpcode { code: header as u8 };
        match Opcode::of_header(header).ok_or(reserved)? {
            opcode @ (Opcode::Stratum | Opcode::Fixpoint) if count > 0 => {
                Err(CodeFault::NoRun { opcode, count })
            }
            Opcode::Stratum => Ok(Instruction::Stratum),
            Opcode::Fixpoint => self.decode_fixpoint(),
            _ if count == 0 => Err(CodeFault::EmptyRun),
            opcode => self.decode_gates(opcode, count),
        }
    }

    fn decode_gates(
        &mut self,
        opcode: Opcode,
        count: usize,
    ) -> Result<Instruction<'a, C>, CodeFault> {
        let operands = count
            .checked_mul(opcode.operands())
            .and_then(|words| self.take(words))
            .ok_or(CodeFault::RunTooLong { opcode, count })?;
        Ok(Instruction::Gates { opcode, operands })
    }

    fn decode_fixpoint(&mut self) -> Result<Instruction<'a, C>, CodeFault> {
        let &[count, low, high] = self.take(3).ok_or(CodeFault::HeaderCut)? else {
            return Err(CodeFault::HeaderCut);
        };
        let words = decode_body_length(low, high)?;
        let count = count.value() as usize;
        if count == 0 {
            return Err(CodeFault::EmptyRun);
        }
        let too_long = CodeFault::RunTooLong { opcode: Opcode::Fixpoint, count };
        let variables = self.take(count).ok_or(too_long)?;
        let body_start = self.at;
        let body = self.take(words).ok_or(CodeFault::BodyTooLong { words })?;
        Ok(Instruction::Fixpoint { variables, body, body_start })
    }
}

/// The length of a body: the counterpart of what [`fixpoint_header`] writes.
fn decode_body_length<C: CodeWord>(low: C, high: C) -> Result<usize, CodeFault> {
    if !C::WIDE {
        return Ok((low.value() | high.value() << 16) as usize);
    }
    match high.value() {
        0 => Ok(low.value() as usize),
        _ => Err(CodeFault::BodyTooLong { words: usize::MAX }),
    }
}

impl<'a, C: CodeWord> Iterator for Instructions<'a, C> {
    type Item = (usize, Result<Instruction<'a, C>, CodeFault>);

    fn next(&mut self) -> Option<Self::Item> {
        let place = self.at;
        if place >= self.code.len() {
            return None;
        }
        let decoded = self.decode();
        if decoded.is_err() {
            self.at = self.code.len();
        }
        Some((place, decoded))
    }
}
