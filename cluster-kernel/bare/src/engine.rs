//! The words of the board.

use core::arch::asm;

use ruche_eval::circuit::{Circuit, Interpreted};
use ruche_eval::engine::{Engine, Task, play_round};
use ruche_eval::playouts::{Player, Queue};
use ruche_eval::{OneLane, Policy, Word};
use ruche_shared::{Image, WordWidth};

/// Registers as words, and the bytecode interpreter. Each word takes 20 KB of code.
/// The one of 8 lanes is left out: a slot of it is no smaller than that of one lane,
/// and hardly any game is so large that it would be played with either.
#[derive(Clone, Copy, Debug)]
pub struct BoardEngine;

impl Engine for BoardEngine {
    type Circuit<'image, W: Word> = Interpreted<'image>;

    fn has(&self, width: WordWidth) -> bool {
        use WordWidth::{One, Sixteen, SixtyFour, ThirtyTwo};
        matches!(width, One | Sixteen | ThirtyTwo | SixtyFour)
    }

    fn with_word<T: Task>(&self, width: WordWidth, task: T) -> T::Output {
        match width {
            WordWidth::One | WordWidth::Eight => task.run::<OneLane>(),
            WordWidth::Sixteen => task.run::<u16>(),
            WordWidth::ThirtyTwo => task.run::<u32>(),
            _ => task.run::<u64>(),
        }
    }

    fn play<W: Word, C: Circuit<W>, P: Policy>(
        &self,
        player: &mut Player<'_, W, C, P>,
        queue: &mut impl Queue,
    ) {
        mark::<BEGIN>();
        play_round(player, queue);
        mark::<END>();
    }

    fn circuit<'image, W: Word>(&self, image: &Image<'image>) -> Self::Circuit<'image, W> {
        Interpreted(*image)
    }
}

/// A core begins to play.
const BEGIN: i32 = 1;
/// It ends.
const END: i32 = 2;

/// Does nothing, but an emulator's plugin that counts instructions knows it
/// (`plugin/harts.c`).
#[inline(always)]
fn mark<const NUMBER: i32>() {
    // SAFETY: the instruction has no effect. It stands as a barrier for the compiler,
    // so that what is between two marks stays there.
    unsafe { asm!("slti x0, x0, {}", const NUMBER, options(nostack)) }
}
