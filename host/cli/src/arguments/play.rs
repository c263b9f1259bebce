//! The arguments of `ruche play`.

use std::path::PathBuf;
use std::time::Duration;

use ruche_search::quantity::{count, seconds};
use ruche_search::{Limits, SearchOptions, SearchSettings};

use super::page::{PageArguments, PageCommand};

pub const HELP: &str = "\
Type the number of a move, or its text, or any part of it that no other move has: `4`, \
`(drop 4)`, `drop 4`. Further words: hint (what the engine would play), analyse (what it \
thinks of all moves), undo, moves, board, save FILE, help, quit.

With --page the game is played in a browser: by clicking, with whoever plays each role, with \
what the engine thinks while it does, and with a slider through the game. It ends with Ctrl-C.

Exit codes: 0 the game was played or left, 2 usage or bad input; 130 and 143 a page was stopped \
by Ctrl-C and SIGTERM.

Examples:
  ruche play connectfour
  ruche play connectfour --page                    in a browser
  ruche play connectfour --page --record game.json looks at a game that was played
  ruche play breakthrough --role black --seconds 5
  ruche play othello --role both                   two people, and an engine to ask
  ruche play tictactoe --role none                 the engine against itself
  ruche play hex --playouts 20k -o game.json";

#[derive(Debug, clap::Args)]
pub struct PlayArguments {
    /// A bundled game, a .kif file or an image
    game: String,
    /// Whom you play: a role, `both` (all of them) or `none` [default: the first]
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
    /// Seconds of the engine for each move [default: 2]
    #[arg(long, value_name = "S", value_parser = seconds)]
    seconds: Option<Duration>,
    /// Playouts of the engine for each move instead
    #[arg(long, value_name = "N", conflicts_with = "seconds",
          value_parser = count::<u64>("playouts", 1..=4_000_000_000))]
    playouts: Option<u64>,
    /// Moves from the initial position on, as in `ruche search`
    #[arg(long, value_name = "JOINT; JOINT; …", default_value = "", hide_default_value = true)]
    moves: String,
    /// Settings of the search, as in `ruche match`, such as exploration=0.3
    #[arg(long, value_name = "SETTINGS", default_value = "default")]
    settings: String,
    /// Write a record of the game to this file, as `ruche referee` does
    #[arg(short, long, value_name = "FILE.json")]
    output: Option<PathBuf>,
    /// Look at a game that was played, from a record of `ruche referee` or `ruche play`
    #[arg(long, value_name = "FILE.json", requires = "page", conflicts_with_all = ["moves", "role"])]
    record: Option<PathBuf>,
    #[command(flatten)]
    page: PageArguments,
}

/// What `ruche play` shall do.
#[derive(Debug, PartialEq)]
pub struct PlayCommand {
    /// A name or a path.
    pub game: String,
    /// Whom the person plays, as it was typed.
    pub role: Option<String>,
    /// How long the engine thinks.
    pub limits: Limits,
    /// How it searches.
    pub settings: SearchSettings,
    /// Joint moves from the initial position on.
    pub moves: String,
    /// Where to write a record.
    pub output: Option<PathBuf>,
    /// A game to look at.
    pub record: Option<PathBuf>,
    /// Where to play, if not in the terminal.
    pub page: Option<PageCommand>,
}

/// How long the engine thinks.
const USUAL_TIME: Duration = Duration::from_secs(2);

impl TryFrom<PlayArguments> for PlayCommand {
    type Error = String;

    fn try_from(arguments: PlayArguments) -> Result<Self, String> {
        let options: SearchOptions =
            arguments.settings.parse().map_err(|error| format!("--settings: {error}"))?;
        let limits = match arguments.playouts {
            Some(playouts) => Limits::playouts(playouts),
            None => Limits::time(arguments.seconds.unwrap_or(USUAL_TIME)),
        };
        Ok(Self {
            game: arguments.game,
            role: arguments.role,
            limits,
            settings: options.check().map_err(|error| format!("--settings: {error}"))?,
            moves: arguments.moves,
            output: arguments.output,
            record: arguments.record,
            page: arguments.page.command(),
        })
    }
}
