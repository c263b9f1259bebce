//! What a simulation plays.

use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use ruche_shared::wire::control::{RunMode, Sharing};

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
pub struct FaultPlan {
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

impl FaultPlan {
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
        let mut chance = Pcg64Mcg::seed_from_u64(seed);
        let clusters = chance.random_range(1..=8);
        let run_mode = if chance.random_bool(0.5) { RunMode::Sync } else { RunMode::Async };
        let batch = |chance: &mut Pcg64Mcg| BatchPlan {
            positions: chance.random_range(1..=60),
            playouts: chance.random_range(1..=100),
        };
        let batches = (0..chance.random_range(1..=8)).map(|_| batch(&mut chance)).collect();
        let mut plan = Self { seed, ..Self::quiet(clusters, run_mode, batches) };
        plan.settings.credit = chance.random_range(1..=3);
        plan.settings.part_positions = chance.random_range(1..=40);
        plan.roles = chance.random_range(1..=3);
        plan.fluents = chance.random_range(1..=70);
        plan.window = chance.random_range(1..=4);
        plan.faults = some_faults(&mut chance);
        plan.host_faults =
            chance.random_bool(0.3).then(|| some_faults(&mut chance).without_deaths());
        plan
    }
}

/// Each kind of fault is absent in half of all plans, so that each is also seen
/// alone.
fn some_faults(chance: &mut Pcg64Mcg) -> Faults {
    let mut some = |most: f64| {
        let share = chance.random_range(-1.0..=1.0_f64);
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
        notice: some(2.0).min(1.0),
    }
}
