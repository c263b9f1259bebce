//! Reference traces: what another implementation says about a game, and whether the
//! kernel's evaluator says the same.
//!
//! | module | what it knows |
//! |---|---|
//! | [`trace`] | what a reference implementation said, line by line |
//! | [`replay`] | whether the evaluator says the same |
#![forbid(unsafe_code)]

pub mod replay;
pub mod trace;

pub use replay::{Difference, ReplayError, verify};
pub use trace::{Trace, TraceError};
