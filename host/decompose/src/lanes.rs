//! 256 lanes side by side: one bit of a word for each.

use std::array;

/// Lanes of a word.
pub(crate) const LANES: usize = 256;

const PARTS: usize = LANES / 64;

/// A bit for each lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(align(32))]
pub(crate) struct Word([u64; PARTS]);

impl Word {
    pub(crate) const NONE: Self = Word([0; PARTS]);
    pub(crate) const ALL: Self = Word([u64::MAX; PARTS]);

    /// The same bit in all lanes.
    #[inline]
    pub(crate) fn splat(bit: bool) -> Self {
        if bit { Self::ALL } else { Self::NONE }
    }

    /// The first lanes.
    pub(crate) fn first(lanes: usize) -> Self {
        let mut word = Self::NONE;
        (0..lanes).for_each(|lane| word.set(lane, true));
        word
    }

    #[inline]
    pub(crate) fn and(self, other: Self) -> Self {
        Word(array::from_fn(|part| self.0[part] & other.0[part]))
    }

    #[inline]
    pub(crate) fn or(self, other: Self) -> Self {
        Word(array::from_fn(|part| self.0[part] | other.0[part]))
    }

    #[inline]
    pub(crate) fn not(self) -> Self {
        Word(array::from_fn(|part| !self.0[part]))
    }

    #[inline]
    pub(crate) fn get(self, lane: usize) -> bool {
        self.0[lane / 64] >> (lane % 64) & 1 == 1
    }

    #[inline]
    pub(crate) fn set(&mut self, lane: usize, bit: bool) {
        let mask = 1 << (lane % 64);
        let part = &mut self.0[lane / 64];
        *part = if bit { *part | mask } else { *part & !mask };
    }

    #[inline]
    pub(crate) fn is_none(self) -> bool {
        self == Self::NONE
    }

    /// Some lanes from a place on, 64 in a number.
    pub(crate) fn part(self, start: usize, count: usize) -> Vec<u64> {
        let (first, shift) = (start / 64, start % 64);
        let get = |place: usize| self.0.get(place).copied().unwrap_or(0);
        let number = |place: usize| match shift {
            0 => get(place),
            _ => get(place) >> shift | get(place + 1) << (64 - shift),
        };
        let mut numbers: Vec<u64> = (first..).map(number).take(count.div_ceil(64)).collect();
        if let Some(last) = numbers.last_mut().filter(|_| !count.is_multiple_of(64)) {
            *last &= (1 << (count % 64)) - 1;
        }
        numbers
    }

    /// How many lanes have the bit.
    #[inline]
    pub(crate) fn count(self) -> u32 {
        self.0.iter().map(|part| part.count_ones()).sum()
    }

    /// The lanes that have the bit.
    pub(crate) fn lanes(self) -> impl Iterator<Item = usize> {
        self.0.into_iter().enumerate().flat_map(|(part, mut bits)| {
            std::iter::from_fn(move || {
                let lane = (bits != 0).then(|| part * 64 + bits.trailing_zeros() as usize)?;
                bits &= bits - 1;
                Some(lane)
            })
        })
    }
}
