//! Who plays a role.

use std::fmt;

use ruche_arena::{Contestant, ContestantError};
use ruche_search::Limits;

/// Somebody who plays a role.
#[derive(Clone, Debug, PartialEq)]
pub enum Seat {
    /// Whoever looks at the page.
    Person,
    /// The search that the page shows.
    Engine,
    /// Anybody else, as in `ruche match`: `random`, `legal`, `http://HOST:PORT`, settings.
    Other(Box<Contestant>),
}

const PERSON: &str = "person";
const ENGINE: &str = "engine";

impl Seat {
    /// The seat of a text; what limits a move of others is `usual`.
    ///
    /// # Errors
    /// If nobody is meant by it.
    pub fn parse(text: &str, usual: Limits) -> Result<Self, ContestantError> {
        Ok(match text {
            PERSON => Self::Person,
            ENGINE => Self::Engine,
            text => Self::Other(Box::new(Contestant::parse(text, usual)?)),
        })
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Seat::Person => formatter.write_str(PERSON),
            Seat::Engine => formatter.write_str(ENGINE),
            Seat::Other(contestant) => contestant.fmt(formatter),
        }
    }
}
