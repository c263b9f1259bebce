//! The arguments of `ruche match`.

use std::path::PathBuf;
use std::thread::available_parallelism;
use std::time::Duration;

use ruche_arena::{Contestant, MatchSettings, Sprt};
use ruche_search::Limits;
use ruche_search::quantity::{count, seconds};

use super::Format;

pub const HELP: &str = "\
A and B are `default`, `random` (any legal move), `legal` (the first one), http://HOST:PORT \
for a player of the General Game Playing protocol, or settings of our search that differ from \
the default, such as exploration=1.4,batch=64. The settings are those of `ruche search`: method, batch, playouts-per-position, in-flight, order, exploration, prior, \
proofs, decompose, trees, merge, policy, memory (in MB, of each tree); playouts, seconds and thread-seconds limit the moves of this contestant alone.

Each random opening is played with all assignments of roles: a pair. Of two roles each has \
both; of more each is alone against all others in each role; games for one are compared with \
that of the other. Who has the greater goal, on average over its roles, wins. Elo and its \
95 % interval come from the scores of pairs; --sprt ends the match when it is decided whether \
A is better by ELO1 rather than by ELO0. With equal playouts the same seed gives the same \
games on any number of threads. docs/strength.md tells more.
Exit codes: 0 the match is played, 1 SPRT has rejected A, 2 usage or bad input; 130 and 143 \
stopped, with what was done until then.

Examples:
  ruche match connectfour default random
  ruche match connectfour,breakthrough default exploration=0.3 --playouts 20k --games 40
  ruche match hex playouts=2k playouts=1k -o hex.jsonl      again: goes on where it was
  ruche match othello default batch=64 --seconds 0.1 --sprt 0,30 --games 1000
  ruche match eightpuzzle default exploration=2 --json
  ruche match connectfour default http://127.0.0.1:9147 --seconds 1 --games 20";

#[derive(Debug, clap::Args)]
pub struct MatchArguments {
    /// Bundled games, .kif files or images, separated by commas
    #[arg(value_name = "GAME[,GAME…]")]
    games_to_play: String,
    /// Who is looked at: settings such as exploration=1.4,batch=64, or default
    #[arg(value_name = "A")]
    a: String,
    /// Against whom
    #[arg(value_name = "B")]
    b: String,
    /// Playouts for each move [default: 10000]
    #[arg(long, value_name = "N", value_parser = count::<u64>("playouts", 0..=u64::MAX))]
    playouts: Option<u64>,
    /// Seconds for each move instead; then no two matches are alike
    #[arg(long, value_name = "S", conflicts_with = "playouts", value_parser = seconds)]
    seconds: Option<Duration>,
    /// Seconds of a processor for each move instead: what else the machine does is not counted
    #[arg(long, value_name = "S", conflicts_with_all = ["playouts", "seconds"], value_parser = seconds)]
    thread_seconds: Option<Duration>,
    /// Games to play of each game, rounded up to whole pairs
    #[arg(long, value_name = "N", default_value_t = MatchSettings::default().games,
          value_parser = count::<u64>("games", 1..=10_000_000))]
    games: u64,
    /// Random plies that each pair starts with
    #[arg(long, value_name = "N", default_value_t = MatchSettings::default().opening,
          value_parser = count::<u32>("plies", 0..=1_000))]
    opening: u32,
    /// A game that has not ended after so many plies is a draw
    #[arg(long, value_name = "N", default_value_t = MatchSettings::default().ply_limit,
          value_parser = count::<u32>("plies", 1..=u32::MAX.into()))]
    plies: u32,
    /// From which openings and playouts are drawn
    #[arg(long, value_name = "X", default_value_t = 0)]
    seed: u64,
    /// Games that are played at the same time, each on one thread [default: all processors]
    #[arg(long, value_name = "N", value_parser = count::<usize>("threads", 1..=4096))]
    threads: Option<usize>,
    /// End the match when it is decided whether A is better by ELO1 rather than by ELO0
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true, value_parser = parse_bounds)]
    sprt: Option<(f64, f64)>,
    /// How often SPRT may accept wrongly
    #[arg(long, value_name = "RATE", default_value_t = 0.05, requires = "sprt")]
    alpha: f64,
    /// How often SPRT may reject wrongly
    #[arg(long, value_name = "RATE", default_value_t = 0.05, requires = "sprt")]
    beta: f64,
    /// Write each game to this file as it ends, and go on with what is in it
    #[arg(short, long, value_name = "FILE.jsonl")]
    output: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Playouts for each move.
