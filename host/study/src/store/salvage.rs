//! Finds the samples in a file that may be damaged.

use std::collections::HashSet;

use super::Key;
use crate::sample::Sample;

/// How every sample begins.
const BEGINNING: &[u8] = b"{\"plan\":";

/// Bytes that are no sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The line in `results.jsonl`, from 1.
    pub line: usize,
    /// What stood there.
    pub bytes: Vec<u8>,
}

/// What a file has.
#[derive(Debug, Default)]
pub struct Salvaged {
    /// The sound lines, byte for byte.
    pub lines: Vec<u8>,
    pub samples: Vec<Sample>,
    pub damage: Vec<Damage>,
    keys: HashSet<Key>,
}

/// Separates samples from everything else.
pub fn salvage(bytes: &[u8]) -> Salvaged {
    let mut salvaged = Salvaged::default();
    let text = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    if !text.is_empty() {
        for (index, line) in text.split(|byte| *byte == b'\n').enumerate() {
            salvaged.take_line(index + 1, line);
        }
    }
    salvaged
}

impl Salvaged {
    /// A line is one sample, but where it was damaged there may be some behind
    /// or before what is none: a line that was cut has the next one at its end.
    fn take_line(&mut self, line: usize, bytes: &[u8]) {
        let mut rest = bytes;
        let mut damaged = Vec::new();
        while !rest.is_empty() {
            let begin = find(rest, BEGINNING).unwrap_or(rest.len());
            damaged.extend_from_slice(&rest[..begin]);
            rest = &rest[begin..];
            match first_sample(rest) {
                Some((sample, length)) => {
                    self.take_sample(line, sample, &rest[..length]);
                    rest = &rest[length..];
                }
                None => {
                    let skipped = rest.len().min(1);
                    damaged.extend_from_slice(&rest[..skipped]);
                    rest = &rest[skipped..];
                }
            }
        }
        if !damaged.is_empty() {
            self.damage.push(Damage { line, bytes: damaged });
        }
    }

    /// The first of its kind counts.
    fn take_sample(&mut self, line: usize, sample: Sample, bytes: &[u8]) {
        if self.keys.insert(Key::of(&sample)) {
            self.lines.extend_from_slice(bytes);
            self.lines.push(b'\n');
            self.samples.push(sample);
        } else {
            self.damage.push(Damage { line, bytes: bytes.to_vec() });
        }
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

/// The sample at the beginning and how long its text is.
fn first_sample(bytes: &[u8]) -> Option<(Sample, usize)> {
    let mut stream = serde_json::Deserializer::from_slice(bytes).into_iter::<Sample>();
    let sample = stream.next()?.ok()?;
    is_consistent(&sample).then_some((sample, stream.byte_offset()))
}

/// Whether the figures fit together: a digit that was changed shows here.
fn is_consistent(sample: &Sample) -> bool {
    let Sample { runs, playouts, seconds, run_seconds, playouts_per_second, .. } = sample;
    let is_near = |found: f64, expected: f64| (found - expected).abs() <= 1e-9 * expected.abs();
    is_near(*run_seconds, seconds / *runs as f64)
        && is_near(*playouts_per_second, *playouts as f64 / seconds)
}
