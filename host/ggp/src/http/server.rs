//! The player's end: every connection has a thread, a deadline and a bound.

mod connections;
mod request;

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use connections::{Connections, Room};
use request::{Asked, Refusal, read};
use thiserror::Error;

use super::{CONTENT_TYPE, Timed};

/// What a server takes from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerLimits {
    /// Bytes of a text.
    pub body: usize,
    /// Bytes that all texts have together which are longer than a few pages.
    pub bodies: usize,
    /// Time from the first byte of a request to its last.
    pub time: Duration,
    /// Connections that have not sent all of their request. With one more the oldest of
    /// them is closed.
    pub reading: usize,
    /// Requests that are being answered. Further ones are refused.
    pub answering: usize,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            // The rules of a game have 4 MiB at most.
            body: 6 << 20,
            bodies: 64 << 20,
            time: Duration::from_secs(10),
            reading: 128,
            answering: 64,
        }
    }
}

/// Stacks of connections: rules nest, and whoever answers reads them here. Only what is used
/// of a stack is taken.
const STACK: usize = 2 << 20;

/// How long whoever asked may take to read the answer.
const WRITE_TIME: Duration = Duration::from_secs(5);

/// How long, and how much, is read from whoever was refused: an answer to somebody who is
/// still sending would be lost with the connection.
const LINGER_TIME: Duration = Duration::from_millis(300);
const LINGER_BYTES: u64 = 1 << 20;

/// Why nobody can ask.
#[derive(Debug, Error)]
pub enum ServerError {
    /// The port is taken, or not ours.
    #[error("nobody can be listened to at {place}: {source}; choose another --port or --host")]
    Bind {
        /// Where.
        place: String,
        /// What the system says.
        source: io::Error,
    },
}

/// What somebody wants, in the words of HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Such as `GET`.
    pub method: String,
    /// What is wanted: a path, perhaps with a question behind it.
    pub target: String,
    /// The text that came with it.
    pub text: String,
    /// When its connection was accepted.
    pub arrived: Instant,
}

/// What is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// Such as `200 OK`.
    pub status: &'static str,
    /// What kind of text it is, such as `text/html; charset=utf-8`.
    pub kind: &'static str,
    /// Further lines before the text, each a name and what it says.
    pub headers: &'static [(&'static str, &'static str)],
    /// The text.
    pub text: Vec<u8>,
}

impl Reply {
    /// An answer of the protocol of game managers.
    fn plain(status: &'static str, text: impl Into<Vec<u8>>) -> Self {
        Self { status, kind: CONTENT_TYPE, headers: &[], text: text.into() }
    }
}

/// A text that somebody has sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The text.
    pub text: String,
    /// When its connection was accepted: clocks run from then on.
    pub arrived: Instant,
}

/// Listens on a port.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    limits: ServerLimits,
    is_closed: Arc<AtomicBool>,
}

/// Ends a server from elsewhere.
#[derive(Clone, Debug)]
pub struct Closer {
    address: SocketAddr,
    is_closed: Arc<AtomicBool>,
}

impl Closer {
    /// No connection is accepted from now on.
    pub fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
        // Wakes whoever waits for a connection; nobody waits if this fails.
        let _ = TcpStream::connect_timeout(&self.address, Duration::from_secs(1));
    }
}

impl Server {
    /// Listens at a host and a port; port 0 takes any that is free.
    ///
    /// # Errors
    /// If the system does not allow it.
    pub fn bind(host: &str, port: u16, limits: ServerLimits) -> Result<Self, ServerError> {
        let wrong = |source| ServerError::Bind { place: format!("{host}:{port}"), source };
        let mut places = (host, port).to_socket_addrs().map_err(wrong)?;
        let place = places.next().ok_or_else(|| wrong(io::ErrorKind::NotFound.into()))?;
        let listener = TcpListener::bind(place).map_err(wrong)?;
        let address = listener.local_addr().map_err(wrong)?;
        Ok(Self { listener, address, limits, is_closed: Arc::default() })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Ends it from elsewhere.
    #[must_use]
    pub fn closer(&self) -> Closer {
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip(std::net::Ipv4Addr::LOCALHOST.into());
        }
        Closer { address, is_closed: Arc::clone(&self.is_closed) }
    }

    /// Lets a function answer all texts that are sent by `POST`, each on a thread of its own,
    /// until somebody closes the server.
    pub fn run<F>(&self, answer: F)
    where
        F: Fn(Request) -> String + Send + Sync + 'static,
    {
        self.serve(move |call| match call.method == "POST" {
            true => {
                let Call { text, arrived, .. } = call;
                Reply::plain("200 OK", answer(Request { text, arrived }))
            }
            false => Reply::plain(Refusal::Form.status(), Refusal::Form.text()),
        });
    }

    /// Lets a function answer whatever is asked by `GET` or `POST`, each on a thread of its
    /// own, until somebody closes the server.
    pub fn serve<F>(&self, answer: F)
    where
        F: Fn(Call) -> Reply + Send + Sync + 'static,
    {
        let shared = Arc::new((answer, Connections::new(self.limits), self.limits));
        loop {
            let accepted = self.listener.accept();
            if self.is_closed.load(Ordering::Relaxed) {
                return;
            }
            match accepted {
                Ok((stream, _)) => {
                    let shared = Arc::clone(&shared);
                    let arrived = Instant::now();
                    let serve = move || {
                        let (answer, connections, limits) = &*shared;
                        serve(&stream, arrived, (connections, limits), answer);
                    };
                    // Without a thread the connection ends, and its peer may try again.
                    let _ = thread::Builder::new().stack_size(STACK).spawn(serve);
                }
                // Too many open files, mostly: others close theirs soon.
                Err(_) => thread::sleep(Duration::from_millis(20)),
            }
        }
    }
}

fn serve(
    stream: &TcpStream,
    arrived: Instant,
    (connections, limits): (&Connections, &ServerLimits),
    answer: &dyn Fn(Call) -> Reply,
) {
    let Ok(reading) = connections.enter(stream) else { return };
    let mut timed = Timed { stream, until: arrived + limits.time };
    let result = read(&mut timed, stream, limits, &Room::new(connections));
    drop(reading);
    let result = result.and_then(|Asked { method, target, text }| {
        let _answering = connections.answer().ok_or(Refusal::Crowded)?;
        Ok(answer(Call { method, target, text, arrived }))
    });
    // Whoever does not read its answer has hung up.
    let _ = match result {
        Ok(reply) => respond(stream, &reply),
        Err(Refusal::Gone) => Ok(()),
        Err(refusal) => refuse(stream, refusal),
    };
}

fn respond(mut stream: &TcpStream, reply: &Reply) -> io::Result<()> {
    stream.set_write_timeout(Some(WRITE_TIME))?;
    stream.set_nodelay(true)?;
    let Reply { status, kind, headers, text } = reply;
    let length = text.len();
    let mut answer = format!(
        "HTTP/1.0 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\
         Connection: close\r\n"
    );
    headers.iter().for_each(|(name, value)| answer += &format!("{name}: {value}\r\n"));
    answer += "\r\n";
    stream.write_all(&[answer.as_bytes(), text].concat())?;
    stream.shutdown(Shutdown::Write)
}

fn refuse(stream: &TcpStream, refusal: Refusal) -> io::Result<()> {
    respond(stream, &Reply::plain(refusal.status(), refusal.text()))?;
    let timed = Timed { stream, until: Instant::now() + LINGER_TIME };
    io::copy(&mut timed.take(LINGER_BYTES), &mut io::sink())?;
    Ok(())
}
