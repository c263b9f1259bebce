//! The arguments of `ruche show`.

use std::path::PathBuf;

use super::Format;

pub const HELP: &str = "\
Boards are found by how fluents behave, not by what they are called: two places whose values \
have an order, and contents that exclude each other. Beside them stands what is on no board.

Exit codes: 0 success, 2 usage or bad input.

Examples:
  ruche show breakthrough
  ruche show tictactoe --moves '(mark 2 2); (mark 1 1)'
  ruche show connectfour --record match.json          the last state of a match
  ruche show connectfour --record match.json --ply 5  after five moves
  ruche show mygame.kif --json";

#[derive(Debug, clap::Args)]
pub struct ShowArguments {
    /// A bundled game, a .kif file or an image
    game: String,
    /// Moves from the initial position on, such as '(mark 1 1) noop; noop (mark 2 2)'; a
    /// single move is enough where the other roles have no choice
    #[arg(long, value_name = "JOINT; JOINT; …", default_value = "", hide_default_value = true)]
    moves: String,
    /// The moves of a record of `ruche referee`
    #[arg(long, value_name = "FILE.json", conflicts_with = "moves")]
    record: Option<PathBuf>,
    /// After how many of these moves [default: all]
    #[arg(long, value_name = "N")]
    ply: Option<usize>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// What `ruche show` shall do.
#[derive(Debug, PartialEq)]
pub struct ShowCommand {
    /// A name or a path.
    pub game: String,
    /// Joint moves from the initial position on.
    pub moves: String,
    /// A record to take them from.
    pub record: Option<PathBuf>,
    /// How many of them.
    pub ply: Option<usize>,
    /// How to print the result.
    pub format: Format,
}

impl From<ShowArguments> for ShowCommand {
    fn from(arguments: ShowArguments) -> Self {
        let ShowArguments { game, moves, record, ply, json } = arguments;
        Self { game, moves, record, ply, format: Format::of(json) }
    }
}
