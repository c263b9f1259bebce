//! The driver: takes samples in the order of the plan, those that are not there.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use ruche_report::{Clock, Point, Positions, Sample, Taken, Transport};
use thiserror::Error;

use crate::laboratory::{Laboratory, LaboratoryError, Measured};
use crate::place;
use crate::plan::SampleTask;
use crate::store::{Key, Store, StoreError};
use ruche_search::Stop;

/// A study that can be run, and run again from where it stopped.
#[derive(Clone, Debug)]
pub struct Study {
    /// The name of the plan.
    pub plan: String,
    /// Of ruche.
    pub version: String,
    /// That ruche was built from.
    pub commit: String,
    /// The command that runs the study; what names one sample is added to it.
    pub command: String,
    /// The samples to take.
    pub tasks: Vec<SampleTask>,
}

/// How a study went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StudyOutcome {
    /// Samples that were taken now.
    pub taken: usize,
    /// Samples that were there before.
    pub found: usize,
    /// Whether all are there.
    pub is_complete: bool,
}

/// Why a study has failed. What was measured before is in the store.
#[derive(Debug, Error)]
pub enum StudyError {
    /// A point of the plan cannot be measured here; nothing was measured.
    #[error("point {number} of the plan ({what}): {source}")]
    Impossible {
        /// The number of the point, from 1.
        number: usize,
        /// The point in short.
        what: String,
        /// Why not.
        source: LaboratoryError,
    },
    /// A measurement has failed.
    #[error("point {number} of the plan ({what}): {source}")]
    Failed {
        /// The number of the point, from 1.
        number: usize,
        /// The point in short.
        what: String,
        /// Why.
        source: LaboratoryError,
    },
    /// A sample cannot be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// How far a study is: told once at the start, then after each sample.
#[derive(Clone, Copy, Debug)]
pub struct StudyProgress<'a> {
    /// Samples that are there.
    pub done: usize,
    /// Samples of the study.
    pub all: usize,
    /// The one that was taken just now.
    pub sample: Option<&'a Sample>,
}

impl Study {
    /// Takes the samples that are not in the store, and adds each to it in the
    /// order of the plan as soon as those before it are there.
    ///
    /// # Errors
    /// If something cannot be measured or kept. A wish to stop is no error.
    pub fn run(
        &self,
        laboratory: &dyn Laboratory,
        store: &mut Store,
        stop: &Stop,
        progress: &mut dyn FnMut(&StudyProgress<'_>),
    ) -> Result<StudyOutcome, StudyError> {
        self.check(laboratory)?;
        let (clock, transport) = (laboratory.clock(), laboratory.transport());
        let is_missing = |task: &&SampleTask| !store.has(&Key::of_task(task, clock, transport));
        let missing: Vec<&SampleTask> = self.tasks.iter().filter(is_missing).collect();
        let (all, found) = (self.tasks.len(), self.tasks.len() - missing.len());
        progress(&StudyProgress { done: found, all, sample: None });
        let mut taken = 0;
        let team = Team {
            laboratory,
            tasks: &missing,
            next: AtomicUsize::new(0),
            stop,
            halt: AtomicBool::new(false),
        };
        let result = team.work(|task, measured| {
            let sample = self.sample(laboratory, task, measured)?;
            store.append(&sample)?;
            taken += 1;
            progress(&StudyProgress { done: found + taken, all, sample: Some(&sample) });
            Ok(())
        });
        result?;
        Ok(StudyOutcome { taken, found, is_complete: taken == missing.len() })
    }

    /// Whether all points can be measured here; nothing is measured if not.
    ///
    /// # Errors
    /// If one cannot.
    pub fn check(&self, laboratory: &dyn Laboratory) -> Result<(), StudyError> {
        // What the largest machine needs is enough for all.
        let mut tasks: Vec<&SampleTask> = self.tasks.iter().collect();
        tasks.sort_by_key(|task| Reverse(task.assignment.point.clusters));
        for task in tasks {
            laboratory.check(&task.assignment).map_err(|source| StudyError::Impossible {
                number: task.number,
                what: in_short(task),
                source,
            })?;
        }
        Ok(())
    }

    fn sample(
        &self,
        laboratory: &dyn Laboratory,
        task: &SampleTask,
        measured: Measured,
    ) -> Result<Sample, StudyError> {
        let Measured { runs, playouts, seconds, cpu_seconds, shares, signature } = measured;
        if runs != task.assignment.runs || !(seconds.is_finite() && seconds > 0.0) {
            let why = format!("{runs} runs in {seconds} s are no measurement");
            return Err(failed(task, LaboratoryError::Failed(why)));
        }
        Ok(Sample {
            plan: self.plan.clone(),
            point: task.assignment.point.clone(),
            clock: laboratory.clock(),
            transport: laboratory.transport(),
            repetition: task.repetition,
            seed: task.assignment.seed,
            runs,
            playouts,
            seconds,
            run_seconds: seconds / runs as f64,
            playouts_per_second: playouts as f64 / seconds,
            shares,
            signature,
            machine: laboratory.machine(),
            taken: self.taken(laboratory, cpu_seconds),
            version: self.version.clone(),
            invocation: self.invocation(task),
        })
    }

    /// When and where a sample was taken, unless that is of no matter.
    fn taken(&self, laboratory: &dyn Laboratory, cpu_seconds: Option<f64>) -> Option<Taken> {
        let processors = || thread::available_parallelism().ok().map(|count| count.get() as u32);
        let is_here = laboratory.transport() == Transport::Inproc;
        (laboratory.clock() == Clock::Wall).then(|| Taken {
            date: place::date(),
            host: place::host(),
            commit: self.commit.clone(),
            processors: is_here.then(processors).flatten(),
            cpu_seconds,
        })
    }

    /// The command that takes this sample again, in a folder of its own.
    fn invocation(&self, task: &SampleTask) -> String {
        let (number, seed, runs) = (task.number, task.assignment.seed, task.assignment.runs);
        let Study { command, plan, .. } = self;
        format!(
            "{command} --seed {seed} --runs {runs} --repetitions 1 --point {number} \
             -o study-{plan}-{number}"
        )
    }
}

fn in_short(task: &SampleTask) -> String {
    let point = &task.assignment.point;
    let (game, clusters, threads) = (&point.game, point.clusters, point.threads);
    format!("{game}, {clusters}×{threads}, {}, {} lanes", point.strategy, point.word)
}

fn failed(task: &SampleTask, source: LaboratoryError) -> StudyError {
    StudyError::Failed { number: task.number, what: in_short(task), source }
}

/// The threads that measure.
struct Team<'a> {
    laboratory: &'a dyn Laboratory,
    tasks: &'a [&'a SampleTask],
    /// The task that nobody has begun.
    next: AtomicUsize,
    stop: &'a Stop,
    /// Set when more measurements would be in vain.
    halt: AtomicBool,
}

