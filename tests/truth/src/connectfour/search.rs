//! Whether a position is won or at least drawn: a search that never looks at moves which
//! lose at once, tries those first that threaten most, and remembers what it has found.

use super::ConnectFour;
use crate::rules::{Outcome, Rules, bits};
use crate::solver::Oracle;

/// 64 MB of what was found last.
const ENTRIES: usize = 1 << 23;

/// Solves positions of a board; the tables of two boards have nothing in common.
pub struct ConnectFourSolver<const WIDTH: usize, const HEIGHT: usize> {
    table: Vec<u64>,
}

/// What a role may ask for.
#[derive(Clone, Copy, PartialEq)]
enum Aim {
    Win,
    Draw,
}

impl Aim {
    /// What the other role has to ask for to prevent it.
    const fn prevention(self) -> Self {
        match self {
            Aim::Win => Aim::Draw,
            Aim::Draw => Aim::Win,
        }
    }

    /// The bits of an entry that say yes, and those that say no: who can win can draw, and
    /// who cannot draw cannot win.
    const fn answers(self) -> (u64, u64) {
        match self {
            Aim::Win => (0b0011, 0b0100),
            Aim::Draw => (0b0010, 0b1100),
        }
    }

    /// The bit that is in all entries with this answer, and in no other.
    const fn bit(self, answer: bool) -> u64 {
        match (self, answer) {
            (Aim::Win, true) => 0b0001,
            (Aim::Draw, true) => 0b0010,
            (Aim::Win, false) => 0b0100,
            (Aim::Draw, false) => 0b1000,
        }
    }
}

impl<const WIDTH: usize, const HEIGHT: usize> Default for ConnectFourSolver<WIDTH, HEIGHT> {
    fn default() -> Self {
        Self { table: vec![0; ENTRIES] }
    }
}

impl<const WIDTH: usize, const HEIGHT: usize> Oracle for ConnectFourSolver<WIDTH, HEIGHT> {
    type Game = ConnectFour<WIDTH, HEIGHT>;

    fn value(&mut self, position: &Self::Game) -> Outcome {
        if let Some(end) = position.end() {
            return end;
        }
        let wins_at_once = position.completing(position.mine) & position.open() != 0;
        if wins_at_once || self.reaches(position, Aim::Win) {
            Outcome::Win
        } else if self.reaches(position, Aim::Draw) {
            Outcome::Draw
        } else {
            Outcome::Loss
        }
    }
}

impl<const WIDTH: usize, const HEIGHT: usize> ConnectFourSolver<WIDTH, HEIGHT> {
    /// Whether who is to move gets that, in a position that is not won, neither now nor by
    /// the next move.
    fn reaches(&mut self, position: &ConnectFour<WIDTH, HEIGHT>, aim: Aim) -> bool {
        if position.is_full() {
            return aim == Aim::Draw;
        }
        let threats = position.completing(position.theirs());
        let moves = holding(position.open(), threats);
        if moves == 0 {
            return false;
        }
        if let Some(answer) = position.hopeless(aim) {
            return answer;
        }
        if let Some(answer) = self.known(position, aim) {
            return answer;
        }
        let answer = self.finds(position, moves, aim);
        self.remember(position, aim, answer);
        answer
    }

    /// Whether one of these moves reaches it.
    fn finds(&mut self, position: &ConnectFour<WIDTH, HEIGHT>, moves: u64, aim: Aim) -> bool {
        let (ordered, count) = position.ordered(moves);
        ordered[..count]
            .iter()
            .any(|(_, cell)| !self.reaches(&position.after(*cell), aim.prevention()))
    }

    fn known(&self, position: &ConnectFour<WIDTH, HEIGHT>, aim: Aim) -> Option<bool> {
        let entry = self.table[place(position.key())];
        if entry >> 8 != position.key() {
            return None;
        }
        let says = |answer| entry & aim.bit(answer) != 0;
        if says(true) { Some(true) } else { says(false).then_some(false) }
    }

    fn remember(&mut self, position: &ConnectFour<WIDTH, HEIGHT>, aim: Aim, answer: bool) {
        let entry = &mut self.table[place(position.key())];
        if *entry >> 8 != position.key() {
            *entry = position.key() << 8;
        }
        let (yes, no) = aim.answers();
        *entry |= if answer { yes } else { no };
    }
}

/// Where a key stands in the table.
fn place(key: u64) -> usize {
    (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - ENTRIES.ilog2())) as usize
}

/// The moves after which the other role does not win at once: into its only open threat
/// if there is one, and not below one.
fn holding(open: u64, threats: u64) -> u64 {
    let forced = open & threats;
    let moves = match forced.count_ones() {
        0 => open,
        1 => forced,
        _ => 0,
    };
    moves & !(threats >> 1)
}

impl<const WIDTH: usize, const HEIGHT: usize> ConnectFour<WIDTH, HEIGHT> {
    /// No other position has it, and it is not zero where there are discs.
    fn key(&self) -> u64 {
        self.mine + self.filled
    }

    /// The answer where a role has no line left that it could fill.
    fn hopeless(&self, aim: Aim) -> Option<bool> {
        match aim {
            Aim::Win => (!Self::has_four(Self::BOARD & !self.theirs())).then_some(false),
            Aim::Draw => (!Self::has_four(Self::BOARD & !self.mine)).then_some(true),
        }
    }

    /// Those first that threaten most; of equals the one nearest to the centre.
    fn ordered(&self, moves: u64) -> ([(u32, u64); WIDTH], usize) {
        let mut ordered = [(0, 0); WIDTH];
        let mut count = 0;
        for cell in bits(moves) {
            let column = Self::column(cell);
            let threats = self.after(cell).completing(self.mine | cell).count_ones();
            let score = 16 * threats + column.min(WIDTH - 1 - column) as u32;
            ordered[count] = (score, cell);
            count += 1;
        }
        ordered[..count].sort_unstable_by_key(|(score, _)| u32::MAX - score);
        (ordered, count)
    }
}
