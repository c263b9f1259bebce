//! The memory of a cluster that games have: one block, given away piece by piece.

use core::mem::MaybeUninit;

use ruche_shared::budget::{KERNEL_BYTES, SEPARATION, TOTAL_BYTES};

/// Bytes of a cluster's memory that are left for games.
pub const GAME_BYTES: usize = (TOTAL_BYTES - KERNEL_BYTES) as usize;

/// The memory of a cluster behind the kernel's code and stacks: there is nothing
/// else for a game. A host has as much, unless somebody asks for more.
#[derive(Debug)]
#[repr(C, align(4096))]
pub struct Memory(pub [MaybeUninit<u8>; GAME_BYTES]);

/// What is left of the memory. Pieces are never given back one by one; the whole
/// arena is built anew for each game.
#[derive(Debug)]
pub struct Arena<'memory> {
    free: &'memory mut [MaybeUninit<u8>],
}

impl<'memory> Arena<'memory> {
    /// All of the memory.
    #[must_use]
    pub fn new(memory: &'memory mut [MaybeUninit<u8>]) -> Self {
        Self { free: memory }
    }

    /// Bytes that are left.
    #[must_use]
    pub fn free(&self) -> usize {
        self.free.len()
    }

    /// So many values, each made by a call, starting at a multiple of [`SEPARATION`]; `None` if
    /// there is no room. They are never dropped.
    pub fn slice<T>(
        &mut self,
        count: usize,
        mut make: impl FnMut(usize) -> T,
    ) -> Option<&'memory mut [T]> {
        const { assert!(!core::mem::needs_drop::<T>(), "what is in the arena is never dropped") };
        let places = self.places::<T>(count)?;
        for (index, place) in places.iter_mut().enumerate() {
            place.write(make(index));
        }
        // SAFETY: every place was just written.
        Some(unsafe { &mut *(core::ptr::from_mut(places) as *mut [T]) })
    }

    /// Like [`slice`](Self::slice), but the arena gets the memory back.
    pub fn scratch<T>(&mut self, count: usize, make: impl FnMut(usize) -> T) -> Option<&mut [T]> {
        Arena { free: self.free }.slice(count, make)
    }

    /// Room for so many values.
    fn places<T>(&mut self, count: usize) -> Option<&'memory mut [MaybeUninit<T>]> {
        let alignment = align_of::<T>().max(SEPARATION as usize);
        let padding = self.free.as_ptr().align_offset(alignment);
        let bytes = count.checked_mul(size_of::<T>())?;
        let end = padding.checked_add(bytes).filter(|end| *end <= self.free.len())?;
        let (piece, free) = core::mem::take(&mut self.free).split_at_mut(end);
        self.free = free;
        let start = piece[padding..].as_mut_ptr().cast::<MaybeUninit<T>>();
        // SAFETY: the piece was split off for good, starts at a multiple of the
        // alignment, and has bytes for so many values, which need not be
        // initialised.
        Some(unsafe { core::slice::from_raw_parts_mut(start, count) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_aligned_apart_and_end_with_the_memory() {
        let mut memory = [MaybeUninit::uninit(); 1000];
        let mut arena = Arena::new(&mut memory);
        assert_eq!(arena.free(), 1000);
        let numbers = arena.slice(10, |index| index as u64).unwrap();
        let bytes = arena.slice(3, |_| 7_u8).unwrap();
        assert!((0..10).eq(numbers.iter().copied()));
        assert_eq!(bytes, [7; 3]);
        assert_eq!(numbers.as_ptr().align_offset(128), 0);
        assert_eq!(bytes.as_ptr().align_offset(128), 0);
        assert!(arena.slice(1000, |_| 0_u8).is_none());
        assert!(arena.slice(usize::MAX, |_| 0_u64).is_none());
        let left = arena.free();
        assert!(arena.slice(left.saturating_sub(127), |_| 0_u8).is_some());
    }
}
