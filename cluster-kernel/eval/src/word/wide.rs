//! Words of more lanes than a register of the plain machine has bits.

use core::array::from_fn;
use core::fmt::Debug;
use core::ops::{BitAnd, BitOr, BitXor, Not};

use bytemuck::{Pod, Zeroable};

use super::{CHUNK_LANES, Word};

/// A word of `N` times 64 lanes on any machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Wide<const N: usize>([u64; N]);

// SAFETY: numbers, one behind the other.
unsafe impl<const N: usize> Zeroable for Wide<N> {}
// SAFETY: as above.
unsafe impl<const N: usize> Pod for Wide<N> {}

impl<const N: usize> BitAnd for Wide<N> {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(from_fn(|index| self.0[index] & other.0[index]))
    }
}

impl<const N: usize> BitOr for Wide<N> {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(from_fn(|index| self.0[index] | other.0[index]))
    }
}

impl<const N: usize> BitXor for Wide<N> {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self(from_fn(|index| self.0[index] ^ other.0[index]))
    }
}

impl<const N: usize> Not for Wide<N> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(self.0.map(|lanes| !lanes))
    }
}

// An array over all lanes cannot be named for any N.
macro_rules! wide {
    ($($chunks:literal),*) => {$(
        impl Word for Wide<$chunks> {
            const LANES: usize = CHUNK_LANES * $chunks;
            const ZERO: Self = Self([0; $chunks]);
            const ONES: Self = Self([u64::MAX; $chunks]);
            type PerLane<T: Copy + Debug + Send> = [T; CHUNK_LANES * $chunks];

            fn per_lane<T: Copy + Debug + Send>(thing: T) -> Self::PerLane<T> {
                [thing; Self::LANES]
            }

            #[inline(always)]
            fn chunk(&self, index: usize) -> u64 {
                self.0[index]
            }

            #[inline(always)]
            fn set_chunk(&mut self, index: usize, lanes: u64) {
                self.0[index] = lanes;
            }

            #[inline(always)]
            fn chunks_down(self, bits: u32) -> Self {
                Self(self.0.map(|lanes| lanes >> bits))
            }

            #[inline(always)]
            fn chunks_up(self, bits: u32) -> Self {
                Self(self.0.map(|lanes| lanes << bits))
            }

            #[inline(always)]
            fn only(lane: usize) -> Self {
                Self(from_fn(|index| match lane / CHUNK_LANES == index {
                    true => 1 << (lane % CHUNK_LANES),
                    false => 0,
                }))
            }
        }
    )*};
}

wide!(2, 4, 8);
