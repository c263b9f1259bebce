//! What the kernel needs of a machine: cores, sleep and wake, a link. The words that it
//! computes with are the business of its [`Engine`](ruche_eval::Engine).
//!
//! Nothing above these traits knows whether it runs on threads of an operating
//! system or on bare cores.

use ruche_shared::wire::Header;
use thiserror::Error;

use crate::sync::AtomicU32;

/// What a core does, for a machine that keeps a record of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// It waits for the next round.
    Waiting,
    /// It does its share of a round.
    Working,
}

/// Cores that can be started, and put to sleep while they wait.
///
/// # Safety
/// The kernel hands memory to cores by their numbers. An implementation has to see to it
/// that in [`on_cores`](Self::on_cores)
/// 1. `main` is called at most once with each number, and only with numbers below `cores`;
/// 2. it neither returns nor unwinds before all calls of `main` have returned, whatever
///    `beside` does;
/// 3. what the caller did before is seen by all calls of `main`, and what these did is
///    seen by the caller after it has returned.
///
/// Memory safety depends on nothing else: a [`wait`](Self::wait) that returns too early, a
/// [`wake`](Self::wake) that is lost and a clock that stands still make the kernel slow,
/// or stop it.
pub unsafe trait Machine: Sync {
    /// Starts so many cores, each of which runs `main` with its number, and runs `beside`
    /// here meanwhile. Returns when all of them have returned.
    fn on_cores(&self, cores: usize, main: &(dyn Fn(usize) + Sync), beside: impl FnOnce());

    /// Sleeps until `word` may have another value than `expected`. May return
    /// too early, never too late: a [`wake`](Self::wake) after the value has
    /// changed is not missed.
    fn wait(&self, word: &AtomicU32, expected: u32);

    /// Like [`wait`](Self::wait), but comes back after so many nanoseconds at the latest,
    /// if the machine has a clock that wakes it.
    fn wait_for(&self, word: &AtomicU32, expected: u32, nanoseconds: u64);

    /// Wakes all cores that wait for this word.
    fn wake(&self, word: &AtomicU32);

    /// Nanoseconds since some moment; never runs backwards.
    fn now(&self) -> u64;

    /// Called in each round of an active wait, with the number of rounds so far.
    fn relax(&self, rounds: u32);

    /// Called on a core with what it does between two hand-offs: once in a round, never
    /// for a playout. A machine may keep a record of it.
    #[inline(always)]
    fn during<T>(&self, _activity: Activity, act: impl FnOnce() -> T) -> T {
        act()
    }
}

/// The other side is gone for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the link to the I/O node is closed")]
pub struct LinkClosed;

/// The way to the I/O node. Only PC0 uses it.
pub trait Link {
    /// Waits for the next frame. Its payload is taken with
    /// [`payload`](Self::payload), or left lying: it is gone with the next frame.
    ///
    /// # Errors
    /// If none will come any more.
    fn receive(&mut self) -> Result<Header, LinkClosed>;

    /// The payload of the frame that was received last; `into` has the length
    /// that its header names.
    ///
    /// # Errors
    /// If the link broke meanwhile.
    fn payload(&mut self, into: &mut [u8]) -> Result<(), LinkClosed>;

    /// Sends a frame whose payload is in several pieces. The header is sealed.
    ///
    /// # Errors
    /// If nobody will receive it.
    fn send(&mut self, header: &Header, pieces: &[&[u8]]) -> Result<(), LinkClosed>;
}
