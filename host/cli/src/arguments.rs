//! The command line: parsed here, then turned once into settings that cannot
//! hold a wrong value.

mod bench;
mod decompose;
mod doors;
mod matches;
mod page;
mod play;
mod player;
mod referee;
mod search;
mod show;
mod study;

use std::path::PathBuf;

use bench::{BenchArguments, BenchTransport};
pub use bench::{BenchGoal, BenchSettings, BoardBenchSettings, RecommendSettings};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{CommandFactory, Parser, Subcommand};
use decompose::DecomposeArguments;
pub use decompose::{DecomposeCommand, DecomposeForm};
use doors::DoorArguments;
pub use doors::DoorCommand;
use matches::MatchArguments;
pub use matches::MatchCommand;
pub use page::PageCommand;
use play::PlayArguments;
pub use play::PlayCommand;
use player::PlayerArguments;
pub use player::PlayerCommand;
use referee::RefereeArguments;
pub use referee::RefereeCommand;
use ruche_compiler::{EmitFormat, Stage};
use ruche_eval::playouts::DEFAULT_PLY_LIMIT;
use ruche_search::quantity::count;
use ruche_shared::Transport;
use ruche_shared::budget::Budget;
use ruche_shared::names::Named;
use ruche_trace::RecordSettings;
use search::SearchArguments;
pub use search::SearchCommand;
use show::ShowArguments;
pub use show::ShowCommand;
use study::StudyArguments;
pub use study::{StudyCommand, StudySettings};

use crate::version;

/// Monte-Carlo tree search on manycore machines: games are compiled to circuits
/// that play in 2 MB.
#[derive(Debug, Parser)]
#[command(name = "ruche", version = version::SHORT.as_str(),
          long_version = version::LONG.as_str(), after_help = AFTER_HELP)]
pub struct Arguments {
    #[command(subcommand)]
    command: CommandArguments,
}

const AFTER_HELP: &str = "\
GAME is a bundled name, a .kif file, an image made by `ruche compile`, or - for what \
comes on standard input. Numbers may be written 100k, 1e6 or 2.5M.
Exit codes: 0 success, 1 the answer is no, 2 usage or bad input; 130 and 143 stopped by \
Ctrl-C and SIGTERM, with what was done until then.

Examples:
  ruche compile tictactoe
  ruche compile rules/chess.kif -o chess.ruche
  ruche verify breakthrough trace.jsonl
  ruche bench connectfour --threads 2
  ruche search breakthrough --seconds 3
  ruche play connectfour
  ruche match connectfour default exploration=1.4
  ruche study quick";

const COMPILE_HELP: &str = "\
Exit codes: 0 the game fits, 1 it compiles but does not fit, 2 it does not compile.

Examples:
  ruche compile hex                          what the game needs, and whether it fits
  ruche compile hex -o hex.ruche             also write the image, with its names
  ruche compile my.kif --budget 1M --json    for another memory, for scripts
  ruche compile tictactoe --emit ground      the rules without variables, as GDL
  ruche compile tictactoe --emit circuit --format dot | dot -Tsvg > circuit.svg
  ruche compile hex --emit aiger -o hex.aag  for other tools of logic synthesis";

const VERIFY_HELP: &str = "\
A trace has one JSON object per line: playout, ply, state, terminal, and where it \
applies legal, joint and goals. It is replayed with words of 1 and of 64 lanes.
Exit codes: 0 everything agrees, 1 the first difference is printed, 2 bad input.

