//! Reference traces: what another implementation says about a game, and whether the
//! kernel's evaluator says the same.
//!
//! | module | what it knows |
//! |---|---|
//! | [`trace`] | what a reference implementation said, line by line |
//! | [`replay`] | whether the evaluator says the same |
//! | [`mod@record`] | how a trace is written: random games, as the evaluator sees them |
#![forbid(unsafe_code)]

pub mod record;
pub mod replay;
pub mod trace;

pub use record::{RecordSettings, record};
pub use replay::{Difference, ReplayError, verify};
pub use trace::{Trace, TraceError};
