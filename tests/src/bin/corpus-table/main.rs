//! Compiles and verifies every game of a corpus with `ruche` and writes a page
//! with the table of all games. `toolchain/corpus` builds and calls it.
//!
//! | module | what it knows |
//! |---|---|
//! | [`measure`] | what a program costs, and where it is stopped |
//! | [`outcome`] | what `ruche` says about one game |
//! | [`page`] | how the outcomes are told |
//! | [`table`] | how a table is written in Markdown |

mod measure;
mod outcome;
mod page;
mod table;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use outcome::{Outcome, Ruche};

/// Folders of small games, each with its trace beside it.
const SMALL: [&str; 2] = ["micro", "edge"];

fn main() -> ExitCode {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [corpus, output] = arguments.as_slice() else {
        eprintln!("usage: corpus-table CORPUS OUTPUT.md");
        return ExitCode::from(2);
    };
    match run(corpus, output) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("corpus-table: {error}");
            ExitCode::from(2)
        }
    }
}

/// Writes the page; tells whether all traces of the games agree.
fn run(corpus: &Path, output: &Path) -> io::Result<bool> {
    measure::stay_on_one_core();
    let ruche = Ruche::beside_this_program()?;
    let games = outcomes(&ruche, &corpus.join("games"), &corpus.join("traces"), "")?;
    let mut small = Vec::new();
    for name in SMALL {
        let folder = corpus.join(name);
        if folder.is_dir() {
            small.extend(outcomes(&ruche, &folder, &folder, &format!("{name}/"))?);
        }
    }
    fs::write(output, page::page(&games, &small))?;
    eprintln!("{}\nwritten: {}", page::summary(&games), output.display());
    Ok(games.iter().all(Outcome::has_no_difference))
}

/// The outcomes of all games of a folder, by name.
fn outcomes(ruche: &Ruche, games: &Path, traces: &Path, prefix: &str) -> io::Result<Vec<Outcome>> {
    let files = descriptions(games)?;
    let mut outcomes = Vec::with_capacity(files.len());
    for (number, file) in files.iter().enumerate() {
        let id = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let trace = traces.join(format!("{id}.jsonl"));
        let outcome = ruche.try_game(format!("{prefix}{id}"), file, &trace)?;
        eprintln!("[{}/{}] {}", number + 1, files.len(), outcome.line());
        outcomes.push(outcome);
    }
    Ok(outcomes)
}

/// The `.kif` files of a folder, sorted without regard to case.
fn descriptions(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    let mut files: Vec<PathBuf> = entries.iter().map(fs::DirEntry::path).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "kif"));
    files.sort_by_key(|file| file.to_string_lossy().to_lowercase());
    Ok(files)
}
