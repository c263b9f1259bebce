//! `ruche show`: a state, its boards, legal moves and goals.

use std::io::{IsTerminal, stdout};

use ruche_game::Game;
use ruche_gdl::Description;
use ruche_picture::{Boards, Picture, Style};
use ruche_referee::MatchRecord;
use ruche_rules::{Position, Rules};
use ruche_shared::image::MAGIC;
use serde_json::{Value, json};

use super::CommandError;
use crate::arguments::{Format, ShowCommand};
use crate::output::{Answer, print};
use crate::progress::Progress;

/// Shows where a game stands.
///
/// # Errors
/// If there is no such game, or a move is not legal.
pub fn run(command: &ShowCommand) -> Result<Answer, CommandError> {
    let progress = Progress::spinner(format!("compiling {}", command.game));
    let (rules, description) = load(&command.game)?;
    drop(progress);
    if rules.game().is_none() {
        eprintln!("ruche: {} is too large to compile: its rules are interpreted", command.game);
    }
    let joints = joints(command, &rules)?;
    let most = command.ply.unwrap_or(joints.len()).min(joints.len());
    let position = rules.after(&joints[..most], None)?;
    let boards = Boards::find(&rules, description.as_ref());
    let picture = boards.picture(&position.fluents());
    print(&match command.format {
        Format::Text => text(&position, &picture, style()),
        Format::Json => format!("{:#}\n", json(&position, &picture)),
    })?;
    Ok(Answer::Yes)
}

/// The rules of a game, and their description if there is one.
///
/// # Errors
/// If it is no game.
pub fn load(name: &str) -> Result<(Rules, Option<Description>), CommandError> {
    let source = Game::source(name)?;
    if source.starts_with(&MAGIC) {
        return Ok((Rules::compiled(Game::of_image(name, &source)?), None));
    }
    let rules = Rules::load(name, &source)?;
    Ok((rules, Some(Game::describe(name, &source)?)))
}

/// The description of a game that was loaded before: an image has none, and what came on
/// standard input is gone.
///
/// # Errors
/// If it is no game any more.
pub fn description(name: &str) -> Result<Option<Description>, CommandError> {
    if name == "-" {
        return Ok(None);
    }
    let source = Game::source(name)?;
    match source.starts_with(&MAGIC) {
        true => Ok(None),
        false => Ok(Some(Game::describe(name, &source)?)),
    }
}

/// Colours where somebody sees them, unless they are not wanted.
pub fn style() -> Style {
    let is_unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    match stdout().is_terminal() && !is_unwanted {
        true => Style::Colour,
        false => Style::Plain,
    }
}

fn joints(command: &ShowCommand, rules: &Rules) -> Result<Vec<Vec<String>>, CommandError> {
    match &command.record {
        Some(path) => Ok(MatchRecord::read(path)?.joints()),
        None => Ok(rules.joints(&command.moves)?),
    }
}

/// Legal moves of a role that are listed.
const MOST_LISTED: usize = 60;

/// A state as people look at it.
pub fn text(position: &Position, picture: &Picture, style: Style) -> String {
    let mut text = picture.text(style);
    if !text.is_empty() {
        text.push('\n');
    }
    let goals = position.goals();
    for (role, name) in position.rules().roles().iter().enumerate() {
        text += &match &goals {
            Some(goals) => {
                let goals: Vec<String> = goals[role].iter().map(ToString::to_string).collect();
                format!("{name}: goal {}\n", goals.join(", "))
            }
            None => format!("{name}: {}\n", listed(&position.legal(role))),
        };
    }
    text
}

fn listed(moves: &[&str]) -> String {
    let shown = moves[..moves.len().min(MOST_LISTED)].join("  ");
    match moves.len() {
        0 => "no legal move".to_owned(),
        count if count > MOST_LISTED => format!("{shown}  and {} more", count - MOST_LISTED),
        _ => shown,
    }
}

fn json(position: &Position, picture: &Picture) -> Value {
    let roles = position.rules().roles();
    let legal = roles.iter().enumerate().map(|(role, name)| {
        let legal = if position.is_terminal() { Vec::new() } else { position.legal(role) };
        (name.clone(), json!(legal))
    });
    let goals = position.goals().map(|goals| {
        let goal =
            |goals: &Vec<u16>| if let [goal] = goals[..] { json!(goal) } else { json!(null) };
        roles.iter().cloned().zip(goals.iter().map(goal)).collect::<serde_json::Map<_, _>>()
    });
    let board = (!picture.grids.is_empty()).then(|| picture.text(Style::Plain));
    json!({
        "roles": roles,
        "state": position.fluents(),
        "terminal": position.is_terminal(),
        "legal": legal.collect::<serde_json::Map<_, _>>(),
        "goals": goals,
        "board": board,
        "boards": picture.grids,
        "beside": picture.others,
    })
}
