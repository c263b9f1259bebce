//! Sheep and Wolf on an 8 x 8 board: four sheep that only go forward want to leave the
//! wolf without a move; it wants to get behind them.

use crate::rules::{Outcome, Rules, bits};

const LEFT: u64 = 0x0101_0101_0101_0101;

/// A position; bit `8 y + x` is the square.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SheepAndWolf {
    wolf: u64,
    sheep: u64,
    /// 0 is the wolf, which begins.
    mover: usize,
}

/// A step.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    from: u64,
    to: u64,
}

/// The squares beside these.
fn beside(squares: u64) -> u64 {
    (squares & !LEFT) >> 1 | squares << 1 & !LEFT
}

impl SheepAndWolf {
    fn free(&self) -> u64 {
        !(self.wolf | self.sheep)
    }

    fn steps_of_wolf(&self) -> u64 {
        let beside = beside(self.wolf);
        (beside << 8 | beside >> 8) & self.free()
    }

    fn steps_of_sheep(&self, sheep: u64) -> u64 {
        beside(sheep) << 8 & self.free()
    }

    /// No sheep is in a row below the wolf's.
    fn is_wolf_behind(&self) -> bool {
        let row = self.wolf.trailing_zeros() & !7;
        self.sheep & ((1 << row) - 1) == 0
    }
}

impl Rules for SheepAndWolf {
    type Move = Step;

    fn start() -> Self {
        Self { wolf: 1 << (8 * 7 + 3), sheep: 0b0101_0101, mover: 0 }
    }

    fn mover(&self) -> usize {
        self.mover
    }

    /// Whosever turn it is: the wolf wins unless it cannot move.
    fn end(&self) -> Option<Outcome> {
        let is_stuck = self.steps_of_wolf() == 0;
        let is_over = is_stuck || self.is_wolf_behind() || self.steps_of_sheep(self.sheep) == 0;
        let of_wolf = if is_stuck { Outcome::Loss } else { Outcome::Win };
        is_over.then(|| if self.mover == 0 { of_wolf } else { of_wolf.reversed() })
    }

    fn moves(&self) -> impl Iterator<Item = Step> {
        let movers = if self.mover == 0 { self.wolf } else { self.sheep };
        bits(movers).flat_map(|from| {
            let steps =
                if self.mover == 0 { self.steps_of_wolf() } else { self.steps_of_sheep(from) };
            bits(steps).map(move |to| Step { from, to })
        })
    }

    fn after(&self, Step { from, to }: Step) -> Self {
        let mut next = Self { mover: 1 - self.mover, ..*self };
        let moved = if self.mover == 0 { &mut next.wolf } else { &mut next.sheep };
        *moved ^= from | to;
        next
    }

    fn name(&self, Step { from, to }: Step) -> String {
        let place = |square: u64| {
            let at = square.trailing_zeros();
            format!("c{} c{}", at % 8 + 1, at / 8 + 1)
        };
        format!("(move {} {})", place(from), place(to))
    }
}
