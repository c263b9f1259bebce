//! The atomics of the kernel, from one place: under `cfg(loom)` they are those of
//! the model checker, which tries all orders in which cores can meet.

#[cfg(not(loom))]
pub use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};
#[cfg(loom)]
pub use loom::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

/// A value in a block of its own, so that cores which wait for it are not
/// disturbed by writes to its neighbours.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct Line<T>(pub T);

const _: () = assert!(align_of::<Line<u8>>() as u64 == ruche_shared::budget::SEPARATION);

impl<T> core::ops::Deref for Line<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

/// Parts of plain memory as the model checker sees them: whoever reads or writes one says
/// so, and a read beside a write is an error. In every other build it is nothing.
#[derive(Debug, Default)]
pub struct Watch {
    #[cfg(loom)]
    parts: [loom::cell::UnsafeCell<()>; Self::PARTS],
}

// SAFETY: nothing is in the cells; the checker fails where two threads meet in one.
#[cfg(loom)]
unsafe impl Sync for Watch {}

impl Watch {
    /// Parts that can be told apart.
    #[cfg(loom)]
    const PARTS: usize = 16;

    /// Somebody reads a part.
    #[inline(always)]
    pub fn read(&self, _part: usize) {
        #[cfg(loom)]
        self.parts[_part].with(|_| ());
    }

    /// Somebody writes a part.
    #[inline(always)]
    pub fn write(&self, _part: usize) {
        #[cfg(loom)]
        self.parts[_part].with_mut(|_| ());
    }
}
