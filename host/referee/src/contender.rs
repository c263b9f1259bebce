//! Who plays a role.

use std::fmt;
use std::time::Duration;

use ruche_arena::{Contestant, ContestantError};
use ruche_ggp::{Address, AddressError};
use ruche_search::Limits;
use thiserror::Error;

/// Who plays a role of a match.
#[derive(Clone, Debug, PartialEq)]
pub enum Contender {
    /// A player somewhere.
    Remote(Address),
    /// Our search, or somebody who does not think, on a thread of this process.
    Local(Contestant),
}

/// Why a text is nobody.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ContenderError {
    /// An address was meant.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// Settings were meant.
    #[error(transparent)]
    Settings(#[from] ContestantError),
}

/// What our own search leaves of the clock: a share, and what it takes to stop.
const UNUSED: f64 = 0.15;

impl Contender {
    /// Whoever a text names: `http://HOST:PORT`, `random`, `legal`, `default`, or settings
    /// of our search, which has most of the play clock for a move unless they say
    /// otherwise.
    ///
    /// # Errors
    /// If it names nobody.
    pub fn parse(text: &str, play_clock: Duration) -> Result<Self, ContenderError> {
        if Address::is_meant(text) {
            return Ok(Self::Remote(text.parse()?));
        }
        let usual = Limits::time(play_clock.mul_f64(1.0 - UNUSED));
        Ok(Self::Local(Contestant::parse(text, usual)?))
    }
}

impl fmt::Display for Contender {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Remote(address) => address.fmt(formatter),
            Self::Local(contestant) => contestant.fmt(formatter),
        }
    }
}
