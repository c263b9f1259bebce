//! Players that do not think: what every other should beat.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::{Player, PlayerError, Turn};

/// Plays any legal move.
pub(crate) struct Random(Pcg64Mcg);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Pcg64Mcg::seed_from_u64(seed))
    }
}

impl Player for Random {
    fn choose(&mut self, turn: &Turn<'_>) -> Result<u32, PlayerError> {
        let legal = turn.state.legal(turn.role);
        Ok(legal[self.0.random_range(0..legal.len())])
    }
}

/// Plays the first legal move.
pub(crate) struct Legal;

impl Player for Legal {
    fn choose(&mut self, turn: &Turn<'_>) -> Result<u32, PlayerError> {
        Ok(turn.state.legal(turn.role)[0])
    }
}
