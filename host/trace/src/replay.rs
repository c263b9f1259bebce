//! Replays a trace on the kernel's evaluator and finds the first difference.

use std::collections::BTreeSet;

use ruche_eval::{Evaluator, EvaluatorError, OneLane, Word};
use ruche_game::{Game, Names};
use ruche_shared::position::position_words;
use serde::Serialize;
use sha1_smol::Sha1;

use crate::trace::{Texts, Trace, TraceLine};

/// The first thing that the evaluator says otherwise than the trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The trace.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The playout of the line.
    pub playout: u64,
    /// The ply of the line.
    pub ply: u64,
    /// Lanes of the word that was evaluated.
    pub word: usize,
    /// What is different.
    pub what: String,
    /// What the trace says and the evaluator does not.
    pub expected: Vec<String>,
    /// What the evaluator says and the trace does not.
    pub found: Vec<String>,
}

/// Why a trace cannot be replayed, right or wrong.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// Nothing tells the state of a line.
    #[error(
        "{file}:{line}: the line does not follow from the one before it and lists no state: \
         keep the lines of a playout together"
    )]
    NoState {
        /// The trace.
        file: String,
        /// The line, from 1.
        line: usize,
    },
    /// There is nothing to compare names with.
    #[error(
        "{game}: the image comes without names; compile the game again with `ruche compile -o`"
    )]
    Nameless {
        /// The path or name.
        game: String,
    },
    /// The image and its names contradict each other.
    #[error("the names do not belong to the image: {0}")]
    Names(#[from] EvaluatorError),
}

/// Replays a trace with words of one lane and of 64 lanes. Calls `progress` after
/// each line.
///
/// # Errors
/// If the trace cannot be replayed.
pub fn verify(
    game: &Game,
    trace: &Trace,
    mut progress: impl FnMut(),
) -> Result<Option<Difference>, ReplayError> {
    if !game.has_names() {
        return Err(ReplayError::Nameless { game: game.name().to_owned() });
    }
    if let Some(difference) = replay::<OneLane>(game, trace, &mut progress)? {
        return Ok(Some(difference));
    }
    replay::<u64>(game, trace, &mut progress)
}

/// How often [`verify`] reports progress for each line.
pub const PASSES: u64 = 2;

fn replay<W: Word>(
    game: &Game,
    trace: &Trace,
    progress: &mut dyn FnMut(),
) -> Result<Option<Difference>, ReplayError> {
    let mut slots = vec![W::ZERO; game.image().slots()];
    let evaluator = Evaluator::new(game.image(), &mut slots)?;
    let mut replay = Replay { names: game.names(), evaluator, expected: None };
    for (number, line) in &trace.lines {
        match replay.line(line) {
            Ok(()) => progress(),
            Err(Stop::Different(difference)) => {
                let found = difference.at::<W>(&trace.file, *number, line);
                return Ok(Some(found));
            }
            Err(Stop::NoState) => {
                return Err(ReplayError::NoState { file: trace.file.clone(), line: *number });
            }
            Err(Stop::Evaluator(error)) => return Err(error.into()),
        }
    }
    Ok(None)
}

/// What ends a replay early.
enum Stop {
    Different(Finding),
    NoState,
    Evaluator(EvaluatorError),
}

impl From<EvaluatorError> for Stop {
    fn from(error: EvaluatorError) -> Self {
        Stop::Evaluator(error)
    }
}

/// A difference that does not yet know its place.
struct Finding {
    what: String,
    expected: Vec<String>,
    found: Vec<String>,
}

impl Stop {
    fn different(what: impl Into<String>, expected: impl ToString, found: impl ToString) -> Self {
        let (expected, found) = (vec![expected.to_string()], vec![found.to_string()]);
        Stop::Different(Finding { what: what.into(), expected, found })
    }
}

impl Finding {
    fn at<W: Word>(self, file: &str, number: usize, line: &TraceLine) -> Difference {
        Difference {
            file: file.to_owned(),
            line: number,
            playout: line.playout,
            ply: line.ply,
            word: W::LANES,
            what: self.what,
            expected: self.expected,
            found: self.found,
        }
    }
}

/// The state that the next line should show.
struct Successor {
    playout: u64,
    ply: u64,
    position: Vec<u32>,
}

struct Replay<'a, 'image, 'slots, W> {
    names: &'a Names,
    evaluator: Evaluator<'image, 'slots, W>,
    expected: Option<Successor>,
}

