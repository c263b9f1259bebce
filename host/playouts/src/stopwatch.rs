//! Where the time of playouts goes.

use ruche_eval::playouts::PlyPart;

/// Ticks of each part of a ply, in the order of [`PlyPart`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlyParts([u64; 4]);

impl PlyParts {
    /// Adds those of another thread.
    pub fn add(&mut self, other: &PlyParts) {
        self.0.iter_mut().zip(other.0).for_each(|(sum, ticks)| *sum += ticks);
    }

    /// The share of a part in all of them; 0 if nothing was watched.
    #[must_use]
    pub fn share(&self, part: PlyPart) -> f64 {
        let total: u64 = self.0.iter().sum();
        self.0[part as usize] as f64 / total.max(1) as f64
    }
}

/// Takes the time between calls.
#[derive(Debug)]
pub(crate) struct Stopwatch {
    last: u64,
    pub parts: PlyParts,
}

impl Stopwatch {
    pub fn start() -> Self {
        Self { last: ticks(), parts: PlyParts::default() }
    }

    /// What happened since the last call was this part.
    pub fn lap(&mut self, part: PlyPart) {
        let now = ticks();
        self.parts.0[part as usize] += now.wrapping_sub(self.last);
        self.last = now;
    }
}

/// The time stamp counter: a clock of the system would take longer to read than
/// some parts last.
#[cfg(target_arch = "x86_64")]
fn ticks() -> u64 {
    // SAFETY: every x86-64 has the counter.
    unsafe { core::arch::x86_64::_rdtsc() }
}

#[cfg(not(target_arch = "x86_64"))]
fn ticks() -> u64 {
    use std::sync::LazyLock;
    use std::time::Instant;
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_nanos() as u64
}
