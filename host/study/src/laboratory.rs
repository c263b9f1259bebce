//! What a study asks of a laboratory: the contract of both clocks.

use ruche_report::{Clock, Point, Shares, Transport};
use thiserror::Error;

/// Settings of which the time is wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// What to measure.
    pub point: Point,
    /// The run seed.
    pub seed: u64,
    /// Runs to time.
    pub runs: u64,
    /// Runs before, which nobody times.
    pub warm_up: u64,
}

/// What came of an assignment.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Runs that were timed: those of the assignment.
    pub runs: u64,
    /// Playouts of all of them.
    pub playouts: u64,
    /// How long they took, all together; more than zero.
    pub seconds: f64,
    /// The time of all processors, where all clusters are in this process.
    pub cpu_seconds: Option<f64>,
    /// Where the time went.
    pub shares: Shares,
    /// Over all results in the order of the batches.
    pub signature: String,
}

/// Measures, by one of the clocks.
pub trait Laboratory: Sync {
    /// By which clock.
    fn clock(&self) -> Clock;

    /// What the time is that of: a processor, or a model and its file. With a
    /// model it is the same on every machine.
    fn machine(&self) -> String;

    /// Where the clusters are.
    fn transport(&self) -> Transport;

    /// How many points may be measured at the same time.
    fn parallel(&self) -> usize;

    /// Whether an assignment can be measured here. All are asked for before the
    /// first is measured.
    ///
    /// # Errors
    /// If it cannot; the error says what can.
    fn check(&self, assignment: &Assignment) -> Result<(), LaboratoryError> {
        let _ = assignment;
        Ok(())
    }

    /// Measures one assignment.
    ///
    /// # Errors
    /// If nobody plays, or somebody wants it to stop.
    fn measure(&self, assignment: &Assignment) -> Result<Measured, LaboratoryError>;
}

/// Why there is no measurement.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LaboratoryError {
    /// This laboratory has no such machine.
    #[error("{0}")]
    Impossible(String),
    /// Something went wrong under way.
    #[error("{0}")]
    Failed(String),
    /// Somebody wanted it to stop; what was half measured is forgotten.
    #[error("stopped")]
    Stopped,
}
