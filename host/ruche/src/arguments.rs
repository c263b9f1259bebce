//! The command line: parsed here, then turned once into settings that cannot
//! hold a wrong value.

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use ruche_shared::budget::Budget;

/// Monte-Carlo tree search on manycore machines: games are compiled to circuits
/// that play in 2 MB.
#[derive(Debug, Parser)]
#[command(name = "ruche", version, after_help = AFTER_HELP)]
pub struct Arguments {
    #[command(subcommand)]
    command: CommandArguments,
}

const AFTER_HELP: &str = "\
GAME is a bundled name, a .kif file or an image made by `ruche compile`.
Exit codes: 0 success, 1 the answer is no, 2 usage or bad input.

Examples:
  ruche compile tictactoe
  ruche compile rules/chess.kif -o chess.ruche
  ruche verify breakthrough trace.jsonl";

const COMPILE_HELP: &str = "\
Exit codes: 0 the game fits, 1 it compiles but does not fit, 2 it does not compile.

Examples:
  ruche compile hex                          what the game needs, and whether it fits
  ruche compile hex -o hex.ruche             also write the image, with its names
  ruche compile my.kif --budget 1M --json    for another memory, for scripts";

const VERIFY_HELP: &str = "\
A trace has one JSON object per line: playout, ply, state, terminal, and where it
applies legal, joint and goals. It is replayed with words of 1 and of 64 lanes.
Exit codes: 0 everything agrees, 1 the first difference is printed, 2 bad input.

Examples:
  ruche verify tictactoe tictactoe.jsonl
  ruche verify my.kif traces/*.jsonl --json";

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

/// What the person asked for.
#[derive(Debug, PartialEq)]
pub enum Settings {
    /// `ruche compile`
    Compile(CompileSettings),
    /// `ruche verify`
    Verify(VerifySettings),
}

impl From<Arguments> for Settings {
    fn from(arguments: Arguments) -> Self {
        match arguments.command {
            CommandArguments::Compile { game, output, budget, json } => {
                let standard = Budget::default();
                let budget = Budget { total: budget.unwrap_or(standard.total), ..standard };
                let format = Format::of(json);
                Settings::Compile(CompileSettings { game, output, budget, format })
            }
            CommandArguments::Verify { game, traces, json } => {
                Settings::Verify(VerifySettings { game, traces, format: Format::of(json) })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn settings(line: &str) -> Result<Settings, clap::Error> {
        Arguments::try_parse_from(line.split(' ')).map(Settings::from)
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
    fn verify_needs_a_trace() {
        assert!(settings("ruche verify hex").is_err());
        let Settings::Verify(found) = settings("ruche verify hex a b").unwrap() else { panic!() };
        assert_eq!(found.traces, ["a", "b"].map(PathBuf::from));
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
