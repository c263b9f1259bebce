//! The lines before a text.

use std::io::{self, Read};

use super::MOST_HEAD;

/// The lines before a text, and what came with them of the text.
pub(super) struct Head {
    lines: String,
    /// The start of the text.
    pub rest: Vec<u8>,
}

/// Why there is no head.
pub(super) enum HeadError {
    /// The stream ends, or is too slow.
    Lost(io::Error),
    /// It never ends.
    Long,
}

impl Head {
    pub fn read(stream: &mut impl Read) -> Result<Self, HeadError> {
        let mut bytes = Vec::new();
        let mut chunk = [0; 4096];
        loop {
            let count = stream.read(&mut chunk).map_err(HeadError::Lost)?;
            if count == 0 {
                return Err(HeadError::Lost(io::ErrorKind::UnexpectedEof.into()));
            }
            let from = bytes.len().saturating_sub(3);
            bytes.extend_from_slice(&chunk[..count]);
            if let Some((end, start)) = border(&bytes, from) {
                let rest = bytes.split_off(start);
                bytes.truncate(end);
                let lines = String::from_utf8_lossy(&bytes).into_owned();
                return if end > MOST_HEAD {
                    Err(HeadError::Long)
                } else {
                    Ok(Self { lines, rest })
                };
            }
            if bytes.len() > MOST_HEAD {
                return Err(HeadError::Long);
            }
        }
    }

    /// The words of the first line.
    pub fn first_line(&self) -> impl Iterator<Item = &str> {
        self.lines.lines().next().unwrap_or_default().split_ascii_whitespace()
    }

    /// What a header says; its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut entries = self.lines.lines().skip(1).filter_map(|line| line.split_once(':'));
        let entry = entries.find(|(key, _)| key.trim().eq_ignore_ascii_case(name));
        entry.map(|(_, value)| value.trim())
    }

    /// The length of the text, if it is said and a number.
    pub fn length(&self) -> Option<usize> {
        self.header("content-length")?.parse().ok()
    }

    /// Whether the text comes in chunks.
    pub fn is_chunked(&self) -> bool {
        self.header("transfer-encoding").is_some_and(|way| way.eq_ignore_ascii_case("chunked"))
    }

    /// Whether a request is of a version that can leave open how long its text is, which
    /// ends with the connection then.
    pub fn is_old(&self) -> bool {
        self.first_line().last() == Some("HTTP/1.0") && self.header("content-length").is_none()
    }
}

/// Where the lines end and the text starts; looked for from a place on.
fn border(bytes: &[u8], from: usize) -> Option<(usize, usize)> {
    let ends = |at: usize| {
        let rest = &bytes[at..];
        let length =
            [b"\r\n\r\n".as_slice(), b"\n\n"].into_iter().find(|end| rest.starts_with(end))?;
        Some((at, at + length.len()))
    };
    (from..bytes.len()).find_map(ends)
}
