//! The arguments of `ruche study`.

use std::path::PathBuf;

use ruche_report::Clock;
use ruche_search::quantity::count;
use ruche_shared::names::Named;
use ruche_study::Overrides;

use super::{Format, named};

pub const HELP: &str = "\
A plan is a TOML file, or one of those that come with Ruche (--list). It sweeps over games, \
clusters, threads, strategies and more; every sample is written to DIR at once. A study that \
was stopped goes on where it was when the same command is given again. docs/studies.md has \
the keys of a plan and the columns of the results.
Under mpirun clusters are ranks: rank 0 measures, rank 1 is the I/O node, all others play.
Exit codes: 0 all samples are there, 1 a measurement failed or results differ, 2 usage or bad \
input, 130 and 143 stopped by Ctrl-C and SIGTERM: the report of what is there is written.

Examples:
  ruche study --list                         the plans that come with Ruche
  ruche study quick                          two minutes, results in study-quick
  ruche study fig6.7 --show > mine.toml      a plan to start from
  ruche study mine.toml -o results --runs 100
  ruche study fig6.7 --clock model           in the virtual time of a modelled machine
  mpirun -n 18 ruche study mine.toml         on 16 clusters that are ranks of MPI";

pub const USAGE: &str = "\
ruche study [OPTIONS] <PLAN>
       ruche study <PLAN> --show
       ruche study --list";

#[derive(Debug, clap::Args)]
pub struct StudyArguments {
    /// A plan: a TOML file, or the name of one that comes with Ruche
    #[arg(required_unless_present = "list")]
    plan: Option<String>,
    /// List the plans that come with Ruche
    #[arg(long, conflicts_with_all = ["plan", "show"])]
    list: bool,
    /// Print the plan instead, to copy and change it
    #[arg(long)]
    show: bool,
    /// By which clock to measure; the plan says it if not given
    #[arg(long, value_parser = named::<Clock>(Clock::ALL))]
    clock: Option<Clock>,
    /// The modelled machine, a TOML file [default: the MPPA-256; docs/model.md]
    #[arg(long, value_name = "FILE")]
    machine: Option<PathBuf>,
    /// The folder for results and report [default: study-NAME]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// The run seed, instead of the plan's; each repetition adds 1
    #[arg(long, value_name = "X")]
    seed: Option<u64>,
    /// Timed runs of every sample, instead of the plan's
    #[arg(long, value_name = "N", value_parser = count::<u64>("runs", 1..=1_000_000_000))]
    runs: Option<u64>,
    /// How often each point is measured, instead of the plan's
    #[arg(long, value_name = "N", value_parser = count::<u32>("repetitions", 1..=10_000))]
    repetitions: Option<u32>,
    /// Measure only the point of this number in the plan, from 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    point: Option<u32>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// What `ruche study` shall do.
#[derive(Debug, PartialEq)]
pub enum StudyCommand {
    /// Tell which plans there are.
    List(Format),
    /// Print a plan.
    Show(String),
    /// Take the samples of a plan.
    Run(StudySettings),
}

/// Which samples to take.
#[derive(Debug, PartialEq)]
pub struct StudySettings {
    /// A name or a path.
    pub plan: String,
    /// The clock, if the plan's is not wanted.
    pub clock: Option<Clock>,
    /// The modelled machine, if not the MPPA-256.
    pub machine: Option<PathBuf>,
    /// The folder, if not the usual one.
    pub output: Option<PathBuf>,
    /// What to change in the plan.
    pub overrides: Overrides,
    /// The only point to measure, from 1.
    pub point: Option<usize>,
    /// How to print the result.
    pub format: Format,
}

impl From<StudyArguments> for StudyCommand {
    fn from(arguments: StudyArguments) -> Self {
        let StudyArguments { plan, list, show, clock, machine, output, point, json, .. } =
            arguments;
        let StudyArguments { seed, runs, repetitions, .. } = arguments;
        let plan = plan.unwrap_or_default();
        match (list, show) {
            (true, _) => StudyCommand::List(Format::of(json)),
            (_, true) => StudyCommand::Show(plan),
            _ => StudyCommand::Run(StudySettings {
                plan,
                clock,
                machine,
                output,
                overrides: Overrides { runs, repetitions, seed },
                point: point.map(|point| point as usize),
                format: Format::of(json),
            }),
        }
    }
}
