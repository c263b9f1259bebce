//! Writing an image: the counterpart of [`Image::parse`](super::Image::parse).

use thiserror::Error;

use super::Goal;
use super::code::Section;
use super::layout::{Counts, HEADER_BYTES, Layout, WORD_BYTES, checksum, field};
use crate::position::position_words;

/// What an image is made of.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    /// Whether the code words have 32 bits; needed when `slots` exceeds
    /// [`NARROW_SLOTS`](super::NARROW_SLOTS).
    pub wide: bool,
    /// Number of fluents: the first slots.
    pub fluents: u32,
    /// Number of slots.
    pub slots: u32,
    /// The slot that holds `terminal` after the legal section.
    pub terminal_slot: u32,
    /// Where the moves of each role start in the move area, and behind them
    /// the number of moves: one more entry than there are roles.
    pub move_starts: &'a [u32],
    /// All goals, sorted by role, then value.
    pub goals: &'a [Goal],
    /// The initial state, packed as [`position`](crate::position) says.
    pub initial: &'a [u32],
    /// The code words of each section in the order of [`Section::ALL`];
    /// narrowed on writing unless `wide`.
    pub code: [&'a [u32]; 3],
}

/// Why [`encode`] cannot write an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum EncodeError {
    /// The buffer has another length than the image.
    #[error("the image has {needed} bytes, the buffer {found}: ask encoded_length first")]
    BufferLength {
        /// The length of the image.
        needed: usize,
        /// The length of the buffer.
        found: usize,
    },
    /// A part is so long that the header cannot say how long.
    #[error(
        "the image would have {bytes} bytes, more than its header can say: the game is too large"
    )]
    TooLong {
        /// The length of the image.
        bytes: usize,
    },
    /// The table of moves lacks even its end.
    #[error("the table of move starts is empty: it ends with the number of moves")]
    NoMoveStarts,
    /// The initial state has another length than the fluents need.
    #[error("the initial state has {found} words, but the fluents need {needed}")]
    InitialLength {
        /// Words that the fluents need.
        needed: usize,
        /// Words that were given.
        found: usize,
    },
    /// A code word does not fit in 16 bits.
    #[error("section {section}, word {word}: {value} does not fit in a narrow word: set `wide`")]
    WordTooWide {
        /// The section.
        section: Section,
        /// The place of the word.
        word: usize,
        /// The word.
        value: u32,
    },
}

/// The length of the image of these parts in bytes.
#[must_use]
pub fn encoded_length(parts: &Parts<'_>) -> usize {
    usize::try_from(Layout::new(&parts.counts()).bytes()).unwrap_or(usize::MAX)
}

/// Writes the image of these parts to `buffer`, whose length must be
/// [`encoded_length`].
///
/// Whether the parts make sense is for [`Image::parse`](super::Image::parse) to
/// say: call it on what was written.
///
/// # Errors
/// If the parts contradict each other in length or do not fit in the format.
pub fn encode(parts: &Parts<'_>, buffer: &mut [u8]) -> Result<(), EncodeError> {
    parts.check(buffer.len())?;
    let counts = parts.counts();
    let mut writer = Writer { rest: buffer };
    writer.words(&counts.header());
    writer.words(parts.move_starts);
    parts.goals.iter().for_each(|goal| writer.words(&goal.words()));
    writer.words(parts.initial);
    for section in Section::ALL {
        writer.code(section, parts)?;
    }
    seal(buffer);
    Ok(())
}

/// Writes length and checksum into the header of an otherwise finished image.
/// Bytes that are too few for a header are left alone.
pub fn seal(image: &mut [u8]) {
    if image.len() < HEADER_BYTES {
        return;
    }
    let length = u32::try_from(image.len()).unwrap_or(u32::MAX);
    put(image, field::LENGTH, length);
    let computed = checksum(image);
    put(image, field::CHECKSUM, computed);
}

fn put(image: &mut [u8], word: usize, value: u32) {
    image[word * WORD_BYTES..][..WORD_BYTES].copy_from_slice(&value.to_le_bytes());
}

impl Parts<'_> {
    fn counts(&self) -> Counts {
        Counts {
            wide: self.wide,
            roles: saturated(self.move_starts.len().saturating_sub(1)),
            fluents: self.fluents,
            moves: self.move_starts.last().copied().unwrap_or(0),
            goals: saturated(self.goals.len()),
            slots: self.slots,
            terminal_slot: self.terminal_slot,
            code: self.code.map(|words| saturated(words.len())),
        }
    }

    /// What must hold so that writing stays inside a buffer of this length.
    fn check(&self, found: usize) -> Result<(), EncodeError> {
        if self.move_starts.is_empty() {
            return Err(EncodeError::NoMoveStarts);
        }
        let words = position_words(self.fluents as usize);
        if self.initial.len() != words {
            return Err(EncodeError::InitialLength { needed: words, found: self.initial.len() });
        }
        let needed = encoded_length(self);
        if u32::try_from(needed).is_err() {
            return Err(EncodeError::TooLong { bytes: needed });
        }
        if needed != found {
            return Err(EncodeError::BufferLength { needed, found });
        }
        Ok(())
    }
}

/// A length as a header field. Saturation always ends in
/// [`EncodeError::TooLong`], because the image cannot be shorter than its parts.
fn saturated(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// Fills a buffer whose length was checked from front to back.
struct Writer<'a> {
    rest: &'a mut [u8],
}

impl Writer<'_> {
    fn bytes<const N: usize>(&mut self, bytes: [u8; N]) {
        let rest = core::mem::take(&mut self.rest);
        let (head, tail) = rest.split_at_mut(N);
        head.copy_from_slice(&bytes);
        self.rest = tail;
    }

    fn words(&mut self, words: &[u32]) {
        words.iter().for_each(|word| self.bytes(word.to_le_bytes()));
    }

    fn code(&mut self, section: Section, parts: &Parts<'_>) -> Result<(), EncodeError> {
        let words = parts.code[section.index()];
        if parts.wide {
            self.words(words);
            return Ok(());
        }
        for (word, &value) in words.iter().enumerate() {
            let narrow = u16::try_from(value).map_err(|_| EncodeError::WordTooWide {
                section,
                word,
                value,
            })?;
            self.bytes(narrow.to_le_bytes());
        }
        if words.len() % 2 == 1 {
            self.bytes([0, 0]);
        }
        Ok(())
    }
}
