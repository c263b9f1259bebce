//! The words that a machine computes with, and how it runs circuits on them.

use ruche_shared::{Image, WordWidth};

use crate::circuit::{Circuit, Interpreted};
use crate::playouts::{Player, Queue};
use crate::policy::Policy;
use crate::word::{Job, OneLane, Word};

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
    fn play<W: Word, C: Circuit<W>, P: Policy>(
        &self,
        player: &mut Player<'_, W, C, P>,
        queue: &mut impl Queue,
    ) {
        play_round(player, queue);
    }
}

/// Plays all that a queue has, in a function that is compiled for the word.
pub fn play_round<W: Word, C: Circuit<W>, P: Policy>(
    player: &mut Player<'_, W, C, P>,
    queue: &mut impl Queue,
) {
    W::call(Round { player, queue });
}

/// A part of a round, for a function of its own.
struct Round<'a, 'memory, W: Word, C, P: Policy, Q> {
    player: &'a mut Player<'memory, W, C, P>,
    queue: &'a mut Q,
}

impl<W: Word, C: Circuit<W>, P: Policy, Q: Queue> Job for Round<'_, '_, W, C, P, Q> {
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
    type Circuit<'image, W: Word> = Interpreted<'image>;

    fn has(&self, width: WordWidth) -> bool {
        width <= WordWidth::SixtyFour
    }

    fn with_word<T: Task>(&self, width: WordWidth, task: T) -> T::Output {
        match width {
            WordWidth::One => task.run::<OneLane>(),
            WordWidth::Eight => task.run::<u8>(),
            WordWidth::Sixteen => task.run::<u16>(),
            WordWidth::ThirtyTwo => task.run::<u32>(),
            _ => task.run::<u64>(),
        }
    }

    fn circuit<'image, W: Word>(&self, image: &Image<'image>) -> Self::Circuit<'image, W> {
        Interpreted(*image)
    }
}
