//! The corpus of real games: `RUCHE_CORPUS`, or `../shared/corpus` beside the project. It
//! is no part of the project: where it is missing, tests and benches on it say that they
//! are skipped.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

fn place() -> PathBuf {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    std::env::var_os("RUCHE_CORPUS").map_or(beside, PathBuf::from)
}

/// The corpus. Says that `what` is skipped if there is none.
pub fn directory(what: &str) -> Option<PathBuf> {
    let place = place();
    if place.join("games").is_dir() {
        return Some(place);
    }
    skip(&format!("{what}: there is no corpus at {}", place.display()));
    None
}

/// The description of a game. Says that it is skipped if the corpus does not have it.
pub fn game(id: &str) -> Option<Vec<u8>> {
    let source = fs::read(place().join("games").join(format!("{id}.kif"))).ok();
    if source.is_none() {
        skip(&format!("{id}: it is not in the corpus, or there is none"));
    }
    source
}

/// Not by `eprintln`, which is captured in a test that passes. That nobody listens is no
/// reason to fail.
fn skip(what: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {what}");
}
