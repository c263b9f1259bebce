//! Checks of a circuit that need memory, one word per slot, and so are left to
//! the host: the compiler's tests run them, a kernel trusts the compiler.
//!
//! [`Image::parse`] makes an image *safe* to evaluate. These checks tell whether
//! it *means* something: whether the gates of a stratum are independent, and
//! whether every slot that is read was written before.

use thiserror::Error;

use super::Image;
use super::code::{Code, CodeWord, Instruction, Instructions, Opcode, Section};

/// Why a circuit that is safe to evaluate has no definite meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FlowError {
    /// The scratch memory has less than one word per slot.
    #[error("the scratch memory has {found} words, but the image has {needed} slots")]
    Scratch {
        /// Slots of the image.
        needed: usize,
        /// Words that were given.
        found: usize,
    },
    /// The compiler made a mistake.
    #[error("section {section}, word {word}: {fault}: this is a mistake of the compiler")]
    Fault {
        /// The section.
        section: Section,
        /// The operand at fault, or the length of the section if its whole
        /// leaves something undone.
        word: usize,
        /// The mistake.
        fault: FlowFault,
    },
}

/// A mistake of the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FlowFault {
    /// Two gates of a stratum write the same slot.
    #[error("another gate of the stratum writes slot {slot} too")]
    WrittenTwice {
        /// The slot.
        slot: u32,
    },
    /// A gate reads what another gate of its stratum writes.
    #[error("slot {slot} is read, but written by another gate of the stratum")]
    ReadAndWritten {
        /// The slot.
        slot: u32,
    },
    /// A slot is read that nothing has written in this ply.
    #[error("slot {slot} is read before it is written")]
    Undefined {
        /// The slot.
        slot: u32,
    },
    /// The next section depends on whether the goal section ran.
    #[error("slot {slot} is read, but the goal section may have overwritten it")]
    LeftByGoal {
        /// The slot.
        slot: u32,
    },
    /// GROW has a target that is no variable of its fixpoint.
    #[error("slot {slot} grows but is no variable of the fixpoint")]
    NotAVariable {
        /// The slot.
        slot: u32,
    },
    /// The section ends without a result that it should leave.
    #[error("the section ends, but slot {slot}, which others read, was never written")]
    Missing {
        /// The slot.
        slot: u32,
    },
}

impl Image<'_> {
    /// Checks that no gate writes a slot which another gate of its stratum reads
    /// or writes.
    ///
    /// # Errors
    /// With the first such gate, or if `scratch` is shorter than [`Image::slots`].
    pub fn validate_strata(&self, scratch: &mut [u32]) -> Result<(), FlowError> {
        let writers = self.scratch(scratch)?;
        let mut gates = 0;
        for section in Section::ALL {
            let mut check = StrataCheck { section, writers, gates };
            match self.code(section) {
                Code::Narrow(code) => check.strata(code, 0)?,
                Code::Wide(code) => check.strata(code, 0)?,
            }
            gates = check.gates;
        }
        Ok(())
    }

    /// Checks that each section reads only what is there: the state, what the
    /// legal section left, and its own results; and that each leaves what it
    /// should.
    ///
    /// # Errors
    /// With the first such place, or if `scratch` is shorter than [`Image::slots`].
    pub fn validate_flow(&self, scratch: &mut [u32]) -> Result<(), FlowError> {
        let contents = self.scratch(scratch)?;
        contents[..self.fluents()].fill(DEFINED);
        for section in Section::ALL {
            let mut check = FlowCheck { section, contents };
            match self.code(section) {
                Code::Narrow(code) => check.code(code, 0)?,
                Code::Wide(code) => check.code(code, 0)?,
            }
            check.results(self)?;
        }
        Ok(())
    }

    /// One zero per slot.
    fn scratch<'s>(&self, scratch: &'s mut [u32]) -> Result<&'s mut [u32], FlowError> {
        let (needed, found) = (self.slots(), scratch.len());
        let cleared = scratch.get_mut(..needed).ok_or(FlowError::Scratch { needed, found })?;
        cleared.fill(0);
        Ok(cleared)
    }
}

/// The instructions of parsed code, with places counted from the section's start.
fn instructions<C: CodeWord>(
    code: &[C],
    start: usize,
) -> impl Iterator<Item = (usize, Instruction<'_, C>)> + Clone {
    Instructions::new(code).filter_map(move |(word, decoded)| Some((start + word, decoded.ok()?)))
}

/// The gates of a run: the place of the first operand, and the operands.
fn gates<C: CodeWord>(
    word: usize,
    opcode: Opcode,
    operands: &[C],
) -> impl Iterator<Item = (usize, &[C])> + Clone {
    let stride = opcode.operands().max(1);
    operands
        .chunks_exact(stride)
        .enumerate()
        .map(move |(gate, slots)| (word + 1 + gate * stride, slots))
}

/// Numbers all gates and remembers for each slot the last that wrote it.
struct StrataCheck<'a> {
    section: Section,
    writers: &'a mut [u32],
    gates: u32,
}

