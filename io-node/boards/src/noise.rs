//! Damage on purpose: what a bad line does, from a seed.

use ruche_io_node::transport::faulty::Chance;

/// Damages a share of all messages.
#[derive(Clone, Debug)]
pub struct Noise {
    one_in: u64,
    chance: Chance,
}

impl Noise {
    /// Damages one message in so many; the same ones for the same seed.
    #[must_use]
    pub fn new(seed: u64, one_in: u64) -> Self {
        Self { one_in: one_in.max(1), chance: Chance::new(seed) }
    }

    /// The same noise for another line.
    #[must_use]
    pub fn for_line(&self, number: u64) -> Self {
        let mut chance = self.chance.clone();
        Self { one_in: self.one_in, chance: Chance::new(chance.number() ^ number) }
    }

    /// Perhaps damages a message: makes bytes up before it, cuts its end off, or flips
    /// a bit. Something is always left.
    pub fn disturb(&mut self, message: &mut Vec<u8>) {
        if message.is_empty() || self.chance.within(1..=self.one_in) > 1 {
            return;
        }
        let length = message.len() as u64;
        match self.chance.within(0..=2) {
            0 => {
                let garbage = (0..self.chance.within(1..=300)).map(|_| self.chance.number() as u8);
                let garbage: Vec<u8> = garbage.collect();
                message.splice(..0, garbage);
            }
            1 => message.truncate(self.chance.within(1..=length) as usize),
            _ => {
                let bit = self.chance.within(0..=length * 8 - 1) as usize;
                message[bit / 8] ^= 1 << (bit % 8);
            }
        }
    }
}