impl<W: Word> Replay<'_, '_, '_, W> {
    fn line(&mut self, line: &TraceLine) -> Result<(), Stop> {
        // Another lane in each ply: none may be special, and what the others
        // hold must not matter.
        let lane = (line.ply % W::LANES as u64) as usize;
        let position = self.position(line)?;
        compare("state", line.state(), self.names.true_in(&position))?;
        self.evaluator.load(lane, &position)?;
        self.evaluator.legal();
        let terminal = self.evaluator.terminal().lane(lane);
        if terminal != line.terminal {
            return Err(Stop::different("terminal", line.terminal, terminal));
        }
        self.check_roles(line)?;
        self.check_legal(lane, line)?;
        if terminal {
            self.evaluator.goal();
            self.check_goals(lane, line)?;
        }
        self.play(lane, line)
    }

    /// Where the line is: at the start, where the last line led, or where it
    /// says itself.
    fn position(&mut self, line: &TraceLine) -> Result<Vec<u32>, Stop> {
        let reached = self.expected.take();
        let follows = |next: &Successor| (next.playout, next.ply) == (line.playout, line.ply);
        if let Some(successor) = reached.filter(follows) {
            return Ok(successor.position);
        }
        if line.ply == 0 {
            return Ok(self.evaluator.image().initial().to_vec());
        }
        line.fluents().map(|state| self.names.position(state)).ok_or(Stop::NoState)
    }

    fn check_roles(&self, line: &TraceLine) -> Result<(), Stop> {
        let unknown = |role: &&str| !self.names.roles().iter().any(|name| name == role);
        match line.roles().into_iter().find(unknown) {
            Some(role) => Err(Stop::different("roles", role, self.names.roles().join(", "))),
            None => Ok(()),
        }
    }

    fn check_legal(&self, lane: usize, line: &TraceLine) -> Result<(), Stop> {
        for (role, name) in self.names.roles().iter().enumerate() {
            let slots = self.evaluator.legal_moves(role).iter();
            let moves = slots.zip(self.names.moves(role)).filter(|(slot, _)| slot.lane(lane));
            let found = moves.map(|(_, text)| text.as_str()).collect();
            compare(&format!("legal moves of {name}"), line.legal(name), found)?;
        }
        Ok(())
    }

    fn check_goals(&self, lane: usize, line: &TraceLine) -> Result<(), Stop> {
        for (role, name) in self.names.roles().iter().enumerate() {
            let values: Vec<i64> = self.evaluator.goals(lane, role).map(i64::from).collect();
            if let Some(expected) = line.goals.as_ref().and_then(|goals| goals.get(name)) {
                check_goal(name, *expected, &values)?;
            }
            if let Some(expected) = line.goals_raw.as_ref().and_then(|goals| goals.get(name)) {
                // Values that are no numbers have no place in an image.
                let numbers: BTreeSet<i64> =
                    expected.iter().filter_map(|text| text.parse().ok()).collect();
                if !numbers.iter().eq(&values) {
                    return Err(Stop::different(goals_of(name), list(&numbers), list(&values)));
                }
            }
        }
        Ok(())
    }

    fn play(&mut self, lane: usize, line: &TraceLine) -> Result<(), Stop> {
        let Some(joint) = &line.joint else { return Ok(()) };
        let roles = self.names.roles();
        if joint.len() != roles.len() {
            let expected = format!("{} moves", joint.len());
            return Err(Stop::different("joint move", expected, format!("{} roles", roles.len())));
        }
        for (role, text) in joint.iter().enumerate() {
            let chosen = self.names.find_move(role, text).ok_or_else(|| {
                Stop::different(format!("joint move of {}", roles[role]), text, "no such move")
            })?;
            self.evaluator.choose(lane, role, chosen)?;
        }
        self.evaluator.next();
        let mut position = vec![0; position_words(self.evaluator.image().fluents())];
        self.evaluator.store(lane, &mut position)?;
        let (playout, ply) = (line.playout, line.ply.saturating_add(1));
        self.expected = Some(Successor { playout, ply, position });
        Ok(())
    }
}

fn goals_of(role: &str) -> String {
    format!("goals of {role}")
}

/// A trace says `null` where a role has not exactly one goal.
fn check_goal(role: &str, expected: Option<i64>, values: &[i64]) -> Result<(), Stop> {
    let one = if let [one] = values { Some(*one) } else { None };
    if one == expected {
        return Ok(());
    }
    let wanted = expected.map_or("not exactly one".to_owned(), |value| value.to_string());
    Err(Stop::different(goals_of(role), wanted, list(values)))
}

fn list<'a>(values: impl IntoIterator<Item = &'a i64>) -> String {
    let texts: Vec<String> = values.into_iter().map(i64::to_string).collect();
    if texts.is_empty() { "none".to_owned() } else { texts.join(", ") }
}

/// Compares a set of texts with what the trace says about it, if it does.
fn compare(what: &str, expected: Option<Texts<'_>>, found: Vec<&str>) -> Result<(), Stop> {
    match expected {
        None => Ok(()),
        Some(Texts::Listed(expected)) => compare_lists(what, expected, &found),
        Some(Texts::Digest { count, sha1 }) => compare_digests(what, count, sha1, found),
    }
}

fn compare_lists(what: &str, expected: &[String], found: &[&str]) -> Result<(), Stop> {
    let expected: BTreeSet<&str> = expected.iter().map(String::as_str).collect();
    let found: BTreeSet<&str> = found.iter().copied().collect();
    if expected == found {
        return Ok(());
    }
    let only = |these: &BTreeSet<&str>, those: &BTreeSet<&str>| {
        these.difference(those).map(|text| (*text).to_owned()).collect()
    };
    Err(Stop::Different(Finding {
        what: what.to_owned(),
        expected: only(&expected, &found),
        found: only(&found, &expected),
    }))
}

fn compare_digests(what: &str, count: usize, sha1: &str, mut found: Vec<&str>) -> Result<(), Stop> {
    found.sort_unstable();
    let computed = Sha1::from(found.join("\n")).digest().to_string();
    if found.len() == count && computed.eq_ignore_ascii_case(sha1) {
        return Ok(());
    }
    let describe = |count: usize, sha1: &str| format!("{count} texts with SHA-1 {sha1}");
    Err(Stop::different(what, describe(count, sha1), describe(found.len(), &computed)))
}
