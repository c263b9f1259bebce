//! Words of lanes: each bit of a slot is a game of its own.

mod wide;

use core::fmt::Debug;
use core::ops::{BitAnd, BitOr, BitXor, Not};

use bytemuck::{Pod, Zeroable};
pub use wide::Wide;

/// Something to do in a function of its own; see [`Word::call`].
pub trait Job {
    /// What comes out.
    type Output;

    /// Does it. This and everything below must be inlined (`#[inline(always)]`).
    fn run(self) -> Self::Output;
}

/// Lanes that are handled as the bits of a `u64`.
pub const CHUNK_LANES: usize = u64::BITS as usize;

/// A word of independent lanes.
///
/// All operators work on each lane by itself. It is plain bits ([`Pod`]): native code
/// writes whatever it computes into slots, and none of it may be invalid.
pub trait Word:
    Pod
    + Eq
    + Debug
    + Send
    + Sync
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
{
    /// Number of lanes.
    const LANES: usize;
    /// All lanes false.
    const ZERO: Self;
    /// All lanes true.
    const ONES: Self;

    /// Does a job in a function of its own that is compiled for the instructions
    /// which this word needs. The word may live in registers that not every
    /// machine has; there, what is not inlined into such a function is compiled
    /// without them. Without cuts, on the other hand, a whole player would become
    /// one function that takes minutes to compile.
    #[inline(never)]
    fn call<J: Job>(job: J) -> J::Output {
        job.run()
    }

    /// Something for each lane.
    type PerLane<T: Copy + Debug + Send>: AsRef<[T]> + AsMut<[T]> + Debug + Send;

    /// The same thing for each lane.
    fn per_lane<T: Copy + Debug + Send>(thing: T) -> Self::PerLane<T>;

    /// Lanes `64 × index` and on, up to 64 of them, as bits.
    ///
    /// # Panics
    /// May panic if there are no such lanes.
    fn chunk(&self, index: usize) -> u64;

    /// Replaces lanes `64 × index` and on. Bits beyond the last lane are not
    /// looked at.
    ///
    /// # Panics
    /// May panic if there are no such lanes.
    fn set_chunk(&mut self, index: usize, lanes: u64);

    /// Each chunk shifted down, zeros coming in from above. Words of fewer than
    /// 64 lanes are never asked.
    fn chunks_down(self, bits: u32) -> Self;

    /// Each chunk shifted up, zeros coming in from below. Words of fewer than 64
    /// lanes are never asked.
    fn chunks_up(self, bits: u32) -> Self;

    /// The same lanes in each chunk.
    #[inline(always)]
    fn repeated(lanes: u64) -> Self {
        let mut word = Self::ZERO;
        for index in 0..Self::CHUNKS {
            word.set_chunk(index, lanes);
        }
        word
    }

    /// The number of chunks.
    const CHUNKS: usize = Self::LANES.div_ceil(CHUNK_LANES);

    /// How many lanes are true.
    #[inline(always)]
    fn count(self) -> u32 {
        (0..Self::CHUNKS).map(|index| self.chunk(index).count_ones()).sum()
    }

    /// Calls back with each lane that is true, from the lowest to the highest.
    #[inline(always)]
    fn for_each_lane(self, mut each: impl FnMut(usize)) {
        for index in 0..Self::CHUNKS {
            let mut rest = self.chunk(index);
            while rest != 0 {
                each(index * CHUNK_LANES + rest.trailing_zeros() as usize);
                rest &= rest - 1;
            }
        }
    }

    /// `self` in the lanes of the mask, `other` elsewhere.
    #[inline(always)]
    fn select(self, other: Self, mask: Self) -> Self {
        (self & mask) | (other & !mask)
    }

    /// True where one or all of three words are: the sum of a full adder.
    #[inline(always)]
    fn sum(self, second: Self, third: Self) -> Self {
        self ^ second ^ third
    }

    /// True where two or all of three words are: the carry of a full adder.
    #[inline(always)]
    fn majority(self, second: Self, third: Self) -> Self {
        // Shares its first half with the sum.
        (self & second) | ((self ^ second) & third)
    }

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
            type PerLane<T: Copy + Debug + Send> = [T; <$unsigned>::BITS as usize];

            fn per_lane<T: Copy + Debug + Send>(thing: T) -> Self::PerLane<T> {
                [thing; Self::LANES]
            }

            #[inline(always)]
            fn chunk(&self, index: usize) -> u64 {
                debug_assert!(index == 0, "there is one chunk, not {index}");
                u64::from(*self)
            }

            #[inline(always)]
            fn set_chunk(&mut self, index: usize, lanes: u64) {
                debug_assert!(index == 0, "there is one chunk, not {index}");
                *self = lanes as Self;
            }

            #[inline(always)]
            fn chunks_down(self, bits: u32) -> Self {
                self.unbounded_shr(bits)
            }

            #[inline(always)]
            fn chunks_up(self, bits: u32) -> Self {
                self.unbounded_shl(bits)
            }

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

// SAFETY: a byte.
unsafe impl Zeroable for OneLane {}
// SAFETY: a byte.
unsafe impl Pod for OneLane {}

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
    type PerLane<T: Copy + Debug + Send> = [T; 1];

    fn per_lane<T: Copy + Debug + Send>(thing: T) -> Self::PerLane<T> {
        [thing]
    }

    #[inline(always)]
    fn chunk(&self, index: usize) -> u64 {
        debug_assert!(index == 0, "there is one chunk, not {index}");
        u64::from(self.0 & 1)
    }

    #[inline(always)]
    fn set_chunk(&mut self, index: usize, lanes: u64) {
        debug_assert!(index == 0, "there is one chunk, not {index}");
        *self = if lanes & 1 == 1 { Self::ONES } else { Self::ZERO };
    }

    #[inline(always)]
    fn chunks_down(self, _bits: u32) -> Self {
        Self::ZERO
    }

    #[inline(always)]
    fn chunks_up(self, _bits: u32) -> Self {
        Self::ZERO
    }

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
        assert_eq!((W::ZERO.count(), W::ONES.count() as usize), (0, W::LANES));
    }

    fn chunks_are_the_lanes<W: Word>() {
        let every_third = (0..W::LANES).step_by(3);
        let mut word = W::ZERO;
        every_third.clone().for_each(|lane| word.set_lane(lane, true));
        let mut found = every_third.clone();
        word.for_each_lane(|lane| assert_eq!(Some(lane), found.next()));
        assert_eq!(found.next(), None);
        assert_eq!(word.count() as usize, every_third.len());
        let mut copy = W::ONES;
        (0..W::CHUNKS).for_each(|index| copy.set_chunk(index, word.chunk(index)));
        assert_eq!(copy, word);
        assert_eq!(W::per_lane(7).as_ref().len(), W::LANES);
    }

    fn is_a_word<W: Word>() {
        lanes_are_independent::<W>();
        chunks_are_the_lanes::<W>();
    }

    #[test]
    fn every_word_has_independent_lanes() {
        is_a_word::<OneLane>();
        is_a_word::<u8>();
        is_a_word::<u16>();
        is_a_word::<u32>();
        is_a_word::<u64>();
        is_a_word::<Wide<2>>();
        is_a_word::<Wide<4>>();
        is_a_word::<Wide<8>>();
    }

    #[test]
    fn one_lane_takes_one_byte() {
        assert_eq!((size_of::<OneLane>(), OneLane::LANES), (1, 1));
    }
}
