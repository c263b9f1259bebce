//! What all commands share when they print: exit codes, aligned tables, numbers.

use std::io::{self, Write};
use std::time::Duration;

/// What a command found out; bad input is an error instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Everything is as it should be.
    Yes,
    /// The game does not fit, or the trace differs.
    No,
    /// A person or the system has stopped it.
    Stopped {
        /// By this signal.
        signal: i32,
    },
}

/// The exit code for usage errors and bad input.
pub const BAD_INPUT: i32 = 2;

impl Answer {
    /// The exit status.
    #[must_use]
    pub fn status(self) -> i32 {
        match self {
            Answer::Yes => 0,
            Answer::No => 1,
            // As shells say it: 130 after SIGINT, 143 after SIGTERM.
            Answer::Stopped { signal } => 128 + signal,
        }
    }

    /// Yes if the condition holds.
    #[must_use]
    pub fn when(condition: bool) -> Self {
        if condition { Answer::Yes } else { Answer::No }
    }
}

/// Writes a result to stdout. Whoever closed the pipe has seen enough.
///
/// # Errors
/// If stdout cannot be written for another reason, such as a full disk.
pub fn print(text: &str) -> io::Result<()> {
    print_bytes(text.as_bytes())
}

/// The same for a result that may be long.
///
/// # Errors
/// As [`print()`].
pub fn print_bytes(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// How a column is aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// Rows as lines with aligned columns, two blanks between them.
#[must_use]
pub fn table<const N: usize>(columns: [Align; N], rows: &[[String; N]]) -> String {
    let mut widths = [0; N];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |row: &[String; N]| {
        let cells = row.iter().zip(columns).zip(widths);
        let padded: Vec<String> =
            cells.map(|((cell, align), width)| pad(cell, align, width)).collect();
        padded.join("  ").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

fn pad(cell: &str, align: Align, width: usize) -> String {
    match align {
        Align::Left => format!("{cell:<width$}"),
        Align::Right => format!("{cell:>width$}"),
    }
}

/// A number with its thousands apart.
#[must_use]
pub fn grouped(number: impl Into<i128>) -> String {
    let number: i128 = number.into();
    let digits = number.unsigned_abs().to_string();
    let mut text = String::from(if number < 0 { "-" } else { "" });
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// How many there were in a second; of nothing in no time none.
#[must_use]
pub fn rate(count: u64, time: Duration) -> f64 {
    count as f64 / time.as_secs_f64().max(1e-9)
}

/// A word as a shell takes it.
#[must_use]
pub fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./+=,:@%".contains(letter);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_one_word_for_the_shell() {
        assert_eq!(quoted("games/hex.kif"), "games/hex.kif");
        assert_eq!(quoted("my games/it's.kif"), r"'my games/it'\''s.kif'");
        assert_eq!(quoted("$HOME;"), "'$HOME;'");
    }

    #[test]
    fn thousands_are_apart() {
        let texts = [0_i64, 999, 1000, 1_234_567, -98_304, -100].map(grouped);
        assert_eq!(texts, ["0", "999", "1,000", "1,234,567", "-98,304", "-100"]);
    }

    #[test]
    fn columns_are_aligned() {
        let row = |name: &str, number: &str| [name.to_owned(), number.to_owned()];
        let text = table([Align::Left, Align::Right], &[row("ä", "1"), row("name", "20")]);
        assert_eq!(text, "ä      1\nname  20\n");
    }

    #[test]
    fn answers_have_exit_statuses() {
        assert_eq!(Answer::when(true), Answer::Yes);
        assert_eq!((Answer::Yes.status(), Answer::No.status()), (0, 1));
        assert_eq!([2, 15].map(|signal| Answer::Stopped { signal }.status()), [130, 143]);
    }
}
