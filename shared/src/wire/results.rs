//! Results on their way back: a row of numbers for each position.
//!
//! ```text
//! │ scored │ unscored │ stuck │ endless │ plies │ goals of role 0 │ role 1 │ … │ further … │
//! └─────────────────── Tally ──────────────────┴─────────── scores ───────────┴───────────┘
//! ```
//! Each number has 8 bytes. [`Columns`] says how many there are; nobody else counts them.
//! Two rows of one position become one by [`Columns::merge`].
//!
//! Where there is but one role, the first further columns are the [`Best`] playout: its
//! goal and its number, by which anybody can play it again.

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

/// The best of some playouts of a position: of those with the highest goal the one with
/// the lowest number, so that it does not matter who played them in which order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Schema)]
pub struct Best {
    /// The goal that it reached.
    pub goal: u64,
    /// Its number.
    pub playout: u64,
}

impl Best {
    /// Numbers of a row.
    pub const NUMBERS: usize = 2;

    /// No playout was scored: any that is is better.
    pub const NONE: Self = Self { goal: 0, playout: u64::MAX };

    /// The better of two.
    #[must_use]
    #[inline(always)]
    pub const fn or(self, other: Self) -> Self {
        let is_better =
            other.goal > self.goal || (other.goal == self.goal && other.playout < self.playout);
        if is_better { other } else { self }
    }
}

/// The columns of a game's results: a [`Tally`], a score for each role, and what else
/// was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// Roles of the game.
    pub roles: usize,
    /// Numbers beyond tally and scores, which mean what whoever loads the game and
    /// whoever plays it agree on. In a game of one role the first are the [`Best`].
    pub further: usize,
}

impl Columns {
    /// What is asked for in a game of so many roles: tally and scores, and the [`Best`]
    /// playout of one role. Of several each would have another.
    #[must_use]
    pub const fn of_roles(roles: usize) -> Self {
        Self { roles, further: if roles == 1 { Best::NUMBERS } else { 0 } }
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

    /// Where goal and number of the best playout stand, if there is one to be told.
    #[must_use]
    pub const fn best(self) -> Option<[usize; Best::NUMBERS]> {
        let first = Tally::NUMBERS + self.roles;
        match self.roles == 1 && self.further >= Best::NUMBERS {
            true => Some([first, first + 1]),
            false => None,
        }
    }

    /// The best playout of a row, if it tells of one and any was scored.
    #[must_use]
    pub fn best_of(self, row: &[u64]) -> Option<Best> {
        let [goal, playout] = self.best()?;
        let best = Best { goal: *row.get(goal)?, playout: *row.get(playout)? };
        (best != Best::NONE).then_some(best)
    }

    /// What stands in a column before any playout is over.
    #[must_use]
    pub const fn empty(self, column: usize) -> u64 {
        match self.best() {
            Some([_, playout]) if column == playout => Best::NONE.playout,
            _ => 0,
        }
    }

    /// Adds to a row what other playouts of the same position brought, column by column.
    pub fn merge(self, row: &mut [u64], more: impl Fn(usize) -> u64) {
        let best = self.best().map(|places| {
            let [goal, playout] = places.map(|place| row[place]);
            let [other_goal, other_playout] = places.map(&more);
            let other = Best { goal: other_goal, playout: other_playout };
            (places, Best { goal, playout }.or(other))
        });
        for (column, number) in row.iter_mut().enumerate() {
            *number = number.wrapping_add(more(column));
        }
        if let Some(([goal, playout], best)) = best {
            (row[goal], row[playout]) = (best.goal, best.playout);
        }
    }
}

/// The rows of a `Done` frame, one after the other.
///
/// # Errors
/// If the payload is not as long as the header's count of results demands, or a row has
/// not as many playouts as were asked for, or a best one that is none of them.
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
    let playouts = u64::from(header.playouts);
    for row in numbers.chunks_exact(columns.numbers()) {
        if playouts_of(row) != playouts {
            return Err(wrong("a result does not count as many playouts as were asked for"));
        }
        if !is_best_sound(row, playouts, columns) {
            return Err(wrong("the best playout of a result is none of its playouts"));
        }
    }
    Ok(numbers)
}

/// Whether the best playout is one that was asked for, or none if none was scored.
fn is_best_sound(row: &[U64], playouts: u64, columns: Columns) -> bool {
    let Some(places) = columns.best() else { return true };
    let [goal, playout] = places.map(|place| row[place].get());
    match row[column::SCORED].get() {
        0 => Best { goal, playout } == Best::NONE,
        _ => playout < playouts,
    }
}

/// What comes over a wire may be anything: its sum must not overflow.
fn playouts_of(row: &[U64]) -> u64 {
    use column::{ENDLESS, SCORED, STUCK, UNSCORED};
    let counts = [SCORED, UNSCORED, STUCK, ENDLESS].map(|column| row[column].get());
    counts.into_iter().fold(0, u64::saturating_add)
}
