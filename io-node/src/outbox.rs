//! Whom the I/O node talks to, and what it has to say.

use std::collections::VecDeque;
use std::fmt::{self, Display};

/// Somebody with a connection to the I/O node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Peer {
    /// The host.
    Host,
    /// The cluster with this number.
    Cluster(usize),
}

impl Display for Peer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Peer::Host => formatter.write_str("the host"),
            Peer::Cluster(number) => write!(formatter, "cluster {number}"),
        }
    }
}

/// Frames that wait to be sent, in their order.
#[derive(Debug, Default)]
pub struct Outbox {
    frames: VecDeque<(Peer, Vec<u8>)>,
}

impl Outbox {
    /// Puts a frame behind the others.
    pub fn push(&mut self, to: Peer, frame: Vec<u8>) {
        self.frames.push_back((to, frame));
    }

    /// Takes the oldest frame out.
    pub fn pop(&mut self) -> Option<(Peer, Vec<u8>)> {
        self.frames.pop_front()
    }

    /// Takes out what waits for somebody.
    pub fn forget(&mut self, peer: Peer) {
        self.frames.retain(|(to, _)| *to != peer);
    }

    /// Whether nothing waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }
}
