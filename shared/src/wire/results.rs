//! Results on their way back.
//!
//! The payload of a `Done` frame has for each position `5 + roles` numbers of 8
//! bytes: playouts that were scored, unscored, stuck and endless, plies, and the
//! sum of the goals of each role.

use zerocopy::FromBytes;
use zerocopy::little_endian::U64;

use super::{FrameError, Header, Kind};
use crate::budget::SEPARATION;

/// Numbers of a result before the scores.
pub const COUNTS: usize = 5;

/// Numbers in the result of one position.
#[must_use]
pub const fn result_numbers(roles: usize) -> usize {
    COUNTS + roles
}

/// Places for the numbers of a result while it is being summed up: so many that
/// the next result may belong to another core.
#[must_use]
pub const fn sum_numbers(roles: usize) -> usize {
    result_numbers(roles).next_multiple_of(SEPARATION as usize / size_of::<u64>())
}

/// Bytes of the result of one position.
#[must_use]
pub const fn result_bytes(roles: usize) -> usize {
    result_numbers(roles) * size_of::<u64>()
}

/// The results of a `Done` frame, each [`result_numbers`] long.
///
/// # Errors
/// If the payload is not as long as the header's count of results demands, or a
/// result has not as many playouts as were asked for.
pub fn parse<'a>(
    header: &Header,
    payload: &'a [u8],
    roles: usize,
) -> Result<&'a [U64], FrameError> {
    let wrong = |what| FrameError::Payload { kind: Kind::Done, what };
    let expected = header.count as usize * result_bytes(roles);
    if payload.len() != expected {
        return Err(FrameError::Length { expected, found: payload.len() });
    }
    let numbers = <[U64]>::ref_from_bytes(payload).map_err(|_| wrong("it has no whole numbers"))?;
    let is_complete = |result: &[U64]| {
        let counts = result[..COUNTS - 1].iter().map(|count| count.get());
        let playouts = counts.fold(0, u64::saturating_add);
        playouts == u64::from(header.playouts)
    };
    match numbers.chunks_exact(result_numbers(roles)).all(is_complete) {
        true => Ok(numbers),
        false => Err(wrong("a result does not count as many playouts as were asked for")),
    }
}
