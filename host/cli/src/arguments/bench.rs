//! `ruche bench`.

use std::time::Duration;

use ruche_eval::playouts::DEFAULT_PLY_LIMIT;
use ruche_playouts::EngineChoice;
use ruche_search::quantity::{count, seconds};
use ruche_shared::WordWidth;
use ruche_shared::budget::CORES;
use ruche_shared::names::Named;

use super::{Format, named};

#[derive(Debug, clap::Args)]
pub(super) struct BenchArguments {
    /// Bundled games, .kif files or images; all bundled games if there is none
    #[arg(value_name = "GAME")]
    games: Vec<String>,
    /// Playouts in one word: 1, 8, 16, 32, 64, 128, 256 or 512; the widest of this
    /// machine if not given
    #[arg(long, value_name = "LANES")]
    word: Option<WordWidth>,
    /// What evaluates the gates; auto takes native code where it is faster
    #[arg(long, value_name = "ENGINE", default_value_t,
          value_parser = named::<EngineChoice>(EngineChoice::ALL))]
    engine: EngineChoice,
    /// Threads, each with playouts of its own [default: 1]; with --recommend the most to
    /// use [default: all processors]
    #[arg(long, value_name = "N", value_parser = count::<usize>("threads", 1..=4096))]
    threads: Option<usize>,
    /// How long to play each game [default: 1]; with --recommend about how long to
    /// measure in all [default: 30]
    #[arg(long, value_name = "S", value_parser = seconds)]
    seconds: Option<Duration>,
    /// The run seed
    #[arg(long, value_name = "X", default_value_t = 0)]
    seed: u64,
    /// Cut a playout that has not ended after so many plies
    #[arg(long, value_name = "N", default_value_t = DEFAULT_PLY_LIMIT,
          value_parser = count::<u32>("plies", 1..=u32::MAX.into()))]
    plies: u32,
    /// Also show which share of the time gates, chooser and refill take
    #[arg(long)]
    breakdown: bool,
    /// Play a fixed number of games instead and print a checksum of the results
    #[arg(long, conflicts_with_all = ["seconds", "breakdown", "seed", "plies"])]
    signature: bool,
    /// Where to play: here without clusters, or on an emulated board, where instructions
    /// are counted instead of seconds
    #[arg(long, value_enum, default_value_t, conflicts_with = "recommend")]
    pub(super) transport: BenchTransport,
    /// Find threads, strategy, word, batch and playouts per position for one game on this
    /// machine
    #[arg(long, conflicts_with_all = ["signature", "breakdown", "word", "engine", "plies"])]
    pub(super) recommend: bool,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Where a benchmark is played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum BenchTransport {
    /// No cluster: threads of this process.
    #[default]
    Direct,
    /// A board of 2 MB without an operating system.
    Board,
}

/// What `ruche bench` shall do.
#[derive(Debug, PartialEq)]
pub struct BenchSettings {
    /// Names or paths, at least one.
    pub games: Vec<String>,
    /// Lanes of a word; the machine decides if there is none.
    pub word: Option<WordWidth>,
    /// What evaluates the gates.
    pub engine: EngineChoice,
    /// Threads, at least one.
    pub threads: usize,
    /// What to find out.
    pub goal: BenchGoal,
    /// How to print the result.
    pub format: Format,
}

/// What `ruche bench` finds out.
#[derive(Debug, PartialEq)]
pub enum BenchGoal {
    /// How many playouts there are in a second.
    Speed {
        /// How long to play each game.
        time: Duration,
        /// The run seed.
        seed: u64,
        /// Where a playout is cut.
        ply_limit: u32,
        /// Whether to measure the parts.
        breakdown: bool,
    },
    /// Whether the results are the same.
    Signature,
}

/// How long to play each game.
const USUAL_TIME: Duration = Duration::from_secs(1);

/// How long to look for settings: long enough for five rounds of forty candidates.
pub(super) const RECOMMEND_TIME: Duration = Duration::from_secs(30);

impl From<BenchArguments> for BenchSettings {
    fn from(arguments: BenchArguments) -> Self {
        let goal = match arguments.signature {
            true => BenchGoal::Signature,
            false => BenchGoal::Speed {
                time: arguments.seconds.unwrap_or(USUAL_TIME),
                seed: arguments.seed,
                ply_limit: arguments.plies,
                breakdown: arguments.breakdown,
            },
        };
        let BenchArguments { games, word, engine, .. } = arguments;
        let (games, threads) = (games_or_all(games), arguments.threads.unwrap_or(1));
        Self { games, word, engine, threads, goal, format: Format::of(arguments.json) }
    }
}

/// What `ruche bench --transport board` shall do.
#[derive(Debug, PartialEq)]
pub struct BoardBenchSettings {
    /// Names or paths, at least one.
    pub games: Vec<String>,
    /// The word; all that a board has if there is none.
    pub word: Option<WordWidth>,
    /// Cores that play, 1 to 16.
    pub cores: u32,
    /// The run seed.
    pub seed: u64,
    /// Whether a checksum of the results is wanted instead of instructions.
    pub is_signature: bool,
    /// How to print the result.
    pub format: Format,
}

impl TryFrom<BenchArguments> for BoardBenchSettings {
    type Error = String;

    fn try_from(arguments: BenchArguments) -> Result<Self, String> {
        let cores = arguments.threads.unwrap_or(1);
        let cores = u32::try_from(cores).ok().filter(|cores| *cores <= CORES);
        let given = |is_given: bool, flag: &'static str| is_given.then_some(flag);
        let odd = given(arguments.breakdown, "--breakdown")
            .or(given(arguments.seconds.is_some(), "--seconds"))
            .or(given(arguments.plies != DEFAULT_PLY_LIMIT, "--plies"))
            .or(given(arguments.engine == EngineChoice::Native, "--engine native"));
        if let Some(flag) = odd {
            return Err(format!("{flag} means nothing with --transport board: leave it away"));
        }
        Ok(Self {
            cores: cores.ok_or_else(|| format!("--threads: a board has {CORES} cores"))?,
            word: arguments.word,
            seed: arguments.seed,
            is_signature: arguments.signature,
            format: Format::of(arguments.json),
            games: games_or_all(arguments.games),
        })
    }
}

/// These games, or all bundled ones.
fn games_or_all(games: Vec<String>) -> Vec<String> {
    match games.is_empty() {
        true => ruche_games::all().iter().map(|game| game.name.to_owned()).collect(),
        false => games,
    }
}

/// What `ruche bench --recommend` shall do.
#[derive(Debug, PartialEq)]
pub struct RecommendSettings {
    /// A name or a path.
    pub game: String,
    /// The most threads that may play, at least one.
    pub processors: usize,
    /// About how long to measure in all.
    pub time: Duration,
    /// The run seed.
    pub seed: u64,
    /// How to print the result.
    pub format: Format,
}

impl TryFrom<BenchArguments> for RecommendSettings {
    type Error = String;

    fn try_from(arguments: BenchArguments) -> Result<Self, String> {
        let BenchArguments { games, threads, seconds, seed, json, .. } = arguments;
        let [game] = <[String; 1]>::try_from(games).map_err(|games| one_game(games.len()))?;
        let processors = std::thread::available_parallelism().map_or(1, |count| count.get());
        Ok(Self {
            game,
            processors: threads.unwrap_or(processors).min(processors),
            time: seconds.unwrap_or(RECOMMEND_TIME),
            seed,
            format: Format::of(json),
        })
    }
}

fn one_game(found: usize) -> String {
    format!(
        "--recommend needs one game, not {found}: what suits one does not suit another; \
         try `ruche bench --recommend breakthrough`"
    )
}
