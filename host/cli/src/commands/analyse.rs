//! `ruche analyse`: answers queries about positions, line by line.

use std::io::{self, BufRead, Read, Write};
use std::time::Duration;

use ruche_game::{Game, State};
use ruche_search::{Limits, SearchReport, Stop};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::thinking::Thinking;
use super::{CommandError, load};
use crate::arguments::DoorCommand;
use crate::output::Answer;

/// A query longer than that is none.
const LONGEST_LINE: u64 = 1 << 20;
/// What is played where a query does not say.
const USUAL_PLAYOUTS: u64 = 10_000;
/// The longest that one query may take.
const MOST_SECONDS: f64 = 86_400.0;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Query {
    #[serde(default)]
    id: Value,
    #[serde(default)]
    moves: String,
    playouts: Option<u64>,
    seconds: Option<f64>,
}

impl Query {
    fn limits(&self) -> Result<Limits, String> {
        match (self.playouts, self.seconds) {
            (Some(_), Some(_)) => Err("give playouts or seconds, not both".to_owned()),
            (None, Some(seconds)) if (0.0..=MOST_SECONDS).contains(&seconds) => {
                Ok(Limits::time(Duration::from_secs_f64(seconds)))
            }
            (None, Some(_)) => Err(format!("seconds are 0 to {MOST_SECONDS}")),
            (playouts, None) => {
                let limits = Limits::playouts(playouts.unwrap_or(USUAL_PLAYOUTS));
                limits.check().map_err(|error| error.to_string())
            }
        }
    }
}

/// Answers until the input ends.
///
/// # Errors
/// If there is no such game, or nobody can search it.
pub fn run(command: &DoorCommand) -> Result<Answer, CommandError> {
    let game = load(&command.game)?;
    let mut thinking = Thinking::new(&game, &command.settings, command.threads)?;
    let mut input = io::stdin().lock();
    loop {
        let mut line = Vec::new();
        let count = input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)?;
        if count == 0 {
            return Ok(Answer::Yes);
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let answer = answer(&game, &mut thinking, &line);
        let mut out = io::stdout().lock();
        writeln!(out, "{answer}").and_then(|()| out.flush())?;
    }
}

fn answer(game: &Game, thinking: &mut Thinking, line: &[u8]) -> Value {
    let query: Query = match serde_json::from_slice(line) {
        Ok(query) => query,
        Err(error) => return json!({ "id": null, "error": format!("no query: {error}") }),
    };
    let found = found(game, thinking, &query);
    let mut answer = match found {
        Ok(answer) => answer,
        Err(error) => json!({ "error": error }),
    };
    answer["id"] = query.id;
    answer
}

fn found(game: &Game, thinking: &mut Thinking, query: &Query) -> Result<Value, String> {
    let limits = query.limits()?;
    let state = game.after(&query.moves).map_err(|error| error.to_string())?;
    let report = thinking.search(&state, &limits, &Stop::default());
    Ok(told(&state, &report.map_err(|error| error.to_string())?))
}

fn told(state: &State, report: &SearchReport) -> Value {
    let names = state.game().names();
    let name = |role: usize, number: u32| names.moves(role)[number as usize].as_str();
    let joint = |joint: &Vec<u32>| -> Vec<&str> {
        joint.iter().enumerate().map(|(role, number)| name(role, *number)).collect()
    };
    let roles = names.roles().iter().zip(&report.roles).enumerate();
    let roles: Map<String, Value> = roles
        .map(|(role, (text, found))| {
            let moves = found.moves.iter().map(|found| {
                json!({
                    "move": name(role, found.number),
                    "visits": found.visits,
                    "mean": found.mean,
                    "proven": found.proven,
                    "share": found.share,
                    "line": found.line.iter().map(joint).collect::<Vec<_>>(),
                })
            });
            let moves: Vec<Value> = moves.collect();
            (text.clone(), json!({ "proven": found.proven, "moves": moves }))
        })
        .collect();
    let best: Option<Map<String, Value>> = report.best.as_ref().map(|best| {
        let best = names.roles().iter().cloned().zip(joint(best).into_iter().map(Value::from));
        best.collect()
    });
    let goals: Option<Map<String, Value>> = state.goals().map(|goals| {
        names.roles().iter().cloned().zip(goals.into_iter().map(Value::from)).collect()
    });
    json!({
        "terminal": state.is_terminal(),
        "goals": goals,
        "best": best,
        "roles": roles,
        "playouts": report.playouts,
        "seconds": report.seconds(),
        "complete": report.is_complete,
    })
}
