//! Finds the samples in a file that may be damaged.

use std::collections::HashSet;

use ruche_report::Sample;
use xxhash_rust::xxh3::xxh3_64;

use super::Key;

/// How every sample begins.
const BEGINNING: &[u8] = b"{\"plan\":";

/// Bytes of a checksum with its key and the closing brace.
const SEAL: usize = r#","checksum":"0123456789abcdef"}"#.len();

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
    let length = stream.byte_offset();
    is_sealed(&bytes[..length]).then_some((sample, length))
}

/// The line of a sample: its JSON with a checksum of what stands before it. So
/// one that was damaged is found out, even if it reads like another sample.
pub fn line(sample: &Sample) -> serde_json::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(sample)?;
    line.pop();
    let seal = seal(&line);
    line.extend_from_slice(&seal);
    line.push(b'\n');
    Ok(line)
}

fn seal(before: &[u8]) -> Vec<u8> {
    format!(",\"checksum\":\"{:016x}\"}}", xxh3_64(before)).into_bytes()
}

fn is_sealed(object: &[u8]) -> bool {
    object.split_last_chunk::<SEAL>().is_some_and(|(before, end)| seal(before) == end)
}
