//! Games on disk: a line for each as it ends, so that a match that was stopped goes on.
//!
//! The first line says what is played; whoever goes on must want the same.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::record::GameRecord;

/// What the games of a file have in common: everything that they depend on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// How the file is written.
    pub version: u32,
    /// All settings of A.
    pub a: String,
    /// All settings of B.
    pub b: String,
    /// The games and the checksums of their circuits.
    pub games: Vec<(String, u32)>,
    /// From which all is drawn.
    pub seed: u64,
    /// Plies of an opening.
    pub opening: u32,
    /// After how many plies a game is cut.
    pub ply_limit: u32,
}

impl Header {
    /// The version that is written today.
    pub const VERSION: u32 = 1;

    /// In what another one differs: its value and ours.
    fn difference(&self, other: &Self) -> Option<Difference> {
        let fields = |header: &Self| {
            [
                ("the version of the file", header.version.to_string()),
                ("A", header.a.clone()),
                ("B", header.b.clone()),
                ("the games", names(&header.games)),
                ("the seed", header.seed.to_string()),
                ("plies of the opening", header.opening.to_string()),
                ("the limit of plies", header.ply_limit.to_string()),
            ]
        };
        let both = fields(self).into_iter().zip(fields(other));
        let differ = |((what, ours), (_, theirs)): ((&'static str, String), (_, String))| {
            (ours != theirs).then_some(Difference { what, theirs, ours })
        };
        both.into_iter().find_map(differ)
    }
}

fn names(games: &[(String, u32)]) -> String {
    let name = |(name, checksum): &(String, u32)| format!("{name} ({checksum:08x})");
    games.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// In what two matches differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// In which setting.
    pub what: &'static str,
    /// What the file says.
    pub theirs: String,
    /// What is wanted.
    pub ours: String,
}

/// Why games cannot be kept.
#[derive(Debug, Error)]
pub enum LogError {
    /// The system says no.
    #[error("{}: {source}: give a path that can be written with -o", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It is something else.
    #[error(
        "{}:{line}: this is no line of a match: give another file with -o, or move this one away",
        path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// It is another match.
    #[error(
        "{}: this file has another match: {} was `{}` and is `{}` now: give another file with \
         -o, or go on with what was",
        path.display(), difference.what, difference.theirs, difference.ours
    )]
    Other {
        /// The file.
        path: PathBuf,
        /// In what it differs.
        difference: Box<Difference>,
    },
    /// Somebody else is at it.
    #[error("{}: another match is writing this file: wait for it, or give another with -o",
            path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
}

/// Games that were played, on disk or nowhere.
#[derive(Debug, Default)]
pub struct Log {
    /// Locked as long as it is open.
    file: Option<(PathBuf, File)>,
    records: Vec<GameRecord>,
}

impl Log {
    /// Keeps nothing.
    #[must_use]
    pub fn nowhere() -> Self {
        Self::default()
    }

    /// Opens the file of a match, or makes it. A last line that was cut when the match was
    /// killed is dropped.
    ///
    /// # Errors
    /// If it is the file of another match or of something else, somebody else is writing
    /// it, or the system does not allow it.
    pub fn open(path: &Path, header: &Header) -> Result<Self, LogError> {
        let at = |source| LogError::File { path: path.to_owned(), source };
        let options =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).clone();
        let mut file = options.open(path).map_err(at)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(LogError::Busy { path: path.to_owned() }),
            Err(TryLockError::Error(error)) => return Err(at(error)),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(at)?;
        let first = line(header).map_err(at)?;
        let (records, sound) = read(path, &bytes, &first, header)?;
        file.set_len(sound as u64).map_err(at)?;
        file.seek(SeekFrom::End(0)).map_err(at)?;
        if sound == 0 {
            file.write_all(&first).map_err(at)?;
        }
        Ok(Self { file: Some((path.to_owned(), file)), records })
    }

    /// The games that were there when it was opened.
    #[must_use]
    pub fn records(&self) -> &[GameRecord] {
        &self.records
    }

    /// Keeps a game. When this returns, it is in the file.
    pub(crate) fn append(&mut self, record: &GameRecord) -> Result<(), LogError> {
        let Some((path, file)) = &mut self.file else { return Ok(()) };
        let written = line(record).and_then(|line| file.write_all(&line));
        written.map_err(|source| LogError::File { path: path.clone(), source })
    }
}

fn line(content: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(content)?;
    line.push(b'\n');
    Ok(line)
}

