//! Words: how many playouts go on side by side in one slot.

use core::fmt;
use core::str::FromStr;

use postcard_schema::Schema;
use postcard_schema::schema::NamedType;
use serde::{Deserialize, Serialize};

/// How many lanes a slot has, and so how wide it is.
///
/// To people and in files it is its number of lanes.
///
/// ```
/// use ruche_shared::WordWidth;
///
/// assert_eq!("64".parse(), Ok(WordWidth::SixtyFour));
/// assert_eq!(WordWidth::Wide256.to_string(), "256");
/// assert!(WordWidth::try_from(63).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "u32", try_from = "u32")]
pub enum WordWidth {
    /// One playout at a time; a slot takes a byte.
    One,
    /// 8 lanes.
    Eight,
    /// 16 lanes.
    Sixteen,
    /// 32 lanes.
    ThirtyTwo,
    /// 64 lanes.
    SixtyFour,
    /// 128 lanes, on hosts with vector registers.
    Wide128,
    /// 256 lanes, on hosts with vector registers.
    Wide256,
    /// 512 lanes, on hosts with vector registers.
    Wide512,
}

impl WordWidth {
    /// Those of all machines, from the widest to the narrowest.
    pub const WIDEST_FIRST: [WordWidth; 5] = [
        WordWidth::SixtyFour,
        WordWidth::ThirtyTwo,
        WordWidth::Sixteen,
        WordWidth::Eight,
        WordWidth::One,
    ];

    /// All, from the narrowest to the widest.
    pub const ALL: [WordWidth; 8] = [
        WordWidth::One,
        WordWidth::Eight,
        WordWidth::Sixteen,
        WordWidth::ThirtyTwo,
        WordWidth::SixtyFour,
        WordWidth::Wide128,
        WordWidth::Wide256,
        WordWidth::Wide512,
    ];

    /// The width with this many lanes.
    #[must_use]
    pub fn of_lanes(lanes: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|width| width.lanes() == lanes)
    }

    /// Playouts in one word.
    #[must_use]
    pub const fn lanes(self) -> u32 {
        match self {
            WordWidth::One => 1,
            WordWidth::Eight => 8,
            WordWidth::Sixteen => 16,
            WordWidth::ThirtyTwo => 32,
            WordWidth::SixtyFour => 64,
            WordWidth::Wide128 => 128,
            WordWidth::Wide256 => 256,
            WordWidth::Wide512 => 512,
        }
    }

    /// Bytes of one slot.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        self.lanes().div_ceil(u8::BITS) as u64
    }
}

impl Schema for WordWidth {
    const SCHEMA: &'static NamedType = u32::SCHEMA;
}

impl From<WordWidth> for u32 {
    fn from(width: WordWidth) -> Self {
        width.lanes()
    }
}

impl TryFrom<u32> for WordWidth {
    type Error = UnknownWord;

    fn try_from(lanes: u32) -> Result<Self, Self::Error> {
        Self::of_lanes(lanes).ok_or(UnknownWord { lanes: Some(lanes) })
    }
}

impl fmt::Display for WordWidth {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lanes().fmt(formatter)
    }
}

impl FromStr for WordWidth {
    type Err = UnknownWord;

    fn from_str(lanes: &str) -> Result<Self, Self::Err> {
        lanes.parse::<u32>().map_err(|_| UnknownWord { lanes: None })?.try_into()
    }
}

/// No word has this many lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownWord {
    /// Nothing if it was no number.
    lanes: Option<u32>,
}

impl fmt::Display for UnknownWord {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lanes {
            Some(lanes) => write!(formatter, "there is no word of {lanes} lanes; possible: ")?,
            None => write!(formatter, "a word is given by its lanes; possible: ")?,
        }
        for (index, width) in WordWidth::ALL.iter().enumerate() {
            write!(formatter, "{}{width}", if index == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl core::error::Error for UnknownWord {}
