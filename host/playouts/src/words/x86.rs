//! Words in the vector registers of x86-64.
//!
//! The types stay in this file, because their operators are only sound where the
//! machine has the instructions: each entry below asks for them first.

use core::arch::x86_64::*;
use core::fmt::{self, Debug};
use core::mem::transmute;
use core::ops::{BitAnd, BitOr, BitXor, Not};

use bytemuck::{Pod, Zeroable};
use ruche_eval::Word;
use ruche_eval::word::{CHUNK_LANES, Job};
use ruche_shared::WordWidth;

use super::Task;

/// Does the task with words in vector registers.
pub(super) fn with_vector<T: Task>(width: WordWidth, task: T) -> T::Output {
    // SAFETY: each function is called only after its features were found; SSE2
    // belongs to every x86-64.
    unsafe {
        match width {
            WordWidth::Wide512 if has_512() => run_512(task),
            WordWidth::Wide512 if has_256() => run_two_256(task),
            WordWidth::Wide512 => task.run::<Two<Two<Sse>>>(),
            WordWidth::Wide256 if has_256() => run_256(task),
            WordWidth::Wide256 => task.run::<Two<Sse>>(),
            _ => task.run::<Sse>(),
        }
    }
}

pub(super) fn widest() -> WordWidth {
    match () {
        () if has_512() => WordWidth::Wide512,
        () if has_256() => WordWidth::Wide256,
        () => WordWidth::Wide128,
    }
}

fn has_256() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
}

fn has_512() -> bool {
    has_256() && is_x86_feature_detected!("avx512f")
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn run_256<T: Task>(task: T) -> T::Output {
    task.run::<Avx2>()
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn run_two_256<T: Task>(task: T) -> T::Output {
    task.run::<Two<Avx2>>()
}

#[target_feature(enable = "avx512f,avx2,bmi1,bmi2,popcnt")]
fn run_512<T: Task>(task: T) -> T::Output {
    task.run::<Avx512>()
}

/// A word in one vector register: operators by their intrinsics, the rest
/// through the 64-lane chunks.
macro_rules! vector_word {
    ($name:ident, $vector:ty, $chunks:literal, $and:path, $or:path, $xor:path, $down:path, $up:path, $features:literal, |$zero:ident| $test:expr $(, $more:item)*) => {
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        struct $name($vector);

        // SAFETY: plain bits.
        unsafe impl Zeroable for $name {}
        // SAFETY: plain bits.
        unsafe impl Pod for $name {}

        impl $name {
            #[inline(always)]
            const fn of_chunks(chunks: [u64; $chunks]) -> Self {
                // SAFETY: both are as many plain bits.
                Self(unsafe { transmute::<[u64; $chunks], $vector>(chunks) })
            }

            #[inline(always)]
            const fn chunks(self) -> [u64; $chunks] {
                // SAFETY: both are as many plain bits.
                unsafe { transmute::<$vector, [u64; $chunks]>(self.0) }
            }
        }

        impl BitAnd for $name {
            type Output = Self;
            #[inline(always)]
            fn bitand(self, other: Self) -> Self {
                // SAFETY: the words of this file are used only where the machine
                // has the instructions.
                Self(unsafe { $and(self.0, other.0) })
            }
        }

        impl BitOr for $name {
            type Output = Self;
            #[inline(always)]
            fn bitor(self, other: Self) -> Self {
                // SAFETY: as above.
                Self(unsafe { $or(self.0, other.0) })
            }
        }

        impl BitXor for $name {
            type Output = Self;
            #[inline(always)]
            fn bitxor(self, other: Self) -> Self {
                // SAFETY: as above.
                Self(unsafe { $xor(self.0, other.0) })
            }
        }

        impl Not for $name {
            type Output = Self;
            #[inline(always)]
            fn not(self) -> Self {
                self ^ Self::ONES
            }
        }

        impl PartialEq for $name {
            #[inline(always)]
            fn eq(&self, other: &Self) -> bool {
                (*self ^ *other).is_zero()
            }
        }

        impl Eq for $name {}

        impl Debug for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.chunks().fmt(formatter)
            }
        }

        impl Word for $name {
            const LANES: usize = CHUNK_LANES * $chunks;
            const ZERO: Self = Self::of_chunks([0; $chunks]);
            const ONES: Self = Self::of_chunks([u64::MAX; $chunks]);
            type PerLane<T: Copy + Debug + Send> = [T; CHUNK_LANES * $chunks];

            fn call<J: Job>(job: J) -> J::Output {
                #[target_feature(enable = $features)]
                #[inline(never)]
                fn call<J: Job>(job: J) -> J::Output {
                    job.run()
                }
                // SAFETY: as above.
                unsafe { call(job) }
            }

            #[inline(always)]
            fn per_lane<T: Copy + Debug + Send>(thing: T) -> Self::PerLane<T> {
                [thing; Self::LANES]
            }

            #[inline(always)]
            fn chunk(&self, index: usize) -> u64 {
                // In memory, where most words are: 8 bytes instead of the register.
                // SAFETY: the word is as many plain bits, and aligned for more.
                let chunks = unsafe { &*(&raw const *self).cast::<[u64; $chunks]>() };
                chunks[index]
            }

            #[inline(always)]
            fn set_chunk(&mut self, index: usize, lanes: u64) {
                // In memory: through a register the next load would have to wait for
                // the store.
                // SAFETY: as above.
                let chunks = unsafe { &mut *(&raw mut *self).cast::<[u64; $chunks]>() };
                chunks[index] = lanes;
            }

            #[inline(always)]
            fn repeated(lanes: u64) -> Self {
                Self::of_chunks([lanes; $chunks])
            }

            #[inline(always)]
            fn chunks_down(self, bits: u32) -> Self {
                // SAFETY: as above.
                Self(unsafe { $down(self.0, _mm_cvtsi32_si128(bits.cast_signed())) })
            }

            #[inline(always)]
            fn chunks_up(self, bits: u32) -> Self {
                // SAFETY: as above.
                Self(unsafe { $up(self.0, _mm_cvtsi32_si128(bits.cast_signed())) })
            }

            #[inline(always)]
            fn only(lane: usize) -> Self {
                let mut chunks = [0; $chunks];
                chunks[lane / CHUNK_LANES] = 1 << (lane % CHUNK_LANES);
                Self::of_chunks(chunks)
            }

            #[inline(always)]
            fn is_zero(self) -> bool {
                let $zero = self.0;
                // SAFETY: as above.
                unsafe { $test }
            }

            $($more)*
        }
    };
}

