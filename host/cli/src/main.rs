//! Ruche: the one program that a person types.
//!
//! Results go to stdout, everything else to stderr. Exit codes: 0 success, 1 the
//! answer is no, 2 usage or bad input, 130 and 143 stopped by Ctrl-C and SIGTERM.

mod arguments;
mod board;
mod commands;
mod interrupt;
mod machine;
mod output;
mod progress;
mod version;

use std::process::ExitCode;

use arguments::Settings;

fn main() -> ExitCode {
    let settings = Settings::of_command_line();
    if !settings.uses_ranks() && is_further_rank() {
        return ExitCode::SUCCESS;
    }
    let answer = match &settings {
        Settings::Compile(settings) => commands::compile::run(settings),
        Settings::Verify(settings) => commands::verify::run(settings),
        Settings::Trace(settings) => commands::trace::run(settings),
        Settings::Bench(settings) => commands::bench::run(settings),
        Settings::BoardBench(settings) => commands::bench::board::run(settings),
        Settings::Recommend(settings) => commands::recommend::run(settings),
        Settings::Search(settings) => commands::search::run(settings),
        Settings::Match(command) => commands::matches::run(command),
        Settings::Play(command) => commands::play::run(command),
        Settings::Player(command) => commands::player::run(command),
        Settings::Referee(command) => commands::referee::run(command),
        Settings::Decompose(command) => commands::decompose::run(command),
        Settings::Show(command) => commands::show::run(command),
        Settings::Ugi(command) => commands::ugi::run(command),
        Settings::Analyse(command) => commands::analyse::run(command),
        Settings::Study(command) => commands::study::run(command),
    };
    ExitCode::from(exit_status(answer) as u8)
}

/// Whether a launcher of MPI has started this process as one of several that would all do
/// the same: one is enough, and says so.
fn is_further_rank() -> bool {
    let launched = ruche_mpi::launch::rank_of_environment();
    let Some(launched) = launched.filter(|launched| launched.size > 1) else { return false };
    if launched.rank == 0 {
        eprintln!(
            "ruche: only `search`, `study` and `player` on mpi use ranks: rank 0 does this alone"
        );
    }
    launched.rank > 0
}

/// The exit status of an answer; an error is told first.
fn exit_status(answer: Result<output::Answer, commands::CommandError>) -> i32 {
    match answer {
        Ok(answer) => answer.status(),
        Err(error) => {
            eprintln!("ruche: {error}");
            output::BAD_INPUT
        }
    }
}
