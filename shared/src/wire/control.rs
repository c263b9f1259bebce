//! What is said before and after the work: rare, small, and packed by `postcard`.

use core::fmt::{self, Display, Write};
use core::ops::Range;
use core::time::Duration;

use postcard_schema::Schema;
use postcard_schema::schema::NamedType;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{FrameError, Kind, SCHEMA};
use crate::named;
use crate::word::WordWidth;

/// Bytes that a packed control message has at most.
pub const LONGEST: usize = 256;

/// In a `Load` frame the image starts here, at a multiple of 8, and the control
/// message ends before it.
pub const IMAGE_OFFSET: usize = LONGEST;

/// Right before the image stands the [`SCHEMA`] of the host's program, where
/// every build finds it, however differently it lays out the message.
const SCHEMA_PLACE: Range<usize> = IMAGE_OFFSET - size_of::<u64>()..IMAGE_OFFSET;

/// Packs what stands before the image in a `Load` frame.
///
/// # Errors
/// Never: the message is short.
pub fn pack_load(load: &Load, into: &mut [u8; IMAGE_OFFSET]) -> Result<(), FrameError> {
    pack(load, Kind::Load, into)?;
    into[SCHEMA_PLACE].copy_from_slice(&SCHEMA.to_le_bytes());
    Ok(())
}

/// The schema of the program that sent a `Load` frame.
#[must_use]
pub fn schema_of_load(payload: &[u8]) -> Option<u64> {
    let schema = payload.get(SCHEMA_PLACE)?.first_chunk()?;
    Some(u64::from_le_bytes(*schema))
}

/// A cluster reports for duty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Schema)]
pub struct Hello {
    /// [`SCHEMA`] of the cluster's program.
    pub schema: u64,
    /// Cores that can play.
    pub cores: u32,
    /// Bytes of its memory.
    pub memory: u64,
}

/// The name of a thread strategy. The kernel knows which there are, and refuses others by
/// name: frames carry no number whose meaning two builds could disagree on.
pub type StrategyName = heapless::String<16>;

named! {
    /// How the cores of a cluster share the work.
    pub enum Mode: "mode" {
        /// Each core plays games of its own.
        PerCore = "per-core",
        /// All cores play the same games and share the gates of every stratum.
        Split = "split",
        /// Nobody plays, and every playout counts as one without an end: what is left is
        /// the time of transport and hand-off.
        Empty = "empty",
    }
}

named! {
    /// How batches follow each other.
    pub enum RunMode: "run mode" {
        /// One batch after the other. Each is scattered evenly over all clusters and its
        /// results return together, as in the original study.
        Sync = "sync",
        /// Several batches in flight. Their parts go to whichever cluster is free, and
        /// each batch returns when it is complete.
        Async = "async",
    }
}

impl RunMode {
    /// The usual one for so many batches in flight.
    #[must_use]
    pub const fn usual(in_flight: usize) -> Self {
        if in_flight > 1 { RunMode::Async } else { RunMode::Sync }
    }
}

/// How the I/O node shares the batches of a game among its clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Schema)]
pub struct Sharing {
    /// Clusters that shall play; all others rest.
    pub clusters: u32,
    /// How batches follow each other.
    pub run_mode: RunMode,
    /// How long a cluster may be silent when something is expected of it: that it reports,
    /// loads the game, or plays the part of a batch that is its turn.
    pub deadline: Duration,
}

/// While it plays, a cluster says so often in the time of a deadline that it is alive.
const BEATS_PER_DEADLINE: u64 = 4;

impl Sharing {
    /// After how many nanoseconds a cluster that plays says that it is alive.
    #[must_use]
    pub fn beat(&self) -> u64 {
        let (seconds, rest) = (self.deadline.as_secs(), self.deadline.subsec_nanos());
        seconds.saturating_mul(1_000_000_000).saturating_add(rest.into()) / BEATS_PER_DEADLINE
    }
}

/// How to play the game whose image follows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Schema)]
pub struct Load {
    /// The widest word to use; the cluster takes it only if it fits.
    pub width: WordWidth,
    /// Cores that shall play.
    pub cores: u32,
    /// How they get work.
    pub strategy: StrategyName,
    /// How they share it.
    pub mode: Mode,
    /// The run seed.
    pub seed: u64,
    /// After how many plies a playout is cut.
    pub ply_limit: u32,
    /// In split mode, strata of fewer gates are not split.
    pub split_least: u32,
    /// Bytes of the image.
    pub image_bytes: u32,
    /// Columns of the results beyond tally and scores. Random playouts of one role say there
    /// which was the [best](super::results::Best), those of several have nothing to say.
    pub further_columns: u32,
    /// For the I/O node.
    pub sharing: Sharing,
}

/// The game fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Schema)]
pub struct Ready {
    /// The word that is used.
    pub width: WordWidth,
    /// Bytes that are left over, without what makes the queue longer.
    pub free: u64,
    /// Positions that it takes at a time.
    pub queue: u32,
}

/// Why something cannot be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Schema, Error)]
#[error("{text}")]
pub struct Refusal {
    /// Who refuses: the number of a cluster, or none for the I/O node.
    pub cluster: Option<u32>,
    /// The reason, for a person.
    pub text: Text,
}

/// A cluster is gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Schema)]
pub struct Loss {
    /// Which.
    pub cluster: u32,
    /// How many are left; with none nothing more can be done.
    pub left: u32,
    /// What happened, for a person.
    pub text: Text,
}

/// A short text. What does not fit is cut off.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Text(heapless::String<{ Text::LONGEST }>);

impl Text {
    /// Bytes of the longest text.
    pub const LONGEST: usize = 200;

    /// What is displayed, as far as it fits.
    pub fn of(text: impl Display) -> Self {
        let mut short = Self(heapless::String::new());
        // Cutting off is no failure.
        let _ = write!(short, "{text}");
        short
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut fits = text.len().min(Self::LONGEST - self.0.len());
        while !text.is_char_boundary(fits) {
            fits -= 1;
        }
        self.0.push_str(&text[..fits]).map_err(|_| fmt::Error)?;
        if fits == text.len() { Ok(()) } else { Err(fmt::Error) }
    }
}

impl Display for Text {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), formatter)
    }
}

impl Schema for Text {
    const SCHEMA: &'static NamedType = <str as Schema>::SCHEMA;
}

/// Packs a control message.
///
/// # Errors
/// Never for the messages of this module, all of which are short.
pub fn pack<'a>(
    message: &impl Serialize,
    kind: Kind,
    into: &'a mut [u8; LONGEST],
) -> Result<&'a [u8], FrameError> {
    match postcard::to_slice(message, into) {
        Ok(packed) => Ok(packed),
        Err(_) => Err(FrameError::Payload { kind, what: "it is too long" }),
    }
}

/// Unpacks a control message; what follows it is not looked at.
///
/// # Errors
/// If it is none.
pub fn unpack<'a, M: Deserialize<'a>>(payload: &'a [u8], kind: Kind) -> Result<M, FrameError> {
    let message = &payload[..payload.len().min(LONGEST)];
    match postcard::take_from_bytes(message) {
        Ok((message, _)) => Ok(message),
        Err(_) => Err(FrameError::Payload { kind, what: "it is no such message" }),
    }
}
