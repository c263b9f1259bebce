//! Hashes of positions: the words multiplied and folded one after the other. Fixed, so
//! that every machine builds the same tree.

const SEED: u64 = 0x2080_B125_7006_1970;

/// The golden ratio: an odd number whose bits have no pattern.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// The hash of a position.
#[inline]
pub(crate) fn hash(position: &[u32]) -> u64 {
    let (pairs, rest) = position.as_chunks::<2>();
    let pairs = pairs.iter().map(|&[low, high]| u64::from(low) | u64::from(high) << u32::BITS);
    let words = pairs.chain(rest.iter().map(|&word| u64::from(word)));
    folded(words.fold(SEED, |hash, word| folded(hash.rotate_left(29) ^ word)))
}

/// A number of which each bit depends on all bits of another.
#[inline]
fn folded(number: u64) -> u64 {
    let product = u128::from(number ^ SEED) * u128::from(FACTOR);
    product as u64 ^ (product >> u64::BITS) as u64
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn positions_that_differ_by_a_few_fluents_have_hashes_that_differ() {
        for words in 1..5 {
            let fluents = 32 * words;
            let position = |set: &[usize]| {
                let mut position = vec![0_u32; words];
                set.iter().for_each(|fluent| position[fluent / 32] |= 1 << (fluent % 32));
                position
            };
            let pairs = (0..fluents).flat_map(|one| (one..fluents).map(move |two| [one, two]));
            let hashes: HashSet<u64> = pairs.clone().map(|pair| hash(&position(&pair))).collect();
            assert_eq!(hashes.len(), fluents * (fluents + 1) / 2);
            // Tables look at the last bits and at the first ones.
            let ends: HashSet<u64> = hashes.iter().map(|hash| hash << 52 | hash >> 57).collect();
            assert!(ends.len() * 4 > hashes.len() * 3, "{} of {}", ends.len(), hashes.len());
        }
    }
}
