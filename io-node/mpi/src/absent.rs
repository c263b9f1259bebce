//! The shape of everything for a build without MPI: nobody can have one of these.

use std::{convert::Infallible, time::Duration};

use ruche_io_node::{
    Peer,
    transport::{Closed, Endpoint, Network, PeerEvent},
};

use crate::MpiError;

/// All ranks together, seen from one of them. Nobody has one without MPI.
#[derive(Debug)]
pub struct World(Infallible);

/// The connection of the host or of a cluster. Nobody has one without MPI.
#[derive(Debug)]
pub struct Connection(Infallible);

/// The connections of the I/O node. Nobody has one without MPI.
#[derive(Debug)]
pub struct Hub(Infallible);

impl World {
    /// Joins the other ranks.
    ///
    /// # Errors
    /// Always: the text says how to build with MPI.
    pub fn init() -> Result<Self, MpiError> {
        Err(MpiError::NotBuilt)
    }

    /// The number of this rank.
    #[must_use]
    pub fn rank(&self) -> usize {
        match self.0 {}
    }

    /// How many ranks there are.
    #[must_use]
    pub fn size(&self) -> usize {
        match self.0 {}
    }

    /// How many clusters there are.
    #[must_use]
    pub fn clusters(&self) -> usize {
        match self.0 {}
    }

    /// The host's connection to the I/O node.
    #[must_use]
    pub fn host_endpoint(&self) -> Connection {
        match self.0 {}
    }

    /// A cluster's connection to the I/O node.
    #[must_use]
    pub fn cluster_endpoint(&self) -> Connection {
        match self.0 {}
    }

    /// The I/O node's connections to all others.
    #[must_use]
    pub fn network(&self) -> Hub {
        match self.0 {}
    }

    /// Calls a function whenever somebody interrupts this rank.
    ///
    /// # Errors
    /// Never: there is no such rank.
    pub fn on_interrupt(&self, _act: impl FnMut() + Send + 'static) -> Result<(), MpiError> {
        match self.0 {}
    }

    /// Why the connection of this rank was closed.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        match self.0 {}
    }

    /// Takes leave of the other ranks and ends this process.
    pub fn leave(self, _status: i32) -> ! {
        match self.0 {}
    }

    /// Ends this process and all other ranks at once.
    pub fn abort(self, _status: i32) -> ! {
        match self.0 {}
    }
}

impl Endpoint for Connection {
    fn send(&mut self, _frame: Vec<u8>) -> Result<(), Closed> {
        match self.0 {}
    }

    fn receive(&mut self, _timeout: Option<Duration>) -> Result<Option<Vec<u8>>, Closed> {
        match self.0 {}
    }
}

impl Network for Hub {
    fn send(&mut self, _to: Peer, _frame: Vec<u8>) -> Result<(), Closed> {
        match self.0 {}
    }

    fn receive(&mut self, _timeout: Option<Duration>) -> Result<Option<(Peer, PeerEvent)>, Closed> {
        match self.0 {}
    }
}
