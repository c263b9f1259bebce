//! Frames: what host, I/O node and clusters send each other.
//!
//! ```text
//! byte  0     4       6    8   12         16    24    28    32     36       40          48
//!       ├─────┼───────┼────┼───┼──────────┼─────┼─────┼─────┼──────┼────────┼───────────┼────────┤
//!       │magic│version│kind│run│generation│batch│first│count│length│playouts│nanoseconds│checksum│ payload …
//!       └─────┴───────┴────┴───┴──────────┴─────┴─────┴─────┴──────┴────────┴───────────┴────────┘
//! ```
//! The header has a fixed layout and 56 bytes, so that what follows it is aligned
//! for positions and images. `length` counts the bytes of the payload. The
//! checksum covers the rest of the header and the payload.
//!
//! | kind | from | payload |
//! |---|---|---|
//! | `Hello` | cluster | [`Hello`]: who is there |
//! | `Load` | host | [`Load`]: how to play, then the image |
//! | `Ready` | cluster | [`Ready`]: the game fits |
//! | `Refused` | any | [`Refusal`]: why not |
//! | `Work` | host | the number of the first position, then positions |
//! | `Done` | cluster | for each position a row of [results] |
//! | `Lost` | I/O node | [`Loss`]: a cluster is gone, or all are |
//! | `Garbled` | cluster | nothing: it could not read what came last |
//! | `Alive` | cluster | nothing: it is at the part that its header names |
//! | `Failed` | cluster | [`Refusal`]: what it died of |
//! | `Rest` | I/O node | nothing: the next game is played by others |
//! | `Stop` | host | nothing |

pub mod control;
pub mod results;
pub mod serial;
pub mod work;

use control::{Hello, Load, Loss, Ready, Refusal};
use postcard_schema::Schema;
use postcard_schema::key::hash::fnv1a64::hash_ty_path;
use results::{Best, Tally};
use thiserror::Error;
use work::WorkNumber;
use xxhash_rust::xxh3::Xxh3Default;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// The version of everything in this module.
pub const VERSION: u16 = 1;

/// The first bytes of every frame.
pub const MAGIC: u32 = u32::from_le_bytes(*b"RUCH");

/// Bytes of a header.
pub const HEADER_BYTES: usize = size_of::<Header>();

/// Longer payloads do not exist: a whole cluster has less memory.
pub const LONGEST_PAYLOAD: usize = 64 << 20;

/// A hash of the names and types of all that is sent, so that two builds which would
/// misunderstand each other find out when they meet.
pub const SCHEMA: u64 = {
    type Sent = (Kind, Header, (Hello, Load, Ready, Refusal, Loss), (WorkNumber, Tally, Best));
    u64::from_le_bytes(hash_ty_path::<Sent>("ruche"))
};

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Schema)]
#[repr(u16)]
pub enum Kind {
    /// A cluster reports for duty.
    Hello = 1,
    /// A game and how to play it.
    Load = 2,
    /// The game fits and the cluster waits for work.
    Ready = 3,
    /// Something cannot be done.
    Refused = 4,
    /// Positions to play from.
    Work = 5,
    /// What the playouts brought.
    Done = 6,
    /// A cluster is gone.
    Lost = 7,
    /// Nothing more will come.
    Stop = 8,
    /// Something came that could not be read.
    Garbled = 9,
    /// A cluster has stopped working, and says why.
    Failed = 10,
    /// The game is over for this cluster; another one may follow.
    Rest = 11,
    /// A cluster works, and it takes a while.
    Alive = 12,
}

impl Kind {
    const ALL: [Kind; 12] = [
        Kind::Hello,
        Kind::Load,
        Kind::Ready,
        Kind::Refused,
        Kind::Work,
        Kind::Done,
        Kind::Lost,
        Kind::Stop,
        Kind::Garbled,
        Kind::Failed,
        Kind::Rest,
        Kind::Alive,
    ];

    /// The kind with this number.
    #[must_use]
    pub fn of_number(number: u16) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| *kind as u16 == number)
    }
}

/// The fixed part of every frame, as it is sent.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Schema,
)]
#[repr(C)]
pub struct Header {
    /// [`MAGIC`].
    pub magic: u32,
    /// [`VERSION`] of the sender.
    pub version: u16,
    /// The number of a [`Kind`].
    pub kind: u16,
    /// Which game is being played: counts the loads.
    pub run: u32,
    /// Which life of the cluster this is for or from: answers of an earlier life
    /// are dropped.
    pub generation: u32,
    /// The number of the batch.
    pub batch: u64,
    /// Where in its batch the first position of this frame stands.
    pub first: u32,
    /// Positions, or results.
    pub count: u32,
    /// Bytes of the payload.
    pub length: u32,
    /// Playouts from each position.
    pub playouts: u32,
    /// In a `Done` frame, how long the cores of all clusters were at it together.
    pub nanoseconds: u64,
    /// Over the rest of the header and the payload.
    pub checksum: u64,
}

