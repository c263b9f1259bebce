//! Where cores wait for each other.

use crate::hal::Machine;
use crate::sync::{AtomicU32, Line, Ordering};

/// A barrier that all cores pass together, again and again.
///
/// What a core wrote before it is seen by all of them behind it.
#[derive(Debug)]
pub struct Barrier {
    arrived: Line<AtomicU32>,
    /// How often all have passed.
    phase: Line<AtomicU32>,
    cores: u32,
}

impl Barrier {
    /// For so many cores.
    #[must_use]
    pub fn new(cores: u32) -> Self {
        Self { arrived: Line(AtomicU32::new(0)), phase: Line(AtomicU32::new(0)), cores }
    }

    /// Waits until all cores have come here.
    pub fn pass(&self, machine: &impl Machine) {
        let phase = self.phase.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.cores {
            self.arrived.store(0, Ordering::Relaxed);
            self.phase.store(phase.wrapping_add(1), Ordering::Release);
            machine.wake(&self.phase);
            return;
        }
        while self.phase.load(Ordering::Acquire) == phase {
            machine.wait(&self.phase, phase);
        }
    }
}
