//! The atomics of the kernel, from one place: under `cfg(loom)` they are those of
//! the model checker, which tries all orders in which cores can meet.

#[cfg(not(loom))]
pub use core::sync::atomic::{AtomicU32, Ordering};
#[cfg(loom)]
pub use loom::sync::atomic::{AtomicU32, Ordering};

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
