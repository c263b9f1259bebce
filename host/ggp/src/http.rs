//! As much of HTTP as the protocol needs: a request with a text, an answer with a text, one
//! of each for a connection.
//!
//! Written here and not taken from a crate: what is needed is a page long, and what matters
//! most, deadlines for whole requests against clients that send a byte now and then, is
//! what small synchronous servers leave out.

pub mod address;
mod chunked;
mod client;
mod head;
mod server;

use std::io::{self, Read};
use std::net::TcpStream;
use std::time::{Duration, Instant};

pub use address::{Address, AddressError};
pub use client::{CallError, Called, call};
pub use server::{Call, Closer, Reply, Request, Server, ServerError, ServerLimits};

/// Lines of a request or an answer before its text, in bytes.
const MOST_HEAD: usize = 16 << 10;

/// The kind of text that is sent.
const CONTENT_TYPE: &str = "text/acl";

/// A stream that is read until a point in time, however slowly bytes come.
struct Timed<'a> {
    stream: &'a TcpStream,
    until: Instant,
}

impl Read for Timed<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(left.max(Duration::from_millis(1))))?;
        match self.stream.read(bytes) {
            // What a timeout is called depends on the system.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                Err(io::ErrorKind::TimedOut.into())
            }
            result => result,
        }
    }
}
