//! A text in chunks, each with its length before it: some do not know how long a text is
//! when they begin.

use std::io::{self, BufRead, Read};

/// Reads what is in the chunks. What is no chunk is an error of the kind `InvalidData`, one
/// chunk too many one of the kind `FileTooLarge`.
pub(super) struct Chunked<R> {
    from: R,
    /// Bytes that all further chunks may have.
    most: usize,
    /// Bytes of this chunk that are still to come.
    left: usize,
    is_over: bool,
}

/// The longest line before a chunk.
const LONGEST_LINE: u64 = 200;

impl<R: BufRead> Chunked<R> {
    /// The chunks may have so many bytes.
    pub fn new(from: R, most: usize) -> Self {
        Self { from, most, left: 0, is_over: false }
    }

    fn begin_chunk(&mut self) -> io::Result<()> {
        let line = self.line()?;
        let digits = line.split(';').next().unwrap_or_default().trim();
        self.left = usize::from_str_radix(digits, 16).map_err(|_| malformed())?;
        let more = self.most.checked_sub(self.left);
        self.most = more.ok_or(io::ErrorKind::FileTooLarge)?;
        self.is_over = self.left == 0;
        Ok(())
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = Vec::new();
        (&mut self.from).take(LONGEST_LINE).read_until(b'\n', &mut line)?;
        match line.ends_with(b"\n") {
            true => Ok(String::from_utf8_lossy(&line).into_owned()),
            false => Err(malformed()),
        }
    }
}

fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "what should be a chunk is none")
}

impl<R: BufRead> Read for Chunked<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 && !self.is_over {
            self.begin_chunk()?;
        }
        let most = bytes.len().min(self.left);
        if most == 0 {
            return Ok(0);
        }
        let count = self.from.read(&mut bytes[..most])?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.left -= count;
        if self.left == 0 && !self.line()?.trim().is_empty() {
            return Err(malformed());
        }
        Ok(count)
    }
}
