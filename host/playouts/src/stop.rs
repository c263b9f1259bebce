//! Who wants something to stop, and who looks whether somebody does.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The wish that something stops. All clones are the same wish.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Stop as soon as what is under way is done.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody wants it.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
