//! `ruche study`: takes the samples of a plan, keeps them and reports on them.

mod progress;
mod summary;

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ruche_clusters::Ranks;
use ruche_clusters::ranks::serve_rank;
use ruche_mpi::World;
use ruche_offload::{Event, Events};
use ruche_playouts::HostEngine;
use ruche_report::{Clock, Sample, Transport};
use ruche_shared::budget::TOTAL_BYTES;
use ruche_study::plan::builtin;
use ruche_study::store::Key;
use ruche_study::study::{StudyProgress, disagreements};
use ruche_study::{
    Laboratory, Library, ModelLaboratory, Plan, PlanError, RanksLaboratory, Stop, Store,
    StoreError, Study, StudyError, StudyOutcome, WallLaboratory,
};
use serde_json::{Value, json};

use super::CommandError;
use super::ranks::play_part;
use crate::arguments::{Format, StudyCommand, StudySettings};
use crate::interrupt::{Interrupt, InterruptError};
use crate::machine::{self, MachineError};
use crate::output::{Align, Answer, print, quoted, table};
use progress::Watcher;
use summary::Summary;

/// Why there is no study.
#[derive(Debug, thiserror::Error)]
pub enum StudyCommandError {
    /// Neither a plan of ours nor a file.
    #[error(
        "`{name}` is neither a plan that comes with Ruche nor a file{}\n  plans: {}",
        suggestion(name),
        builtin_names()
    )]
    Unknown {
        /// What the person typed.
        name: String,
    },
    /// The file cannot be read.
    #[error("{file}: {source}: give the name of a plan or a TOML file")]
    Unreadable {
        /// The path.
        file: String,
        /// What the system says.
        source: io::Error,
    },
    /// The plan makes no sense.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// There is no such point.
    #[error("--point {point}: the plan has points 1 to {points}")]
    NoPoint {
        /// What was asked for.
        point: usize,
        /// How many there are.
        points: usize,
    },
    /// A point cannot be measured.
    #[error(transparent)]
    Study(#[from] StudyError),
    /// The results cannot be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// There is no such machine to model.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// There is no MPI.
    #[error(transparent)]
    Mpi(#[from] ruche_mpi::MpiError),
    /// Ranks for a machine that is none.
    #[error(
        "--clock model: the model computes its machine and has no use for ranks of MPI: start \
         `ruche study` without mpirun, or measure with --clock wall"
    )]
    ModelOnRanks,
    /// A modelled machine by the clock of this one.
    #[error(
        "--machine {file}: by the clock of this machine nothing is modelled: leave it away, or \
         measure with --clock model"
    )]
    MachineByWall {
        /// The path.
        file: String,
    },
    /// The report cannot be written.
    #[error("{}: {source}: the results are kept, but there is no report", dir.display())]
    Report {
        /// The folder.
        dir: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Ctrl-C would not be noticed.
    #[error(transparent)]
    Interrupt(#[from] InterruptError),
}

fn builtin_names() -> String {
    let names: Vec<&str> = builtin::all().iter().map(|plan| plan.name).collect();
    names.join(" ")
}

/// Points to a plan that was perhaps meant.
fn suggestion(name: &str) -> String {
    let names = builtin::all().iter().map(|plan| plan.name);
    let found = ruche_games::closest(name, names);
    found.map(|plan| format!(": did you mean {plan}?")).unwrap_or_default()
}

/// Lists plans, prints one, or takes its samples.
///
/// # Errors
/// If the plan makes no sense, or cannot be measured.
pub fn run(command: &StudyCommand) -> Result<Answer, CommandError> {
    match command {
        StudyCommand::List(format) => list(*format)?,
        StudyCommand::Show(name) => print(&find(name)?.text)?,
        StudyCommand::Run(settings) => return take_samples(settings),
    }
    Ok(Answer::Yes)
}

fn list(format: Format) -> Result<(), CommandError> {
    let mut plans = Vec::new();
    for builtin in builtin::all() {
        plans.push(builtin.plan().map_err(StudyCommandError::from)?);
    }
    let text = match format {
        Format::Text => {
            let row = |plan: &Plan| [plan.name.clone(), plan.about.clone()];
            table([Align::Left, Align::Left], &plans.iter().map(row).collect::<Vec<_>>())
        }
        Format::Json => {
            let object = |plan: &Plan| json!({ "plan": plan.name, "title": plan.title, "about": plan.about });
            format!("{:#}\n", plans.iter().map(object).collect::<Value>())
        }
    };
    Ok(print(&text)?)
}

/// The plan of this name or in this file.
fn find(name: &str) -> Result<Plan, StudyCommandError> {
    if let Some(builtin) = builtin::find(name) {
        return Ok(builtin.plan()?);
    }
    let path = Path::new(name);
    if !path.exists() {
        return Err(StudyCommandError::Unknown { name: name.to_owned() });
    }
    let unreadable = |source| StudyCommandError::Unreadable { file: name.to_owned(), source };
    let text = fs::read_to_string(path).map_err(unreadable)?;
    let stem = path.file_stem().map_or_else(|| name.into(), |stem| stem.to_string_lossy());
    Ok(Plan::parse(&stem, name, &text)?)
}

/// Loads all games of a plan.
fn library(plan: &Plan) -> Result<Library, StudyCommandError> {
    let mut library = Library::default();
    for name in plan.games() {
        let game = super::load(name).map_err(|error| plan.complaint(name, error))?;
        library.add(name, game);
    }
    Ok(library)
}

fn take_samples(settings: &StudySettings) -> Result<Answer, CommandError> {
    match ruche_mpi::world().map_err(StudyCommandError::from)? {
        None => be_host(settings, None),
        Some(world) => {
            // Who shares a terminal with the host is interrupted with it, but the
            // host says when it is over.
            if world.rank() > 0 {
                world.on_interrupt(|| ()).map_err(StudyCommandError::from)?;
            }
            let serve = |world: &World| serve_rank(world, &HostEngine::default(), TOTAL_BYTES);
            play_part(world, serve, |world| be_host(settings, Some(world)))
        }
    }
}

/// Takes samples, with clusters on the ranks of this world or without any.
fn be_host(settings: &StudySettings, world: Option<&World>) -> Result<Answer, CommandError> {
    let plan = find(&settings.plan)?;
    let clock = settings.clock.unwrap_or(plan.clock);
    if world.is_some() && clock == Clock::Model {
        return Err(StudyCommandError::ModelOnRanks.into());
    }
    if let Some(file) = settings.machine.as_deref().filter(|_| clock == Clock::Wall) {
        let file = file.display().to_string();
        return Err(StudyCommandError::MachineByWall { file }.into());
    }
    let library = library(&plan)?;
    let study = study(settings, &plan, &library, clock, world)?;
    let interrupt = Interrupt::default();
    let laboratory = laboratory(settings, clock, library, interrupt.stop(), world)?;
    study.check(&*laboratory).map_err(StudyCommandError::from)?;
    let dir = settings.output.clone().unwrap_or_else(|| format!("study-{}", plan.name).into());
    let mut store = Store::open(&dir, &plan).map_err(StudyCommandError::from)?;
    tell_damage(&store);
    interrupt.listen(world).map_err(StudyCommandError::from)?;
    let mut watcher = Watcher::default();
    let show = &mut |at: &StudyProgress<'_>| watcher.show(at);
    let outcome = study.run(&*laboratory, &mut store, interrupt.stop(), show);
    drop(watcher);
    let transport = laboratory.transport();
    // The ranks need not wait for the report.
    drop(laboratory);
    let session = Session { settings, plan: &plan, study: &study, store: &store, clock, transport };
    session.conclude(outcome, &interrupt)
}

/// The laboratory of this clock, here or on ranks.
fn laboratory(
    settings: &StudySettings,
    clock: Clock,
    games: Library,
    stop: &Stop,
    world: Option<&World>,
) -> Result<Box<dyn Laboratory>, StudyCommandError> {
    let stop = stop.clone();
    Ok(match (clock, world) {
        (Clock::Model, _) => Box::new(model(settings, games, stop)?),
        (Clock::Wall, None) => Box::new(WallLaboratory::new(games, stop)),
        (Clock::Wall, Some(world)) => {
            let ranks = Ranks::of_world(world, Events::new(say_loss));
            Box::new(RanksLaboratory::new(games, stop, ranks))
        }
    })
}

/// Tells of a cluster that has died.
fn say_loss(event: &Event) {
    if let Event::Lost { cluster, reason, .. } = event {
        eprintln!(
            "ruche: cluster {cluster} is lost; its sample is taken again if enough are left: \
             {reason}"
        );
    }
}

/// The modelled machine that was asked for.
fn model(
    settings: &StudySettings,
    library: Library,
    stop: Stop,
) -> Result<ModelLaboratory, StudyCommandError> {
    let parameters = machine::parameters(settings.machine.as_deref())?;
    Ok(ModelLaboratory::new(library, parameters, stop))
}

/// The samples that were asked for.
fn study(
    settings: &StudySettings,
    plan: &Plan,
    library: &Library,
    clock: Clock,
    world: Option<&World>,
) -> Result<Study, StudyCommandError> {
    let mut tasks = plan.schedule(library, clock, &settings.overrides)?;
    if let Some(point) = settings.point {
        let points = tasks.iter().map(|task| task.number).max().unwrap_or(0);
        tasks.retain(|task| task.number == point);
        if tasks.is_empty() {
            return Err(StudyCommandError::NoPoint { point, points });
        }
    }
    Ok(Study {
        plan: plan.name.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: crate::version::COMMIT.to_owned(),
        command: command(settings, clock, world),
        tasks,
    })
}

/// What a person types to take samples by this clock.
fn command(settings: &StudySettings, clock: Clock, world: Option<&World>) -> String {
    let launch = world.map_or(String::new(), |world| format!("mpirun -n {} ", world.size()));
    format!("{launch}ruche study {} --clock {clock}", quoted(&settings.plan))
}

fn tell_damage(store: &Store) {
    let dir = store.dir().display();
    for damage in store.damage() {
        let (line, bytes) = (damage.line, damage.bytes.len());
        eprintln!(
            "ruche: {dir}/results.jsonl:{line}: {bytes} bytes are no sample, or one that was \
             there already: they are in {dir}/results.damaged now, all others are kept"
        );
    }
}

/// A study that has come to an end, be it its own.
struct Session<'a> {
    settings: &'a StudySettings,
    plan: &'a Plan,
    study: &'a Study,
    store: &'a Store,
    clock: Clock,
    transport: Transport,
}

