//! Breakthrough on two masks of at most 64 bits, on boards of any size.

use crate::rules::{Outcome, Rules, bits};

/// A position.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Breakthrough<const WIDTH: usize, const HEIGHT: usize> {
    /// Bit `WIDTH * y + x` is the square; 0 is white, whose way is upwards.
    pawns: [u64; 2],
    mover: usize,
}

/// A pawn's step.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    from: u64,
    to: u64,
}

impl<const WIDTH: usize, const HEIGHT: usize> Breakthrough<WIDTH, HEIGHT> {
    const ROW: u64 = (1 << WIDTH) - 1;
    const LEFT: u64 = {
        assert!(WIDTH * HEIGHT <= 64 && WIDTH >= 2 && HEIGHT >= 4);
        let (mut squares, mut row) = (0, 0);
        while row < HEIGHT {
            squares |= 1 << (WIDTH * row);
            row += 1;
        }
        squares
    };
    const RIGHT: u64 = Self::LEFT << (WIDTH - 1);

    /// The steps of who is to move to some squares, those of the backmost pawns first.
    fn steps_to(&self, squares: u64) -> impl Iterator<Item = Step> {
        let backmost = move |number| if self.mover == 0 { number } else { HEIGHT - 1 - number };
        let rows = (0..HEIGHT).map(move |number| Self::ROW << (WIDTH * backmost(number)));
        let pawns = rows.flat_map(|row| bits(self.pawns[self.mover] & row));
        let steps = move |from| bits(self.targets(from) & squares).map(move |to| Step { from, to });
        pawns.flat_map(steps)
    }

    /// The row that a role wants to reach.
    const fn far(role: usize) -> u64 {
        if role == 0 { Self::ROW << (WIDTH * (HEIGHT - 1)) } else { Self::ROW }
    }

    /// Pawns of a role that are one step from there: they have a diagonal to it at least.
    fn arriving(&self, role: usize) -> u64 {
        let far = Self::far(role);
        self.pawns[role] & if role == 0 { far >> WIDTH } else { far << WIDTH }
    }

    /// The squares that a pawn may go to.
    fn targets(&self, pawn: u64) -> u64 {
        let ahead = if self.mover == 0 { pawn << WIDTH } else { pawn >> WIDTH };
        let left = (ahead & !Self::LEFT) >> 1;
        let right = (ahead & !Self::RIGHT) << 1;
        let taken = self.pawns[1 - self.mover];
        (left | right | ahead & !taken) & !self.pawns[self.mover]
    }
}

impl<const WIDTH: usize, const HEIGHT: usize> Rules for Breakthrough<WIDTH, HEIGHT> {
    type Move = Step;

    fn start() -> Self {
        let home = Self::ROW | Self::ROW << WIDTH;
        Self { pawns: [home, home << (WIDTH * (HEIGHT - 2))], mover: 0 }
    }

    fn mover(&self) -> usize {
        self.mover
    }

    /// Who is to move has lost if the other has arrived or taken everything.
    fn end(&self) -> Option<Outcome> {
        let far = Self::far(1 - self.mover);
        let [mine, theirs] = [self.pawns[self.mover], self.pawns[1 - self.mover]];
        (theirs & far != 0 || mine == 0).then_some(Outcome::Loss)
    }

    /// Who is one step from the far row arrives, and who has to prevent it can take only one
    /// pawn.
    fn foreseen(&self) -> Option<Outcome> {
        if self.arriving(self.mover) != 0 {
            return Some(Outcome::Win);
        }
        let threats = self.arriving(1 - self.mover);
        let is_lost = match threats.count_ones() {
            0 => false,
            1 => self.steps_to(threats).next().is_none(),
            _ => true,
        };
        is_lost.then_some(Outcome::Loss)
    }

    /// What takes a pawn first.
    fn moves(&self) -> impl Iterator<Item = Step> {
        let theirs = self.pawns[1 - self.mover];
        self.steps_to(theirs).chain(self.steps_to(!theirs))
    }

    fn after(&self, Step { from, to }: Step) -> Self {
        let mut pawns = self.pawns;
        pawns[self.mover] ^= from | to;
        pawns[1 - self.mover] &= !to;
        Self { pawns, mover: 1 - self.mover }
    }

    fn name(&self, Step { from, to }: Step) -> String {
        let place = |square: u64| {
            let at = square.trailing_zeros() as usize;
            format!("{} {}", at % WIDTH + 1, at / WIDTH + 1)
        };
        format!("(move {} {})", place(from), place(to))
    }
}
