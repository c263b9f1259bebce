//! Which playout has shown what a position is good for.

use ruche_offload::Best;

/// The best playout from a position of a game for one, by its numbers: whoever knows these
/// can play it again.
///
/// ```text
/// 63                    19         7    0
/// │ number of the position │ playout │ goal │
/// ```
/// Eight bytes, since each node has one. All bits are set where there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Witness(u64);

const GOAL_BITS: u32 = 7;
const PLAYOUT_BITS: u32 = 12;

const _: () = assert!(super::bounds::MOST < 1 << GOAL_BITS);
const _: () = assert!(crate::settings::MOST_PLAYOUTS_PER_POSITION <= 1 << PLAYOUT_BITS);

impl Witness {
    pub(super) const NONE: Self = Self(u64::MAX);

    /// Nothing if a number is too large, or the goal is one that needs no witness.
    pub(crate) fn new(position: u64, best: Best) -> Option<Self> {
        let fits = position < 1 << (u64::BITS - GOAL_BITS - PLAYOUT_BITS)
            && best.playout < 1 << PLAYOUT_BITS
            && (1..=u64::from(super::bounds::MOST)).contains(&best.goal);
        let number = position << PLAYOUT_BITS | best.playout;
        fits.then_some(Self(number << GOAL_BITS | best.goal))
    }

    /// The number of the position in its run.
    pub(crate) fn position(self) -> u64 {
        self.0 >> (GOAL_BITS + PLAYOUT_BITS)
    }

    /// The number of the playout, and the goal that it reached.
    pub(crate) fn best(self) -> Best {
        let bits = |shift: u32, count: u32| self.0 >> shift & ((1 << count) - 1);
        Best { goal: bits(0, GOAL_BITS), playout: bits(GOAL_BITS, PLAYOUT_BITS) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_what_they_were() {
        for (position, playout, goal) in [(0, 0, 1), (7, 4095, 127), ((1 << 45) - 1, 15, 100)] {
            let best = Best { goal, playout };
            let witness = Witness::new(position, best).expect("small numbers");
            assert_eq!((witness.position(), witness.best()), (position, best));
        }
        for (position, playout, goal) in [(1 << 45, 0, 1), (0, 4096, 1), (0, 0, 128), (0, 0, 0)] {
            assert_eq!(Witness::new(position, Best { goal, playout }), None);
        }
    }
}
