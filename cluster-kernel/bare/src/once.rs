//! What only one may have.

use core::sync::atomic::{AtomicBool, Ordering};

/// A door that shuts behind the first who comes.
pub(crate) struct Once(AtomicBool);

impl Once {
    pub const fn new() -> Self {
        Self(AtomicBool::new(false))
    }

    /// Nothing, but for all who come later.
    pub fn enter(&self) -> Option<()> {
        (!self.0.swap(true, Ordering::Relaxed)).then_some(())
    }
}
