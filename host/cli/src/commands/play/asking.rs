//! Lines that a person types: edited and completed in a terminal, else read as they are.

use std::io::{self, BufRead, IsTerminal, Write};

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Editor, Helper};

use super::input;
use crate::output::print;

/// Asks a person.
pub struct Asking {
    /// Nothing where nobody sits at a terminal.
    editor: Option<Editor<Legal, MemHistory>>,
}

impl Asking {
    pub fn new() -> Self {
        let is_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
        Self { editor: is_terminal.then(editor).flatten() }
    }

    /// The next line, where these moves are legal; nothing at the end of the input.
    pub fn line(&mut self, prompt: &str, legal: &[String]) -> io::Result<Option<String>> {
        let Some(editor) = &mut self.editor else { return read(prompt) };
        editor.set_helper(Some(Legal(legal.to_vec())));
        match editor.readline(prompt) {
            Ok(line) => {
                // Without memory for it there is one line less to come back to.
                let _ = editor.add_history_entry(&line);
                Ok(Some(line))
            }
            Err(ReadlineError::Eof | ReadlineError::Interrupted) => Ok(None),
            Err(ReadlineError::Io(error)) => Err(error),
            Err(error) => Err(io::Error::other(error)),
        }
    }
}

/// A terminal that cannot be used is read like a file.
fn editor() -> Option<Editor<Legal, MemHistory>> {
    let config = Config::builder().completion_type(CompletionType::List).build();
    let history = MemHistory::with_config(&config);
    Editor::with_history(config, history).ok()
}

fn read(prompt: &str) -> io::Result<Option<String>> {
    print(prompt)?;
    io::stdout().flush()?;
    let mut line = String::new();
    if io::stdin().lock().read_line(&mut line)? == 0 {
        print("\n")?;
        return Ok(None);
    }
    Ok(Some(line))
}

/// The legal moves, as what completes a line.
struct Legal(Vec<String>);

impl Completer for Legal {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        cursor: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        Ok((0, input::completions(&line[..cursor], &self.0)))
    }
}

impl Helper for Legal {}
impl Highlighter for Legal {}
impl Validator for Legal {}

impl Hinter for Legal {
    type Hint = String;
}
