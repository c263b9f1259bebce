//! The one place that knows where each part of an image lies: parsing and
//! writing both go through [`Layout`].

use super::code::Section;
use crate::position::position_words;

/// The first four bytes of an image.
pub const MAGIC: [u8; 4] = *b"RUCH";

/// The version of the format that this crate reads and writes.
pub const VERSION: u16 = 2;

/// Flag: the code words have 32 bits instead of 16.
pub const WIDE: u16 = 1;

/// The most slots that an image may ask for, seven times what the largest real game has:
/// a host needs 128 MB for them with its widest word.
pub const MAX_SLOTS: u32 = 1 << 21;

/// Slots that an image may leave unwritten: few enough to cost nobody anything.
pub const IDLE_SLOTS: u32 = 1 << 12;

/// The most fluents, thirteen times those of the largest real game. They are the only
/// slots for which an image need not have a word of code.
pub const MAX_FLUENTS: u32 = 1 << 19;

/// The most roles: a hundred times those of any real game. Each costs whoever plays a
/// kilobyte, and a column of every result.
pub const MAX_ROLES: u32 = 1 << 10;

/// The most variables of a fixpoint, and so its rounds: four times what the largest of a
/// real game has.
pub const MAX_VARIABLES: u32 = 1 << 14;

/// The most code words that all fixpoints of an image may run through together, if each
/// goes as many rounds as it has variables: four times what the largest real game could.
pub const MAX_FIXPOINT_WORK: u64 = 1 << 34;

/// Bytes before the first table.
pub const HEADER_BYTES: usize = HEADER_WORDS * WORD_BYTES;

/// The unit of the layout: all parts are multiples of it.
pub(super) const WORD_BYTES: usize = size_of::<u32>();

pub(super) const HEADER_WORDS: usize = 14;

/// Words of one goal entry: role and value in the first, slot in the second.
pub(super) const GOAL_WORDS: usize = 2;

/// Places of the header's fields, in words.
pub(super) mod field {
    pub const MAGIC: usize = 0;
    pub const VERSION_AND_FLAGS: usize = 1;
    pub const LENGTH: usize = 2;
    pub const CHECKSUM: usize = 3;
    pub const ROLES: usize = 4;
    pub const FLUENTS: usize = 5;
    pub const MOVES: usize = 6;
    pub const GOALS: usize = 7;
    pub const SLOTS: usize = 8;
    pub const TERMINAL_SLOT: usize = 9;
    pub const CODE: usize = 10;
    pub const RESERVED: usize = 13;
}

/// The checksum covers everything behind its own field.
pub(super) const CHECKED_FROM: usize = (field::CHECKSUM + 1) * WORD_BYTES;

const CHECKSUM: crc::Crc<u32> = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC);

/// The checksum of a whole image, whose own field is not looked at.
pub(super) fn checksum(image: &[u8]) -> u32 {
    CHECKSUM.checksum(image.get(CHECKED_FROM..).unwrap_or_default())
}

/// The numbers of the header from which everything else follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counts {
    pub wide: bool,
    pub roles: u32,
    pub fluents: u32,
    pub moves: u32,
    pub goals: u32,
    pub slots: u32,
    pub terminal_slot: u32,
    /// Code words of each section.
    pub code: [u32; 3],
}

impl Counts {
    /// Reads the counts of a header.
    pub fn read(header: &[u32]) -> Self {
        Self {
            wide: (header[field::VERSION_AND_FLAGS] >> 16) as u16 & WIDE != 0,
            roles: header[field::ROLES],
            fluents: header[field::FLUENTS],
            moves: header[field::MOVES],
            goals: header[field::GOALS],
            slots: header[field::SLOTS],
            terminal_slot: header[field::TERMINAL_SLOT],
            code: Section::ALL.map(|section| header[field::CODE + section.index()]),
        }
    }

    /// The header with these counts; length and checksum are still zero.
    pub fn header(&self) -> [u32; HEADER_WORDS] {
        let mut header = [0; HEADER_WORDS];
        let flags = if self.wide { WIDE } else { 0 };
        header[field::MAGIC] = u32::from_le_bytes(MAGIC);
        header[field::VERSION_AND_FLAGS] = u32::from(VERSION) | u32::from(flags) << 16;
        header[field::ROLES] = self.roles;
        header[field::FLUENTS] = self.fluents;
        header[field::MOVES] = self.moves;
        header[field::GOALS] = self.goals;
        header[field::SLOTS] = self.slots;
        header[field::TERMINAL_SLOT] = self.terminal_slot;
        header[field::CODE..field::RESERVED].copy_from_slice(&self.code);
        header
    }
}

/// Where the parts of an image begin, in 32-bit words. Counted in 64 bits: no
/// header, however wrong, can make it overflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub goals: u64,
    pub initial: u64,
    pub code: [u64; 3],
    pub end: u64,
}

impl Layout {
    /// The layout that follows from the counts.
    pub fn new(counts: &Counts) -> Self {
        let goals = HEADER_WORDS as u64 + u64::from(counts.roles) + 1;
        let initial = goals + GOAL_WORDS as u64 * u64::from(counts.goals);
        let legal = initial + position_words(counts.fluents as usize) as u64;
        let goal = legal + code_words(counts, Section::Legal);
        let next = goal + code_words(counts, Section::Goal);
        let end = next + code_words(counts, Section::Next);
        Self { goals, initial, code: [legal, goal, next], end }
    }

    /// The length of the whole image in bytes.
    pub fn bytes(&self) -> u64 {
        self.end * WORD_BYTES as u64
    }
}

/// 32-bit words that the code of a section takes, with its padding.
fn code_words(counts: &Counts, section: Section) -> u64 {
    let words = u64::from(counts.code[section.index()]);
    if counts.wide { words } else { words.div_ceil(2) }
}
