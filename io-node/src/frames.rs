//! Puts frames together, each in one piece of memory.

use ruche_shared::wire::control::{self, IMAGE_OFFSET, Load};
use ruche_shared::wire::{HEADER_BYTES, Header, Kind};
use serde::Serialize;
use zerocopy::IntoBytes;

/// A frame with this header, sealed, and these pieces of a payload.
#[must_use]
pub fn frame(header: Header, payload: &[&[u8]]) -> Vec<u8> {
    assemble(&header.sealed(payload), payload)
}

/// A frame of a header that is sealed for these pieces of a payload.
#[must_use]
pub fn assemble(header: &Header, payload: &[&[u8]]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(HEADER_BYTES + header.length as usize);
    frame.extend_from_slice(header.as_bytes());
    payload.iter().for_each(|piece| frame.extend_from_slice(piece));
    frame
}

/// A frame that carries a control message; the header says of which kind.
#[must_use]
pub fn control(header: Header, message: &impl Serialize) -> Vec<u8> {
    frame(header, &[pack(message, &mut [0; control::LONGEST])])
}

/// A `Load` frame: how to play, then the image at its place.
#[must_use]
pub fn load(run: u32, how: &Load, image: &[u8]) -> Vec<u8> {
    let mut message = [0; IMAGE_OFFSET];
    // It is shorter than that.
    let _ = control::pack_load(how, &mut message);
    frame(Header { run, ..Header::new(Kind::Load) }, &[&message, image])
}

/// Fills in the header of a frame whose payload is already in its place.
///
/// Bytes that are too short for a header are left alone.
pub fn seal(header: Header, frame: &mut [u8]) {
    if let Some((head, payload)) = frame.split_at_mut_checked(HEADER_BYTES) {
        head.copy_from_slice(header.sealed(&[payload]).as_bytes());
    }
}

fn pack<'a>(message: &impl Serialize, into: &'a mut [u8; control::LONGEST]) -> &'a [u8] {
    // All control messages are shorter than that; the kind only names the error.
    control::pack(message, Kind::Refused, into).unwrap_or_default()
}
