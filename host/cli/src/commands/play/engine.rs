//! Whoever a person plays against, or asks.

use ruche_clusters::ConnectError;
use ruche_game::{Game, State};
use ruche_rules::{Position, Rules};
use ruche_search::{Limits, SearchError, SearchReport, Stop};

use crate::arguments::PlayCommand;
use crate::commands::thinking::{Thinking, ThinkingError};
use crate::output::{Align, grouped, table};
use crate::progress::Progress;

/// Why there is no engine.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// Nobody plays for it.
    #[error("{0}; a game that does not fit into 2 MB can be searched by `ruche search --budget`")]
    Connect(#[from] ConnectError),
    /// It does not find anything.
    #[error(transparent)]
    Search(#[from] SearchError),
}

impl From<ThinkingError> for EngineError {
    fn from(error: ThinkingError) -> Self {
        match error {
            ThinkingError::Connect(error) => Self::Connect(error),
            ThinkingError::Search(error) => Self::Search(error),
        }
    }
}

/// An engine for one game; its tree goes on with the game.
pub enum Engine {
    /// Our search.
    Search { thinking: Thinking, limits: Limits },
    /// The rules are interpreted: the first legal move is all that is known.
    Nothing,
}

/// What an engine thinks of a position.
pub struct Thought {
    pub best: String,
    /// Each move with its visits, mean and what is proven of it.
    moves: Vec<[String; 5]>,
    about: String,
}

impl Engine {
    pub fn new(rules: &Rules, command: &PlayCommand) -> Result<Self, EngineError> {
        let Some(game) = rules.game() else {
            eprintln!("ruche: the game is too large to compile: the engine plays any legal move");
            return Ok(Self::Nothing);
        };
        let thinking = Thinking::new(game, &command.settings, None)?;
        Ok(Self::Search { thinking, limits: command.limits })
    }

    /// What it thinks of the moves of a role.
    pub fn think(&mut self, position: &Position, role: usize) -> Result<Thought, EngineError> {
        let (Self::Search { thinking, limits }, Some(state)) = (self, position.state()) else {
            let best = position.legal(role).first().map_or(String::new(), |it| (*it).to_owned());
            return Ok(Thought { about: best.clone(), best, moves: Vec::new() });
        };
        let progress = Progress::spinner("thinking".to_owned());
        let report = thinking.search(state, limits, &Stop::default())?;
        drop(progress);
        Ok(Thought::new(state, role, &report))
    }
}

/// Moves of a line that are shown.
const LINE: usize = 6;

impl Thought {
    fn new(state: &State, role: usize, report: &SearchReport) -> Self {
        let game = state.game();
        let name = |number: u32| game.names().moves(role)[number as usize].clone();
        let best = report.best.as_ref().map_or(state.legal(role)[0], |best| best[role]);
        let moves = &report.roles[role].moves;
        let row = |found: &ruche_search::MoveReport| {
            let proven = found.proven.map_or(String::new(), |goal| format!("proven {goal}"));
            let line = line(game, state, &found.line);
            [name(found.number), grouped(found.visits), format!("{:.1}", found.mean), proven, line]
        };
        let chosen = moves.iter().find(|found| found.number == best);
        let about = chosen.map_or(name(best), |found| {
            let [name, _, mean, proven, line] = row(found);
            let worth = if proven.is_empty() { mean } else { proven };
            format!("{name}  ({worth} of 100, {} playouts)  {line}", grouped(report.playouts))
        });
        Self { best: name(best), moves: moves.iter().map(row).collect(), about }
    }

    /// The best move in one line.
    pub fn text(&self) -> &str {
        &self.about
    }

    /// All moves.
    pub fn table(&self) -> String {
        let head = ["move", "visits", "mean", "proven", "expected"].map(str::to_owned);
        let rows: Vec<[String; 5]> = [head].into_iter().chain(self.moves.iter().cloned()).collect();
        table([Align::Left, Align::Right, Align::Right, Align::Left, Align::Left], &rows)
    }
}

/// What is expected, without the moves of those who have no choice.
fn line(game: &Game, state: &State, line: &[Vec<u32>]) -> String {
    let mut words = Vec::new();
    let mut state = state.clone();
    for joint in line.iter().take(LINE) {
        for (role, number) in joint.iter().enumerate() {
            if state.legal(role).len() > 1 {
                words.push(game.names().moves(role)[*number as usize].clone());
            }
        }
        match state.play(joint) {
            Ok(next) => state = next,
            Err(_) => break,
        }
    }
    words.join(" ")
}
