//! The corpus of real games with reference traces. It is no part of the
//! project: where it is missing, the tests on it say so and pass.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// One state of a reference playout. Some lines carry digests in place of the
/// lists; such lists are absent here.
#[derive(Clone, Debug, Deserialize)]
pub struct TraceLine {
    /// Number of the playout in the file.
    pub playout: u32,
    /// Moves made before this state.
    pub ply: u32,
    /// Texts of the true fluents.
    pub state: Option<Vec<String>>,
    /// Whether the game is over.
    pub terminal: bool,
    /// Texts of the legal moves by role.
    pub legal: Option<BTreeMap<String, Vec<String>>>,
    /// The moves that were played next, in the order of the roles.
    pub joint: Option<Vec<String>>,
    /// The goal by role; nothing where the game gives none or several.
    pub goals: Option<BTreeMap<String, Option<i64>>>,
}

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
/// When a line is not a trace line: the corpus is broken.
pub fn trace(corpus: &Path, id: &str) -> Vec<TraceLine> {
    let path = corpus.join("traces").join(format!("{id}.jsonl"));
    let text = fs::read_to_string(&path).unwrap_or_default();
    let parse = |line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{id}: {e}"));
    text.lines().map(parse).collect()
}
