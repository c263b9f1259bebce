//! What [`Image::parse`] checks, part by part.

use bytemuck::PodCastError;

use super::code::{Code, CodeWord, Instruction, Instructions, NARROW_SLOTS, Opcode, Section};
use super::error::{CodeFault, ImageError};
use super::layout::{
    Counts, GOAL_WORDS, HEADER_BYTES, HEADER_WORDS, IDLE_SLOTS, Layout, MAGIC, MAX_FIXPOINT_WORK,
    MAX_FLUENTS, MAX_ROLES, MAX_SLOTS, MAX_VARIABLES, VERSION, WIDE, WORD_BYTES, checksum, field,
};
use super::{Goal, Image};
use crate::position::is_padded_with_zeros;

/// Checks what makes bytes an undamaged image of this version and returns its
/// words.
pub(super) fn frame(bytes: &[u8]) -> Result<&[u32], ImageError> {
    let header = bytes.get(..HEADER_BYTES).ok_or(ImageError::TooShort { found: bytes.len() })?;
    let header = as_words(header)?;
    identity(header)?;
    let stated = header[field::LENGTH];
    let image = usize::try_from(stated)
        .ok()
        .and_then(|length| bytes.get(..length))
        .ok_or(ImageError::CutOff { stated, found: bytes.len() })?;
    if image.len() < HEADER_BYTES || image.len() % WORD_BYTES != 0 {
        let needed = Layout::new(&Counts::read(header)).bytes();
        return Err(ImageError::Length { stated, needed });
    }
    let (stated, computed) = (header[field::CHECKSUM], checksum(image));
    if stated != computed {
        return Err(ImageError::Checksum { stated, computed });
    }
    as_words(image)
}

fn as_words(bytes: &[u8]) -> Result<&[u32], ImageError> {
    bytemuck::try_cast_slice(bytes).map_err(|error| match error {
        PodCastError::TargetAlignmentGreaterAndInputNotAligned => {
            ImageError::Misaligned { beyond: bytes.as_ptr().addr() % WORD_BYTES }
        }
        _ => ImageError::TooShort { found: bytes.len() },
    })
}

/// Magic, version and flags: is this for us at all?
fn identity(header: &[u32]) -> Result<(), ImageError> {
    let version = header[field::VERSION_AND_FLAGS] as u16;
    let flags = (header[field::VERSION_AND_FLAGS] >> 16) as u16;
    if header[field::MAGIC] != u32::from_le_bytes(MAGIC) {
        Err(ImageError::Magic)
    } else if version != VERSION {
        Err(ImageError::Version { found: version })
    } else if flags & !WIDE != 0 {
        Err(ImageError::Flags { found: flags })
    } else {
        Ok(())
    }
}

/// Checks that the header agrees with itself and with the length.
pub(super) fn counts(words: &[u32], counts: &Counts) -> Result<Layout, ImageError> {
    let layout = Layout::new(counts);
    let length = size_of_val(words) as u64;
    if layout.bytes() != length {
        return Err(ImageError::Length { stated: words[field::LENGTH], needed: layout.bytes() });
    }
    if words[field::RESERVED] != 0 {
        return Err(ImageError::Reserved { found: words[field::RESERVED] });
    }
    if !(1..=MAX_ROLES).contains(&counts.roles) {
        return Err(ImageError::Roles { found: counts.roles });
    }
    if counts.fluents > MAX_FLUENTS {
        return Err(ImageError::TooManyFluents { found: counts.fluents });
    }
    slots(counts)?;
    Ok(layout)
}

