//! `ruche decompose`: the games inside a game.

use ruche_decompose::{
    Counts, DecomposeError, Decomposition, Kind, Proof, Settings, Subgame, decompose,
};
use ruche_game::Game;
use ruche_shared::image::MAGIC;
use serde_json::{Map, Value, json};

use super::CommandError;
use crate::arguments::{DecomposeCommand, DecomposeForm};
use crate::output::{Answer, grouped, print};
use crate::progress::Progress;

/// Why there is no decomposition.
#[derive(Debug, thiserror::Error)]
pub enum DecomposeCommandError {
    /// An image has no rules any more.
    #[error("{game}: an image does not tell its rules: give the rules to find the games in it")]
    Image {
        /// The path.
        game: String,
    },
    /// It is too large.
    #[error("{game}: {source}")]
    Decompose {
        /// The path or name.
        game: String,
        /// Why not.
        source: DecomposeError,
    },
}

/// Decomposes and reports.
///
/// # Errors
/// If there is no such game, or it is too large.
pub fn run(command: &DecomposeCommand) -> Result<Answer, CommandError> {
    let game = || command.game.clone();
    let source = Game::source(&command.game)?;
    if source.starts_with(&MAGIC) {
        return Err(DecomposeCommandError::Image { game: game() }.into());
    }
    let progress = Progress::spinner(format!("decomposing {}", command.game));
    let description = Game::describe(&command.game, &source)?;
    let settings = Settings { by: command.by, seed: command.seed, ..Settings::default() };
    let found = decompose(&description, &settings);
    drop(progress);
    let found =
        found.map_err(|source| DecomposeCommandError::Decompose { game: game(), source })?;
    print(&match command.form {
        DecomposeForm::Text => text(&found),
        DecomposeForm::Json => format!("{:#}\n", json(&command.game, &found)),
        DecomposeForm::Dot => found.dot(&command.game),
    })?;
    Ok(Answer::Yes)
}

/// Fluents and moves of a part that are listed.
const MOST_LISTED: usize = 6;

fn text(found: &Decomposition) -> String {
    let Counts { ad, uad, ai, uai } = found.counts();
    let mut text = format!(
        "{ad} played ({uad} useless), {ai} by themselves ({uai} useless)\n\
         composition: {}; score: {}\n",
        found.composition.name(),
        found.score.name(),
    );
    for (number, part) in found.subgames.iter().enumerate() {
        text += &part_text(number, part);
    }
    if !found.unplayed.is_empty() {
        text += &format!("moves never legal in what was seen: {}\n", listed(&found.unplayed));
    }
    let seconds = found.seconds.iter().map(|(step, seconds)| format!("{step} {seconds:.3}"));
    text + &format!("seconds: {}\n", seconds.collect::<Vec<_>>().join(", "))
}

fn part_text(number: usize, part: &Subgame) -> String {
    let mut said = vec![proof(part.proof)];
    said.push(if part.useful { "useful" } else { "useless" }.to_owned());
    if part.terminal {
        said.push("can end the game".to_owned());
    }
    if !part.roles.is_empty() {
        said.push(format!("scores {}", part.roles.join(", ")));
    }
    let after: Vec<String> = part.after.iter().map(|before| (before + 1).to_string()).collect();
    if !after.is_empty() {
        said.push(format!("after {}", after.join(", ")));
    }
    let mut text = format!("{}. {}: {}\n", number + 1, part.kind.name(), said.join(", "));
    text += &format!("   fluents: {}\n", listed(&part.fluents));
    if part.kind == Kind::Play {
        text += &format!("   moves: {}\n", listed(&part.moves));
    }
    if !part.meta_moves.is_empty() {
        text += &format!("   different moves here: {}\n", part.meta_moves.len());
    }
    text
}

fn proof(proof: Proof) -> String {
    match proof {
        Proof::Proved => "proved".to_owned(),
        Proof::Seen { states } => format!("seen on {} states", grouped(states as i128)),
    }
}

fn listed(things: &[String]) -> String {
    let shown = things[..things.len().min(MOST_LISTED)].join("  ");
    match things.len() {
        0 => "none".to_owned(),
        count if count > MOST_LISTED => format!("{shown}  and {} more", count - MOST_LISTED),
        _ => shown,
    }
}

fn json(game: &str, found: &Decomposition) -> Value {
    let Counts { ad, uad, ai, uai } = found.counts();
    let seconds: f64 = found.seconds.iter().map(|(_, seconds)| seconds).sum();
    let steps = found.seconds.iter().map(|&(step, seconds)| (step.to_owned(), json!(seconds)));
    json!({
        "game": game,
        "AD": ad,
        "UAD": uad,
        "AI": ai,
        "UAI": uai,
        "subgames": found.subgames.iter().map(part_json).collect::<Vec<_>>(),
        "composition": found.composition.name(),
        "score": found.score.name(),
        "states": found.states,
        "unplayed": found.unplayed,
        "seconds": seconds,
        "steps": steps.collect::<Map<_, _>>(),
    })
}

fn part_json(part: &Subgame) -> Value {
    let proof = match part.proof {
        Proof::Proved => json!("proved"),
        Proof::Seen { states } => json!({ "seen": states }),
    };
    json!({
        "kind": part.kind.name(),
        "useful": part.useful,
        "terminal": part.terminal,
        "roles": part.roles,
        "after": part.after,
        "fluents": part.fluents,
        "moves": part.moves,
        "meta_moves": part.meta_moves,
        "proof": proof,
    })
}
