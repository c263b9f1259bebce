//! Ruche: the one program that a person types.
//!
//! Results go to stdout, everything else to stderr. Exit codes: 0 success, 1 the
//! answer is no, 2 usage or bad input.

mod arguments;
mod commands;
mod game;
mod output;
mod progress;

use std::process::ExitCode;

use arguments::{Arguments, Settings};
use clap::Parser;

fn main() -> ExitCode {
    let settings = Settings::from(Arguments::parse());
    let answer = match &settings {
        Settings::Compile(settings) => commands::compile::run(settings),
        Settings::Verify(settings) => commands::verify::run(settings),
        Settings::Bench(settings) => commands::bench::run(settings),
    };
    match answer {
        Ok(answer) => answer.into(),
        Err(error) => {
            eprintln!("ruche: {error}");
            ExitCode::from(output::BAD_INPUT)
        }
    }
}
