//! Frames on a line that loses bytes.

use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use ruche_shared::wire::serial::{Seeker, preamble};
use ruche_shared::wire::{Frame, HEADER_BYTES, Header};
use zerocopy::{FromBytes, IntoBytes};

use crate::noise::Noise;

/// A frame whose next byte does not come for so long is given up.
const SILENCE: Duration = Duration::from_millis(250);
/// A board that takes nothing for so long hangs.
const CONGESTION: Duration = Duration::from_secs(5);

/// The end of the line on which frames are sent.
#[derive(Debug)]
pub struct Sender {
    line: UnixStream,
    noise: Option<Noise>,
}

impl Sender {
    /// Frames to a board.
    ///
    /// # Errors
    /// If the system does not say how long to wait for the board.
    pub fn new(line: UnixStream, noise: Option<Noise>) -> io::Result<Self> {
        line.set_write_timeout(Some(CONGESTION))?;
        Ok(Self { line, noise })
    }

    /// Sends a frame.
    ///
    /// # Errors
    /// If the board is gone, or has taken nothing for long.
    pub fn send(&mut self, frame: &[u8]) -> io::Result<()> {
        let Ok((header, payload)) = Header::read_from_prefix(frame) else { return Ok(()) };
        let mut bytes = Vec::with_capacity(frame.len() + 8);
        bytes.extend_from_slice(&preamble(&header));
        bytes.extend_from_slice(payload);
        if let Some(noise) = &mut self.noise {
            noise.disturb(&mut bytes);
        }
        self.line.write_all(&bytes)
    }
}

/// The end of the line on which frames arrive.
#[derive(Debug)]
pub struct Receiver {
    line: UnixStream,
    noise: Option<Noise>,
    seeker: Seeker,
    /// What came and was not looked at.
    arrived: Vec<u8>,
    /// What the seeker had skipped when that was last said.
    reported: u64,
}

/// Something that came over a line.
#[derive(Debug)]
pub enum Arrival {
    /// A frame, which is sound.
    Frame(Vec<u8>),
    /// Bytes that are no frame: one may have been lost.
    Garbage,
}

impl Receiver {
    /// Frames of a board.
    #[must_use]
    pub fn new(line: UnixStream, noise: Option<Noise>) -> Self {
        Self { line, noise, seeker: Seeker::default(), arrived: Vec::new(), reported: 0 }
    }

    /// What comes next.
    ///
    /// # Errors
    /// If the board is gone.
    pub fn receive(&mut self) -> io::Result<Arrival> {
        loop {
            let (taken, header) = self.seeker.take(&self.arrived);
            self.arrived.drain(..taken);
            if let Some(header) = header {
                return self.complete(&header);
            }
            if !self.seeker.is_inside() && self.seeker.skipped() != self.reported {
                self.reported = self.seeker.skipped();
                return Ok(Arrival::Garbage);
            }
            if !self.read(self.seeker.is_inside())? {
                self.seeker.give_up();
            }
        }
    }

    /// Reads the payload of a header. What was no payload after all may hold the
    /// frames that come after it, and is looked through again.
    fn complete(&mut self, header: &Header) -> io::Result<Arrival> {
        let length = header.length as usize;
        while self.arrived.len() < length && self.read(true)? {}
        let payload = &self.arrived[..length.min(self.arrived.len())];
        let mut frame = Vec::with_capacity(HEADER_BYTES + payload.len());
        frame.extend_from_slice(header.as_bytes());
        frame.extend_from_slice(payload);
        if Frame::parse(&frame).is_err() {
            return Ok(Arrival::Garbage);
        }
        self.arrived.drain(..length);
        Ok(Arrival::Frame(frame))
    }

    /// Waits for bytes, inside of a frame not for ever; whether some came.
    fn read(&mut self, is_inside: bool) -> io::Result<bool> {
        self.line.set_read_timeout(is_inside.then_some(SILENCE))?;
        let mut buffer = [0; 16 << 10];
        match self.line.read(&mut buffer) {
            Ok(0) => Err(ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                let mut bytes = buffer[..count].to_vec();
                if let Some(noise) = &mut self.noise {
                    noise.disturb(&mut bytes);
                }
                self.arrived.extend_from_slice(&bytes);
                Ok(true)
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                Ok(false)
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => Ok(true),
            Err(error) => Err(error),
        }
    }
}
