//! `--clock model`: the virtual time of a modelled machine.

use ruche_study::{Laboratory, Library, Stop};

use super::StudyCommandError;

/// A laboratory with a model of the machine.
///
/// # Errors
/// Always, as long as there is no model.
pub fn laboratory(library: Library, stop: Stop) -> Result<Box<dyn Laboratory>, StudyCommandError> {
    let _ = (library, stop);
    Err(StudyCommandError::NoModel)
}
