//! What `ruche` says about one game.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::measure::{self, Allowance, Measured};

/// Seconds of processor time in which a game must compile.
pub const COMPILE_SECONDS: u64 = 10;
/// Bytes of memory in which a game must compile.
pub const COMPILE_BYTES: u64 = 2 << 30;
/// Longer texts do not help in a table.
const LONGEST_REASON: usize = 200;

const COMPILING: Allowance =
    Allowance { seconds: COMPILE_SECONDS, address_bytes: 2 * COMPILE_BYTES };
/// Traces are of any length, so that this is only a guard.
const VERIFYING: Allowance = Allowance { seconds: 300, address_bytes: 2 * COMPILE_BYTES };

/// What `ruche compile --json` prints, as far as the page tells it.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Sizes {
    /// Number of roles.
    pub roles: u64,
    /// Number of fluents that change.
    pub fluents: u64,
    /// Number of moves.
    pub moves: u64,
    /// Ground clauses.
    pub clauses: u64,
    /// Gates by section.
    pub gates: Gates,
    /// Strata of all sections.
    pub strata: u64,
    /// Words that a core needs.
    pub slots: u64,
    /// Bytes of code.
    pub bytecode_bytes: u64,
    /// Bytes of the image.
    pub image_bytes: u64,
    /// The widest word with which it fits.
    pub fits: Option<Fits>,
}

/// Gates by section.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Gates {
    /// In the section of legal moves.
    pub legal: u64,
    /// In the section of the next state.
    pub next: u64,
    /// In the section of goals.
    pub goal: u64,
    /// Together.
    pub total: u64,
}

/// How a game fits in the memory of a cluster.
#[derive(Clone, Debug, Deserialize)]
pub struct Fits {
    /// Lanes of the word.
    pub word: u32,
}

#[derive(Deserialize)]
struct Verified {
    lines: u64,
    first_difference: Option<Difference>,
}

#[derive(Deserialize)]
struct Difference {
    line: u64,
    what: String,
}

/// What became of the reference trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trace {
    /// There is none, or the game does not compile.
    Absent,
    /// All lines agree.
    Agrees {
        /// How many.
        lines: u64,
    },
    /// What differs first, or why it could not be replayed.
    Differs(String),
}

/// What became of one game.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The name of its file.
    pub id: String,
    /// Seconds of processor time of compiling.
    pub seconds: f64,
    /// The most memory that compiling had at a time.
    pub peak_bytes: u64,
    /// The sizes, or why it does not compile within the limits.
    pub compiled: Result<Sizes, String>,
    /// Whether the reference agrees.
    pub trace: Trace,
}

impl Outcome {
    /// Whether nothing speaks against the image that was made, if any.
    pub fn has_no_difference(&self) -> bool {
        !matches!(self.trace, Trace::Differs(_))
    }

    /// The last column of the table: what became of it.
    pub fn verdict(&self) -> String {
        match (&self.compiled, &self.trace) {
            (Err(reason), _) => format!("does not compile: {reason}"),
            (Ok(_), Trace::Absent) => "no trace".to_owned(),
            (Ok(_), Trace::Agrees { lines }) => format!("{lines} lines agree"),
            (Ok(_), Trace::Differs(what)) => format!("**{what}**"),
        }
    }

    /// The outcome in a line of progress.
    pub fn line(&self) -> String {
        let megabytes = self.peak_bytes >> 20;
        format!("{}: {:.2} s, {megabytes} MB, {}", self.id, self.seconds, self.verdict())
    }
}

/// The program that is tried.
pub struct Ruche {
    program: PathBuf,
    /// For what it writes; removed at the end.
    folder: PathBuf,
}

