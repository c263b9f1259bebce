//! How many connections there are, and which has to go when there are too many.

use std::collections::VecDeque;
use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::ServerLimits;

/// Texts up to this length need no room of those that all share: whoever sends long ones
/// cannot keep short ones out.
const FREE_BYTES: usize = 64 << 10;

pub(super) struct Connections {
    limits: ServerLimits,
    /// Those that have not sent all of their request, the oldest first.
    reading: Mutex<VecDeque<(u64, TcpStream)>>,
    next: AtomicUsize,
    answering: AtomicUsize,
    bytes: AtomicUsize,
}

/// A connection whose request is read.
pub(super) struct Reading<'a> {
    connections: &'a Connections,
    number: u64,
}

/// A request that is being answered.
pub(super) struct Answering<'a>(&'a Connections);

/// What a text has of the bytes that all share.
pub(super) struct Room<'a> {
    connections: &'a Connections,
    taken: std::cell::Cell<usize>,
}

impl Connections {
    pub fn new(limits: ServerLimits) -> Self {
        Self {
            limits,
            reading: Mutex::default(),
            next: AtomicUsize::new(0),
            answering: AtomicUsize::new(0),
            bytes: AtomicUsize::new(0),
        }
    }

    fn reading(&self) -> std::sync::MutexGuard<'_, VecDeque<(u64, TcpStream)>> {
        self.reading.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// One more that is read; the oldest goes if there are too many.
    pub fn enter(&self, stream: &TcpStream) -> io::Result<Reading<'_>> {
        let number = self.next.fetch_add(1, Ordering::Relaxed) as u64;
        let mut reading = self.reading();
        if reading.len() >= self.limits.reading
            && let Some((_, oldest)) = reading.pop_front()
        {
            let _ = oldest.shutdown(Shutdown::Both);
        }
        reading.push_back((number, stream.try_clone()?));
        Ok(Reading { connections: self, number })
    }

    /// One more that is answered, unless there are too many.
    pub fn answer(&self) -> Option<Answering<'_>> {
        let before = self.answering.fetch_add(1, Ordering::Relaxed);
        let entered = Answering(self);
        (before < self.limits.answering).then_some(entered)
    }
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        self.connections.reading().retain(|(number, _)| *number != self.number);
    }
}

impl Drop for Answering<'_> {
    fn drop(&mut self) {
        self.0.answering.fetch_sub(1, Ordering::Relaxed);
    }
}

impl<'a> Room<'a> {
    pub fn new(connections: &'a Connections) -> Self {
        Self { connections, taken: std::cell::Cell::new(0) }
    }

    /// Whether there is room for a text that has this length now.
    pub fn take(&self, length: usize) -> bool {
        let more = length.saturating_sub(FREE_BYTES).saturating_sub(self.taken.get());
        self.taken.set(self.taken.get() + more);
        let before = self.connections.bytes.fetch_add(more, Ordering::Relaxed);
        more == 0 || before + more <= self.connections.limits.bodies
    }
}

impl Drop for Room<'_> {
    fn drop(&mut self) {
        self.connections.bytes.fetch_sub(self.taken.get(), Ordering::Relaxed);
    }
}
