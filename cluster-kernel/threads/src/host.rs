//! The thread that cores play for, where it wants a processor of the same machine.
//!
//! While cores play a round, it chooses the leaves of the next. With a core for each
//! processor, one of them shares its processor with this thread, and a system hands
//! processors over in slices of milliseconds: a round is over in a fraction of one, but
//! waits for the core that waits for its processor. So the cores for which there is a
//! processor only while the host waits are *guests*:
//!
//! ```text
//!  host    ▐ chooses leaves ▌ waits ······· ▐ chooses
//!  core 0  ▐ plays ·····························▌
//!  guest     waits ········▐ plays ·············▌
//! ```
//! A guest begins its share of a round when the host waits, and when another core finds
//! nothing more to do, since then it has nothing to do either. What it begins it ends:
//! the host is called again when the round is over.

use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use ruche_runtime::sync::AtomicU32;

use crate::{now, sleep, wake_all};

/// A guest waits no longer for one round, whatever the host does meanwhile.
const PATIENCE: Duration = Duration::from_millis(5);

/// The lowest bit of the state: the host waits.
const WAITS: u32 = 1;

/// What changes the state beside that.
const NEWS: u32 = 2;

/// What cores know of the thread that they play for.
#[derive(Debug, Default)]
pub struct Host {
    /// Whether it waits, and something that changes when a guest should look again: guests
    /// sleep on it.
    state: AtomicU32,
    /// Guests that wait.
    guests: AtomicU32,
}

impl Host {
    /// It has nothing to do until it is called.
    pub fn rest(&self) {
        self.state.fetch_or(WAITS, SeqCst);
        self.tell_guests();
    }

    /// It has something to do: said by itself, or by whoever sends it something, since it
    /// takes a while to wake up.
    pub fn call(&self) {
        self.state.fetch_and(!WAITS, SeqCst);
    }

    /// Whether it has something to do.
    pub(crate) fn is_busy(&self) -> bool {
        self.state.load(SeqCst) & WAITS == 0
    }

    /// There is nothing more to do in a round.
    pub(crate) fn end_round(&self) {
        self.state.fetch_add(NEWS, SeqCst);
        self.tell_guests();
    }

    fn tell_guests(&self) {
        if self.guests.load(SeqCst) > 0 {
            wake_all(&self.state);
        }
    }

    /// A guest: sleeps until the host waits or the round is over.
    pub(crate) fn let_in(&self, is_over: impl Fn() -> bool) {
        self.guests.fetch_add(1, SeqCst);
        let start = now();
        let mut left = PATIENCE;
        while !left.is_zero() {
            let state = self.state.load(SeqCst);
            if state & WAITS != 0 || is_over() {
                break;
            }
            sleep(&self.state, state, Some(left));
            left = PATIENCE.saturating_sub(Duration::from_nanos(now() - start));
        }
        self.guests.fetch_sub(1, SeqCst);
    }
}
