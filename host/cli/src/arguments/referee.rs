//! The arguments of `ruche referee`.

use std::path::PathBuf;
use std::time::Duration;

use ruche_referee::{Contender, MatchSettings};
use ruche_search::quantity::{count, seconds};

use super::Format;

pub const HELP: &str = "\
PLAYERs are, one for each role in the order of the game: http://HOST:PORT for a player of the \
General Game Playing protocol, `random`, `legal`, `default`, or settings of our search as in \
`ruche match`. Moves that are illegal or late are replaced by a random legal one, and counted.

-o writes a record: a JSON document with states, moves, errors, goals and times, which \
`ruche show --record` draws and `ruche verify` checks.
Exit codes: 0 the match was played without replaced moves, 1 moves were replaced, a player \
was not ready or the match did not end, 2 usage or bad input.

Examples:
  ruche referee tictactoe random default --play 1
  ruche referee connectfour http://127.0.0.1:9147 http://127.0.0.1:9148 -o match.json
  ruche referee breakthrough http://127.0.0.1:9147 playouts=20k --scramble
  ruche show connectfour --record match.json";

#[derive(Debug, clap::Args)]
pub struct RefereeArguments {
    /// A bundled game, a .kif file or an image
    game: String,
    /// Who plays the roles
    #[arg(required = true, value_name = "PLAYER")]
    players: Vec<String>,
    /// Seconds before the first move
    #[arg(long, value_name = "S", default_value = "10", value_parser = seconds)]
    start: Duration,
    /// Seconds for each move
    #[arg(long, value_name = "S", default_value = "5", value_parser = seconds)]
    play: Duration,
    /// From which moves are drawn that replace others, and whatever players here draw
    #[arg(long, value_name = "X", default_value_t = 0)]
    seed: u64,
    /// Cut a match that has not ended after so many joint moves
    #[arg(long, value_name = "N", default_value_t = MatchSettings::default().ply_limit,
          value_parser = count::<u64>("plies", 1..=1_000_000))]
    plies: u64,
    /// Send rules with other names to players over HTTP, as tournaments do
    #[arg(long)]
    scramble: bool,
    /// Write a record of the match to this file
    #[arg(short, long, value_name = "FILE.json")]
    output: Option<PathBuf>,
    /// Print the record
    #[arg(long)]
    json: bool,
}

/// What `ruche referee` shall do.
#[derive(Debug, PartialEq)]
pub struct RefereeCommand {
    /// A name or a path.
    pub game: String,
    /// What the person typed for each role.
    pub texts: Vec<String>,
    /// Who they are.
    pub contenders: Vec<Contender>,
    /// How to play.
    pub settings: MatchSettings,
    /// Where to write the record.
    pub output: Option<PathBuf>,
    /// How to print the result.
    pub format: Format,
}

impl TryFrom<RefereeArguments> for RefereeCommand {
    type Error = String;

    fn try_from(arguments: RefereeArguments) -> Result<Self, String> {
        let contender = |text: &String| {
            let contender = Contender::parse(text, arguments.play);
            contender.map_err(|error| format!("PLAYER `{text}`: {error}"))
        };
        let contenders: Result<Vec<_>, _> = arguments.players.iter().map(contender).collect();
        Ok(Self {
            contenders: contenders?,
            settings: MatchSettings {
                start_clock: arguments.start,
                play_clock: arguments.play,
                seed: arguments.seed,
                ply_limit: arguments.plies,
                scrambles: arguments.scramble,
            },
            game: arguments.game,
            texts: arguments.players,
            output: arguments.output,
            format: Format::of(arguments.json),
        })
    }
}