fn slots(counts: &Counts) -> Result<(), ImageError> {
    let &Counts { wide, slots, fluents, moves, terminal_slot, .. } = counts;
    let limit = if wide { MAX_SLOTS } else { NARROW_SLOTS };
    let words = counts.code.iter().copied().map(u64::from).sum();
    if slots > limit {
        Err(ImageError::TooManySlots { slots, limit, wide })
    } else if u64::from(fluents) + u64::from(moves) > u64::from(slots) {
        Err(ImageError::TooFewSlots { slots, fluents, moves })
    } else if u64::from(slots - fluents) > words + u64::from(IDLE_SLOTS) {
        Err(ImageError::IdleSlots { slots, fluents, words })
    } else if terminal_slot >= slots {
        Err(ImageError::TerminalSlot { slot: terminal_slot, slots })
    } else {
        Ok(())
    }
}

/// Checks the tables of moves and goals.
pub(super) fn tables(image: &Image<'_>, layout: &Layout) -> Result<(), ImageError> {
    move_starts(image)?;
    let mut before = None;
    for (index, goal) in image.goals().enumerate() {
        let place = (layout.goals as usize + GOAL_WORDS * index) * WORD_BYTES;
        if before.is_some_and(|before| before >= (goal.role, goal.value)) {
            return Err(ImageError::GoalOrder { place });
        }
        goal_entry(&image.counts, goal, place)?;
        before = Some((goal.role, goal.value));
    }
    Ok(())
}

fn move_starts(image: &Image<'_>) -> Result<(), ImageError> {
    let last = image.roles();
    let mut least = 0;
    for (role, &start) in image.move_starts.iter().enumerate() {
        let is_wrong = start < least
            || (role == 0 && start != 0)
            || (role == last && start as usize != image.moves());
        if is_wrong {
            let place = (HEADER_WORDS + role) * WORD_BYTES;
            return Err(ImageError::MoveStart { place, role, start });
        }
        least = start;
    }
    Ok(())
}

fn goal_entry(counts: &Counts, goal: Goal, place: usize) -> Result<(), ImageError> {
    let Goal { role, slot, .. } = goal;
    if u32::from(role) >= counts.roles {
        return Err(ImageError::GoalRole { place, role, last: counts.roles - 1 });
    }
    if slot >= counts.slots {
        return Err(ImageError::GoalSlot { place, slot, slots: counts.slots });
    }
    Ok(())
}

/// Checks that all padding is zero, so that equal games are equal bytes.
pub(super) fn padding(image: &Image<'_>, words: &[u32], layout: &Layout) -> Result<(), ImageError> {
    if !is_padded_with_zeros(image.initial, image.fluents()) {
        return Err(ImageError::Padding { place: (layout.code[0] as usize - 1) * WORD_BYTES });
    }
    let ends = [layout.code[1], layout.code[2], layout.end];
    for (code, end) in image.code.iter().zip(ends) {
        let last = end as usize - 1;
        if matches!(code, Code::Narrow(narrow) if narrow.len() % 2 == 1) && words[last] >> 16 != 0 {
            return Err(ImageError::Padding { place: last * WORD_BYTES });
        }
    }
    Ok(())
}

/// Checks the bytecode of all sections.
pub(super) fn code(image: &Image<'_>) -> Result<(), ImageError> {
    let mut work = 0;
    for section in Section::ALL {
        let checker = Checker { counts: &image.counts, section };
        work += match image.code(section) {
            Code::Narrow(words) => checker.section(words)?,
            Code::Wide(words) => checker.section(words)?,
        };
    }
    match work {
        0..=MAX_FIXPOINT_WORK => Ok(()),
        found => Err(ImageError::FixpointWork { found }),
    }
}

/// Code words that a fixpoint runs through at most: it ends after a round that changes
/// nothing, and each other makes a variable true for good. Bounded variables and a body
/// whose words are counted in 32 bits keep even the sum over an image from overflowing.
fn fixpoint_work<C>(instruction: &Instruction<'_, C>) -> u64 {
    match instruction {
        Instruction::Fixpoint { variables, body, .. } => {
            (variables.len() as u64 + 1) * body.len() as u64
        }
        Instruction::Stratum | Instruction::Gates { .. } => 0,
    }
}

