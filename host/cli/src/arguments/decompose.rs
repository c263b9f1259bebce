//! The arguments of `ruche decompose`.

use ruche_decompose::By;
use ruche_shared::names::Named;

use super::named;

pub const HELP: &str = "\
A part is `play` if moves decide on it, `control` if it goes round by itself, `stepper` if it \
goes by itself and does not come round. It is useful if the end, the score or the start of a \
useful part reads it. AD, UAD, AI and UAI count parts that depend on actions, useless ones among \
them, parts that do not, useless ones among these. A separation is proved by the rules, or was \
seen on so many states. docs/decomposition.md tells how each kind is recognised.

Exit codes: 0 success, 2 usage or bad input.

Examples:
  ruche decompose nim
  ruche decompose mygame.kif --by rules               only what is proved
  ruche decompose mygame.kif --json                   for scripts
  ruche decompose mygame.kif --dot | dot -Tsvg > parts.svg";

#[derive(Debug, clap::Args)]
pub struct DecomposeArguments {
    /// A bundled game or a .kif file
    game: String,
    /// How the effects of moves are found
    #[arg(long, value_name = "METHOD", default_value_t, value_parser = named::<By>(By::ALL))]
    by: By,
    /// From which random games are drawn
    #[arg(long, value_name = "X", default_value_t = 0)]
    seed: u64,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Print a picture in the language of Graphviz
    #[arg(long, conflicts_with = "json")]
    dot: bool,
}

/// What `ruche decompose` shall do.
#[derive(Debug, PartialEq)]
pub struct DecomposeCommand {
    /// A name or a path.
    pub game: String,
    /// How the effects of moves are found.
    pub by: By,
    /// From which random games are drawn.
    pub seed: u64,
    /// How to print the result.
    pub form: DecomposeForm,
}

/// How a decomposition is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecomposeForm {
    /// For a person.
    Text,
    /// One document for a program.
    Json,
    /// A picture.
    Dot,
}

impl From<DecomposeArguments> for DecomposeCommand {
    fn from(arguments: DecomposeArguments) -> Self {
        let DecomposeArguments { game, by, seed, json, dot } = arguments;
        let form = match (json, dot) {
            (true, _) => DecomposeForm::Json,
            (_, true) => DecomposeForm::Dot,
            _ => DecomposeForm::Text,
        };
        Self { game, by, seed, form }
    }
}
