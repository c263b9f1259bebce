//! Zobrist hashes: one random number per fluent; the hash of a position is the
//! exclusive or of those of its true fluents. So the hash of a successor costs
//! only the fluents that have changed.

use ruche_shared::stream::PositionStreams;

/// Fixed, so that every machine builds the same tree.
const SEED: u64 = 0x2080_B125_7006_1970;

/// The random numbers of one game's fluents.
#[derive(Clone, Debug)]
pub(crate) struct Zobrist(Vec<u64>);

impl Zobrist {
    pub(crate) fn new(fluents: usize) -> Self {
        let streams = PositionStreams::new(SEED, 0);
        Self((0..fluents as u64).map(|fluent| streams.playout(fluent).state()).collect())
    }

    /// The hash of a position.
    pub(crate) fn hash(&self, position: &[u32]) -> u64 {
        self.fold(0, position.iter().copied())
    }

    /// The hash of a position, from that of another one.
    pub(crate) fn successor(&self, hash: u64, from: &[u32], to: &[u32]) -> u64 {
        self.fold(hash, from.iter().zip(to).map(|(from, to)| from ^ to))
    }

    fn fold(&self, mut hash: u64, words: impl Iterator<Item = u32>) -> u64 {
        for (mut word, keys) in words.zip(self.0.chunks(u32::BITS as usize)) {
            while word != 0 {
                hash ^= keys.get(word.trailing_zeros() as usize).copied().unwrap_or(0);
                word &= word - 1;
            }
        }
        hash
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_of_successors_are_those_of_their_positions() {
        let zobrist = Zobrist::new(70);
        let [first, second] = [[0x1234_5678, 0xFFFF_0000, 0x3F], [0x1234_5679, 0, 0x15]];
        assert_ne!(zobrist.hash(&first), zobrist.hash(&second));
        let successor = zobrist.successor(zobrist.hash(&first), &first, &second);
        assert_eq!(successor, zobrist.hash(&second));
    }

    #[test]
    fn all_keys_differ() {
        let zobrist = Zobrist::new(5000);
        let unique: std::collections::HashSet<_> = zobrist.0.iter().collect();
        assert_eq!(unique.len(), 5000);
    }
}
