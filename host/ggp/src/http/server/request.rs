//! Reads a request, or says why not.

use std::io::{self, BufRead, BufReader, Cursor, Read, Write};
use std::net::TcpStream;

use super::ServerLimits;
use super::connections::Room;
use crate::http::chunked::Chunked;
use crate::http::head::{Head, HeadError};
use crate::kif::text_of;

/// Why a request has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// Nobody is there any more.
    Gone,
    /// It came too slowly.
    Slow,
    /// It is no request with a text.
    Form,
    /// Nothing says how long the text is.
    Length,
    /// The text is too long, or its headers are.
    Long,
    /// Too many ask at once.
    Crowded,
}

impl Refusal {
    pub fn status(self) -> &'static str {
        match self {
            Refusal::Gone | Refusal::Form => "400 Bad Request",
            Refusal::Slow => "408 Request Timeout",
            Refusal::Length => "411 Length Required",
            Refusal::Long => "413 Content Too Large",
            Refusal::Crowded => "503 Service Unavailable",
        }
    }

    pub fn text(self) -> &'static str {
        match self {
            Refusal::Gone | Refusal::Form => "send a message by POST, such as (INFO)",
            Refusal::Slow => "the message came too slowly",
            Refusal::Length => "say how long the message is, by Content-Length",
            Refusal::Long => "the message is too long",
            Refusal::Crowded => "too many ask at once: try again",
        }
    }
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::TimedOut => Refusal::Slow,
            io::ErrorKind::InvalidData => Refusal::Form,
            io::ErrorKind::FileTooLarge => Refusal::Long,
            _ => Refusal::Gone,
        }
    }
}

/// What somebody asks.
pub(super) struct Asked {
    pub method: String,
    pub target: String,
    pub text: String,
}

/// A request with its text.
pub(super) fn read(
    from: &mut impl Read,
    to: &TcpStream,
    limits: &ServerLimits,
    room: &Room<'_>,
) -> Result<Asked, Refusal> {
    let head = Head::read(from).map_err(|error| match error {
        HeadError::Lost(error) => error.into(),
        HeadError::Long => Refusal::Long,
    })?;
    let (method, target) = wanted(&head).ok_or(Refusal::Form)?;
    let text = text(head, method == "POST", from, to, (limits, room))?;
    Ok(Asked { method, target, text })
}

/// The text behind a head, which not every request has.
fn text(
    head: Head,
    is_needed: bool,
    from: &mut impl Read,
    to: &TcpStream,
    (limits, room): (&ServerLimits, &Room<'_>),
) -> Result<String, Refusal> {
    let bytes = match head.length() {
        _ if head.is_chunked() => {
            encourage(&head, to)?;
            chunks(BufReader::new(Cursor::new(head.rest).chain(from)), limits, room)
        }
        Some(length) if length > limits.body => Err(Refusal::Long),
        Some(length) => {
            encourage(&head, to)?;
            body(from, head.rest, length, room)
        }
        None if is_needed && head.is_old() => first_list(from, head.rest, limits, room),
        None if is_needed => Err(Refusal::Length),
        None => Ok(Vec::new()),
    };
    Ok(text_of(&bytes?).into_owned())
}

/// Tells whoever waits for it that his text is wanted.
fn encourage(head: &Head, mut to: &TcpStream) -> Result<(), Refusal> {
    match head.header("expect") {
        Some(wish) if wish.eq_ignore_ascii_case("100-continue") => {
            Ok(to.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?)
        }
        _ => Ok(()),
    }
}

/// How and what somebody asks, if it is HTTP.
fn wanted(head: &Head) -> Option<(String, String)> {
    let mut line = head.first_line();
    let (method, target, version) = (line.next()?, line.next()?, line.next()?);
    let is_known = matches!(method, "GET" | "POST") && version.starts_with("HTTP/1.");
    is_known.then(|| (method.to_owned(), target.to_owned()))
}

/// A text in chunks.
fn chunks(from: impl BufRead, limits: &ServerLimits, room: &Room<'_>) -> Result<Vec<u8>, Refusal> {
    let mut chunks = Chunked::new(from, limits.body);
    let mut bytes = Vec::new();
    while more(&mut chunks, &mut bytes, usize::MAX, room)? > 0 {}
    Ok(bytes)
}

/// The first list of a text of which nobody has said how long it is, or what came until
/// whoever asks closed his end.
fn first_list(
    from: &mut impl Read,
    mut bytes: Vec<u8>,
    limits: &ServerLimits,
    room: &Room<'_>,
) -> Result<Vec<u8>, Refusal> {
    let (mut nesting, mut seen) = (Nesting::default(), 0);
    while !nesting.ends_in(&bytes[seen..]) {
        seen = bytes.len();
        if seen > limits.body {
            return Err(Refusal::Long);
        }
        if more(from, &mut bytes, usize::MAX, room)? == 0 {
            return if bytes.is_empty() { Err(Refusal::Length) } else { Ok(bytes) };
        }
    }
    Ok(bytes)
}

/// How deep a text that comes in pieces is nested.
#[derive(Default)]
struct Nesting {
    depth: usize,
    is_comment: bool,
}

impl Nesting {
    /// Whether a list that is in nothing else ends in the next piece.
    fn ends_in(&mut self, piece: &[u8]) -> bool {
        piece.iter().any(|byte| self.ends_with(*byte))
    }

    fn ends_with(&mut self, byte: u8) -> bool {
        match byte {
            b'\n' | b'\r' => self.is_comment = false,
            _ if self.is_comment => {}
            b';' => self.is_comment = true,
            b'(' => self.depth += 1,
            b')' => {
                self.depth = self.depth.saturating_sub(1);
                return self.depth == 0;
            }
            _ => {}
        }
        false
    }
}

/// A text of this length.
fn body(
    from: &mut impl Read,
    mut bytes: Vec<u8>,
    length: usize,
    room: &Room<'_>,
) -> Result<Vec<u8>, Refusal> {
    while bytes.len() < length {
        let left = length - bytes.len();
        if more(from, &mut bytes, left, room)? == 0 {
            return Err(Refusal::Gone);
        }
    }
    bytes.truncate(length);
    Ok(bytes)
}

/// Reads some more bytes, up to so many; takes memory only for what has come.
fn more(
    from: &mut impl Read,
    bytes: &mut Vec<u8>,
    most: usize,
    room: &Room<'_>,
) -> Result<usize, Refusal> {
    let mut chunk = [0; 16 << 10];
    let most = chunk.len().min(most);
    let count = from.read(&mut chunk[..most])?;
    bytes.extend_from_slice(&chunk[..count]);
    if room.take(bytes.len()) { Ok(count) } else { Err(Refusal::Crowded) }
}
