//! Damage on purpose: what a bad line does, from a seed.

use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Damages a share of all messages.
#[derive(Clone, Debug)]
pub struct Noise {
    one_in: u64,
    chance: Pcg64Mcg,
}

impl Noise {
    /// Damages one message in `one_in`, the same ones for the same seed.
    #[must_use]
    pub fn new(seed: u64, one_in: u64) -> Self {
        Self { one_in: one_in.max(1), chance: Pcg64Mcg::seed_from_u64(seed) }
    }

    /// The same noise for another line.
    #[must_use]
    pub fn for_line(&self, number: u64) -> Self {
        let seed = self.chance.clone().next_u64() ^ number;
        Self { chance: Pcg64Mcg::seed_from_u64(seed), ..*self }
    }

    /// Perhaps damages a message: makes bytes up before it, cuts its end off, or flips
    /// a bit. Something is always left.
    pub fn disturb(&mut self, message: &mut Vec<u8>) {
        if message.is_empty() || self.chance.random_range(0..self.one_in) > 0 {
            return;
        }
        let length = message.len();
        match self.chance.random_range(0..3) {
            0 => {
                let mut garbage = vec![0; self.chance.random_range(1..=300)];
                self.chance.fill_bytes(&mut garbage);
                message.splice(..0, garbage);
            }
            1 => message.truncate(self.chance.random_range(1..=length)),
            _ => {
                let bit = self.chance.random_range(0..length * 8);
                message[bit / 8] ^= 1 << (bit % 8);
            }
        }
    }
}
