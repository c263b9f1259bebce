//! Positions on their way to a cluster.
//!
//! The payload of a `Work` frame is the number of its first position in the run,
//! 8 bytes, and then the positions, as many words as the game's have each. Their
//! numbers are consecutive. The header says how many there are, how many playouts
//! each gets and where they stand in their batch.

use zerocopy::{FromBytes, IntoBytes};

use super::{FrameError, Header, Kind};
use crate::position::{is_padded_with_zeros, position_bytes, position_words};

/// What stands before the positions: the number of the first one in the run.
pub type WorkNumber = u64;

/// Bytes before the positions.
pub const NUMBER_BYTES: usize = size_of::<WorkNumber>();

/// Bytes of the payload for so many positions of so many fluents.
#[must_use]
pub const fn payload_bytes(positions: usize, fluents: usize) -> usize {
    NUMBER_BYTES + positions * position_bytes(fluents)
}

/// The positions of a `Work` frame.
#[derive(Clone, Copy, Debug)]
pub struct Work<'a> {
    /// The number of the first position in the run.
    pub number: u64,
    /// The positions, one after the other.
    pub positions: &'a [u32],
}

impl<'a> Work<'a> {
    /// The positions in a payload that starts at a multiple of 8.
    ///
    /// # Errors
    /// If the payload is not as long as the header's count of positions demands,
    /// asks for no playout, or a position is none of this game.
    pub fn parse(header: &Header, payload: &'a [u8], fluents: usize) -> Result<Self, FrameError> {
        let wrong = |what| FrameError::Payload { kind: Kind::Work, what };
        let expected = payload_bytes(header.count as usize, fluents);
        if payload.len() != expected {
            return Err(FrameError::Length { expected, found: payload.len() });
        }
        let (number, positions) =
            u64::read_from_prefix(payload).map_err(|_| wrong("it has no number"))?;
        let positions =
            <[u32]>::ref_from_bytes(positions).map_err(|_| wrong("it is not aligned"))?;
        if header.count == 0 || header.playouts == 0 {
            return Err(wrong("it asks for nothing"));
        }
        if !positions
            .chunks(position_words(fluents).max(1))
            .all(|position| is_padded_with_zeros(position, fluents))
        {
            return Err(wrong(
                "a position has bits beyond its last fluent: it belongs to another game",
            ));
        }
        Ok(Self { number, positions })
    }

    /// The pieces of the payload.
    #[must_use]
    pub fn pieces(&self) -> [&[u8]; 2] {
        [self.number.as_bytes(), self.positions.as_bytes()]
    }
}
