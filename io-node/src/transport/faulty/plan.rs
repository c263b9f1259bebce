//! What a simulation plays.

use std::time::Duration;

use ruche_shared::wire::control::{RunMode, Sharing};

use super::chance::Chance;
use super::link::Faults;
use crate::NodeSettings;

/// A batch that the host will send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchPlan {
    /// Positions.
    pub positions: u32,
    /// Playouts from each.
    pub playouts: u32,
}

/// Everything that decides how a simulation goes.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Decides which faults happen.
    pub seed: u64,
    /// How the node works.
    pub settings: NodeSettings,
    /// How the game is shared.
    pub sharing: Sharing,
    /// Roles of the game.
    pub roles: usize,
    /// Fluents of the game.
    pub fluents: usize,
    /// What the host sends.
    pub batches: Vec<BatchPlan>,
    /// How many batches it has in flight.
    pub window: usize,
    /// How long a cluster plays one position.
    pub play_time: Duration,
    /// Faults between the node and the clusters.
    pub faults: Faults,
    /// Faults between the host and the node. With any, the host asks again when
    /// it hears nothing.
    pub host_faults: Option<Faults>,
}

impl Plan {
    /// A plan without faults.
    #[must_use]
    pub fn quiet(clusters: usize, run_mode: RunMode, batches: Vec<BatchPlan>) -> Self {
        let deadline = Duration::from_millis(10);
        Self {
            seed: 0,
            settings: NodeSettings::new(clusters),
            sharing: Sharing { clusters: clusters as u32, run_mode, deadline },
            roles: 2,
            fluents: 40,
            batches,
            window: 4,
            play_time: Duration::from_micros(5),
            faults: Faults::default(),
            host_faults: None,
        }
    }

    /// A plan in which everything is decided by the seed.
    #[must_use]
    pub fn of_seed(seed: u64) -> Self {
        let mut chance = Chance::new(seed);
        let clusters = chance.within(1..=8) as usize;
        let run_mode = if chance.happens(0.5) { RunMode::Sync } else { RunMode::Async };
        let batch = |chance: &mut Chance| BatchPlan {
            positions: chance.within(1..=60) as u32,
            playouts: chance.within(1..=100) as u32,
        };
        let batches = (0..chance.within(1..=8)).map(|_| batch(&mut chance)).collect();
        let mut plan = Self { seed, ..Self::quiet(clusters, run_mode, batches) };
        plan.settings.credit = chance.within(1..=3) as usize;
        plan.settings.part_positions = chance.within(1..=40) as usize;
        plan.roles = chance.within(1..=3) as usize;
        plan.fluents = chance.within(1..=70) as usize;
        plan.window = chance.within(1..=4) as usize;
        plan.faults = some_faults(&mut chance);
        plan.host_faults = chance.happens(0.3).then(|| some_faults(&mut chance).without_deaths());
        plan
    }
}

/// Each kind of fault is absent in half of all plans, so that each is also seen
/// alone.
fn some_faults(chance: &mut Chance) -> Faults {
    let mut some = |most: f64| {
        let share = chance.within(0..=2000) as f64 / 1000.0 - 1.0;
        share.max(0.0) * most
    };
    Faults {
        delay: some(0.1),
        longest_delay: Duration::from_millis(30),
        reorder: some(0.3),
        drop: some(0.1),
        duplicate: some(0.2),
        truncate: some(0.1),
        flip: some(0.1),
        kill: some(1.0),
        notice: some(2.0),
    }
}
