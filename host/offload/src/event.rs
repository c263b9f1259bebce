//! What happens to clusters while they play, told to whoever wants to know.

use std::fmt;
use std::sync::Arc;

/// Something that happened to a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// It died, or was silent for too long. Others play what it had to.
    Lost {
        /// Which.
        cluster: usize,
        /// How many are left; with none nothing more can be done.
        left: usize,
        /// What happened.
        reason: String,
    },
    /// It has stopped, and this is its log.
    Stopped {
        /// Which.
        cluster: usize,
        /// What it wrote while it ran.
        log: String,
    },
}

impl fmt::Display for Event {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Lost { cluster, left, reason } => {
                write!(formatter, "cluster {cluster} is lost, {left} are left: {reason}")
            }
            Event::Stopped { cluster, .. } => write!(formatter, "cluster {cluster} has stopped"),
        }
    }
}

/// Where events go. All clones lead to the same place.
#[derive(Clone)]
pub struct Events(Arc<dyn Fn(&Event) + Send + Sync>);

impl Events {
    /// Calls back with each event, from whichever thread learns of it.
    pub fn new(tell: impl Fn(&Event) + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }

    /// Tells of an event.
    pub fn tell(&self, event: &Event) {
        (self.0)(event);
    }
}

impl Default for Events {
    /// Nobody wants to know.
    fn default() -> Self {
        Self::new(|_| ())
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Events")
    }
}
