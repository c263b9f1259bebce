//! Results on their way back: a row of numbers for each position.
//!
//! ```text
//! │ scored │ unscored │ stuck │ endless │ plies │ goals of role 0 │ role 1 │ … │ further … │
//! └─────────────────── Tally ──────────────────┴─────────── scores ───────────┴───────────┘
//! ```
//! Each number has 8 bytes. [`Columns`] says how many there are; nobody else counts them.

use core::ops::Range;

use postcard_schema::Schema;
use zerocopy::little_endian::U64;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use super::{FrameError, Header, Kind};
use crate::budget::SEPARATION;

/// How playouts went. Each one counts in exactly one of the first four.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Schema,
)]
#[repr(C)]
pub struct Tally {
    /// Ended with exactly one goal for each role.
    pub scored: u64,
    /// Ended, but some role had no goal or several.
    pub unscored: u64,
    /// Cut because some role had no legal move.
    pub stuck: u64,
    /// Cut because the game had not ended at the limit.
    pub endless: u64,
    /// Plies of all of them.
    pub plies: u64,
}

/// Bytes of a number.
const NUMBER_BYTES: usize = size_of::<u64>();

impl Tally {
    /// Numbers of a tally.
    pub const NUMBERS: usize = size_of::<Self>() / NUMBER_BYTES;

    /// All playouts, scored or not.
    #[must_use]
    pub const fn playouts(&self) -> u64 {
        self.scored + self.unscored + self.stuck + self.endless
    }

    /// Adds what other playouts did.
    pub const fn add(&mut self, other: &Self) {
        self.scored += other.scored;
        self.unscored += other.unscored;
        self.stuck += other.stuck;
        self.endless += other.endless;
        self.plies += other.plies;
    }

    /// The same as the first numbers of a row.
    #[must_use]
    pub const fn numbers(self) -> [u64; Self::NUMBERS] {
        zerocopy::transmute!(self)
    }

    /// The tally at the start of a row; an empty one if the row is too short.
    #[must_use]
    pub fn of_row(row: &[u64]) -> Self {
        row.first_chunk::<{ Self::NUMBERS }>().map_or(Self::default(), |numbers| {
            let numbers: Self = zerocopy::transmute!(*numbers);
            numbers
        })
    }
}

/// Where in a row each number of a tally stands.
pub mod column {
    use core::mem::offset_of;

    use super::{NUMBER_BYTES, Tally};

    /// Of [`Tally::scored`].
    pub const SCORED: usize = offset_of!(Tally, scored) / NUMBER_BYTES;
    /// Of [`Tally::unscored`].
    pub const UNSCORED: usize = offset_of!(Tally, unscored) / NUMBER_BYTES;
    /// Of [`Tally::stuck`].
    pub const STUCK: usize = offset_of!(Tally, stuck) / NUMBER_BYTES;
    /// Of [`Tally::endless`].
    pub const ENDLESS: usize = offset_of!(Tally, endless) / NUMBER_BYTES;
    /// Of [`Tally::plies`].
    pub const PLIES: usize = offset_of!(Tally, plies) / NUMBER_BYTES;
}

/// The columns of a game's results: a [`Tally`], a score for each role, and what else
/// was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// Roles of the game.
    pub roles: usize,
    /// Numbers beyond tally and scores, which mean what whoever loads the game and
    /// whoever plays it agree on.
    pub further: usize,
}

impl Columns {
    /// Tally and scores alone.
    #[must_use]
    pub const fn of_roles(roles: usize) -> Self {
        Self { roles, further: 0 }
    }

    /// Numbers in a row.
    #[must_use]
    pub const fn numbers(self) -> usize {
        Tally::NUMBERS + self.roles + self.further
    }

    /// Bytes of a row.
    #[must_use]
    pub const fn bytes(self) -> usize {
        self.numbers() * NUMBER_BYTES
    }

    /// Places for the numbers of a row while it is being summed up: padded, so that the
    /// next row may belong to another core.
    #[must_use]
    pub const fn padded_numbers(self) -> usize {
        self.numbers().next_multiple_of(SEPARATION as usize / NUMBER_BYTES)
    }

    /// Where the score of a role stands.
    #[must_use]
    pub const fn score(self, role: usize) -> usize {
        Tally::NUMBERS + role
    }

    /// Where the scores stand.
    #[must_use]
    pub const fn scores(self) -> Range<usize> {
        Tally::NUMBERS..Tally::NUMBERS + self.roles
    }

    /// Where the further columns stand.
    #[must_use]
    pub const fn further(self) -> Range<usize> {
        Tally::NUMBERS + self.roles..self.numbers()
    }
}

/// The rows of a `Done` frame, one after the other.
///
/// # Errors
/// If the payload is not as long as the header's count of results demands, or a row has
/// not as many playouts as were asked for.
pub fn parse<'a>(
    header: &Header,
    payload: &'a [u8],
    columns: Columns,
) -> Result<&'a [U64], FrameError> {
    let wrong = |what| FrameError::Payload { kind: Kind::Done, what };
    let expected = header.count as usize * columns.bytes();
    if payload.len() != expected {
        return Err(FrameError::Length { expected, found: payload.len() });
    }
    let numbers = <[U64]>::ref_from_bytes(payload).map_err(|_| wrong("it has no whole numbers"))?;
    let is_complete = |row: &[U64]| playouts_of(row) == u64::from(header.playouts);
    match numbers.chunks_exact(columns.numbers()).all(is_complete) {
        true => Ok(numbers),
        false => Err(wrong("a result does not count as many playouts as were asked for")),
    }
}

/// What comes over a wire may be anything: its sum must not overflow.
fn playouts_of(row: &[U64]) -> u64 {
    use column::{ENDLESS, SCORED, STUCK, UNSCORED};
    let counts = [SCORED, UNSCORED, STUCK, ENDLESS].map(|column| row[column].get());
    counts.into_iter().fold(0, u64::saturating_add)
}
