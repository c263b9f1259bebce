//! Reads a request, or says why not.

use std::io::{self, BufRead, BufReader, Cursor, Read, Write};
use std::net::TcpStream;

use super::ServerLimits;
use super::connections::Room;
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
    if head.header("transfer-encoding").is_some_and(|value| value.eq_ignore_ascii_case("chunked")) {
        let bytes = chunks(&mut BufReader::new(Cursor::new(head.rest).chain(from)), limits, room)?;
        return Ok(text_of(&bytes).into_owned());
    }
    let length = match head.length() {
        Some(length) => length,
        None if is_needed => return Err(Refusal::Length),
        None => 0,
    };
    if length > limits.body {
        return Err(Refusal::Long);
    }
    if head.header("expect").is_some_and(|value| value.eq_ignore_ascii_case("100-continue")) {
        { to }.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    let bytes = body(from, head.rest, length, room)?;
    Ok(text_of(&bytes).into_owned())
}

/// How and what somebody asks, if it is HTTP.
fn wanted(head: &Head) -> Option<(String, String)> {
    let mut line = head.first_line();
    let (method, target, version) = (line.next()?, line.next()?, line.next()?);
    let is_known = matches!(method, "GET" | "POST") && version.starts_with("HTTP/1.");
    is_known.then(|| (method.to_owned(), target.to_owned()))
}

/// A text in chunks, each with its length before it: some managers do not know how long
/// it is when they begin.
fn chunks(
    from: &mut impl BufRead,
    limits: &ServerLimits,
    room: &Room<'_>,
) -> Result<Vec<u8>, Refusal> {
    let mut bytes = Vec::new();
    loop {
        let line = line(from)?;
        let digits = line.split(';').next().unwrap_or_default().trim();
        let length = usize::from_str_radix(digits, 16).map_err(|_| Refusal::Form)?;
        if length == 0 {
            return Ok(bytes);
        }
        let whole = bytes.len().saturating_add(length);
        if whole > limits.body {
            return Err(Refusal::Long);
        }
        bytes = body(from, bytes, whole, room)?;
        line_end(from)?;
    }
}

/// The longest line before a chunk.
const LONGEST_LINE: u64 = 200;

fn line(from: &mut impl BufRead) -> Result<String, Refusal> {
    let mut line = Vec::new();
    from.take(LONGEST_LINE).read_until(b'\n', &mut line)?;
    match line.ends_with(b"\n") {
        true => Ok(String::from_utf8_lossy(&line).into_owned()),
        false => Err(Refusal::Form),
    }
}

fn line_end(from: &mut impl BufRead) -> Result<(), Refusal> {
    if line(from)?.trim().is_empty() { Ok(()) } else { Err(Refusal::Form) }
}

/// Takes memory only for what has come.
fn body(
    from: &mut impl Read,
    mut bytes: Vec<u8>,
    length: usize,
    room: &Room<'_>,
) -> Result<Vec<u8>, Refusal> {
    let mut chunk = [0; 16 << 10];
    while bytes.len() < length {
        let most = chunk.len().min(length - bytes.len());
        match from.read(&mut chunk[..most])? {
            0 => return Err(Refusal::Gone),
            count => bytes.extend_from_slice(&chunk[..count]),
        }
        if !room.take(bytes.len()) {
            return Err(Refusal::Crowded);
        }
    }
    bytes.truncate(length);
    Ok(bytes)
}
