//! Connections between host, I/O node and clusters.
//!
//! Host and clusters see one [`Endpoint`] each, the I/O node sees a [`Network`].
//! Nobody else knows what lies between them:
//!
//! | transport | what it is |
//! |---|---|
//! | [`inproc`] | threads of one process; needs nothing, and frames are moved, not copied |
//! | `ruche-mpi` | ranks of MPI |
//! | `ruche-boards` | emulated boards, over a serial line |
//! | [`faulty`] | a simulation in virtual time that loses, damages and delays frames, for tests |

pub mod faulty;
pub mod inproc;

use std::time::Duration;

use thiserror::Error;

use crate::Peer;

/// The other end is gone for good: nothing that is sent arrives, and nothing
/// will come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the connection is closed: the other end has stopped or died")]
pub struct Closed;

/// One end of a connection to the I/O node: what the host and the clusters see.
pub trait Endpoint: Send {
    /// Sends a frame. It may wait until there is room for it, but not for an
    /// answer.
    ///
    /// # Errors
    /// If the I/O node is gone.
    fn send(&mut self, frame: Vec<u8>) -> Result<(), Closed>;

    /// The next frame; `None` if there is none before the timeout. Without a
    /// timeout it waits for ever. A timeout of zero only looks.
    ///
    /// # Errors
    /// If the I/O node is gone and all that it sent has been received.
    fn receive(&mut self, timeout: Option<Duration>) -> Result<Option<Vec<u8>>, Closed>;
}

impl<E: Endpoint + ?Sized> Endpoint for Box<E> {
    fn send(&mut self, frame: Vec<u8>) -> Result<(), Closed> {
        (**self).send(frame)
    }

    fn receive(&mut self, timeout: Option<Duration>) -> Result<Option<Vec<u8>>, Closed> {
        (**self).receive(timeout)
    }
}

/// Something that a [`Network`] has to report of a peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PeerEvent {
    /// It sent these bytes, which may be damaged.
    Frame(Vec<u8>),
    /// It is gone; the text says why, for a person. Nothing comes from it after
    /// this.
    Gone(String),
}

/// All connections of the I/O node.
pub trait Network {
    /// Sends a frame to one peer.
    ///
    /// # Errors
    /// If that peer is gone; the others are not concerned.
    fn send(&mut self, to: Peer, frame: Vec<u8>) -> Result<(), Closed>;

    /// What happens next, whoever it comes from; `None` if nothing does before
    /// the timeout. Without a timeout it waits for ever.
    ///
    /// # Errors
    /// If everybody is gone.
    fn receive(&mut self, timeout: Option<Duration>) -> Result<Option<(Peer, PeerEvent)>, Closed>;

    /// Starts a cluster again from nothing, whatever it is doing. What it sent in
    /// its earlier life is not received any more.
    ///
    /// # Errors
    /// If that cannot be done, as in most networks.
    fn restart(&mut self, _cluster: usize) -> Result<(), Closed> {
        Err(Closed)
    }
}