vector_word!(
    Sse,
    __m128i,
    2,
    _mm_and_si128,
    _mm_or_si128,
    _mm_xor_si128,
    _mm_srl_epi64,
    _mm_sll_epi64,
    "sse2",
    |word| _mm_movemask_epi8(_mm_cmpeq_epi8(word, _mm_setzero_si128())) == 0xFFFF
);

vector_word!(
    Avx2,
    __m256i,
    4,
    _mm256_and_si256,
    _mm256_or_si256,
    _mm256_xor_si256,
    _mm256_srl_epi64,
    _mm256_sll_epi64,
    "avx2,bmi1,bmi2,popcnt",
    |word| _mm256_testz_si256(word, word) == 1
);

vector_word!(
    Avx512,
    __m512i,
    8,
    _mm512_and_si512,
    _mm512_or_si512,
    _mm512_xor_si512,
    _mm512_srl_epi64,
    _mm512_sll_epi64,
    "avx512f,avx2,bmi1,bmi2,popcnt",
    |word| _mm512_test_epi64_mask(word, word) == 0,
    // Any function of three words is one instruction; the constants are its
    // values for 000, 001, … from the lowest bit up.
    #[inline(always)]
    fn select(self, other: Self, mask: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_ternarylogic_epi64::<0xCA>(mask.0, self.0, other.0) })
    },
    #[inline(always)]
    fn sum(self, second: Self, third: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_ternarylogic_epi64::<0x96>(self.0, second.0, third.0) })
    },
    #[inline(always)]
    fn majority(self, second: Self, third: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_ternarylogic_epi64::<0xE8>(self.0, second.0, third.0) })
    }
);

/// Twice the lanes of a register: two of them side by side, so that decoding a
/// gate and walking a tree is paid for half as often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
struct Two<R>(R, R);

// SAFETY: two equal types leave no room between them.
unsafe impl<R: Zeroable> Zeroable for Two<R> {}
// SAFETY: as above.
unsafe impl<R: Pod> Pod for Two<R> {}

impl<R: Word> BitAnd for Two<R> {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0, self.1 & other.1)
    }
}

impl<R: Word> BitOr for Two<R> {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0, self.1 | other.1)
    }
}

impl<R: Word> BitXor for Two<R> {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self(self.0 ^ other.0, self.1 ^ other.1)
    }
}

