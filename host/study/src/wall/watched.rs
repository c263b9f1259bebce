//! An offload that is watched, and that stops when somebody wants it to.

use std::time::{Duration, Instant};

use ruche_io_node::transport::Endpoint;
use ruche_offload::{Inproc, Remote, Several};
use ruche_search::{Batch, Finished, Offload, OffloadError};

use crate::laboratory::Stop;

/// Clusters that have a game and tell what they do.
pub trait Clusters: Offload {
    /// How long they were at it, all together.
    fn playing(&self) -> Duration;

    /// How many have died.
    fn losses(&self) -> usize;
}

impl<E: Endpoint> Clusters for Remote<E> {
    fn playing(&self) -> Duration {
        Remote::playing(self)
    }

    fn losses(&self) -> usize {
        Remote::losses(self).len()
    }
}

impl<E: Endpoint> Clusters for Inproc<E> {
    fn playing(&self) -> Duration {
        self.remote().map_or(Duration::ZERO, Remote::playing)
    }

    fn losses(&self) -> usize {
        self.remote().map_or(0, Clusters::losses)
    }
}

impl<E: Endpoint> Clusters for Several<Inproc<E>> {
    fn playing(&self) -> Duration {
        self.members().map(Clusters::playing).sum()
    }

    fn losses(&self) -> usize {
        self.members().map(Clusters::losses).sum()
    }
}

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
    clusters: &'a mut dyn Clusters,
    stop: &'a Stop,
    start: Instant,
    times: Times,
    /// What clusters were at before.
    played: Duration,
}

impl<'a> Watched<'a> {
    pub fn new(clusters: &'a mut dyn Clusters, stop: &'a Stop) -> Self {
        let (start, times) = (Instant::now(), Times::default());
        Self { clusters, stop, start, times, played: Duration::ZERO }
    }

    /// Forgets what was before, and starts the clock.
    pub fn restart(&mut self) {
        self.times = Times::default();
        self.played = self.clusters.playing();
        self.start = Instant::now();
    }

    /// The time since then, and where it went.
    pub fn times(&self) -> (Duration, Times) {
        let time = self.start.elapsed();
        (time, Times { playing: self.clusters.playing().saturating_sub(self.played), ..self.times })
    }

    pub fn is_stopped(&self) -> bool {
        self.stop.is_requested()
    }
}

impl Offload for Watched<'_> {
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
