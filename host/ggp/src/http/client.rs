//! The manager's end.

use std::io::{self, BufReader, Cursor, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use thiserror::Error;

use super::chunked::Chunked;
use super::head::{Head, HeadError};
use super::{Address, CONTENT_TYPE, Timed};
use crate::kif::text_of;

/// The longest answer of a player.
const MOST_ANSWER: usize = 1 << 20;

/// What a player has answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Called {
    /// The text.
    pub text: String,
    /// How long it took from the first attempt to reach the player.
    pub time: Duration,
}

/// Why there is no answer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CallError {
    /// Nobody is there.
    #[error("{address} cannot be reached: {source}; is the player running?")]
    Unreachable {
        /// Whom.
        address: Address,
        /// What the system says.
        source: io::Error,
    },
    /// The time is over.
    #[error("{address} has not answered in time")]
    Late {
        /// Who.
        address: Address,
    },
    /// The connection broke.
    #[error("{address} has hung up: {source}")]
    Lost {
        /// Who.
        address: Address,
        /// What the system says.
        source: io::Error,
    },
    /// It answers, but not what a player answers.
    #[error("{address} answers as no player does: {why}")]
    Form {
        /// Who.
        address: Address,
        /// What is wrong.
        why: String,
    },
}

/// Sends a text to a player and waits for its answer, until a point in time.
///
/// # Errors
/// If the player cannot be reached, is late, or answers no text.
pub fn call(address: &Address, text: &str, until: Instant) -> Result<Called, CallError> {
    let start = Instant::now();
    let mut stream = connect(address, until)?;
    let lost = |source: io::Error| match source.kind() {
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => {
            CallError::Late { address: address.clone() }
        }
        _ => CallError::Lost { address: address.clone(), source },
    };
    send(&mut stream, address, text, until).map_err(lost)?;
    let text = receive(&stream, address, until, &lost)?;
    Ok(Called { text, time: start.elapsed() })
}

fn connect(address: &Address, until: Instant) -> Result<TcpStream, CallError> {
    let unreachable = |source| CallError::Unreachable { address: address.clone(), source };
    let places = (address.host.as_str(), address.port).to_socket_addrs().map_err(unreachable)?;
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name leads nowhere");
    for place in places {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(CallError::Late { address: address.clone() });
        }
        match TcpStream::connect_timeout(&place, left) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(unreachable(last))
}

fn send(stream: &mut TcpStream, address: &Address, text: &str, until: Instant) -> io::Result<()> {
    let left = until.saturating_duration_since(Instant::now());
    stream.set_write_timeout(Some(left.max(Duration::from_millis(1))))?;
    stream.set_nodelay(true)?;
    let Address { host, port, path } = address;
    let head = format!(
        "POST {path} HTTP/1.0\r\nAccept: text/delim\r\nHost: {host}:{port}\r\nSender: RUCHE\r\n\
         Receiver: PLAYER\r\nContent-Type: {CONTENT_TYPE}\r\nContent-Length: {}\r\n\r\n",
        text.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(text.as_bytes())
}

fn receive(
    stream: &TcpStream,
    address: &Address,
    until: Instant,
    lost: &dyn Fn(io::Error) -> CallError,
) -> Result<String, CallError> {
    let form = |why: &str| CallError::Form { address: address.clone(), why: why.to_owned() };
    let mut timed = Timed { stream, until };
    let head = Head::read(&mut timed).map_err(|error| match error {
        HeadError::Lost(source) => lost(source),
        HeadError::Long => form("its headers do not end"),
    })?;
    match head.first_line().nth(1) {
        Some(status) if status.starts_with('2') => {}
        Some(status) => return Err(form(&format!("status {status}"))),
        None => return Err(form("this is no HTTP")),
    }
    let bytes = answer(head, timed).map_err(|error| match error.kind() {
        io::ErrorKind::FileTooLarge => form("its answer is longer than a megabyte"),
        io::ErrorKind::InvalidData => form("its chunks are none"),
        _ => lost(error),
    })?;
    Ok(text_of(&bytes).trim().to_owned())
}

/// The text of an answer. Where nothing says how long it is, it ends with the connection.
fn answer(head: Head, stream: Timed<'_>) -> io::Result<Vec<u8>> {
    let (length, is_chunked) = (head.length(), head.is_chunked());
    let from = Cursor::new(head.rest).chain(stream);
    let mut bytes = Vec::new();
    if is_chunked {
        Chunked::new(BufReader::new(from), MOST_ANSWER).read_to_end(&mut bytes)?;
        return Ok(bytes);
    }
    let most = length.unwrap_or(MOST_ANSWER + 1);
    if most > MOST_ANSWER + 1 {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    from.take(most as u64).read_to_end(&mut bytes)?;
    match length {
        _ if bytes.len() > MOST_ANSWER => Err(io::ErrorKind::FileTooLarge.into()),
        Some(length) if bytes.len() < length => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(bytes),
    }
}
