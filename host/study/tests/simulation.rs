//! Studies on a disk on which everything goes wrong: it is slow, takes half of what is
//! written, is full or broken, and the process is killed or the machine loses its power at
//! any moment; then the study goes on.
//!
//! A schedule is named by its seed. `RUCHE_SCHEDULES` is how many are tried (200), from
//! `RUCHE_FIRST_SCHEDULE` on (0). One that fails is made smaller as long as it still does.

mod support;

use std::collections::HashMap;
use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use ruche_report::{Clock, Sample};
use ruche_study::store::Key;
use ruche_study::{Plan, Stop, Store, StoreError, StudyError, StudyOutcome};
use support::disk::{DiskFaults, SimulatedDisk};
use support::{Fake, library, plan, study};

/// Longer than any life in which nothing is slow.
const LIFE: Duration = Duration::from_millis(80);

/// What is simulated.
#[derive(Clone, Debug, PartialEq)]
struct Schedule {
    seed: u64,
    /// Samples of the study.
    samples: u32,
    /// Threads that measure.
    parallel: usize,
    /// How often the study is started before everything is well.
    lives: u32,
    faults: DiskFaults,
    /// How probable it is that a life ends early.
    early_end: f64,
    /// And that it is the machine that ends.
    power: f64,
}

/// Each kind of fault is absent in half of all schedules, so that each is also seen alone.
fn some(chance: &mut Pcg64Mcg, most: f64) -> f64 {
    chance.random_range(-1.0..=1.0_f64).max(0.0) * most
}

impl Schedule {
    fn of_seed(seed: u64) -> Self {
        let chance = &mut Pcg64Mcg::seed_from_u64(seed);
        Self {
            seed,
            samples: chance.random_range(1..=16),
            parallel: chance.random_range(1..=3),
            lives: chance.random_range(1..=6),
            faults: DiskFaults {
                delay: some(chance, 0.5),
                longest_delay: LIFE / 4,
                short: some(chance, 0.9),
                interrupt: some(chance, 0.5),
                full: some(chance, 0.1),
                broken: some(chance, 0.05),
            },
            early_end: some(chance, 1.0),
            power: some(chance, 2.0).min(1.0),
        }
    }

    /// Schedules with less of something.
    fn smaller(&self) -> Vec<Self> {
        let faults = self.faults;
        let with = |faults| Self { faults, ..self.clone() };
        let mut smaller = vec![
            with(DiskFaults { delay: 0.0, ..faults }),
            with(DiskFaults { short: 0.0, ..faults }),
            with(DiskFaults { interrupt: 0.0, ..faults }),
            with(DiskFaults { full: 0.0, ..faults }),
            with(DiskFaults { broken: 0.0, ..faults }),
            Self { early_end: 0.0, ..self.clone() },
            Self { power: 0.0, ..self.clone() },
            Self { lives: self.lives.div_ceil(2), ..self.clone() },
            Self { samples: self.samples.div_ceil(2), ..self.clone() },
            Self { parallel: 1, ..self.clone() },
        ];
        smaller.retain(|other| other != self);
        smaller
    }

    fn plan(&self) -> Plan {
        let sweep = format!("games = \"tictactoe\"\nthreads = \"1..{}\"", self.samples);
        plan(&format!("title = \"Mine\"\nruns = 3\n[[sweep]]\n{sweep}"))
    }

    /// Whether nothing that was reported is lost, nothing is made up, and every error is
    /// told.
    fn check(&self) -> Result<(), String> {
        let undisturbed = Folder::new(self, SimulatedDisk::default());
        undisturbed.go_on(&mut HashMap::new())?.map_err(|error| error.to_string())?;
        let disturbed = Folder::new(self, SimulatedDisk::of_seed(self.seed));
        let chance = &mut Pcg64Mcg::seed_from_u64(!self.seed);
        let mut reported = HashMap::new();
        for _ in 0..self.lives {
            let life = chance.random_bool(self.early_end).then_some(LIFE);
            disturbed.disk.start(self.faults, life);
            let ended = disturbed.go_on(&mut reported)?;
            disturbed.check_end(&ended)?;
            // Also a machine whose study has ended may lose its power.
            if chance.random_bool(self.power) {
                disturbed.disk.lose_power();
            }
        }
        disturbed.disk.start(DiskFaults::default(), None);
        let ended = disturbed.go_on(&mut reported)?.map_err(|error| error.to_string())?;
        match ended.is_complete && disturbed.files() == undisturbed.files() {
            true => Ok(()),
            false => Err("the results are not those of a study that nothing disturbed".to_owned()),
        }
    }

