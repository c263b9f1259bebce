//! What all commands with a page need.

use std::sync::Arc;
use std::time::Duration;

use ruche_clusters::{Meter, Meters};
use ruche_page::Cluster;

/// How often a page shows what a search thinks.
pub const PAUSE: Duration = Duration::from_millis(150);

/// What clusters are doing, as a page asks for it.
pub fn meter(meters: &Meters) -> ruche_page::Meter {
    let meters = meters.clone();
    Arc::new(move || meters.read().iter().map(cluster).collect())
}

fn cluster(meter: &Meter) -> Cluster {
    Cluster {
        positions: meter.positions,
        playouts: meter.playouts,
        seconds: meter.playing.as_secs_f64(),
        waiting: meter.waiting,
        is_lost: meter.is_gone,
    }
}
