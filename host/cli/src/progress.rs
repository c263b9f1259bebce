//! Progress on stderr: only on a terminal, and only for what takes longer than a
//! second.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work that takes less is done before anybody wonders.
const PATIENCE: Duration = Duration::from_secs(1);

/// Shows progress from when it was started, if it lasts, until it is dropped.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    /// Dropped to wake up the thread.
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// What is shown more often nobody sees.
    pub const PAUSE: Duration = Duration::from_millis(100);

    /// For work of unknown length.
    pub fn spinner(message: String) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        Self::start(bar.with_message(message), "{spinner} {elapsed} {wide_msg}")
    }

    /// For work of so many steps.
    pub fn bar(message: String, steps: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::hidden());
        Self::start(bar.with_message(message), "{bar:20} {pos}/{len}, {eta} left, {wide_msg}")
    }

    fn start(bar: ProgressBar, template: &str) -> Self {
        bar.set_style(
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
        );
        let (done, is_done) = channel();
        let shown = bar.clone();
        let thread = thread::spawn(move || {
            if is_done.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                shown.set_draw_target(ProgressDrawTarget::stderr());
                shown.enable_steady_tick(Self::PAUSE);
            }
        });
        Self { bar, done: Some(done), thread: Some(thread) }
    }

    /// So many steps are done, and this is what is known.
    pub fn show(&self, steps: u64, message: String) {
        self.bar.set_message(message);
        self.bar.set_position(steps);
    }

    /// One step is done.
    pub fn advance(&self) {
        self.bar.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        drop(self.done.take());
        // A thread that only waits cannot have failed in a way that matters.
        let _ = self.thread.take().map(JoinHandle::join);
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_counted_and_the_end_is_not_waited_for() {
        let progress = Progress::bar("test".to_owned(), 3);
        progress.advance();
        progress.advance();
        assert_eq!((progress.bar.position(), progress.bar.length()), (2, Some(3)));
        let bar = progress.bar.clone();
        drop(progress);
        assert!(bar.is_finished());
        drop(Progress::spinner("test".to_owned()));
    }
}
