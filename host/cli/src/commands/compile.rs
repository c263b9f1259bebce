//! `ruche compile`: what a game needs, and whether it fits.

use std::fs;
use std::path::Path;

use ruche_compiler::{EmitError, EmitFormat, Options, Stage, emit};
use ruche_game::Game;
use ruche_shared::WordWidth;
use ruche_shared::budget::{Account, Budget, Demand};
use ruche_shared::image::MAGIC;
use serde_json::{Value, json};

use super::CommandError;
use crate::arguments::{CompileSettings, Format};
use crate::output::{Align, Answer, grouped, print, print_bytes, table};

/// Compiles, writes and reports.
///
/// # Errors
/// If there is no game or the file cannot be written.
pub fn run(settings: &CompileSettings) -> Result<Answer, CommandError> {
    if let Some((stage, format)) = settings.emit {
        return emit_stage(settings, stage, format);
    }
    let game = super::load(&settings.game)?;
    if let Some(path) = &settings.output {
        write(path, game.file())?;
    }
    let outcome = Outcome::new(&game, settings.budget, Demand::of(game.image()));
    print(&match settings.format {
        Format::Text => outcome.text(),
        Format::Json => format!("{:#}\n", outcome.json()),
    })?;
    Ok(Answer::when(outcome.fits.is_some()))
}

/// Why a stage is not written.
#[derive(Debug, thiserror::Error)]
pub enum EmitCommandError {
    /// An image has no stages any more.
    #[error("{game}: an image is what comes out of the compiler: give the rules to see a stage")]
    Image {
        /// The path.
        game: String,
    },
    /// It has none, or none in this format.
    #[error("{game}: {source}")]
    Emit {
        /// The path or name.
        game: String,
        /// Why not.
        source: EmitError,
    },
}

/// Writes a stage of the compilation.
fn emit_stage(
    settings: &CompileSettings,
    stage: Stage,
    format: EmitFormat,
) -> Result<Answer, CommandError> {
    let game = || settings.game.clone();
    let source = Game::source(&settings.game)?;
    let description = Game::describe(&settings.game, &source).map_err(|error| match error {
        _ if source.starts_with(&MAGIC) => EmitCommandError::Image { game: game() }.into(),
        error => CommandError::from(error),
    })?;
    let mut text = Vec::new();
    emit(stage, format, &description, &Options::default(), &mut text)
        .map_err(|source| EmitCommandError::Emit { game: game(), source })?;
    match &settings.output {
        Some(path) => write(path, &text)?,
        None => print_bytes(&text)?,
    }
    Ok(Answer::Yes)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
    let file = || path.display().to_string();
    fs::write(path, bytes).map_err(|source| CommandError::Write { file: file(), source })
}

struct Outcome<'a> {
    game: &'a Game,
    budget: Budget,
    demand: Demand,
    /// The account with the widest word that fits.
    fits: Option<Account>,
}

impl<'a> Outcome<'a> {
    fn new(game: &'a Game, budget: Budget, demand: Demand) -> Self {
        Self { game, budget, demand, fits: budget.widest_word(&demand) }
    }

    /// What is shown: the widest word that fits, or else what is nearest to
    /// fitting.
    fn account(&self) -> Account {
        self.fits.unwrap_or_else(|| self.budget.account(&self.demand, WordWidth::One))
    }

    fn total_gates(&self) -> usize {
        self.game.report().gates()
    }

