//! The arguments of `ruche ugi` and `ruche analyse`: doors for other programs.

use ruche_search::quantity::count;
use ruche_search::{SearchOptions, SearchSettings};

pub const UGI_HELP: &str = "\
Speaks the Universal Game Interface on standard input and output, for arenas that let engines \
play any game of two who move in turns: ugi, isready, uginewgame, position startpos moves …, \
go movetime MS | nodes N | p1time MS p2time MS p1inc MS p2inc MS | infinite, stop, \
query gameover | p1turn | result, quit.

Moves have no blanks there: (drop 4) is written (drop,4). Nodes are playouts.
Exit codes: 0 success, 2 usage, bad input, or a game for another number of roles than two.

Examples:
  ruche ugi connectfour
  printf 'ugi\\nposition startpos moves (drop,4)\\ngo movetime 1000\\n' | ruche ugi connectfour";

pub const ANALYSE_HELP: &str = "\
Answers queries, one JSON object on each line of standard input, with one on each line of \
standard output, in their order. What is known of a position counts for those that follow.

A query has `id` (anything, comes back), `moves` (as in `ruche search --moves`), and `playouts` \
or `seconds` [default: 10000 playouts]. An answer has `terminal`, `goals`, `best` (role → move), \
`roles` (role → `proven` and `moves`, each with `move`, `visits`, `mean`, `proven`, `share`, \
`line`), `playouts`, `seconds`, `complete`; or `error`.
Exit codes: 0 success, 2 usage or bad input.

Examples:
  echo '{\"id\": 1, \"moves\": \"(drop 4)\", \"playouts\": 5000}' | ruche analyse connectfour
  ruche analyse breakthrough < queries.jsonl > answers.jsonl";

#[derive(Debug, clap::Args)]
pub struct DoorArguments {
    /// A bundled game, a .kif file or an image
    game: String,
    /// Settings of the search, as in `ruche match`, such as exploration=0.3
    #[arg(long, value_name = "SETTINGS", default_value = "default")]
    settings: String,
    /// Threads that play [default: all processors]
    #[arg(long, value_name = "T", value_parser = count::<u32>("threads", 1..=16))]
    threads: Option<u32>,
}

/// What `ruche ugi` and `ruche analyse` shall do.
#[derive(Debug, PartialEq)]
pub struct DoorCommand {
    /// A name or a path.
    pub game: String,
    /// How to search.
    pub settings: SearchSettings,
    /// On how many threads.
    pub threads: Option<u32>,
}

impl TryFrom<DoorArguments> for DoorCommand {
    type Error = String;

    fn try_from(arguments: DoorArguments) -> Result<Self, String> {
        let options: SearchOptions =
            arguments.settings.parse().map_err(|error| format!("--settings: {error}"))?;
        let settings = options.check().map_err(|error| format!("--settings: {error}"))?;
        Ok(Self { game: arguments.game, settings, threads: arguments.threads })
    }
}
