//! The modelled machine that was asked for.

use std::fs;
use std::io;
use std::path::Path;

use ruche_model::Parameters;
use ruche_model::parameters::ParametersError;

/// Why there is no such machine.
#[derive(Debug, thiserror::Error)]
pub enum MachineError {
    /// The file cannot be read.
    #[error("{file}: {source}: give the TOML file of a machine with --machine (docs/model.md)")]
    Unreadable {
        /// The path.
        file: String,
        /// What the system says.
        source: io::Error,
    },
    /// The machine makes no sense.
    #[error("{file}: {source}")]
    Unsound {
        /// The path.
        file: String,
        /// Where and why.
        source: ParametersError,
    },
}

/// The machine of a file, or the MPPA-256.
///
/// # Errors
/// If the file cannot be read, or describes no machine.
pub fn parameters(path: Option<&Path>) -> Result<Parameters, MachineError> {
    let Some(path) = path else { return Ok(Parameters::mppa256()) };
    let file = path.display().to_string();
    let text = fs::read_to_string(path)
        .map_err(|source| MachineError::Unreadable { file: file.clone(), source })?;
    Parameters::parse(&text).map_err(|source| MachineError::Unsound { file, source })
}