impl StrataCheck<'_> {
    fn strata<C: CodeWord>(&mut self, code: &[C], start: usize) -> Result<(), FlowError> {
        let mut from = 0;
        while from < code.len() {
            let end = instructions(&code[from..], from)
                .find(|(_, instruction)| *instruction == Instruction::Stratum)
                .map_or(code.len(), |(word, _)| word);
            self.stratum(&code[from..end], start + from)?;
            from = end + 1;
        }
        Ok(())
    }

    fn stratum<C: CodeWord>(&mut self, code: &[C], start: usize) -> Result<(), FlowError> {
        let before = self.gates;
        for (word, instruction) in instructions(code, start) {
            match instruction {
                Instruction::Stratum => {}
                Instruction::Gates { opcode, operands } => {
                    self.note_writes(before, gates(word, opcode, operands))?;
                }
                Instruction::Fixpoint { body, body_start, .. } => {
                    self.strata(body, start + body_start)?;
                }
            }
        }
        self.check_reads(before, code, start)
    }

    fn note_writes<'c, C: CodeWord>(
        &mut self,
        before: u32,
        gates: impl Iterator<Item = (usize, &'c [C])>,
    ) -> Result<(), FlowError> {
        for (word, slots) in gates {
            self.gates += 1;
            let slot = slots[0].value();
            if self.writers[slot as usize] > before {
                return Err(self.fault(word, FlowFault::WrittenTwice { slot }));
            }
            self.writers[slot as usize] = self.gates;
        }
        Ok(())
    }

    /// A gate may read the slot that it writes itself, but no other of the
    /// stratum's.
    fn check_reads<C: CodeWord>(
        &self,
        before: u32,
        code: &[C],
        start: usize,
    ) -> Result<(), FlowError> {
        let mut gate = before;
        for (word, instruction) in instructions(code, start) {
            let Instruction::Gates { opcode, operands } = instruction else { continue };
            for (word, slots) in gates(word, opcode, operands) {
                gate += 1;
                for (index, slot) in slots.iter().map(|slot| slot.value()).enumerate().skip(1) {
                    let writer = self.writers[slot as usize];
                    if writer > before && writer != gate {
                        return Err(self.fault(word + index, FlowFault::ReadAndWritten { slot }));
                    }
                }
            }
        }
        Ok(())
    }

    fn fault(&self, word: usize, fault: FlowFault) -> FlowError {
        FlowError::Fault { section: self.section, word, fault }
    }
}

/// Written in this ply, in whichever order the sections run.
const DEFINED: u32 = 1;
/// Written by the goal section, which does not always run.
const LEFT_BY_GOAL: u32 = 2;
/// Added while the slot is a variable of the current fixpoint.
const VARIABLE: u32 = 4;

/// Follows what each slot contains through the sections.
struct FlowCheck<'a> {
    section: Section,
    contents: &'a mut [u32],
}

impl FlowCheck<'_> {
    fn code<C: CodeWord>(&mut self, code: &[C], start: usize) -> Result<(), FlowError> {
        for (word, instruction) in instructions(code, start) {
            match instruction {
                Instruction::Stratum => {}
                Instruction::Gates { opcode, operands } => {
                    for (word, slots) in gates(word, opcode, operands) {
                        self.gate(word, opcode, slots)?;
                    }
                }
                Instruction::Fixpoint { variables, body, body_start } => {
                    self.fixpoint(variables, body, start + body_start)?;
                }
            }
        }
        Ok(())
    }

    fn fixpoint<C: CodeWord>(
        &mut self,
        variables: &[C],
        body: &[C],
        start: usize,
    ) -> Result<(), FlowError> {
        let written = self.written();
        variables.iter().for_each(|slot| self.contents[slot.value() as usize] = written | VARIABLE);
        self.code(body, start)?;
        variables.iter().for_each(|slot| self.contents[slot.value() as usize] = written);
        Ok(())
    }

    fn gate<C: CodeWord>(
        &mut self,
        word: usize,
        opcode: Opcode,
        slots: &[C],
    ) -> Result<(), FlowError> {
        for (index, slot) in slots.iter().enumerate().skip(1) {
            self.read(word + index, slot.value())?;
        }
        let slot = slots[0].value();
        let content = self.contents[slot as usize];
        if opcode == Opcode::Grow && content & VARIABLE == 0 {
            return Err(self.fault(word, FlowFault::NotAVariable { slot }));
        }
        self.contents[slot as usize] = self.written() | content & VARIABLE;
        Ok(())
    }

    fn read(&self, word: usize, slot: u32) -> Result<(), FlowError> {
        match self.contents[slot as usize] & !VARIABLE {
            LEFT_BY_GOAL if self.section == Section::Next => {
                Err(self.fault(word, FlowFault::LeftByGoal { slot }))
            }
            0 => Err(self.fault(word, FlowFault::Undefined { slot })),
            _ => Ok(()),
        }
    }

    /// What a slot contains that this section writes.
    fn written(&self) -> u32 {
        if self.section == Section::Goal { LEFT_BY_GOAL } else { DEFINED }
    }

    /// Checks that the section leaves what is read after it.
    fn results(&self, image: &Image<'_>) -> Result<(), FlowError> {
        let word = image.code(self.section).words();
        let moves = image.fluents()..image.fluents() + image.moves();
        let missing = |slot: &usize| self.contents[*slot] == 0;
        let found = match self.section {
            Section::Legal => moves.chain([image.terminal_slot()]).find(missing),
            Section::Goal => image.goals().map(|goal| goal.slot as usize).find(missing),
            Section::Next => None,
        };
        found.map_or(Ok(()), |slot| Err(self.fault(word, FlowFault::Missing { slot: slot as u32 })))
    }

    fn fault(&self, word: usize, fault: FlowFault) -> FlowError {
        FlowError::Fault { section: self.section, word, fault }
    }
}
