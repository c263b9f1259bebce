//! What the kernel needs of a machine: cores, sleep and wake, words, a link.
//!
//! Nothing above these traits knows whether it runs on threads of an operating
//! system or on bare cores.

use ruche_shared::Image;
use ruche_shared::budget::WordWidth;
use ruche_shared::wire::Header;
use thiserror::Error;

use crate::circuit::Circuit;
use crate::playouts::{Player, Queue};
use crate::sync::AtomicU32;
use crate::word::{Job, Word};

/// Cores that can be started, and put to sleep while they wait.
pub trait Machine: Sync {
    /// Starts a core for each state, which runs `main` on it, and runs `beside`
    /// here meanwhile. Returns when all of them have returned.
    fn on_cores<S: Send, R>(
        &self,
        states: &mut [S],
        main: impl Fn(usize, &mut S) + Sync,
        beside: impl FnOnce() -> R,
    ) -> R;

    /// Sleeps until `word` may have another value than `expected`. May return
    /// too early, never too late: a [`wake`](Self::wake) after the value has
    /// changed is not missed.
    fn wait(&self, word: &AtomicU32, expected: u32);

    /// Wakes all cores that wait for this word.
    fn wake(&self, word: &AtomicU32);

    /// Nanoseconds since some moment; never runs backwards.
    fn now(&self) -> u64;

    /// Called in each round of an active wait, with the number of rounds so far.
    fn relax(&self, rounds: u32);
}

/// Something to do with words of a width that is known only at run time.
pub trait Task {
    /// What comes out.
    type Output;

    /// Does it.
    fn run<W: Word>(self) -> Self::Output;
}

/// The words that a machine can compute with, and how it does so.
pub trait Engine: Sync {
    /// What runs the sections of a game.
    type Circuit<'image, W: Word>: Circuit<W> + Sync;

    /// Whether there are words of this width.
    fn has(&self, width: WordWidth) -> bool;

    /// Does something with words of this width, or of a narrower one if there
    /// are none.
    fn with_word<T: Task>(&self, width: WordWidth, task: T) -> T::Output;

    /// The circuit of an image.
    fn circuit<'image, W: Word>(&self, image: &Image<'image>) -> Self::Circuit<'image, W>;

    /// One core's part of a round: plays all that the queue has for it. Whoever
    /// knows the results already may say them instead.
    fn play<W: Word, C: Circuit<W>>(&self, player: &mut Player<'_, W, C>, queue: &mut impl Queue) {
        play_round(player, queue);
    }
}

/// Plays all that a queue has, in a function that is compiled for the word.
pub fn play_round<W: Word, C: Circuit<W>>(player: &mut Player<'_, W, C>, queue: &mut impl Queue) {
    W::call(Round { player, queue });
}

/// A part of a round, for a function of its own.
struct Round<'a, 'memory, W: Word, C, Q> {
    player: &'a mut Player<'memory, W, C>,
    queue: &'a mut Q,
}

impl<W: Word, C: Circuit<W>, Q: Queue> Job for Round<'_, '_, W, C, Q> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.player.play(self.queue, None);
    }
}

/// The words of every machine, and the bytecode interpreter.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlainEngine;

impl Engine for PlainEngine {
    type Circuit<'image, W: Word> = crate::circuit::Interpreted<'image>;

    fn has(&self, width: WordWidth) -> bool {
        width <= WordWidth::SixtyFour
    }

    fn with_word<T: Task>(&self, width: WordWidth, task: T) -> T::Output {
        match width {
            WordWidth::One => task.run::<crate::OneLane>(),
            WordWidth::Eight => task.run::<u8>(),
            WordWidth::Sixteen => task.run::<u16>(),
            WordWidth::ThirtyTwo => task.run::<u32>(),
            _ => task.run::<u64>(),
        }
    }

    fn circuit<'image, W: Word>(&self, image: &Image<'image>) -> Self::Circuit<'image, W> {
        crate::circuit::Interpreted(*image)
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