Examples:
  ruche verify tictactoe docs/traces/tictactoe.jsonl
  ruche verify my.kif traces/*.jsonl --json";

const TRACE_HELP: &str = "\
A line is a JSON object: which game, which ply, the fluents that hold, whether the game is \
over; before its end the legal moves and those that were drawn, at its end the goals. The same \
seed gives the same games on every machine. docs/traces has three examples.
Exit codes: 0 the trace is written, 2 bad input.

Examples:
  ruche trace tictactoe --games 2
  ruche trace my.kif --seed 7 -o my.jsonl && ruche verify my.kif my.jsonl";

const BENCH_HELP: &str = "\
Plays random games from the initial position, without a tree, and counts them per \
second of CPU time and of the clock. Without GAME, all bundled games are played.

With --recommend it searches one game for half a minute with many settings, says which \
are best on this machine and why, and prints the command that uses them.
Exit codes: 0 success, 2 usage or bad input.

Examples:
  ruche bench                                all bundled games, one core
  ruche bench breakthrough --word 64         as a cluster would play it
  ruche bench hex othello --threads 2 --json
  ruche bench --signature --word 8           the same for all words, threads, machines
  ruche bench --recommend breakthrough       which settings to search with, here
  ruche bench hex --transport board          instructions per playout on bare cores";

#[derive(Debug, Subcommand)]
enum CommandArguments {
    /// Compile a game and say what it needs of a cluster's memory
    #[command(after_help = COMPILE_HELP)]
    Compile {
        /// A bundled game, a .kif file or an image
        game: String,
        /// Write the image and its names to this file
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Memory of a cluster in bytes; K and M stand for KiB and MiB
        #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
        budget: Option<u64>,
        /// Write a stage of the compilation instead, to stdout or to the file of --output
        #[arg(long, value_name = "STAGE", conflicts_with_all = ["budget", "json"],
              value_parser = named::<Stage>(Stage::ALL))]
        emit: Option<Stage>,
        /// How to write it
        #[arg(long, value_name = "FORMAT", default_value_t = EmitFormat::Text, requires = "emit",
              value_parser = named::<EmitFormat>(EmitFormat::ALL))]
        format: EmitFormat,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Replay reference traces and name the first difference
    #[command(after_help = VERIFY_HELP)]
    Verify {
        /// A bundled game, a .kif file or an image
        game: String,
        /// Traces to replay
        #[arg(required = true, value_name = "TRACE.jsonl")]
        traces: Vec<PathBuf>,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Write random games, state by state, as `verify` reads them
    #[command(after_help = TRACE_HELP)]
    Trace {
        /// A bundled game, a .kif file or an image
        game: String,
        /// How many games
        #[arg(long, value_name = "N", default_value_t = 10,
              value_parser = count::<u64>("games", 1..=1_000_000_000))]
        games: u64,
        /// From which the moves are drawn
        #[arg(long, value_name = "X", default_value_t = 0)]
        seed: u64,
        /// Cut a game that has not ended after so many plies
        #[arg(long, value_name = "N", default_value_t = DEFAULT_PLY_LIMIT,
              value_parser = count::<u32>("plies", 1..=u32::MAX.into()))]
        plies: u32,
        /// Write to this file instead of stdout
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Count random playouts per second
    #[command(after_help = BENCH_HELP)]
    Bench(BenchArguments),
    /// Search for the best move, with playouts on clusters
    #[command(after_help = search::HELP)]
    Search(SearchArguments),
    /// Let settings of the search play against settings: who is better, by how much?
    #[command(after_help = matches::HELP)]
    Match(MatchArguments),
    /// Play against the engine, in a terminal or on a page
    #[command(after_help = play::HELP)]
    Play(PlayArguments),
    /// Play for game managers, as a player of the General Game Playing protocol
    #[command(after_help = player::HELP)]
    Player(PlayerArguments),
    /// Let players play a match by the clock: a game manager
    #[command(after_help = referee::HELP)]
    Referee(RefereeArguments),
    /// Show a state: its boards, legal moves and goals
    #[command(after_help = show::HELP)]
    Show(ShowArguments),
    /// Find the games inside a game: which fluents and moves belong together
    #[command(after_help = decompose::HELP)]
    Decompose(DecomposeArguments),
    /// Speak the Universal Game Interface, for arenas
    #[command(after_help = doors::UGI_HELP)]
    Ugi(DoorArguments),
    /// Answer queries about positions, line by line in JSON
    #[command(after_help = doors::ANALYSE_HELP)]
    Analyse(DoorArguments),
    /// Measure what a plan sweeps over, and report on it
    #[command(after_help = study::HELP, override_usage = study::USAGE)]
    Study(StudyArguments),
}

impl CommandArguments {
    /// What a person types.
    fn name(&self) -> &'static str {
        match self {
            CommandArguments::Compile { .. } => "compile",
            CommandArguments::Verify { .. } => "verify",
            CommandArguments::Trace { .. } => "trace",
            CommandArguments::Bench(_) => "bench",
            CommandArguments::Search(_) => "search",
            CommandArguments::Match(_) => "match",
            CommandArguments::Play(_) => "play",
            CommandArguments::Player(_) => "player",
            CommandArguments::Referee(_) => "referee",
            CommandArguments::Show(_) => "show",
            CommandArguments::Decompose(_) => "decompose",
            CommandArguments::Ugi(_) => "ugi",
            CommandArguments::Analyse(_) => "analyse",
            CommandArguments::Study(_) => "study",
        }
    }
}

/// Reads one of some things by its name; the help lists them with what they are.
fn named<T: Named + Send + Sync>(possible: &[T]) -> impl TypedValueParser<Value = T> {
    let values = possible.iter().map(|one| PossibleValue::new(one.name()).help(one.about()));
    PossibleValuesParser::new(values).try_map(|name| T::of_name(&name))
}

/// A number of bytes such as `2097152`, `2048K` or `2M`; never zero.
fn parse_bytes(text: &str) -> Result<u64, String> {
    let (digits, unit) = match text.char_indices().last() {
        Some((end, 'k' | 'K')) => (&text[..end], 1 << 10),
        Some((end, 'm' | 'M')) => (&text[..end], 1 << 20),
        _ => (text, 1),
    };
    let number: Option<u64> = digits.parse().ok();
    number
        .and_then(|number| number.checked_mul(unit))
        // More is no memory of a cluster, and sums must not overflow.
        .filter(|bytes| (1..=1 << 50).contains(bytes))
        .ok_or_else(|| "give a number of bytes, such as 2097152, 2048K or 2M".to_owned())
}

/// How results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Tables for a person.
    Text,
    /// One document for a program.
    Json,
}

impl Format {
    fn of(json: bool) -> Self {
        if json { Format::Json } else { Format::Text }
    }
}

/// What `ruche compile` shall do.
#[derive(Debug, PartialEq)]
pub struct CompileSettings {
    /// A name or a path.
    pub game: String,
    /// Where to write the image.
    pub output: Option<PathBuf>,
    /// The memory to fit in.
    pub budget: Budget,
    /// A stage to write instead, and how.
    pub emit: Option<(Stage, EmitFormat)>,
    /// How to print the report.
    pub format: Format,
}

/// What `ruche verify` shall do.
#[derive(Debug, PartialEq)]
pub struct VerifySettings {
    /// A name or a path.
    pub game: String,
    /// Traces, at least one.
    pub traces: Vec<PathBuf>,
    /// How to print the result.
    pub format: Format,
}

/// What `ruche trace` shall do.
#[derive(Debug, PartialEq)]
pub struct TraceSettings {
    /// A name or a path.
    pub game: String,
    /// Which games to play.
    pub games: RecordSettings,
    /// Where to write, if not to stdout.
    pub output: Option<PathBuf>,
}

/// What the person asked for.
#[derive(Debug, PartialEq)]
pub enum Settings {
    /// `ruche compile`
    Compile(CompileSettings),
    /// `ruche verify`
    Verify(VerifySettings),
    /// `ruche trace`
    Trace(TraceSettings),
    /// `ruche bench`
    Bench(BenchSettings),
    /// `ruche bench --transport board`
    BoardBench(BoardBenchSettings),
    /// `ruche bench --recommend`
    Recommend(RecommendSettings),
    /// `ruche search`
    Search(SearchCommand),
    /// `ruche match`
    Match(MatchCommand),
    /// `ruche play`
    Play(PlayCommand),
    /// `ruche player`
    Player(PlayerCommand),
    /// `ruche referee`
    Referee(RefereeCommand),
    /// `ruche show`
    Show(ShowCommand),
    /// `ruche decompose`
    Decompose(DecomposeCommand),
    /// `ruche ugi`
    Ugi(DoorCommand),
    /// `ruche analyse`
    Analyse(DoorCommand),
    /// `ruche study`
    Study(StudyCommand),
}

impl Settings {
    /// Reads the command line of this process; ends it with a message if it is
    /// wrong.
    #[must_use]
    pub fn of_command_line() -> Self {
        let arguments = Arguments::try_parse().unwrap_or_else(|error| explain(&error));
        let name = arguments.command.name();
        Self::try_from(arguments).unwrap_or_else(|why| explain(&complaint(name, why)))
    }

    /// Whether this is done by several ranks of MPI together.
    #[must_use]
    pub fn uses_ranks(&self) -> bool {
        match self {
            Settings::Search(search) => matches!(search.transport, None | Some(Transport::Mpi)),
            Settings::Study(study) => matches!(study, StudyCommand::Run(_)),
            Settings::Player(player) => player.transport == Transport::Mpi,
            _ => false,
        }
    }
}

/// An error with the usage of the subcommand that it is about.
fn complaint(subcommand: &str, why: String) -> clap::Error {
    let mut command = Arguments::command();
    command.build();
    let kind = clap::error::ErrorKind::ValueValidation;
    match command.find_subcommand_mut(subcommand) {
        Some(subcommand) => subcommand.error(kind, why),
        None => command.error(kind, why),
    }
}

/// Ends this process with what is wrong or was asked for. Of many ranks one speaks
/// for all.
fn explain(error: &clap::Error) -> ! {
    match ruche_mpi::launch::rank_of_environment() {
        Some(launched) if launched.rank > 0 => std::process::exit(error.exit_code()),
        _ => error.exit(),
    }
}

impl TryFrom<Arguments> for Settings {
    type Error = String;

    fn try_from(arguments: Arguments) -> Result<Self, String> {
        Ok(match arguments.command {
            CommandArguments::Compile { game, output, budget, emit, format, json } => {
                let standard = Budget::default();
                let budget = Budget { total: budget.unwrap_or(standard.total), ..standard };
                let emit = emit.map(|stage| (stage, format));
                let format = Format::of(json);
                Settings::Compile(CompileSettings { game, output, budget, emit, format })
            }
            CommandArguments::Verify { game, traces, json } => {
                Settings::Verify(VerifySettings { game, traces, format: Format::of(json) })
            }
            CommandArguments::Trace { game, games, seed, plies, output } => {
                let games = RecordSettings { games, seed, ply_limit: plies };
                Settings::Trace(TraceSettings { game, games, output })
            }
            CommandArguments::Bench(arguments) if arguments.recommend => {
                Settings::Recommend(arguments.try_into()?)
            }
            CommandArguments::Bench(arguments) if arguments.transport == BenchTransport::Board => {
                Settings::BoardBench(arguments.try_into()?)
            }
            CommandArguments::Bench(arguments) => Settings::Bench(arguments.into()),
            CommandArguments::Search(arguments) => Settings::Search(arguments.try_into()?),
            CommandArguments::Match(arguments) => Settings::Match(arguments.try_into()?),
            CommandArguments::Play(arguments) => Settings::Play(arguments.try_into()?),
            CommandArguments::Player(arguments) => Settings::Player(arguments.try_into()?),
            CommandArguments::Referee(arguments) => Settings::Referee(arguments.try_into()?),
            CommandArguments::Show(arguments) => Settings::Show(arguments.into()),
            CommandArguments::Decompose(arguments) => Settings::Decompose(arguments.into()),
            CommandArguments::Ugi(arguments) => Settings::Ugi(arguments.try_into()?),
            CommandArguments::Analyse(arguments) => Settings::Analyse(arguments.try_into()?),
            CommandArguments::Study(arguments) => Settings::Study(arguments.into()),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::bench::RECOMMEND_TIME;
    use super::*;

    fn settings(line: &str) -> Result<Settings, String> {
        let arguments = Arguments::try_parse_from(line.split(' '));
        arguments.map_err(|error| error.to_string()).and_then(Settings::try_from)
    }

    #[test]
    fn the_command_line_is_well_formed() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn compile_takes_a_game_and_options() {
        let Settings::Compile(found) = settings("ruche compile hex").unwrap() else { panic!() };
        let expected = CompileSettings {
            game: "hex".to_owned(),
            output: None,
            budget: Budget::default(),
            emit: None,
            format: Format::Text,
        };
        assert_eq!(found, expected);
        let line = "ruche compile hex -o h.ruche --budget 1M --json";
        let Settings::Compile(found) = settings(line).unwrap() else { panic!() };
        assert_eq!(found.output, Some(PathBuf::from("h.ruche")));
        assert_eq!((found.budget.total, found.budget.cores), (1 << 20, 16));
        assert_eq!(found.format, Format::Json);
    }

    #[test]
    fn a_stage_is_emitted_as_text_unless_a_drawing_is_wanted() {
        let found = |line: &str| match settings(line) {
            Ok(Settings::Compile(found)) => found.emit,
            _ => None,
        };
        assert_eq!(found("ruche compile hex --emit aiger"), Some((Stage::Aiger, EmitFormat::Text)));
        let drawn = found("ruche compile hex --emit gates --format dot");
        assert_eq!(drawn, Some((Stage::Gates, EmitFormat::Dot)));
        for wrong in ["--format dot", "--emit soup", "--emit gates --json"] {
            assert!(settings(&format!("ruche compile hex {wrong}")).is_err(), "{wrong}");
        }
    }

    #[test]
    fn verify_needs_a_trace() {
        assert!(settings("ruche verify hex").is_err());
        let Settings::Verify(found) = settings("ruche verify hex a b").unwrap() else { panic!() };
        assert_eq!(found.traces, ["a", "b"].map(PathBuf::from));
    }

    #[test]
    fn a_recommendation_is_for_one_game_and_at_most_this_machine() {
        let recommend = |options: &str| {
            let found = settings(&format!("ruche bench --recommend{options}"));
            found.ok().and_then(|found| match found {
                Settings::Recommend(found) => Some(found),
                _ => None,
            })
        };
        let found = recommend(" hex --threads 1").unwrap();
        assert_eq!((found.processors, found.time), (1, RECOMMEND_TIME));
        let found = recommend(" hex --threads 4096 --seconds 2").unwrap();
        assert_eq!(found.time, Duration::from_secs(2));
        assert!(found.processors <= std::thread::available_parallelism().unwrap().get());
        for wrong in ["", " hex nim", " hex --signature", " hex --word 8", " hex --breakdown"] {
            assert!(recommend(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn bytes_have_units_and_limits() {
        assert_eq!(parse_bytes("2097152"), Ok(2 << 20));
        assert_eq!(parse_bytes("3k"), Ok(3072));
        assert_eq!(parse_bytes("2M"), Ok(2 << 20));
        for wrong in ["", "M", "0", "-1", "2G", "1.5M", "99999999999999999999", "2é"] {
            assert!(parse_bytes(wrong).is_err(), "{wrong}");
        }
    }
}
