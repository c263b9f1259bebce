//! The games inside a game, for whoever searches it: by rules alone, so that they depend on
//! nothing but the game.

use ruche_decompose::{By, Decomposition, ImpartialSum, Settings, decompose};

use crate::Game;
use crate::focus::PutOff;

/// Gates of a game that is taken apart: seconds at most.
const MOST_GATES: usize = 20_000;

/// Gates of a game that is taken apart before every search, whether it helps or not: heaps
/// of hundreds have fewer, and it takes hundredths of a second.
const MOST_GATES_UNASKED: usize = 2_000;

fn settings() -> Settings {
    Settings { by: By::Rules, ..Settings::default() }
}

/// The parts that the rules prove; nothing without rules or where it would take long.
pub(crate) fn parts(game: &Game) -> Option<Decomposition> {
    let rules = game.rules().filter(|_| game.report().gates() <= MOST_GATES)?;
    let description = Game::describe(game.name(), rules).ok()?;
    decompose(&description, &settings()).ok()
}

/// The sum of impartial games that it is, if it is one.
pub(crate) fn impartial_sum(game: &Game) -> Option<ImpartialSum> {
    let is_small = game.report().gates() <= MOST_GATES_UNASKED;
    let rules = game.rules().filter(|_| is_small && game.roles() == 2)?;
    let parts = game.parts()?;
    let description = Game::describe(game.name(), rules).ok()?;
    ImpartialSum::prove(&description, parts, &settings()).ok()?
}

/// Moves that playouts put off, in a game for several that is made of parts.
pub(crate) fn put_off(game: &Game) -> Option<PutOff> {
    let is_small = game.report().gates() <= MOST_GATES_UNASKED;
    game.rules().filter(|_| is_small && game.roles() > 1)?;
    PutOff::find(game)
}
