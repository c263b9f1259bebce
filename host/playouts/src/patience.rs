//! How long playouts are waited for that should have ended.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Instant;

/// Does some work. If it is not done by the deadline, the flag is set: nobody waits for it
/// any longer. A thread looks at the clock, so that the work need not.
pub(crate) fn until<T>(
    deadline: Option<Instant>,
    is_abandoned: &AtomicBool,
    work: impl FnOnce() -> T,
) -> T {
    let Some(deadline) = deadline else { return work() };
    thread::scope(|scope| {
        // Dropped when the work is done, also by a panic.
        let (_done, waiting) = mpsc::channel::<()>();
        scope.spawn(move || {
            let time = deadline.saturating_duration_since(Instant::now());
            if waiting.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
                is_abandoned.store(true, Ordering::Relaxed);
            }
        });
        work()
    })
}
