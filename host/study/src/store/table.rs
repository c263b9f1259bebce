//! Samples as rows with a column for each figure.

use std::io;

use ruche_report::Sample;
use serde_json::Value;

/// The columns, each by its way in the JSON of a sample.
pub const COLUMNS: [&str; 37] = [
    "plan",
    "game",
    "clusters",
    "threads",
    "strategy",
    "mode",
    "word",
    "playouts_per_position",
    "batch",
    "bytes",
    "in_flight",
    "io_nodes",
    "positions",
    "cost_factor",
    "clock",
    "transport",
    "repetition",
    "seed",
    "runs",
    "playouts",
    "seconds",
    "run_seconds",
    "playouts_per_second",
    "shares/host",
    "shares/transfer",
    "shares/hand_off",
    "shares/playouts",
    "shares/waiting",
    "signature",
    "machine",
    "taken/date",
    "taken/host",
    "taken/commit",
    "taken/processors",
    "taken/cpu_seconds",
    "version",
    "invocation",
];

/// A table of samples, with its heading.
pub fn whole(samples: &[Sample]) -> io::Result<Vec<u8>> {
    let heading = COLUMNS.map(|column| column.replace('/', "_"));
    let mut table = record(&heading)?;
    for sample in samples {
        table.extend(row(sample)?);
    }
    Ok(table)
}

/// The row of one sample.
pub fn row(sample: &Sample) -> io::Result<Vec<u8>> {
    let value = serde_json::to_value(sample)?;
    let cell = |column| match value.pointer(&format!("/{column}")) {
        Some(Value::String(text)) => text.clone(),
        None | Some(Value::Null) => String::new(),
        Some(value) => value.to_string(),
    };
    record(&COLUMNS.map(cell))
}

fn record(cells: &[String]) -> io::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(cells)?;
    writer.into_inner().map_err(|error| error.into_error())
}
