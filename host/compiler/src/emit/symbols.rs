//! The symbol part of a compiled game: names of roles, moves and fluents. It
//! stands behind the image in the file and only the host loads it.
//!
//! ```text
//!   magic "RSYM" | length u32 | CRC-32 of the rest u32 | postcard data
//! ```

use crate::index::Id;
use crate::optimise::Optimised;
use crate::optimise::rebuild::Input;
use serde::{Deserialize, Serialize};

const MAGIC: [u8; 4] = *b"RSYM";
const HEADER: usize = 12;
const CRC: crc::Crc<u32> = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC);

/// Where the value of a named fluent is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Source {
    /// It holds in every state of the game.
    Always,
    /// It is this fluent of the image.
    Fluent(u32),
    /// It is the negation of this fluent of the image.
    Negated(u32),
}

/// The names of a game.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SymbolTable {
    /// The roles, in the order of the image.
    pub roles: Vec<String>,
    /// The moves, in the order of the image's move area.
    pub moves: Vec<String>,
    /// The fluents that can hold, with their source. Several may have the same.
    pub fluents: Vec<(String, Source)>,
}

/// Why a symbol part cannot be read.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SymbolError {
    /// No symbols behind the image.
    #[error("the file has no symbol part; compile the game again with `ruche compile -o`")]
    Missing,
    /// The symbol part is cut short.
    #[error("the symbol part is cut short; compile the game again")]
    Truncated,
    /// The bytes were changed.
    #[error(
        "the checksum of the symbol part is wrong: the file is damaged; compile the game again"
    )]
    Checksum,
    /// The data is no symbol table.
    #[error("the symbol part cannot be decoded; compile the game again with this version")]
    Encoding,
}

/// The names of an optimised game.
pub(crate) fn table(optimised: &Optimised) -> SymbolTable {
    let names = &optimised.names;
    let fluents = names.fluents.iter().zip(&optimised.fluents);
    let fluents = fluents.filter_map(|(name, input)| Some((name.clone(), source(*input)?)));
    SymbolTable {
        roles: names.roles.iter().cloned().collect(),
        moves: names.moves.iter().cloned().collect(),
        fluents: fluents.collect(),
    }
}

/// Where a fluent is found; nowhere if it never holds.
fn source(input: Input) -> Option<Source> {
    match input {
        Input::Constant(false) => None,
        Input::Constant(true) => Some(Source::Always),
        Input::Fluent { fluent, negated } => {
            let number = fluent.index() as u32;
            Some(if negated { Source::Negated(number) } else { Source::Fluent(number) })
        }
    }
}

impl SymbolTable {
    /// The bytes of the symbol part.
    pub fn to_bytes(&self) -> Vec<u8> {
        let data = postcard::to_allocvec(self).expect("plain data always serialises");
        let mut bytes = Vec::with_capacity(HEADER + data.len());
        bytes.extend(MAGIC);
        bytes.extend((data.len() as u32).to_le_bytes());
        bytes.extend(CRC.checksum(&data).to_le_bytes());
        bytes.extend(data);
        bytes
    }

    /// Reads a symbol part.
    pub fn parse(bytes: &[u8]) -> Result<Self, SymbolError> {
        if !bytes.starts_with(&MAGIC) {
            return Err(SymbolError::Missing);
        }
        let word = |at: usize| -> Option<u32> {
            Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
        };
        let (Some(length), Some(checksum)) = (word(4), word(8)) else {
            return Err(SymbolError::Truncated);
        };
        let end = HEADER.checked_add(length as usize).ok_or(SymbolError::Truncated)?;
        let data = bytes.get(HEADER..end).ok_or(SymbolError::Truncated)?;
        if CRC.checksum(data) != checksum {
            return Err(SymbolError::Checksum);
        }
        postcard::from_bytes(data).map_err(|_| SymbolError::Encoding)
    }
}
