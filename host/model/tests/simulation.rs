//! The whole system in virtual time, and everything goes wrong: real search, I/O node and
//! kernel, with frames that are late, lost, doubled or damaged, clusters that die and are
//! started again, and cores that wait for their processor.
//!
//! A schedule is named by its seed. `RUCHE_SCHEDULES` is how many are tried (500), from
//! `RUCHE_FIRST_SCHEDULE` on (0). One that fails is made smaller as long as it still does.

use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use ruche_clusters::{ConnectSettings, Route, Topology, connect};
use ruche_game::Game;
use ruche_io_node::RunMode;
use ruche_io_node::transport::faulty::Faults;
use ruche_model::{MachineModel, Misfortune, Parameters};
use ruche_offload::{Direct, DirectSettings, Offload};
use ruche_runtime::strategy::Strategy;
use ruche_search::{Limits, Method, SearchOptions, Stop};
use ruche_shared::WordWidth;
use ruche_shared::names::Named;
use ruche_shared::wire::control::Mode;

/// Virtual time after which silence is death.
const DEADLINE: Duration = Duration::from_millis(20);

/// Enough for every schedule that comes to an end.
const RESTARTS: u32 = 1000;

/// What is simulated.
#[derive(Clone, Debug)]
struct Schedule {
    game: &'static str,
    playouts: u64,
    options: SearchOptions,
    topology: Topology,
    io_nodes: usize,
    misfortune: Misfortune,
}

/// Each kind of fault is absent in half of all schedules, so that each is also seen alone.
fn some(chance: &mut Pcg64Mcg, most: f64) -> f64 {
    chance.random_range(-1.0..=1.0_f64).max(0.0) * most
}

fn one_of<T: Copy>(chance: &mut Pcg64Mcg, all: &[T]) -> T {
    all[chance.random_range(0..all.len())]
}

impl Schedule {
    fn of_seed(seed: u64) -> Self {
        let chance = &mut Pcg64Mcg::seed_from_u64(seed);
        let clusters = chance.random_range(1..=5);
        let in_flight = chance.random_range(1..=3);
        // Late frames are seen in all schedules, lost ones only in half of them.
        let is_lossy = chance.random_bool(0.5);
        let most = |share: f64| if is_lossy { share } else { 0.0 };
        Self {
            game: one_of(chance, &["tictactoe", "connectfour", "nim"]),
            playouts: chance.random_range(100..=1500),
            options: SearchOptions {
                batch: chance.random_range(1..=48),
                playouts_per_position: chance.random_range(1..=8),
                in_flight,
                ..SearchOptions::default()
            },
            topology: Topology {
                clusters,
                threads: chance.random_range(1..=4),
                strategy: one_of(chance, Strategy::ALL),
                mode: one_of(chance, &[Mode::PerCore, Mode::Split]),
                width: one_of(chance, &[WordWidth::One, WordWidth::Eight, WordWidth::SixtyFour]),
                run_mode: one_of(chance, &[RunMode::Sync, RunMode::Async]),
                deadline: DEADLINE,
                ..Topology::default()
            },
            io_nodes: chance.random_range(1..=clusters),
            misfortune: Misfortune {
                seed,
                faults: Faults {
                    delay: some(chance, 0.3),
                    longest_delay: DEADLINE / 8,
                    reorder: some(chance, most(0.3)),
                    drop: some(chance, most(0.1)),
                    duplicate: some(chance, most(0.2)),
                    truncate: some(chance, most(0.1)),
                    flip: some(chance, most(0.1)),
                    kill: some(chance, most(0.8)),
                    notice: some(chance, 2.0).min(1.0),
                },
                starvation: some(chance, 0.05),
                longest_starvation: DEADLINE * 3,
                restarts: RESTARTS,
            },
        }
    }

    /// Whether nothing is lost: frames are late, and cores wait for their processor.
    fn is_only_slow(&self) -> bool {
        let Faults { delay, longest_delay, notice, .. } = self.misfortune.faults;
        self.misfortune.faults == Faults { delay, longest_delay, notice, ..Faults::default() }
    }