/// The games of a file, and how many of its bytes are sound.
fn read(
    path: &Path,
    bytes: &[u8],
    first: &[u8],
    header: &Header,
) -> Result<(Vec<GameRecord>, usize), LogError> {
    let foreign = |line| LogError::Foreign { path: path.to_owned(), line };
    let sound = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    if sound == 0 {
        // Nothing, or a first line that was cut; a file of somebody else stays as it is.
        return if first.starts_with(bytes) { Ok((Vec::new(), 0)) } else { Err(foreign(1)) };
    }
    let mut lines = bytes[..sound - 1].split(|byte| *byte == b'\n');
    let found = lines.next().and_then(|line| serde_json::from_slice::<Header>(line).ok());
    let found = found.ok_or_else(|| foreign(1))?;
    if let Some(difference) = header.difference(&found) {
        let (path, difference) = (path.to_owned(), Box::new(difference));
        return Err(LogError::Other { path, difference });
    }
    let record = |(index, line)| serde_json::from_slice(line).map_err(|_| foreign(index + 2));
    let records: Result<Vec<GameRecord>, LogError> = lines.enumerate().map(record).collect();
    Ok((records?, sound))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn header() -> Header {
        Header {
            version: Header::VERSION,
            a: "random".to_owned(),
            b: "legal".to_owned(),
            games: vec![("nim".to_owned(), 7)],
            seed: 1,
            opening: 4,
            ply_limit: 100,
        }
    }

    fn record(pair: u64) -> GameRecord {
        GameRecord { game: "nim".to_owned(), pair, ..GameRecord::default() }
    }

    /// A file with two games.
    fn written(folder: &tempfile::TempDir) -> PathBuf {
        let path = folder.path().join("match.jsonl");
        let mut log = Log::open(&path, &header()).unwrap();
        log.append(&record(0)).unwrap();
        log.append(&record(1)).unwrap();
        path
    }

    fn pairs(log: &Log) -> Vec<u64> {
        log.records().iter().map(|record| record.pair).collect()
    }

    #[test]
    fn games_are_there_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = written(&folder);
        assert_eq!(Log::open(&path, &header()).unwrap().records(), [record(0), record(1)]);
    }

    #[test]
    fn a_file_that_was_cut_anywhere_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = written(&folder);
        let whole = fs::read(&path).unwrap();
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            let mut log = Log::open(&path, &header()).unwrap();
            let found = pairs(&log);
            assert!([vec![], vec![0]].contains(&found), "{length}: {found:?}");
            let missing = (found.len() as u64..2).map(record);
            missing.for_each(|record| log.append(&record).unwrap());
            drop(log);
            assert_eq!(fs::read(&path).unwrap(), whole, "cut at {length}");
        }
    }

    #[test]
    fn another_match_is_refused_with_what_differs() {
        let folder = tempfile::tempdir().unwrap();
        let path = written(&folder);
        let refused = |header: Header| Log::open(&path, &header).unwrap_err().to_string();
        let error = refused(Header { b: "random".to_owned(), ..header() });
        assert!(error.contains("B was `legal` and is `random` now"), "{error}");
        let error = refused(Header { seed: 2, ..header() });
        assert!(error.contains("the seed was `1` and is `2` now"), "{error}");
        let error = refused(Header { games: vec![("nim".to_owned(), 8)], ..header() });
        assert!(error.contains("nim (00000007)"), "{error}");
        let header = Header { ply_limit: 7, ..header() };
        assert!(refused(header).contains("the limit of plies"));
    }

    #[test]
    fn a_file_of_somebody_else_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("letter.txt");
        for text in ["Dear Sir", "Dear Sir\nor Madam\n", "{}\n"] {
            fs::write(&path, text).unwrap();
            let error = Log::open(&path, &header()).unwrap_err().to_string();
            assert!(error.contains("letter.txt:1: this is no line of a match"), "{error}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        let path = written(&folder);
        let text = fs::read_to_string(&path).unwrap().replace("\"pair\":0", "\"pear\":0");
        fs::write(&path, text).unwrap();
        let error = Log::open(&path, &header()).unwrap_err().to_string();
        assert!(error.contains("match.jsonl:2:"), "{error}");
    }

    #[test]
    fn two_matches_do_not_write_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("match.jsonl");
        let _first = Log::open(&path, &header()).unwrap();
        assert!(matches!(Log::open(&path, &header()), Err(LogError::Busy { .. })));
    }
}