impl Session<'_> {
    /// Reports on what is there, and says how to go on.
    fn conclude(
        &self,
        outcome: Result<StudyOutcome, StudyError>,
        interrupt: &Interrupt,
    ) -> Result<Answer, CommandError> {
        if let Err(error @ StudyError::Store(_)) = outcome {
            return Err(StudyCommandError::from(error).into());
        }
        let samples = self.samples();
        let report = self.report(&samples)?;
        let mine: Vec<Sample> =
            samples.iter().filter(|sample| self.is_mine(sample)).cloned().collect();
        let summary = Summary::new(&mine);
        print(&match self.settings.format {
            Format::Text => self.text(&summary, report.as_deref()),
            Format::Json => format!("{:#}\n", self.json(&summary, report.as_deref(), &outcome)),
        })?;
        // Results depend on no transport, so that those of others are compared too.
        let by_clock: Vec<Sample> =
            samples.into_iter().filter(|sample| sample.clock == self.clock).collect();
        let disagreements = disagreements(&by_clock);
        disagreements.iter().for_each(|text| eprintln!("ruche: {text}"));
        match outcome {
            Ok(outcome) if !outcome.is_complete => {
                eprintln!("ruche: stopped; go on with: {}", self.command());
                Ok(interrupt.or(Answer::No))
            }
            Ok(_) => Ok(Answer::when(disagreements.is_empty())),
            Err(error @ StudyError::Failed { .. }) => {
                eprintln!("ruche: {error}");
                eprintln!("ruche: what was measured is kept; try again with: {}", self.command());
                Ok(Answer::No)
            }
            Err(error) => Err(StudyCommandError::from(error).into()),
        }
    }

    /// Whether a sample was taken by the clock and transport of this study.
    fn is_mine(&self, sample: &Sample) -> bool {
        (sample.clock, sample.transport) == (self.clock, self.transport)
    }

    /// Of this clock and transport those of this study; of others all, to stand
    /// beside.
    fn samples(&self) -> Vec<Sample> {
        let key = |task| Key::of_task(task, self.clock, self.transport);
        let keys: HashSet<Key> = self.study.tasks.iter().map(key).collect();
        let is_wanted = |sample: &&Sample| !self.is_mine(sample) || keys.contains(&Key::of(sample));
        self.store.samples().iter().filter(is_wanted).cloned().collect()
    }

    /// The command that goes on with this study.
    fn command(&self) -> String {
        let StudySettings { overrides, point, .. } = self.settings;
        let options = [
            ("seed", overrides.seed),
            ("runs", overrides.runs),
            ("repetitions", overrides.repetitions.map(u64::from)),
            ("point", point.map(|point| point as u64)),
        ];
        let option =
            |(name, value): &(&str, Option<u64>)| value.map(|value| format!(" --{name} {value}"));
        let options: String = options.iter().filter_map(option).collect();
        let dir = quoted(&self.store.dir().display().to_string());
        format!("{}{options} -o {dir}", self.study.command)
    }

    /// Writes the report, if there is anything to report on.
    fn report(&self, samples: &[Sample]) -> Result<Option<PathBuf>, StudyCommandError> {
        let dir = self.store.dir();
        let failed = |source| StudyCommandError::Report { dir: dir.to_owned(), source };
        match samples.is_empty() {
            true => Ok(None),
            false => ruche_report::write(dir, &self.plan.title, samples).map(Some).map_err(failed),
        }
    }

    fn text(&self, summary: &Summary, report: Option<&Path>) -> String {
        let (samples, all) = (summary.samples(), self.study.tasks.len());
        let table = summary.table();
        let report = report.map_or("none".into(), |report| report.display().to_string());
        format!("{}\n\n{table}\nsamples  {samples} of {all}\nreport   {report}\n", self.plan.title)
    }

    fn json(
        &self,
        summary: &Summary,
        report: Option<&Path>,
        outcome: &Result<StudyOutcome, StudyError>,
    ) -> Value {
        let taken = outcome.as_ref().ok().map(|outcome| outcome.taken);
        json!({
            "plan": self.plan.name,
            "title": self.plan.title,
            "clock": self.clock,
            "transport": self.transport,
            "folder": self.store.dir().display().to_string(),
            "report": report.map(|report| report.display().to_string()),
            "samples": summary.samples(),
            "planned": self.study.tasks.len(),
            "taken": taken,
            "complete": outcome.as_ref().is_ok_and(|outcome| outcome.is_complete),
            "error": outcome.as_ref().err().map(ToString::to_string),
            "best": summary.json(),
        })
    }
}
