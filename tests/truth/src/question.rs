//! Positions in which the choice of a move matters, with the value of each.

use std::ops::RangeInclusive;

use rand::seq::IteratorRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use rustc_hash::FxHashSet;

use crate::rules::Rules;
use crate::set::Set;
use crate::solver::Oracle;

/// So many positions in a row that say nothing new, and there are no more questions.
const PATIENCE: usize = 20_000;

/// A position, and what each move of the role that is to move leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    /// Where it comes from, and with it the game.
    pub set: Set,
    /// The joint moves from the start of the game, as `(drop 4) noop`.
    pub moves: Vec<String>,
    /// The role that is to move.
    pub role: usize,
    /// Its legal moves, and what its goal is after each if nobody errs any more.
    pub values: Vec<(String, u8)>,
}

impl Question {
    /// The way to the position, as `ruche_game::Game::after` and `ruche search --moves`
    /// take it.
    #[must_use]
    pub fn line(&self) -> String {
        self.moves.join("; ")
    }

    /// The value of the position to who is to move.
    #[must_use]
    pub fn value(&self) -> u8 {
        self.values.iter().map(|(_, value)| *value).max().unwrap_or(0)
    }

    /// Whether some moves are worse than others.
    #[must_use]
    pub fn matters(&self) -> bool {
        self.values.iter().any(|(_, value)| *value < self.value())
    }

    /// Whether none is better than this move; no if it is not legal.
    #[must_use]
    pub fn keeps_value(&self, chosen: &str) -> bool {
        self.values.iter().any(|(name, value)| name == chosen && *value == self.value())
    }
}

/// Different questions about positions that random play leads to in a number of plies.
pub(crate) fn ask<O: Oracle>(
    mut oracle: O,
    set: Set,
    plies: &RangeInclusive<usize>,
    seed: u64,
    count: usize,
) -> Vec<Question> {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let mut seen = FxHashSet::default();
    let mut questions = Vec::new();
    let mut in_vain = 0;
    while questions.len() < count && in_vain < PATIENCE {
        in_vain += 1;
        let Some((position, moves)) = stroll::<O::Game>(&mut random, plies) else { continue };
        if !seen.insert(position.clone()) {
            continue;
        }
        let values = values(&mut oracle, &position);
        let question = Question { set, moves, role: position.mover(), values };
        if question.matters() {
            questions.push(question);
            in_vain = 0;
        }
    }
    questions
}

/// Where random moves lead to, and which ones; nowhere if the game is over by then.
fn stroll<G: Rules>(
    random: &mut Pcg64Mcg,
    plies: &RangeInclusive<usize>,
) -> Option<(G, Vec<String>)> {
    let mut position = G::start();
    let mut moves = Vec::new();
    for _ in 0..random.random_range(plies.clone()) {
        let chosen = position.moves().choose(random)?;
        moves.push(joint(&position, chosen));
        position = position.after(chosen);
        if position.end().is_some() {
            return None;
        }
    }
    Some((position, moves))
}

fn joint<G: Rules>(position: &G, chosen: G::Move) -> String {
    let name = position.name(chosen);
    match position.mover() {
        0 => format!("{name} noop"),
        _ => format!("noop {name}"),
    }
}

fn values<O: Oracle>(oracle: &mut O, position: &O::Game) -> Vec<(String, u8)> {
    let mut value = |chosen| oracle.value(&position.after(chosen)).reversed().goal();
    position.moves().map(|chosen| (position.name(chosen), value(chosen))).collect()
}
