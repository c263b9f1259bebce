//! The bytecode: words, opcodes and the one decoder that checks while it reads.

use core::fmt;

use bytemuck::Pod;

use super::error::CodeFault;

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

/// What a run does to its operands: the low four bits of its header word.
///
/// `d` is the slot that is written, `a` and `b` are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Opcode {
    /// Ends a stratum; its count is 0.
    Stratum = 0,
    /// `d = a & b`
    And = 1,
    /// `d = a | b`
    Or = 2,
    /// `d = a & !b`
    AndNot = 3,
    /// `d = a | !b`
    OrNot = 4,
    /// `d = !(a & b)`
    Nand = 5,
    /// `d = !(a | b)`
    Nor = 6,
    /// `d = a ^ b`
    Xor = 7,
    /// `d = !(a ^ b)`
    Xnor = 8,
    /// `d = a`
    Copy = 9,
    /// `d = !a`
    Not = 10,
    /// `d = 0`
    Zero = 11,
    /// `d = 1` in all lanes
    One = 12,
    /// `d |= a`; a change in any lane sends the enclosing fixpoint round again.
    Grow = 13,
    /// Zeroes its variables, then repeats its body until nothing grows.
    Fixpoint = 14,
}

/// Bits of a header word that hold the opcode; the rest is the count.
pub const OPCODE_BITS: u32 = 4;

impl Opcode {
    /// All opcodes; the place is the encoding.
    pub const ALL: [Opcode; 15] = [
        Opcode::Stratum,
        Opcode::And,
        Opcode::Or,
        Opcode::AndNot,
        Opcode::OrNot,
        Opcode::Nand,
        Opcode::Nor,
        Opcode::Xor,
        Opcode::Xnor,
        Opcode::Copy,
        Opcode::Not,
        Opcode::Zero,
        Opcode::One,
        Opcode::Grow,
        Opcode::Fixpoint,
    ];

    /// The opcode of a header word; `None` for the reserved one.
    ///
    /// Spelled out because a match becomes a bare comparison, where a look-up in
    /// [`Opcode::ALL`] would cost the evaluator a load per run.
    #[must_use]
    #[inline(always)]
    pub const fn of_header(header: u32) -> Option<Opcode> {
        Some(match header & ((1 << OPCODE_BITS) - 1) {
            0 => Opcode::Stratum,
            1 => Opcode::And,
            2 => Opcode::Or,
            3 => Opcode::AndNot,
            4 => Opcode::OrNot,
            5 => Opcode::Nand,
            6 => Opcode::Nor,
            7 => Opcode::Xor,
            8 => Opcode::Xnor,
            9 => Opcode::Copy,
            10 => Opcode::Not,
            11 => Opcode::Zero,
            12 => Opcode::One,
            13 => Opcode::Grow,
            14 => Opcode::Fixpoint,
            _ => return None,
        })
    }

    /// Operand words of each gate of a run. [`Opcode::Stratum`] and
    /// [`Opcode::Fixpoint`] have no gates.
    #[must_use]
    pub const fn operands(self) -> usize {
        match self {
            Opcode::Stratum | Opcode::Fixpoint => 0,
            Opcode::Zero | Opcode::One => 1,
            Opcode::Copy | Opcode::Not | Opcode::Grow => 2,
            _ => 3,
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

/// The header word of a run of `count` gates, or of a fixpoint with `count`
/// variables. A longer run must be cut: see [`max_count`].
#[must_use]
pub const fn header(opcode: Opcode, count: u32, wide: bool) -> u32 {
    debug_assert!(count <= max_count(wide), "this run must be cut into shorter ones");
    opcode as u32 | count << OPCODE_BITS
}

/// The two words behind a fixpoint's header that give the length of its body
/// in code words.
#[must_use]
pub const fn body_length(words: u32, wide: bool) -> [u32; 2] {
    if wide { [words, 0] } else { [words & 0xFFFF, words >> 16] }
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
    pub fn tally(&self) -> Tally {
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
pub struct Tally {
    /// Gates with two inputs, also those inside fixpoints. Copies, negations and
    /// constants are not counted: they compute nothing.
    pub gates: usize,
    /// Strata that are not empty; a fixpoint is one.
    pub strata: usize,
}

/// Counts the gates and strata of parsed code.
fn tally<C: CodeWord>(code: &[C]) -> Tally {
    let mut tally = Tally::default();
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
        Instruction::Gates { opcode, operands } if opcode.operands() == 3 => operands.len() / 3,
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
        match Opcode::of_header(header).ok_or(CodeFault::ReservedOpcode)? {
            Opcode::Stratum if count == 0 => Ok(Instruction::Stratum),
            Opcode::Stratum => Err(CodeFault::StratumCount { count }),
            _ if count == 0 => Err(CodeFault::EmptyRun),
            Opcode::Fixpoint => self.decode_fixpoint(count),
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

    fn decode_fixpoint(&mut self, count: usize) -> Result<Instruction<'a, C>, CodeFault> {
        let too_long = CodeFault::RunTooLong { opcode: Opcode::Fixpoint, count };
        let length = self.take(2).ok_or(too_long)?;
        let words = decode_body_length(length[0], length[1])?;
        let variables = self.take(count).ok_or(too_long)?;
        let body_start = self.at;
        let body = self.take(words).ok_or(CodeFault::BodyTooLong { words })?;
        Ok(Instruction::Fixpoint { variables, body, body_start })
    }
}

/// The counterpart of [`body_length`].
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