    fn json(&self) -> Value {
        let (game, report, account) = (self.game, self.game.report(), self.account());
        let fits = |account: Account| {
            json!({
                "cores": account.budget.cores,
                "word": account.word.lanes(),
                "bytes": account.bytes(),
                "free": account.free(),
            })
        };
        let memory = account.parts.map(|part| json!({ "part": part.name, "bytes": part.bytes }));
        json!({
            "game": game.name(),
            "roles": report.roles,
            "fluents": report.fluents,
            "moves": report.moves,
            "clauses": game.is_compiled().then_some(report.clauses),
            "gates": {
                "legal": report.gates_legal,
                "next": report.gates_next,
                "goal": report.gates_goal,
                "total": self.total_gates(),
            },
            "strata": report.strata,
            "slots": report.slots,
            "widest_live": game.is_compiled().then_some(report.widest_live),
            "bytecode_bytes": report.bytecode_bytes,
            "image_bytes": report.image_bytes,
            "seconds": game.is_compiled().then_some(report.seconds),
            "fits": self.fits.map(fits),
            "budget": account.budget.total,
            "memory_word": account.word.lanes(),
            "memory": memory,
            "warnings": game.warnings().iter().map(|warning| warning.trim_end()).collect::<Vec<_>>(),
        })
    }

    fn text(&self) -> String {
        format!("{}\n{}\n{}\n{}", self.sizes(), self.memory(), self.words(), self.verdict())
    }

    fn sizes(&self) -> String {
        let (game, report) = (self.game, self.game.report());
        let count = |number: usize| grouped(number as u64);
        let row = |name: &str, value: String| [name.to_owned(), value];
        let gates = format!(
            "{} (legal {}, next {}, goal {})",
            count(self.total_gates()),
            count(report.gates_legal),
            count(report.gates_next),
            count(report.gates_goal)
        );
        let mut rows = vec![
            row("game", game.name().to_owned()),
            row("roles", count(report.roles)),
            row("fluents", count(report.fluents)),
            row("moves", count(report.moves)),
            row("gates", gates),
            row("strata", count(report.strata)),
            row("slots", count(report.slots)),
            row("bytecode", format!("{} bytes", count(report.bytecode_bytes))),
            row("image", format!("{} bytes", count(report.image_bytes))),
        ];
        if game.is_compiled() {
            // Slots that a perfect allocation would need: the state and these.
            rows.insert(7, row("widest live set", count(report.widest_live)));
            rows.insert(4, row("ground clauses", grouped(report.clauses)));
            rows.push(row("compiled in", format!("{:.3} s", report.seconds)));
        }
        table([Align::Left, Align::Left], &rows)
    }

    fn memory(&self) -> String {
        let account = self.account();
        let row = |name: &str, bytes: String| [name.to_owned(), bytes];
        let mut rows = vec![row("memory of a cluster", "bytes".to_owned())];
        for part in account.parts {
            let name = match part.name {
                "slots" => {
                    format!("  slots × {} cores × {}", account.budget.cores, lanes(account.word))
                }
                name => format!("  {name}"),
            };
            rows.push([name, grouped(part.bytes)]);
        }
        rows.push(row("  total", grouped(account.bytes())));
        rows.push(row("  free", grouped(account.free())));
        table([Align::Left, Align::Right], &rows)
    }

    /// All words side by side: what a narrower one would save.
    fn words(&self) -> String {
        let mut rows = vec![["word", "total bytes", "free bytes", "fits"].map(str::to_owned)];
        for word in WordWidth::WIDEST_FIRST {
            let account = self.budget.account(&self.demand, word);
            let fits = if account.fits() { "yes" } else { "no" };
            let free = grouped(account.free());
            rows.push([lanes(word), grouped(account.bytes()), free, fits.to_owned()]);
        }
        table([Align::Left, Align::Right, Align::Right, Align::Left], &rows)
    }

    fn verdict(&self) -> String {
        let (total, cores) = (grouped(self.budget.total), self.budget.cores);
        match self.fits {
            Some(account) => format!(
                "fits in {total} bytes with {cores} cores, words of {}, {} bytes free\n",
                lanes(account.word),
                grouped(account.free())
            ),
            None => format!(
                "does not fit in {total} bytes with {cores} cores: \
                 even words of one lane need {} bytes more\n",
                grouped(-self.account().free())
            ),
        }
    }
}

fn lanes(word: WordWidth) -> String {
    match word.lanes() {
        1 => "1 lane".to_owned(),
        lanes => format!("{lanes} lanes"),
    }
}