const _: () = assert!(HEADER_BYTES == 56);

/// Why bytes are no frame that this program understands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FrameError {
    /// Too short for a header.
    #[error("{found} bytes are no frame: a header alone has {HEADER_BYTES}")]
    Short {
        /// Bytes that there are.
        found: usize,
    },
    /// Does not start like a frame.
    #[error("this is no frame: it starts with {found:#010x} instead of {MAGIC:#010x}")]
    Magic {
        /// What it starts with.
        found: u32,
    },
    /// Comes from a program of another version.
    #[error(
        "the frame has version {found}, but this program speaks version {VERSION}: build both from the same sources"
    )]
    Version {
        /// The version of the sender.
        found: u16,
    },
    /// There is no such kind.
    #[error("there is no frame of kind {found}")]
    Kind {
        /// The number of the kind.
        found: u16,
    },
    /// The payload is shorter or longer than the header says.
    #[error("the payload has {found} bytes, but its header says {expected}")]
    Length {
        /// Bytes that the header names.
        expected: usize,
        /// Bytes that there are.
        found: usize,
    },
    /// Something was changed on the way.
    #[error("the frame was damaged on the way: its checksum is wrong")]
    Checksum,
    /// The payload is not what a frame of this kind should have.
    #[error("the payload of a {kind:?} frame makes no sense: {what}")]
    Payload {
        /// The kind of frame.
        kind: Kind,
        /// What is wrong with it.
        what: &'static str,
    },
}

impl Header {
    /// A header of this kind with everything else zero.
    #[must_use]
    pub const fn new(kind: Kind) -> Self {
        Self {
            magic: MAGIC,
            version: VERSION,
            kind: kind as u16,
            run: 0,
            generation: 0,
            batch: 0,
            first: 0,
            count: 0,
            length: 0,
            playouts: 0,
            nanoseconds: 0,
            checksum: 0,
        }
    }

    /// The header at the start of these bytes.
    ///
    /// # Errors
    /// If it is none that this program understands.
    pub fn parse(bytes: &[u8]) -> Result<(Self, Kind), FrameError> {
        let found = bytes.len();
        let (header, _) = Self::read_from_prefix(bytes).map_err(|_| FrameError::Short { found })?;
        header.kind().map(|kind| (header, kind))
    }

    /// What kind of frame follows.
    ///
    /// # Errors
    /// If this is no header that this program understands.
    pub fn kind(&self) -> Result<Kind, FrameError> {
        match self {
            Header { magic, .. } if *magic != MAGIC => Err(FrameError::Magic { found: *magic }),
            Header { version, .. } if *version != VERSION => {
                Err(FrameError::Version { found: *version })
            }
            Header { length, .. } if *length as usize > LONGEST_PAYLOAD => {
                Err(FrameError::Length { expected: *length as usize, found: 0 })
            }
            Header { kind, .. } => Kind::of_number(*kind).ok_or(FrameError::Kind { found: *kind }),
        }
    }

    /// The same header for these pieces of a payload: with their length and the
    /// checksum.
    #[must_use]
    pub fn sealed(mut self, payload: &[&[u8]]) -> Self {
        self.length = payload.iter().map(|piece| piece.len() as u32).sum();
        self.checksum = self.sum(payload);
        self
    }

    /// Checks the payload that belongs to this header.
    ///
    /// # Errors
    /// If it is not as long as the header says, or was damaged.
    pub fn check(&self, payload: &[u8]) -> Result<(), FrameError> {
        let (expected, found) = (self.length as usize, payload.len());
        if expected != found {
            return Err(FrameError::Length { expected, found });
        }
        if self.sum(&[payload]) == self.checksum { Ok(()) } else { Err(FrameError::Checksum) }
    }

    fn sum(&self, payload: &[&[u8]]) -> u64 {
        let mut hash = Xxh3Default::new();
        hash.update(Header { checksum: 0, ..*self }.as_bytes());
        payload.iter().for_each(|piece| hash.update(piece));
        hash.digest()
    }
}

/// A frame in one piece of memory, checked.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Its header.
    pub header: Header,
    /// What kind it is.
    pub kind: Kind,
    /// What it carries.
    pub payload: &'a [u8],
}

impl<'a> Frame<'a> {
    /// The frame that these bytes are.
    ///
    /// # Errors
    /// If they are none, or damaged.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, FrameError> {
        let (header, kind) = Header::parse(bytes)?;
        let payload = &bytes[HEADER_BYTES..];
        header.check(payload)?;
        Ok(Self { header, kind, payload })
    }
}
