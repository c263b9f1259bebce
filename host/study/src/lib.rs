//! Studies: plans that sweep over settings, their samples, and reports to look at.
#![forbid(unsafe_code)]

pub mod report;
pub mod sample;