    /// Schedules with less of something.
    fn smaller(&self) -> Vec<Self> {
        let faults = self.misfortune.faults;
        let with =
            |faults| Self { misfortune: Misfortune { faults, ..self.misfortune }, ..self.clone() };
        let topology = |topology| Self { topology, io_nodes: 1, ..self.clone() };
        let options = |options| Self { options, ..self.clone() };
        let mut smaller = vec![
            with(Faults { delay: 0.0, ..faults }),
            with(Faults { reorder: 0.0, ..faults }),
            with(Faults { drop: 0.0, ..faults }),
            with(Faults { duplicate: 0.0, ..faults }),
            with(Faults { truncate: 0.0, ..faults }),
            with(Faults { flip: 0.0, ..faults }),
            with(Faults { kill: 0.0, ..faults }),
            Self { misfortune: Misfortune { starvation: 0.0, ..self.misfortune }, ..self.clone() },
            Self { playouts: self.playouts / 2, ..self.clone() },
            Self { io_nodes: 1, ..self.clone() },
            options(SearchOptions { in_flight: 1, ..self.options }),
            options(SearchOptions { batch: self.options.batch.div_ceil(2), ..self.options }),
            topology(Topology { clusters: self.topology.clusters.div_ceil(2), ..self.topology }),
            topology(Topology { threads: 1, ..self.topology }),
            topology(Topology { mode: Mode::PerCore, ..self.topology }),
        ];
        let mine = format!("{self:?}");
        smaller.retain(|other| format!("{other:?}") != mine && other.playouts > 0);
        smaller
    }

    fn search(&self, game: &Game, offload: &mut dyn Offload) -> Result<u64, String> {
        let settings = self.options.check().map_err(|error| error.to_string())?;
        let mut search = Method::Uct.start(game, &settings).map_err(|error| error.to_string())?;
        let (limits, stop) = (Limits::playouts(self.playouts), Stop::default());
        let report = search.search(offload, &limits, &stop, &mut |_| ());
        report.map(|report| report.signature).map_err(|error| error.to_string())
    }

    /// Whether the tree is that of a plain player, and nobody who lives was taken for dead.
    fn check(&self) -> Result<(), String> {
        let game = Game::bundled(self.game).expect("a bundled game");
        let seed = self.misfortune.seed;
        let direct = DirectSettings { seed, ..DirectSettings::default() };
        let mut direct = Direct::new(&game, direct).expect("a playable game");
        let expected = self.search(&game, &mut direct)?;
        let parameters = Parameters::mppa256();
        let machine = MachineModel {
            io_nodes: self.io_nodes,
            misfortune: Some(self.misfortune),
            ..MachineModel::new(&parameters)
        };
        let settings = ConnectSettings::new(self.topology, seed);
        let mut model = connect(Route::Platform(&machine), &game, &settings)
            .map_err(|error| error.to_string())?;
        let found = self.search(&game, &mut *model)?;
        let losses = model.usage().losses;
        match found == expected {
            false => Err(format!("the tree is {found:016x} instead of {expected:016x}")),
            true if losses > 0 && self.is_only_slow() => {
                Err(format!("{losses} clusters were taken for dead, and nobody was"))
            }
            true => Ok(()),
        }
    }

    /// Also what ends in a panic is a failure like any other.
    fn failure(&self) -> Option<String> {
        match catch_unwind(AssertUnwindSafe(|| self.check())) {
            Ok(result) => result.err(),
            Err(panic) => Some(match panic.downcast::<String>() {
                Ok(text) => *text,
                Err(panic) => {
                    panic.downcast::<&str>().map_or("a panic".into(), |text| (*text).into())
                }
            }),
        }
    }

    /// The smallest schedule that fails as well, and how.
    fn shrunk(self, failure: String) -> (Self, String) {
        let found = self.smaller().into_iter().find_map(|smaller| {
            let failure = smaller.failure()?;
            Some((smaller, failure))
        });
        match found {
            Some((smaller, failure)) => smaller.shrunk(failure),
            None => (self, failure),
        }
    }
}

fn number(variable: &str, usual: u64) -> u64 {
    match env::var(variable) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{variable}={text} is no number")),
        Err(_) => usual,
    }
}

#[test]
fn whatever_goes_wrong_the_tree_is_the_same_and_who_lives_is_not_given_up() {
    let (first, count) = (number("RUCHE_FIRST_SCHEDULE", 0), number("RUCHE_SCHEDULES", 500));
    let next = AtomicU64::new(first);
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let seed = next.fetch_add(1, Relaxed)
                    && seed < first + count
                {
                    let schedule = Schedule::of_seed(seed);
                    if let Some(failure) = schedule.failure() {
                        let (smallest, smaller) = schedule.shrunk(failure.clone());
                        panic!("schedule {seed}: {failure}\nsmallest: {smallest:#?}\n{smaller}");
                    }
                }
            });
        }
    });
}
