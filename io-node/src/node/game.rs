//! The game that the clusters play.

use std::time::Duration;

use ruche_shared::wire::control::{self, IMAGE_OFFSET, Load, Sharing};
use ruche_shared::wire::results::Columns;
use ruche_shared::wire::{FrameError, HEADER_BYTES, Header, Kind, SCHEMA};
use ruche_shared::{Image, ImageError};
use thiserror::Error;

use crate::frames;

/// How far the clusters are with the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Some are still loading it.
    Loading,
    /// All that live can play it.
    Ready,
    /// Somebody refused it.
    Refused,
}

/// A game that the host wants to be played.
#[derive(Debug)]
pub(super) struct Game {
    /// Its run.
    pub run: u32,
    /// Of its results.
    pub columns: Columns,
    /// Its fluents.
    pub fluents: usize,
    /// How it is shared among clusters.
    pub sharing: Sharing,
    /// How far the clusters are.
    pub phase: Phase,
    header: Header,
    load: Vec<u8>,
}

/// Why a `Load` frame is refused before any cluster sees it.
#[derive(Debug, Error)]
pub(super) enum LoadError {
    /// No control message where it should be.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The frame ends before the image does.
    #[error("the image has {expected} bytes, but only {found} came: send all of it")]
    Cut {
        /// Bytes that the control message names.
        expected: usize,
        /// Bytes that there are.
        found: usize,
    },
    /// Nobody could play it, or not as many as are wanted.
    #[error("{wanted} clusters shall play, but there are 1 to {there}: ask for so many")]
    Clusters {
        /// Clusters that are wanted.
        wanted: u32,
        /// Clusters that there are.
        there: usize,
    },
    /// The host was built from other sources.
    #[error(
        "the host lays out frames differently than the I/O node (schema {0:#018x} instead of \
         {SCHEMA:#018x}): build both from the same sources"
    )]
    Schema(u64),
    /// Nobody could keep it.
    #[error("a deadline of no time at all: give clusters some")]
    Deadline,
    /// The image is none.
    #[error(transparent)]
    Image(#[from] ImageError),
}

impl Game {
    /// The game in a `Load` frame, for so many clusters at most.
    pub fn parse(header: Header, load: Vec<u8>, clusters: usize) -> Result<Self, LoadError> {
        let payload = &load[HEADER_BYTES..];
        match control::schema_of_load(payload) {
            None | Some(SCHEMA) => {}
            Some(schema) => return Err(LoadError::Schema(schema)),
        }
        let how: Load = control::unpack(payload, Kind::Load)?;
        let sharing = checked(how.sharing, clusters)?;
        let image = payload.get(IMAGE_OFFSET..).unwrap_or_default();
        let (expected, found) = (how.image_bytes as usize, image.len());
        let words = aligned(image.get(..expected).ok_or(LoadError::Cut { expected, found })?);
        let image = Image::parse(zerocopy::IntoBytes::as_bytes(&words[..]))?;
        let (roles, further) = (image.roles(), how.further_columns as usize);
        let (columns, fluents) = (Columns { roles, further }, image.fluents());
        let (run, phase) = (header.run, Phase::Loading);
        Ok(Self { run, columns, fluents, sharing, phase, header, load })
    }

    /// Whether this header stands before the same game and settings.
    pub fn is_of(&self, header: &Header) -> bool {
        self.header == *header
    }

    /// The frame for a cluster in this life.
    pub fn frame(&self, generation: u32) -> Vec<u8> {
        frames::frame(Header { generation, ..self.header }, &[&self.load[HEADER_BYTES..]])
    }
}

fn checked(sharing: Sharing, there: usize) -> Result<Sharing, LoadError> {
    let wanted = sharing.clusters;
    match sharing {
        _ if wanted == 0 || wanted as usize > there => Err(LoadError::Clusters { wanted, there }),
        Sharing { deadline: Duration::ZERO, .. } => Err(LoadError::Deadline),
        _ => Ok(sharing),
    }
}

/// The same bytes where an image may stand: a frame can lie at any address.
fn aligned(bytes: &[u8]) -> Vec<u32> {
    let word = |chunk: &[u8]| {
        let mut word = [0; size_of::<u32>()];
        word[..chunk.len()].copy_from_slice(chunk);
        u32::from_le_bytes(word)
    };
    bytes.chunks(size_of::<u32>()).map(word).collect()
}
