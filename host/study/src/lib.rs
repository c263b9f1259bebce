//! Studies: plans that sweep over settings, and the samples that laboratories take for them.
//!
//! ```text
//!  plan.toml ─▶ Plan ─ schedule ─▶ Study ─ Assignment ─▶ Laboratory (wall, model)
//!                 ▲                  │                        │
//!              Library               └──── Store ◀─ Sample ◀──┘ Measured
//!            (the games)          results.jsonl, results.csv ─▶ ruche-report: report.html
//! ```
//!
//! | module | question it answers |
//! |---|---|
//! | [`plan`] | which samples are to be taken, in which order? |
//! | [`library`] | what are the games, and do they fit into a cluster? |
//! | [`laboratory`] | what does a study ask of those who measure? |
//! | [`wall`] | how long does it take on this machine, or on ranks? |
//! | [`model`] | how long would it take on another? |
//! | [`study`] | which sample is next, who takes it? |
//! | [`store`] | what was measured before, and how is it kept? |
#![forbid(unsafe_code)]

pub mod laboratory;
pub mod library;
pub mod model;
mod place;
pub mod plan;
mod runs;
mod settings;
pub mod store;
pub mod study;
pub mod wall;

pub use laboratory::{Assignment, Laboratory, LaboratoryError, Measured};
pub use library::Library;
pub use model::ModelLaboratory;
pub use plan::{Overrides, Plan, PlanError, SampleTask};
pub use ruche_search::Stop;
pub use store::{Store, StoreError};
pub use study::{Study, StudyError, StudyOutcome};
pub use wall::{RanksLaboratory, WallLaboratory};
