//! All boards as the I/O node sees them.
//!
//! ```text
//!  host ─▶ I/O node ─ sender ──▶ emulator 0
//!             ▲        reader ◀─┘
//! ```
//! A thread for each board reads its line and passes frames on. When the line ends
//! it says so in the name of the cluster, with a `Failed` frame, and waits for the
//! line of the board's next life.

use std::fmt;
use std::io;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use ruche_io_node::transport::inproc::{self, ClusterEndpoint, HostEndpoint, InprocNetwork};
use ruche_io_node::transport::{Closed, Endpoint, Network, PeerEvent};
use ruche_io_node::{Peer, frames};
use ruche_shared::wire::control::{Refusal, Text};
use ruche_shared::wire::{Frame, Header, Kind};

use crate::board::{Accident, Board, BoardError, BoardSettings, Complaints};
use crate::line::{Arrival, Receiver, Sender};

/// Starts so many boards. Returns the host's end and the I/O node's.
///
/// # Errors
/// If a board cannot be started.
pub fn network(
    boards: usize,
    settings: &BoardSettings,
) -> Result<(HostEndpoint, BoardNetwork), BoardError> {
    let (host, inner, endpoints) = inproc::network(boards);
    let slots = endpoints.into_iter().enumerate();
    let slots = slots.map(|(number, endpoint)| Slot::start(number, endpoint, settings));
    let slots = slots.collect::<Result<_, _>>()?;
    Ok((host, BoardNetwork { inner, slots, settings: settings.clone() }))
}

/// The I/O node's end of all connections.
#[derive(Debug)]
pub struct BoardNetwork {
    /// The host, and what the readers pass on.
    inner: InprocNetwork,
    slots: Vec<Slot>,
    settings: BoardSettings,
}

impl BoardNetwork {
    /// Waits until all boards have switched themselves off, after they were told to
    /// stop; their logs.
    #[must_use]
    pub fn await_end(mut self) -> Vec<String> {
        self.slots.iter_mut().map(Slot::await_end).collect()
    }
}

impl Network for BoardNetwork {
    fn send(&mut self, to: Peer, frame: Vec<u8>) -> Result<(), Closed> {
        match to {
            Peer::Host => self.inner.send(to, frame),
            Peer::Cluster(number) => {
                let slot = self.slots.get_mut(number).ok_or(Closed)?;
                slot.sent += 1;
                let is_due = |it: &&Accident| (it.board, it.frame) == (number, slot.sent);
                if let Some(accident) = self.settings.accidents.iter().find(is_due) {
                    slot.board.suffer(accident.harm);
                }
                slot.sender.send(&frame).map_err(|_| Closed)
            }
        }
    }

    fn receive(&mut self, timeout: Option<Duration>) -> Result<Option<(Peer, PeerEvent)>, Closed> {
        self.inner.receive(timeout)
    }

    fn restart(&mut self, cluster: usize) -> Result<(), Closed> {
        let slot = self.slots.get_mut(cluster).ok_or(Closed)?;
        slot.restart(cluster, &self.settings).map_err(|error| {
            tracing::warn!("board {cluster} cannot be started again: {error}");
            Closed
        })
    }
}

/// A place for a board, whichever of its lives this is.
struct Slot {
    board: Board,
    sender: Sender,
    lives: mpsc::Sender<Life>,
    life: u32,
    /// Frames that were sent in all lives.
    sent: u64,
    /// Whether its last words have come.
    is_halted: Arc<AtomicBool>,
    /// Ends when `lives` is dropped and the line is closed.
    _reader: JoinHandle<()>,
}

impl fmt::Debug for Slot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Slot").field("life", &self.life).finish_non_exhaustive()
    }
}

/// A line, and the number of the life that it belongs to: the same that the I/O node
/// counts, from one.
struct Life {
    number: u32,
    receiver: Receiver,
    complaints: Complaints,
}

impl Slot {
    fn start(
        number: usize,
        endpoint: ClusterEndpoint,
        settings: &BoardSettings,
    ) -> Result<Self, BoardError> {
        let (board, line) = Board::start(settings)?;
        let (sender, receiver) = ends(line, settings, number, 1).map_err(BoardError::Place)?;
        let (lives, received) = mpsc::channel();
        let is_halted = Arc::new(AtomicBool::new(false));
        let halted = is_halted.clone();
        let complaints = board.complaints().map_err(BoardError::Place)?;
        // The reader has just been given its end of the channel.
        let _ = lives.send(Life { number: 1, receiver, complaints });
        let reader = thread::Builder::new()
            .name(format!("board {number}"))
            .spawn(move || read(endpoint, &received, &halted))
            .map_err(BoardError::Place)?;
        Ok(Self { board, sender, lives, life: 1, sent: 0, is_halted, _reader: reader })
    }

    /// The log of a board that was told to stop. One that has halted does not hear it.
    fn await_end(&mut self) -> String {
        if self.is_halted.load(Ordering::Relaxed) {
            self.board.kill();
        }
        self.board.await_end()
    }

    fn restart(&mut self, number: usize, settings: &BoardSettings) -> Result<(), BoardError> {
        self.board.kill();
        self.is_halted.store(false, Ordering::Relaxed);
        let (board, line) = Board::start(settings)?;
        self.life += 1;
        let (sender, receiver) =
            ends(line, settings, number, self.life).map_err(BoardError::Place)?;
        (self.board, self.sender) = (board, sender);
        let complaints = self.board.complaints().map_err(BoardError::Place)?;
        let life = Life { number: self.life, receiver, complaints };
        self.lives.send(life).map_err(|_| BoardError::Unread)
    }
}

/// Both ends of a line, each with its own noise.
fn ends(
    line: UnixStream,
    settings: &BoardSettings,
    number: usize,
    life: u32,
) -> io::Result<(Sender, Receiver)> {
    let noise = |end: u64| {
        let line = (number as u64) << 32 | u64::from(life) << 1 | end;
        settings.noise.as_ref().map(|noise| noise.for_line(line))
    };
    let other = line.try_clone()?;
    Ok((Sender::new(line, noise(0))?, Receiver::new(other, noise(1))))
}

/// Passes frames on, in one life of the board after the other.
fn read(mut endpoint: ClusterEndpoint, lives: &mpsc::Receiver<Life>, is_halted: &AtomicBool) {
    for Life { number, mut receiver, complaints } in lives {
        let error = loop {
            match receiver.receive() {
                Ok(arrival) => {
                    if endpoint.send(frame_of(arrival, number, is_halted)).is_err() {
                        return;
                    }
                }
                Err(error) => break error,
            }
        };
        let why = complaints.last().unwrap_or_else(|| error.to_string());
        let text = Text::of(format_args!("its emulator has ended ({why})"));
        let header = Header { generation: number, ..Header::new(Kind::Failed) };
        let frame = frames::control(header, &Refusal { cluster: None, text });
        if endpoint.send(frame).is_err() {
            return;
        }
    }
}

/// The frame that arrived. For one that was lost, the I/O node is asked in the name of
/// the cluster to send again what it was the answer to. A board does not know which of
/// its lives this is, so that its last words are told here.
fn frame_of(arrival: Arrival, life: u32, is_halted: &AtomicBool) -> Vec<u8> {
    let Arrival::Frame(frame) = arrival else {
        return frames::frame(Header::new(Kind::Garbled), &[]);
    };
    match Frame::parse(&frame) {
        Ok(Frame { header, kind: Kind::Failed, payload }) => {
            is_halted.store(true, Ordering::Relaxed);
            frames::frame(Header { generation: life, ..header }, &[payload])
        }
        _ => frame,
    }
}
