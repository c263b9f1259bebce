//! An offload that is watched, and that stops when somebody wants it to.

use std::time::{Duration, Instant};

use ruche_offload::{Attributes, Batch, Finished, Offload, OffloadError, Usage};

use ruche_search::Stop;

/// Where time went.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    /// Handing batches over.
    pub submitting: Duration,
    /// Waiting for results.
    pub collecting: Duration,
    /// What clusters were at, all together.
    pub playing: Duration,
}

/// Clusters under watch.
pub struct Watched<'a> {
    clusters: &'a mut dyn Offload,
    stop: &'a Stop,
    start: Instant,
    times: Times,
    /// What clusters were at before.
    played: Duration,
}

impl<'a> Watched<'a> {
    pub fn new(clusters: &'a mut dyn Offload, stop: &'a Stop) -> Self {
        let (start, times) = (Instant::now(), Times::default());
        Self { clusters, stop, start, times, played: Duration::ZERO }
    }

    /// Forgets what was before, and starts the clock.
    pub fn restart(&mut self) {
        self.times = Times::default();
        self.played = self.playing();
        self.start = Instant::now();
    }

    /// The time since then, and where it went.
    pub fn times(&self) -> (Duration, Times) {
        let time = self.start.elapsed();
        (time, Times { playing: self.playing().saturating_sub(self.played), ..self.times })
    }

    /// How long clusters were at it, all together.
    fn playing(&self) -> Duration {
        self.clusters.usage().playing.unwrap_or_default()
    }

    pub fn is_stopped(&self) -> bool {
        self.stop.is_requested()
    }
}

impl Offload for Watched<'_> {
    fn attributes(&self) -> Attributes {
        self.clusters.attributes()
    }

    fn usage(&self) -> Usage {
        self.clusters.usage()
    }

    fn submit(&mut self, batch: Batch) -> Result<(), OffloadError> {
        if self.is_stopped() {
            let reason = "somebody wants to stop".to_owned();
            return Err(OffloadError::Lost { reason, finished: 0 });
        }
        let start = Instant::now();
        let result = self.clusters.submit(batch);
        self.times.submitting += start.elapsed();
        result
    }

    fn collect(&mut self) -> Result<Finished, OffloadError> {
        let start = Instant::now();
        let result = self.clusters.collect();
        self.times.collecting += start.elapsed();
        result
    }
}