type Answer = (usize, Result<Measured, LaboratoryError>);

impl Team<'_> {
    /// Measures all tasks and hands over what was measured, in order, up to the
    /// first gap.
    fn work(
        &self,
        mut keep: impl FnMut(&SampleTask, Measured) -> Result<(), StudyError>,
    ) -> Result<(), StudyError> {
        if self.laboratory.parallel() <= 1 {
            return self.work_alone(keep);
        }
        let (sender, receiver) = channel();
        thread::scope(|scope| {
            for _ in 0..self.laboratory.parallel().clamp(1, self.tasks.len().max(1)) {
                let sender = sender.clone();
                scope.spawn(move || self.measure(&sender));
            }
            drop(sender);
            let result = self.gather(&receiver, &mut keep);
            self.halt.store(true, Ordering::Relaxed);
            result
        })
    }

    /// The same on this thread: a laboratory may have a connection that belongs to
    /// it, and nothing is written while something is timed.
    fn work_alone(
        &self,
        mut keep: impl FnMut(&SampleTask, Measured) -> Result<(), StudyError>,
    ) -> Result<(), StudyError> {
        for task in self.tasks {
            if self.stop.is_requested() {
                break;
            }
            match self.laboratory.measure(&task.assignment) {
                Ok(measured) => keep(task, measured)?,
                Err(LaboratoryError::Stopped) => break,
                Err(error) => return Err(failed(task, error)),
            }
        }
        Ok(())
    }

    fn measure(&self, answers: &Sender<Answer>) {
        while !self.stop.is_requested() && !self.halt.load(Ordering::Relaxed) {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = self.tasks.get(number) else { return };
            let measured = self.laboratory.measure(&task.assignment);
            // The gatherer may have given up.
            let _ = answers.send((number, measured));
        }
    }

    fn gather(
        &self,
        answers: &Receiver<Answer>,
        keep: &mut dyn FnMut(&SampleTask, Measured) -> Result<(), StudyError>,
    ) -> Result<(), StudyError> {
        let mut held = BTreeMap::new();
        let mut next = 0;
        for (number, measured) in answers {
            held.insert(number, measured);
            while let Some(measured) = held.remove(&next) {
                match measured {
                    Ok(measured) => keep(self.tasks[next], measured)?,
                    Err(LaboratoryError::Stopped) => return Ok(()),
                    Err(error) => return Err(failed(self.tasks[next], error)),
                }
                next += 1;
            }
        }
        Ok(())
    }
}

/// Complains about samples whose results differ although everything that results
/// depend on is equal.
#[must_use]
pub fn disagreements(samples: &[Sample]) -> Vec<String> {
    let mut known: BTreeMap<String, &Sample> = BTreeMap::new();
    let mut found = Vec::new();
    for sample in samples {
        let first = known.entry(what_results_depend_on(sample)).or_insert(sample);
        if first.signature != sample.signature {
            found.push(format!(
                "the results of two samples differ and should not: `{}` gave {}, `{}` gave {}",
                first.invocation, first.signature, sample.invocation, sample.signature
            ));
        }
    }
    found
}

fn what_results_depend_on(sample: &Sample) -> String {
    let Sample { clock, seed, runs, point, .. } = sample;
    let Point { game, bytes, positions, batch, playouts_per_position, .. } = point;
    // A tree depends on what is known when a leaf is selected.
    let in_flight = if *positions == Positions::Search { point.in_flight } else { 1 };
    format!(
        "{clock:?} {seed} {runs} {game} {bytes} {positions} {batch} {playouts_per_position} \
         {in_flight}"
    )
}
