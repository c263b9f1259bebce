//! A timeline of everything that has a span, for chrome://tracing or Perfetto.

use std::fs::File;
use std::path::Path;

use tracing_chrome::{ChromeLayerBuilder, FlushGuard};
use tracing_subscriber::prelude::*;

use super::SearchCommandError;

/// Starts to write a timeline, which is complete when what comes back is dropped.
///
/// # Errors
/// If the file cannot be written.
pub fn start(path: &Path) -> Result<FlushGuard, SearchCommandError> {
    let file = File::create(path).map_err(|source| SearchCommandError::Timeline {
        file: path.display().to_string(),
        source,
    })?;
    let (layer, guard) = ChromeLayerBuilder::new().writer(file).include_args(true).build();
    // Only a second timeline of the same process could be in the way.
    let _ = tracing_subscriber::registry().with(layer).try_init();
    Ok(guard)
}
