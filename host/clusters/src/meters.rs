//! What each cluster is doing, for those who watch: counted from the headers of frames that
//! pass between the I/O node and its clusters, which nobody has to be told about it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ruche_io_node::Peer;
use ruche_io_node::transport::{Closed, Network, PeerEvent};
use ruche_shared::wire::{Header, Kind};

/// What a cluster has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Meter {
    /// Positions that it has played from.
    pub positions: u64,
    /// Playouts that it has played.
    pub playouts: u64,
    /// How long it was at it.
    pub playing: Duration,
    /// Parts of batches that it has not answered.
    pub waiting: u64,
    /// Whether nothing can reach it any more.
    pub is_gone: bool,
}

/// Meters of all clusters, or of none: nothing is counted then. All clones are the same.
#[derive(Clone, Debug, Default)]
pub struct Meters(Option<Arc<Mutex<Vec<Meter>>>>);

impl Meters {
    /// Meters for those who watch.
    #[must_use]
    pub fn new() -> Self {
        Self(Some(Arc::default()))
    }

    fn lock(&self) -> Option<MutexGuard<'_, Vec<Meter>>> {
        Some(self.0.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// What each cluster has done so far.
    #[must_use]
    pub fn read(&self) -> Vec<Meter> {
        self.lock().map(|meters| meters.clone()).unwrap_or_default()
    }

    fn change(&self, cluster: usize, change: impl FnOnce(&mut Meter)) {
        let Some(mut meters) = self.lock() else { return };
        if meters.len() <= cluster {
            meters.resize(cluster + 1, Meter::default());
        }
        change(&mut meters[cluster]);
    }

    fn sent(&self, cluster: usize, frame: &[u8]) {
        if let Ok((_, Kind::Work)) = Header::parse(frame) {
            self.change(cluster, |meter| meter.waiting += 1);
        }
    }

    fn received(&self, cluster: usize, event: &PeerEvent) {
        let PeerEvent::Frame(frame) = event else {
            return self.change(cluster, |meter| (meter.is_gone, meter.waiting) = (true, 0));
        };
        let Ok((header, Kind::Done)) = Header::parse(frame) else { return };
        self.change(cluster, |meter| {
            meter.positions += u64::from(header.count);
            meter.playouts += u64::from(header.count) * u64::from(header.playouts);
            meter.playing += Duration::from_nanos(header.nanoseconds);
            meter.waiting = meter.waiting.saturating_sub(1);
        });
    }
}

/// A network whose frames are counted.
#[derive(Debug)]
pub struct Metered<N> {
    network: N,
    meters: Meters,
}

impl<N: Network> Metered<N> {
    /// Counts what passes through a network.
    pub fn new(network: N, meters: &Meters) -> Self {
        Self { network, meters: meters.clone() }
    }

    /// The network, which nobody counts any more.
    pub fn into_inner(self) -> N {
        self.network
    }
}

impl<N: Network> Network for Metered<N> {
    fn send(&mut self, to: Peer, frame: Vec<u8>) -> Result<(), Closed> {
        if let (Peer::Cluster(cluster), Some(_)) = (to, &self.meters.0) {
            self.meters.sent(cluster, &frame);
        }
        self.network.send(to, frame)
    }

    fn receive(&mut self, timeout: Option<Duration>) -> Result<Option<(Peer, PeerEvent)>, Closed> {
        let received = self.network.receive(timeout)?;
        if let (Some((Peer::Cluster(cluster), event)), Some(_)) = (&received, &self.meters.0) {
            self.meters.received(*cluster, event);
        }
        Ok(received)
    }

    fn restart(&mut self, cluster: usize) -> Result<(), Closed> {
        self.meters.change(cluster, |meter| (meter.is_gone, meter.waiting) = (false, 0));
        self.network.restart(cluster)
    }
}
