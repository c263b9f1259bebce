//! What the corpus of real games says of them.

use std::path::Path;

use ruche_trace::trace::{Trace, TraceLine};

/// The reference trace of a game.
///
/// # Panics
/// When there is none, or a line is not a trace line: the corpus is broken.
pub fn trace(corpus: &Path, id: &str) -> Vec<TraceLine> {
    let path = corpus.join("traces").join(format!("{id}.jsonl"));
    let trace = Trace::read(&path).unwrap_or_else(|error| panic!("{error}"));
    trace.lines.into_iter().map(|(_, line)| line).collect()
}