    /// Also what ends in a panic is a failure like any other.
    fn failure(&self) -> Option<String> {
        let panic = |_| Err("a panic".to_owned());
        catch_unwind(AssertUnwindSafe(|| self.check())).unwrap_or_else(panic).err()
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

/// Samples that a person was told to be stored.
type Reported = HashMap<Key, Sample>;

/// The folder of a study.
struct Folder<'a> {
    schedule: &'a Schedule,
    plan: Plan,
    disk: SimulatedDisk,
    dir: PathBuf,
}

impl<'a> Folder<'a> {
    fn new(schedule: &'a Schedule, disk: SimulatedDisk) -> Self {
        Self { schedule, plan: schedule.plan(), disk, dir: PathBuf::from("/study") }
    }

    /// Opens the store, takes what is missing, and notes what is reported. An error is a
    /// law that was broken; that the study has failed is none.
    fn go_on(&self, reported: &mut Reported) -> Result<Result<StudyOutcome, StudyError>, String> {
        let mut store = match Store::open_on(Arc::new(self.disk.clone()), &self.dir, &self.plan) {
            Ok(store) => store,
            Err(error) => return Ok(Err(error.into())),
        };
        self.check_samples(&store, reported)?;
        let study = study(&self.plan, &library(), Clock::Model);
        let laboratory = Fake { pause: Duration::ZERO, ..Fake::with(self.schedule.parallel) };
        Ok(study.run(&laboratory, &mut store, &Stop::default(), &mut |progress| {
            reported.extend(progress.sample.map(|sample| (Key::of(sample), sample.clone())));
        }))
    }

    /// Everything that was reported is there, once, and as it was; from now on so is the
    /// rest.
    fn check_samples(&self, store: &Store, reported: &mut Reported) -> Result<(), String> {
        let found: Reported =
            store.samples().iter().map(|sample| (Key::of(sample), sample.clone())).collect();
        if found.len() != store.samples().len() {
            return Err("a sample is there twice".to_owned());
        }
        if let Some(lost) = reported.iter().find(|(key, sample)| found.get(key) != Some(sample)) {
            return Err(format!("{:?} was reported and is lost", lost.0));
        }
        *reported = found;
        Ok(())
    }

    /// Who was told of an error tells of it, with the name of a file and what the system
    /// said; and nobody else does.
    fn check_end(&self, ended: &Result<StudyOutcome, StudyError>) -> Result<(), String> {
        match (ended, self.disk.failure()) {
            _ if self.disk.is_dead() => Ok(()),
            (Ok(outcome), None) if outcome.is_complete => Ok(()),
            (Err(StudyError::Store(StoreError::File { path, source })), Some(failure))
                if source.kind() == failure && path.starts_with(&self.dir) =>
            {
                Ok(())
            }
            (ended, failure) => Err(format!("the disk said {failure:?}, and the study {ended:?}")),
        }
    }

    fn files(&self) -> [Option<Vec<u8>>; 2] {
        ["results.jsonl", "results.csv"].map(|name| self.disk.bytes(&self.dir.join(name)))
    }
}

fn number(variable: &str, usual: u64) -> u64 {
    match env::var(variable) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{variable}={text} is no number")),
        Err(_) => usual,
    }
}

#[test]
fn whatever_a_disk_does_what_was_reported_is_there_once_and_errors_are_told() {
    let (first, count) = (number("RUCHE_FIRST_SCHEDULE", 0), number("RUCHE_SCHEDULES", 200));
    for seed in first..first + count {
        let schedule = Schedule::of_seed(seed);
        if let Some(failure) = schedule.failure() {
            let (smallest, smaller) = schedule.shrunk(failure.clone());
            panic!("schedule {seed}: {failure}\nsmallest: {smallest:#?}\n{smaller}");
        }
    }
}
