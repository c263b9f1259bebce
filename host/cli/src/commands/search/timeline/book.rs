//! Events of a timeline, one line each, in the JSON format of chrome://tracing.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufWriter, Write};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::Serialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

/// What a timeline ends with.
pub const END: &str = "\n]\n";

/// What is known of an event beside its name.
pub type Arguments = Map<String, Value>;

/// What happens to a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Phase {
    /// Something begins.
    #[serde(rename = "B")]
    Begin,
    /// It ends.
    #[serde(rename = "E")]
    End,
    /// Something happens at once.
    #[serde(rename = "i")]
    Instant,
    /// Something is said about the track or its process.
    #[serde(rename = "M")]
    About,
}

/// A line of the file.
#[derive(Serialize)]
struct Line<'a> {
    ph: Phase,
    pid: usize,
    tid: usize,
    /// The time of day in microseconds, which processes have in common.
    ts: f64,
    /// An end needs none.
    #[serde(skip_serializing_if = "str::is_empty")]
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<&'a Arguments>,
}

/// A line of the picture: threads of one name, which follow each other where cores are
/// started for each round.
struct Track {
    name: String,
    /// Spans that have begun and not ended.
    open: usize,
}

/// A timeline as it is written. It takes everything, and remembers what could not be
/// kept: who works does not want to hear of it.
pub struct Book {
    out: BufWriter<File>,
    process: usize,
    start: Instant,
    /// The time of day then.
    started: Duration,
    is_empty: bool,
    tracks: Vec<Track>,
    threads: HashMap<ThreadId, usize>,
    failure: Option<io::Error>,
}

impl Book {
    /// An empty one of a process.
    pub fn new(file: File, process: usize, name: &str) -> Self {
        let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut book = Self {
            out: BufWriter::with_capacity(1 << 16, file),
            process,
            start: Instant::now(),
            started,
            is_empty: true,
            tracks: Vec::new(),
            threads: HashMap::new(),
            failure: None,
        };
        book.put(b"[\n");
        book.say("process_name", 0, json!({ "name": name }));
        book
    }

    /// Notes what happens now on this thread.
    pub fn note(&mut self, phase: Phase, name: &str, arguments: Option<&Arguments>) {
        let track = self.track();
        let open = &mut self.tracks[track].open;
        match phase {
            Phase::Begin => *open += 1,
            Phase::End => *open = open.saturating_sub(1),
            Phase::Instant | Phase::About => {}
        }
        self.line(phase, track, name, arguments);
    }

    /// Takes in what another process has written. Its brackets are no events, and
    /// neither is a line that was cut off when it died.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn take_in(&mut self, other: impl BufRead) -> io::Result<()> {
        for line in other.lines() {
            let line = line?;
            let event = line.trim_end_matches(',');
            if serde_json::from_str::<IgnoredAny>(event).is_ok() {
                self.separate();
                self.put(event.as_bytes());
            }
        }
        Ok(())
    }

    /// Ends the spans that have not ended.
    pub fn end_all(&mut self) {
        for track in 0..self.tracks.len() {
            for _ in 0..std::mem::take(&mut self.tracks[track].open) {
                self.line(Phase::End, track, "", None);
            }
        }
    }

    /// Writes the end.
    ///
    /// # Errors
    /// If something could not be written, now or before.
    pub fn close(mut self) -> io::Result<()> {
        self.put(END.as_bytes());
        let written = self.out.flush();
        self.remember(written);
        self.failure.map_or(Ok(()), Err)
    }

    /// The track of this thread.
    fn track(&mut self) -> usize {
        let thread = thread::current();
        if let Some(track) = self.threads.get(&thread.id()) {
            return *track;
        }
        let name = thread.name().map_or_else(|| format!("{:?}", thread.id()), str::to_owned);
        let known = self.tracks.iter().position(|track| track.name == name);
        let track = known.unwrap_or_else(|| self.begin_track(name));
        self.threads.insert(thread.id(), track);
        track
    }

    fn begin_track(&mut self, name: String) -> usize {
        let track = self.tracks.len();
        self.say("thread_name", track, json!({ "name": name }));
        self.tracks.push(Track { name, open: 0 });
        track
    }

    fn say(&mut self, what: &str, track: usize, about: Value) {
        self.line(Phase::About, track, what, about.as_object());
    }

    fn line(&mut self, ph: Phase, track: usize, name: &str, args: Option<&Arguments>) {
        let ts = (self.started + self.start.elapsed()).as_nanos() as f64 / 1e3;
        let line = Line { ph, pid: self.process, tid: track + 1, ts, name, args };
        self.separate();
        let written = serde_json::to_writer(&mut self.out, &line);
        self.remember(written.map_err(io::Error::from));
    }

    fn separate(&mut self) {
        if !std::mem::take(&mut self.is_empty) {
            self.put(b",\n");
        }
    }

    fn put(&mut self, bytes: &[u8]) {
        let written = self.out.write_all(bytes);
        self.remember(written);
    }

    fn remember(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            self.failure.get_or_insert(error);
        }
    }
}
