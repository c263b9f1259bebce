//! A position: the fluents of one state, one bit each.
//!
//! Fluent `i` is bit `i % 32` of word `i / 32`, so that a position has the
//! packing of the initial state of an image. Words of 32 bits keep it aligned
//! behind any 4-byte header and cheap on the 32-bit cores of a cluster. Bits
//! beyond the last fluent are zero, so that equal states are equal words.

/// Bits in one word of a position.
const WORD_BITS: usize = u32::BITS as usize;

/// The number of words of a position with this many fluents.
#[must_use]
pub const fn position_words(fluents: usize) -> usize {
    fluents.div_ceil(WORD_BITS)
}

/// The number of bytes of a position with this many fluents.
#[must_use]
pub const fn position_bytes(fluents: usize) -> usize {
    position_words(fluents) * size_of::<u32>()
}

/// Whether `fluent` is true in `position`.
///
/// # Panics
/// If the position has no such fluent.
#[must_use]
pub fn get(position: &[u32], fluent: usize) -> bool {
    position[fluent / WORD_BITS] >> (fluent % WORD_BITS) & 1 == 1
}

/// Makes `fluent` true or false in `position`.
///
/// # Panics
/// If the position has no such fluent.
pub fn set(position: &mut [u32], fluent: usize, value: bool) {
    let bit = 1 << (fluent % WORD_BITS);
    let word = &mut position[fluent / WORD_BITS];
    *word = if value { *word | bit } else { *word & !bit };
}

/// Whether the bits beyond the last fluent are zero, as they must be.
pub(crate) fn is_padded_with_zeros(position: &[u32], fluents: usize) -> bool {
    let used = fluents % WORD_BITS;
    used == 0 || position.last().is_none_or(|last| last >> used == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_up_to_the_next_whole_one() {
        assert_eq!([0, 1, 32, 33, 64].map(position_words), [0, 1, 1, 2, 2]);
        assert_eq!(position_bytes(33), 8);
    }

    #[test]
    fn each_fluent_has_its_own_bit() {
        for fluent in 0..70 {
            let mut position = [0; 3];
            set(&mut position, fluent, true);
            assert!((0..70).all(|other| get(&position, other) == (other == fluent)));
            assert_eq!(position[fluent / 32], 1 << (fluent % 32));
            set(&mut position, fluent, false);
            assert_eq!(position, [0; 3]);
        }
    }

    #[test]
    fn padding_is_what_lies_beyond_the_last_fluent() {
        assert!(is_padded_with_zeros(&[0x1F], 5));
        assert!(!is_padded_with_zeros(&[0x20], 5));
        assert!(is_padded_with_zeros(&[u32::MAX], 32));
        assert!(is_padded_with_zeros(&[], 0));
    }
}