impl Ruche {
    /// `ruche` as it was built together with this program.
    ///
    /// # Errors
    /// If it was not built, or there is no room for temporary files.
    pub fn beside_this_program() -> io::Result<Self> {
        let program = std::env::current_exe()?.with_file_name("ruche");
        if !program.is_file() {
            let message = format!("{} is not there: build it first", program.display());
            return Err(io::Error::new(io::ErrorKind::NotFound, message));
        }
        let folder = std::env::temp_dir().join(format!("corpus-table-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        Ok(Ruche { program, folder })
    }

    /// Compiles a game and replays its trace on the image that was written.
    ///
    /// # Errors
    /// If `ruche` cannot be run at all.
    pub fn try_game(&self, id: String, game: &Path, trace: &Path) -> io::Result<Outcome> {
        let image = self.folder.join("image");
        let mut compile = self.command(game);
        compile.args(["compile", "--json", "-o"]).arg(&image).args(game.file_name());
        let measured = measure::run(&mut compile, COMPILING, &self.folder)?;
        let compiled = within_limits(&measured).and_then(|()| answer(&measured));
        let has_lines = fs::metadata(trace).is_ok_and(|file| file.len() > 0);
        let is_traced = compiled.is_ok() && has_lines;
        let trace = if is_traced { self.replay(&image, trace)? } else { Trace::Absent };
        let Measured { seconds, peak_bytes, .. } = measured;
        Ok(Outcome { id, seconds, peak_bytes, compiled, trace })
    }

    /// `ruche` in the folder of a file, so that it speaks of the file by its name.
    fn command(&self, file: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(file.parent().unwrap_or(Path::new("."))).env("RUST_BACKTRACE", "0");
        command
    }

    fn replay(&self, image: &Path, trace: &Path) -> io::Result<Trace> {
        let mut verify = self.command(trace);
        verify.args(["verify", "--json"]).arg(image).args(trace.file_name());
        let measured = measure::run(&mut verify, VERIFYING, &self.folder)?;
        Ok(match answer(&measured) {
            Err(reason) => Trace::Differs(format!("cannot be replayed: {reason}")),
            Ok(Verified { lines, first_difference: None }) => Trace::Agrees { lines },
            Ok(Verified { first_difference: Some(Difference { line, what }), .. }) => {
                Trace::Differs(format!("differs in line {line}: {what}"))
            }
        })
    }
}

impl Drop for Ruche {
    fn drop(&mut self) {
        // A leftover in the folder for temporary files harms nobody.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn within_limits(measured: &Measured) -> Result<(), String> {
    if measured.seconds >= COMPILE_SECONDS as f64 {
        return Err(format!("more than {COMPILE_SECONDS} s"));
    }
    if measured.peak_bytes > COMPILE_BYTES {
        return Err(format!("{} MB of memory", measured.peak_bytes >> 20));
    }
    Ok(())
}

/// The document that was printed, also if the answer was no; else the complaint.
fn answer<Answer: DeserializeOwned>(measured: &Measured) -> Result<Answer, String> {
    match measured.status.code() {
        Some(0 | 1) => serde_json::from_str(&measured.stdout).map_err(|error| error.to_string()),
        Some(_) => Err(complaint(&measured.stderr)),
        None => Err(format!("{}; {}", measured.status, complaint(&measured.stderr))),
    }
}

/// What was written to stderr, cut to the part that says why it ended: a panic,
/// or the line after the warnings that the program begins with its name.
fn complaint(stderr: &str) -> String {
    let mut lines = stderr.lines().skip_while(|line| !line.contains("panicked at"));
    let panic = lines.next().map(|first| format!("{first} {}", lines.next().unwrap_or_default()));
    let refusal = stderr.lines().find_map(|line| line.strip_prefix("ruche: "));
    let last = stderr.lines().last().unwrap_or_default();
    shortened(panic.as_deref().or(refusal).unwrap_or(last))
}

/// The first part of a message; advice that follows is for the game's author.
fn shortened(message: &str) -> String {
    let first = message.split("; ").next().unwrap_or_default();
    match first.char_indices().nth(LONGEST_REASON) {
        Some((end, _)) => format!("{}…", &first[..end]),
        None => first.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_complaint_is_found_and_cut() {
        let refused =
            "odd.kif: warning: odd\nruche: odd.kif: too large; make it small\n  help: no\n";
        assert_eq!(complaint(refused), "odd.kif: too large");
        let panicked = "\nthread 'main' panicked at x.rs:1:\nalive\nnote: set a variable\n";
        assert_eq!(complaint(panicked), "thread 'main' panicked at x.rs:1: alive");
        assert_eq!(complaint("something\nelse"), "else");
        assert_eq!(complaint(""), "");
        assert_eq!(complaint(&"ä".repeat(1000)).chars().count(), LONGEST_REASON + 1);
    }

    #[test]
    fn verdicts_name_what_is_wrong() {
        let outcome = |compiled, trace| Outcome {
            id: "game".to_owned(),
            seconds: 0.0,
            peak_bytes: 0,
            compiled,
            trace,
        };
        let fine = outcome(Ok(Sizes::default()), Trace::Agrees { lines: 3 });
        assert_eq!((fine.verdict().as_str(), fine.has_no_difference()), ("3 lines agree", true));
        let wrong = outcome(Ok(Sizes::default()), Trace::Differs("line 2".to_owned()));
        assert_eq!((wrong.verdict().as_str(), wrong.has_no_difference()), ("**line 2**", false));
        let none = outcome(Err("no role".to_owned()), Trace::Absent);
        assert_eq!(none.verdict(), "does not compile: no role");
    }
}
