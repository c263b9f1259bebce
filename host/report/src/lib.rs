//! The report of a study: one page to look at, made from its samples.
//!
//! ```text
//! samples ─ cells ─▶ medians per setting ─ arrange ─▶ panels, series ─ figures ─▶ charts
//!                                                                                   │
//! report.html ◀─ page: summary, sections, style sheet, script ◀─ lines, bars, heat ─┘
//! ```
//!
//! | module | question it answers |
//! |---|---|
//! | `sample` | what is known of one measurement? |
//! | `settings` | what can samples differ by? |
//! | `cells` | which samples are repetitions of the same, and what is their median? |
//! | `arrange` | what goes into one chart, what into one curve? |
//! | `speed_up` | how much faster than with the fewest cores? |
//! | `figures`, `curves` | which charts do these samples have something to show for? |
//! | `lines`, `bars`, `heat`, `chart` | how is a chart drawn? |
//! | `scale`, `axes` | where does a value lie? |
//! | `summary`, `page` | what stands around the charts? |
//! | `markup`, `number` | how are elements and numbers written? |
//!
//! The page asks nothing of a network and says so in its content security
//! policy. What comes from samples reaches it only through `markup`, which
//! escapes it. The same samples give the same bytes, in whatever order they come.
//!
//! Samples are made by a study, or read from the `results.jsonl` of one: this crate knows
//! neither how they are measured nor where they are kept.
#![forbid(unsafe_code)]

mod arrange;
mod axes;
mod bars;
mod cells;
mod chart;
mod curves;
mod figures;
mod heat;
mod lines;
mod markup;
mod number;
mod page;
mod sample;
mod scale;
mod settings;
mod speed_up;
mod summary;

use std::path::{Path, PathBuf};
use std::{fs, io};

pub use ruche_shared::Transport;
pub use sample::{Clock, Point, Positions, Sample, Shares, Taken};

/// The name of the page in the folder of a study.
const FILE: &str = "report.html";

/// The page of a study. It links to `results.csv` and `results.jsonl`,
/// which are expected beside it.
///
/// ```
/// # let results = r#"{"plan":"mine","game":"hex","clusters":4,"threads":16,"strategy":"spin","mode":"per-core","word":64,"playouts_per_position":1,"batch":64,"bytes":200,"in_flight":2,"io_nodes":1,"positions":"initial","cost_factor":1.0,"clock":"model","transport":"model","repetition":0,"seed":7,"runs":10,"playouts":640,"seconds":0.5,"run_seconds":0.05,"playouts_per_second":1280.0,"shares":{"host":0.1,"transfer":0.2,"hand_off":0.3,"playouts":0.3,"waiting":0.1},"signature":"00ff","machine":"MPPA-256","version":"0.1.0","invocation":"ruche study mine"}"#;
/// // `results` is the text of a `results.jsonl`.
/// let samples: Result<Vec<_>, _> = results.lines().map(serde_json::from_str).collect();
/// let page = ruche_report::render("A study", &samples?);
/// assert!(page.contains("modelled: MPPA-256"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[must_use]
pub fn render(title: &str, samples: &[Sample]) -> String {
    let cells = cells::gather(samples);
    page::page(title, samples, &cells)
}

/// Writes the page as `report.html` into the folder of a study, and returns its path.
///
/// # Errors
/// If it cannot be written.
pub fn write(dir: &Path, title: &str, samples: &[Sample]) -> io::Result<PathBuf> {
    let path = dir.join(FILE);
    fs::write(&path, render(title, samples))?;
    Ok(path)
}