/// Checks the code of one section. Places are counted from its first word, also
/// inside a fixpoint.
struct Checker<'a> {
    counts: &'a Counts,
    section: Section,
}

impl Checker<'_> {
    /// Returns the code words that its fixpoints may run through.
    fn section<C: CodeWord>(&self, code: &[C]) -> Result<u64, ImageError> {
        // Runs in the current stratum so far, and whether one is a fixpoint.
        let (mut runs, mut crowded) = (0_usize, false);
        let mut work = 0;
        for (word, instruction) in Instructions::new(code) {
            let instruction = instruction.map_err(|fault| self.error(word, fault))?;
            if instruction == Instruction::Stratum {
                (runs, crowded) = (0, false);
                continue;
            }
            let is_fixpoint = matches!(instruction, Instruction::Fixpoint { .. });
            if crowded || (is_fixpoint && runs > 0) {
                return Err(self.error(word, CodeFault::CrowdedFixpoint));
            }
            (runs, crowded) = (runs + 1, is_fixpoint);
            self.instruction(word, &instruction)?;
            work += fixpoint_work(&instruction);
        }
        Ok(work)
    }

    fn instruction<C: CodeWord>(
        &self,
        word: usize,
        instruction: &Instruction<'_, C>,
    ) -> Result<(), ImageError> {
        match *instruction {
            Instruction::Stratum => Ok(()),
            Instruction::Gates { opcode: Opcode::Grow, .. } => {
                Err(self.error(word, CodeFault::GrowOutside))
            }
            Instruction::Gates { opcode, operands } => self.gates(word, opcode, operands),
            Instruction::Fixpoint { variables, .. } if variables.len() > MAX_VARIABLES as usize => {
                let count = variables.len();
                Err(self.error(word, CodeFault::TooManyVariables { count }))
            }
            Instruction::Fixpoint { variables, body, body_start } => {
                self.operands(body_start - variables.len(), 1, variables)?;
                self.body(body, body_start)
            }
        }
    }

    fn body<C: CodeWord>(&self, body: &[C], start: usize) -> Result<(), ImageError> {
        for (word, instruction) in Instructions::new(body) {
            let word = start + word;
            match instruction.map_err(|fault| self.error(word, fault))? {
                Instruction::Stratum => {}
                Instruction::Gates { opcode, operands } => self.gates(word, opcode, operands)?,
                Instruction::Fixpoint { .. } => {
                    return Err(self.error(word, CodeFault::NestedFixpoint));
                }
            }
        }
        Ok(())
    }

    fn gates<C: CodeWord>(
        &self,
        word: usize,
        opcode: Opcode,
        operands: &[C],
    ) -> Result<(), ImageError> {
        self.operands(word + 1, opcode.operands(), operands)
    }

    /// Checks operands of which the first of each `stride` is written.
    fn operands<C: CodeWord>(
        &self,
        start: usize,
        stride: usize,
        operands: &[C],
    ) -> Result<(), ImageError> {
        let slots = self.counts.slots;
        for (index, operand) in operands.iter().enumerate() {
            let slot = operand.value();
            if slot >= slots {
                return Err(self.error(start + index, CodeFault::SlotRange { slot, slots }));
            }
            if index % stride == 0 && !self.may_write(slot) {
                return Err(self.error(start + index, CodeFault::ForbiddenWrite { slot }));
            }
        }
        Ok(())
    }

    /// What one section leaves must be there for those that run after it.
    fn may_write(&self, slot: u32) -> bool {
        let &Counts { fluents, moves, terminal_slot, .. } = self.counts;
        match self.section {
            Section::Legal => slot >= fluents,
            Section::Goal => slot >= fluents + moves && slot != terminal_slot,
            Section::Next => true,
        }
    }

    fn error(&self, word: usize, fault: CodeFault) -> ImageError {
        ImageError::Code { section: self.section, word, fault }
    }
}