impl<R: Word> Not for Two<R> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(!self.0, !self.1)
    }
}

// An array over all lanes cannot be named for any register.
macro_rules! word_of_two {
    ($register:ty, $lanes:literal) => {
        impl Word for Two<$register> {
            const LANES: usize = $lanes;
            const ZERO: Self = Self(<$register>::ZERO, <$register>::ZERO);
            const ONES: Self = Self(<$register>::ONES, <$register>::ONES);
            type PerLane<T: Copy + Debug + Send> = [T; $lanes];

            fn call<J: Job>(job: J) -> J::Output {
                <$register>::call(job)
            }

            #[inline(always)]
            fn per_lane<T: Copy + Debug + Send>(thing: T) -> Self::PerLane<T> {
                [thing; $lanes]
            }

            #[inline(always)]
            fn chunk(&self, index: usize) -> u64 {
                match index.checked_sub(<$register>::CHUNKS) {
                    None => self.0.chunk(index),
                    Some(index) => self.1.chunk(index),
                }
            }

            #[inline(always)]
            fn set_chunk(&mut self, index: usize, lanes: u64) {
                match index.checked_sub(<$register>::CHUNKS) {
                    None => self.0.set_chunk(index, lanes),
                    Some(index) => self.1.set_chunk(index, lanes),
                }
            }

            #[inline(always)]
            fn chunks_down(self, bits: u32) -> Self {
                Self(self.0.chunks_down(bits), self.1.chunks_down(bits))
            }

            #[inline(always)]
            fn chunks_up(self, bits: u32) -> Self {
                Self(self.0.chunks_up(bits), self.1.chunks_up(bits))
            }

            #[inline(always)]
            fn only(lane: usize) -> Self {
                match lane.checked_sub(<$register>::LANES) {
                    None => Self(<$register>::only(lane), <$register>::ZERO),
                    Some(lane) => Self(<$register>::ZERO, <$register>::only(lane)),
                }
            }

            #[inline(always)]
            fn is_zero(self) -> bool {
                (self.0 | self.1).is_zero()
            }
        }
    };
}

word_of_two!(Sse, 256);
word_of_two!(Two<Sse>, 512);
word_of_two!(Avx2, 512);

#[cfg(test)]
mod tests {
    use super::*;

    /// Does all operators in the word and in its chunks.
    struct Compare;

    impl Task for Compare {
        type Output = usize;

        #[inline(always)]
        fn run<W: Word>(self) -> usize {
            let (mut a, mut b) = (W::ZERO, W::ZERO);
            for index in 0..W::CHUNKS {
                a.set_chunk(index, 0x0123_4567_89AB_CDEF << index);
                b.set_chunk(index, 0xF0E1_D2C3_B4A5_9687 >> index);
            }
            for index in 0..W::CHUNKS {
                let (x, y) = (a.chunk(index), b.chunk(index));
                assert_eq!((a & b).chunk(index), x & y);
                assert_eq!((a | b).chunk(index), x | y);
                assert_eq!((a ^ b).chunk(index), x ^ y);
                assert_eq!((!a).chunk(index), !x);
            }
            three_at_a_time(a, b, a.chunks_up(5));
            for lane in 0..W::LANES {
                assert!(W::only(lane).lane(lane) && !W::only(lane).is_zero());
                assert_eq!(W::only(lane).count(), 1);
            }
            assert!(W::ZERO.is_zero() && a != b && a == { a });
            W::LANES
        }
    }

    #[inline(always)]
    fn three_at_a_time<W: Word>(a: W, b: W, c: W) {
        for index in 0..W::CHUNKS {
            let (x, y, z) = (a.chunk(index), b.chunk(index), c.chunk(index));
            assert_eq!(a.select(b, c).chunk(index), (x & z) | (y & !z));
            assert_eq!(a.sum(b, c).chunk(index), x ^ y ^ z);
            assert_eq!(a.majority(b, c).chunk(index), (x & y) | (x & z) | (y & z));
        }
    }

    #[test]
    fn vectors_compute_as_their_chunks_do() {
        assert_eq!(with_vector(WordWidth::Wide128, Compare), 128);
        assert_eq!(with_vector(WordWidth::Wide256, Compare), 256);
        assert_eq!(with_vector(WordWidth::Wide512, Compare), 512);
        // Also on a machine that has wider registers.
        assert_eq!(Compare.run::<Two<Sse>>(), 256);
        assert_eq!(Compare.run::<Two<Two<Sse>>>(), 512);
    }
}
