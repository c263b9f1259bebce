//! `ruche verify`: does the evaluator say what a reference says?

use ruche_game::Game;
use ruche_trace::replay::PASSES;
use ruche_trace::{Difference, Trace, verify};
use serde_json::{Value, json};

use super::CommandError;
use crate::arguments::{Format, VerifySettings};
use crate::output::{Answer, grouped, print};
use crate::progress::Progress;

/// Replays all traces up to the first difference.
///
/// # Errors
/// If there is no game, or a trace cannot be read or replayed.
pub fn run(settings: &VerifySettings) -> Result<Answer, CommandError> {
    let paths = settings.traces.iter();
    let traces: Vec<Trace> = paths.map(|path| Trace::read(path)).collect::<Result<_, _>>()?;
    let game = super::load(&settings.game)?;
    let outcome = replay(&game, &traces)?;
    print(&match settings.format {
        Format::Text => outcome.text(),
        Format::Json => format!("{:#}\n", outcome.json()),
    })?;
    Ok(Answer::when(outcome.first_difference.is_none()))
}

struct Outcome {
    game: String,
    traces: usize,
    /// Lines up to the first difference, with it.
    lines: usize,
    first_difference: Option<Difference>,
}

fn replay(game: &Game, traces: &[Trace]) -> Result<Outcome, CommandError> {
    let total: usize = traces.iter().map(|trace| trace.lines.len()).sum();
    let progress = Progress::bar(format!("verifying {}", game.name()), PASSES * total as u64);
    let mut outcome =
        Outcome { game: game.name().to_owned(), traces: 0, lines: 0, first_difference: None };
    for trace in traces {
        let difference = verify(game, trace, || progress.advance())?;
        outcome.traces += 1;
        outcome.lines += lines_until(trace, difference.as_ref());
        if difference.is_some() {
            outcome.first_difference = difference;
            break;
        }
    }
    Ok(outcome)
}

/// Lines that were compared: all, or those up to the difference.
fn lines_until(trace: &Trace, difference: Option<&Difference>) -> usize {
    let last = difference.map_or(usize::MAX, |difference| difference.line);
    trace.lines.iter().filter(|(number, _)| *number <= last).count()
}

impl Outcome {
    fn json(&self) -> Value {
        json!({
            "game": self.game,
            "traces": self.traces,
            "lines": self.lines,
            "ok": self.first_difference.is_none(),
            "first_difference": self.first_difference,
        })
    }

    fn text(&self) -> String {
        let lines = grouped(self.lines as u64);
        match &self.first_difference {
            None => {
                format!("{}: all {lines} lines agree, with words of 1 and of 64 lanes\n", self.game)
            }
            Some(difference) => {
                format!("{}: line {lines} differs\n{}", self.game, describe(difference))
            }
        }
    }
}

fn describe(difference: &Difference) -> String {
    format!(
        "{}:{}: {} (playout {}, ply {}, lanes {})\n  expected: {}\n  found:    {}\n",
        difference.file,
        difference.line,
        difference.what,
        difference.playout,
        difference.ply,
        difference.word,
        shortened(&difference.expected),
        shortened(&difference.found)
    )
}

/// The most texts of a difference that a person is shown.
const SHOWN: usize = 6;

fn shortened(texts: &[String]) -> String {
    if texts.is_empty() {
        return "nothing else".to_owned();
    }
    let shown = texts[..texts.len().min(SHOWN)].join(", ");
    match texts.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown}, and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_differences_are_shortened() {
        let texts: Vec<String> = (0..8).map(|number| number.to_string()).collect();
        assert_eq!(shortened(&texts), "0, 1, 2, 3, 4, 5, and 2 more");
        assert_eq!(shortened(&texts[..6]), "0, 1, 2, 3, 4, 5");
        assert_eq!(shortened(&[]), "nothing else");
    }
}
