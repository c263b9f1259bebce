//! Othello on two masks of 64 bits; smaller boards lie in the lower left corner.

use crate::rules::{Outcome, Rules, bits};

const NOT_LEFT: u64 = 0xFEFE_FEFE_FEFE_FEFE;
const NOT_RIGHT: u64 = 0x7F7F_7F7F_7F7F_7F7F;

/// A position.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Othello<const SIDE: usize> {
    /// Discs of who is to move.
    mine: u64,
    /// Discs of the other.
    theirs: u64,
    mover: usize,
    /// Whether the last move was a pass.
    passed: bool,
}

/// All squares one step further in each of the eight directions.
const DIRECTIONS: [fn(u64) -> u64; 8] = [
    |squares| squares << 8,
    |squares| squares >> 8,
    |squares| squares << 1 & NOT_LEFT,
    |squares| squares >> 1 & NOT_RIGHT,
    |squares| squares << 9 & NOT_LEFT,
    |squares| squares >> 9 & NOT_RIGHT,
    |squares| squares << 7 & NOT_RIGHT,
    |squares| squares >> 7 & NOT_LEFT,
];

impl<const SIDE: usize> Othello<SIDE> {
    const BOARD: u64 = {
        assert!(SIDE >= 4 && SIDE <= 8 && SIDE.is_multiple_of(2));
        (0x0101_0101_0101_0101 >> (8 * (8 - SIDE))) * (0xFF >> (8 - SIDE))
    };

    /// How many discs who is to move has more than the other.
    #[must_use]
    pub fn lead(&self) -> i32 {
        self.mine.count_ones() as i32 - self.theirs.count_ones() as i32
    }

    fn empty(&self) -> u64 {
        Self::BOARD & !(self.mine | self.theirs)
    }

    /// Where who is to move can put a disc.
    fn places(&self) -> u64 {
        let run_ends = |step: fn(u64) -> u64| {
            let mut run = step(self.mine) & self.theirs;
            for _ in 3..SIDE {
                run |= step(run) & self.theirs;
            }
            step(run)
        };
        DIRECTIONS.into_iter().fold(0, |places, step| places | run_ends(step)) & self.empty()
    }

    /// The discs that a new disc turns over.
    fn turned(&self, disc: u64) -> u64 {
        let run = |step: fn(u64) -> u64| {
            let (mut run, mut next) = (0, step(disc));
            while next & self.theirs != 0 {
                run |= next;
                next = step(next);
            }
            if next & self.mine != 0 { run } else { 0 }
        };
        DIRECTIONS.into_iter().fold(0, |turned, step| turned | run(step))
    }
}

impl<const SIDE: usize> Rules for Othello<SIDE> {
    /// A square, or none for a pass.
    type Move = Option<u64>;

    fn start() -> Self {
        let low = 1 << (9 * (SIDE / 2 - 1));
        Self { mine: low << 8 | low << 1, theirs: low | low << 9, mover: 0, passed: false }
    }

    fn mover(&self) -> usize {
        self.mover
    }

    fn end(&self) -> Option<Outcome> {
        let is_over = self.empty() == 0 || self.passed && self.places() == 0;
        is_over.then(|| match self.lead() {
            ..0 => Outcome::Loss,
            0 => Outcome::Draw,
            1.. => Outcome::Win,
        })
    }

    fn moves(&self) -> impl Iterator<Item = Option<u64>> {
        let places = self.places();
        bits(places).map(Some).chain((places == 0).then_some(None))
    }

    fn after(&self, place: Option<u64>) -> Self {
        let turned = place.map_or(0, |disc| self.turned(disc));
        Self {
            mine: self.theirs ^ turned,
            theirs: self.mine | turned | place.unwrap_or(0),
            mover: 1 - self.mover,
            passed: place.is_none(),
        }
    }

    fn name(&self, place: Option<u64>) -> String {
        place.map_or("noop".to_owned(), |disc| {
            let at = disc.trailing_zeros();
            format!("(place {} {})", at % 8 + 1, at / 8 + 1)
        })
    }
}