const USUAL_PLAYOUTS: u64 = 10_000;

fn parse_bounds(text: &str) -> Result<(f64, f64), String> {
    let bounds = text.split_once(',');
    let bounds = bounds.and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
    bounds.ok_or_else(|| "give two differences in Elo, such as 0,10".to_owned())
}

/// What `ruche match` shall do.
#[derive(Debug, PartialEq)]
pub struct MatchCommand {
    /// Names or paths, at least one.
    pub games: Vec<String>,
    /// What the person typed for each of both.
    pub texts: [String; 2],
    /// Who they are.
    pub contestants: [Contestant; 2],
    /// What limits a move, unless a contestant says otherwise.
    pub limits: Limits,
    /// How to play.
    pub settings: MatchSettings,
    /// Where games are kept.
    pub output: Option<PathBuf>,
    /// How to print the result.
    pub format: Format,
}

impl MatchArguments {
    fn limits(&self) -> Limits {
        match (self.seconds, self.thread_seconds) {
            (Some(time), _) => Limits::time(time),
            (None, Some(time)) => Limits::thread_time(time),
            (None, None) => Limits::playouts(self.playouts.unwrap_or(USUAL_PLAYOUTS)),
        }
    }

    fn sprt(&self) -> Result<Option<Sprt>, String> {
        let test = |(elo0, elo1)| Sprt::new(elo0, elo1, self.alpha, self.beta);
        self.sprt.map(test).transpose().map_err(|error| format!("--sprt: {error}"))
    }

    fn settings(&self) -> Result<MatchSettings, String> {
        let processors = || available_parallelism().map_or(1, usize::from);
        Ok(MatchSettings {
            games: self.games,
            opening: self.opening,
            ply_limit: self.plies,
            seed: self.seed,
            threads: self.threads.unwrap_or_else(processors),
            sprt: self.sprt()?,
        })
    }
}

impl TryFrom<MatchArguments> for MatchCommand {
    type Error = String;

    fn try_from(arguments: MatchArguments) -> Result<Self, String> {
        let limits = arguments.limits();
        let contestant = |name: &str, text: &str| {
            let contestant = Contestant::parse(text, limits);
            contestant.map_err(|error| format!("{name}, `{text}`: {error}"))
        };
        let (a, b) = (contestant("A", &arguments.a)?, contestant("B", &arguments.b)?);
        let mut settings = arguments.settings()?;
        // A player elsewhere has one table.
        if a.is_single() || b.is_single() {
            settings.threads = 1;
        }
        Ok(Self {
            contestants: [a, b],
            limits,
            settings,
            games: arguments.games_to_play.split(',').map(str::to_owned).collect(),
            texts: [arguments.a, arguments.b],
            output: arguments.output,
            format: Format::of(arguments.json),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ruche_search::SearchOptions;

    #[test]
    fn the_help_names_every_setting() {
        for key in SearchOptions::keys() {
            assert!(HELP.contains(key), "{key}");
        }
    }

    #[test]
    fn bounds_are_two_numbers() {
        assert_eq!(parse_bounds("-5,2.5"), Ok((-5.0, 2.5)));
        for wrong in ["", "5", "5;6", "a,b", "1,2,3"] {
            assert!(parse_bounds(wrong).is_err(), "{wrong}");
        }
    }
}
