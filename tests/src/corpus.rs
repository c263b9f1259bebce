//! The corpus of real games with reference traces. It is no part of the
//! project: where it is missing, the tests on it say so and pass.

use std::fs;
use std::path::{Path, PathBuf};

use ruche_trace::trace::{Trace, TraceLine};

/// The corpus: `RUCHE_CORPUS`, or `../shared/corpus` beside the project.
/// Prints that `what` is skipped if there is none.
pub fn directory(what: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    let path = std::env::var_os("RUCHE_CORPUS").map_or(beside, PathBuf::from);
    if path.join("games").is_dir() {
        return Some(path);
    }
    println!("skipped: {what}: there is no corpus at {}", path.display());
    None
}

/// The description of a game, if the corpus has it.
pub fn game(corpus: &Path, id: &str) -> Option<Vec<u8>> {
    fs::read(corpus.join("games").join(format!("{id}.kif"))).ok()
}

/// The reference trace of a game.
///
/// # Panics
/// When there is none, or a line is not a trace line: the corpus is broken.
pub fn trace(corpus: &Path, id: &str) -> Vec<TraceLine> {
    let path = corpus.join("traces").join(format!("{id}.jsonl"));
    let trace = Trace::read(&path).unwrap_or_else(|error| panic!("{error}"));
    trace.lines.into_iter().map(|(_, line)| line).collect()
}
