//! Words of lanes: each bit of a slot is a game of its own.

use core::fmt::Debug;
use core::ops::{BitAnd, BitOr, BitXor, Not};

/// A word of independent lanes.
///
/// All operators work on each lane by itself.
pub trait Word:
    Copy
    + Eq
    + Debug
    + Send
    + Sync
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + 'static
{
    /// Number of lanes.
    const LANES: usize;
    /// All lanes false.
    const ZERO: Self;
    /// All lanes true.
    const ONES: Self;

    /// The word in which just this lane is true.
    ///
    /// # Panics
    /// May panic if there is no such lane.
    fn only(lane: usize) -> Self;

    /// Whether a lane is true.
    ///
    /// # Panics
    /// May panic if there is no such lane.
    #[inline(always)]
    fn lane(self, lane: usize) -> bool {
        !(self & Self::only(lane)).is_zero()
    }

    /// Makes a lane true or false.
    ///
    /// # Panics
    /// May panic if there is no such lane.
    #[inline(always)]
    fn set_lane(&mut self, lane: usize, value: bool) {
        let only = Self::only(lane);
        *self = if value { *self | only } else { *self & !only };
    }

    /// Whether no lane is true.
    #[inline(always)]
    fn is_zero(self) -> bool {
        self == Self::ZERO
    }
}

macro_rules! one_lane_per_bit {
    ($($unsigned:ty),*) => {$(
        impl Word for $unsigned {
            const LANES: usize = <$unsigned>::BITS as usize;
            const ZERO: Self = 0;
            const ONES: Self = <$unsigned>::MAX;

            #[inline(always)]
            fn only(lane: usize) -> Self {
                1 << lane
            }
        }
    )*};
}

one_lane_per_bit!(u8, u16, u32, u64);

/// One game in a byte of its own: the classic kernel, which plays one game per
/// core, and the yardstick for those that play many.
///
/// False is 0x00 and true 0xFF, so that NOT needs no mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct OneLane(u8);

impl BitAnd for OneLane {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for OneLane {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitXor for OneLane {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

impl Not for OneLane {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(!self.0)
    }
}

impl Word for OneLane {
    const LANES: usize = 1;
    const ZERO: Self = Self(0x00);
    const ONES: Self = Self(0xFF);

    #[inline(always)]
    fn only(lane: usize) -> Self {
        debug_assert!(lane == 0, "there is one lane, not {lane}");
        Self::ONES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes_are_independent<W: Word>() {
        for lane in 0..W::LANES {
            let (mut set, mut cleared) = (W::ZERO, W::ONES);
            set.set_lane(lane, true);
            cleared.set_lane(lane, false);
            for other in 0..W::LANES {
                assert_eq!(set.lane(other), other == lane);
                assert_eq!(cleared.lane(other), other != lane);
            }
            assert_eq!(set, W::only(lane));
            assert_eq!(set ^ W::ONES, cleared);
            assert_eq!(!set, cleared);
        }
        assert!(W::ZERO.is_zero() && !W::ONES.is_zero());
    }

    #[test]
    fn every_word_has_independent_lanes() {
        lanes_are_independent::<OneLane>();
        lanes_are_independent::<u8>();
        lanes_are_independent::<u16>();
        lanes_are_independent::<u32>();
        lanes_are_independent::<u64>();
    }

    #[test]
    fn one_lane_takes_one_byte() {
        assert_eq!((size_of::<OneLane>(), OneLane::LANES), (1, 1));
    }
}
