//! Writes traces: random games, told state by state as the evaluator of one lane sees them.

use std::collections::BTreeMap;
use std::io::{self, Write};

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use ruche_game::{Game, State};
use serde::Serialize;

/// Which games to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordSettings {
    /// How many.
    pub games: u64,
    /// From which the moves are drawn: the same seed gives the same games everywhere.
    pub seed: u64,
    /// After how many plies a game is cut.
    pub ply_limit: u32,
}

/// A line of a trace, with the keys that [`Trace`](crate::Trace) reads.
#[derive(Serialize)]
struct Line<'a> {
    playout: u64,
    ply: u32,
    state: Vec<&'a str>,
    terminal: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    legal: Option<BTreeMap<&'a str, Vec<&'a str>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    joint: Option<Vec<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    goals: Option<BTreeMap<&'a str, Option<u16>>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    goals_raw: BTreeMap<&'a str, Vec<String>>,
}

/// Plays random games and writes their trace.
///
/// # Errors
/// If it cannot be written.
pub fn record(game: &Game, settings: &RecordSettings, out: &mut dyn Write) -> io::Result<()> {
    let mut random = Pcg64Mcg::seed_from_u64(settings.seed);
    for playout in 0..settings.games {
        record_game(game, playout, settings.ply_limit, &mut random, out)?;
    }
    Ok(())
}

/// Up to the end of the game, a role without a move, or the limit.
fn record_game(
    game: &Game,
    playout: u64,
    ply_limit: u32,
    random: &mut Pcg64Mcg,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut state = game.initial();
    for ply in 0..=ply_limit {
        let goes_on = !state.is_terminal() && state.stuck_role().is_none() && ply < ply_limit;
        let joint = goes_on.then(|| draw(&state, random));
        serde_json::to_writer(&mut *out, &line(&state, playout, ply, joint.as_deref()))?;
        out.write_all(b"\n")?;
        let Some(joint) = joint else { break };
        state = state.play(&joint).map_err(io::Error::other)?;
    }
    Ok(())
}

/// A legal move for each role.
fn draw(state: &State, random: &mut Pcg64Mcg) -> Vec<u32> {
    let roles = 0..state.game().roles();
    let legal = roles.map(|role| state.legal(role));
    legal.map(|moves| moves[random.random_range(0..moves.len())]).collect()
}

fn line<'a>(state: &'a State, playout: u64, ply: u32, joint: Option<&[u32]>) -> Line<'a> {
    let names = state.game().names();
    let roles = || names.roles().iter().map(String::as_str).enumerate();
    let word = |role: usize, number: u32| names.moves(role)[number as usize].as_str();
    let legal = |role: usize| {
        let mut words: Vec<&str> = state.legal(role).iter().map(|&it| word(role, it)).collect();
        words.sort_unstable();
        words
    };
    let goal = |role: usize| match state.goals_of(role) {
        [goal] => Some(*goal),
        _ => None,
    };
    let several = |role: usize| state.goals_of(role).iter().map(ToString::to_string).collect();
    let is_over = state.is_terminal();
    let unsound = roles().filter(|(role, _)| is_over && goal(*role).is_none());
    Line {
        playout,
        ply,
        state: state.fluents(),
        terminal: is_over,
        legal: (!is_over).then(|| roles().map(|(role, name)| (name, legal(role))).collect()),
        joint: joint.map(|joint| (0..).zip(joint).map(|(role, &it)| word(role, it)).collect()),
        goals: is_over.then(|| roles().map(|(role, name)| (name, goal(role))).collect()),
        goals_raw: unsound.map(|(role, name)| (name, several(role))).collect(),
    }
}
