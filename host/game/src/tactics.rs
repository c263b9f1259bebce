//! Games for playouts that see one ply ahead.

use ruche_compiler::Options;
use ruche_shared::WordWidth;
use ruche_shared::budget::{Budget, Demand};
use ruche_shared::named;

use crate::Game;
use crate::turns;

named! {
    /// How playouts choose their moves.
    pub enum PlayoutPolicy: "policy" = Tactical {
        /// Who can win at once does, and nobody lets the next role win at once who need not
        Tactical = "tactical",
        /// All legal moves are as likely
        Uniform = "uniform",
    }
}

/// The game with only sensible moves, for several roles that take turns. Nothing where that
/// would be too much work or memory, by rules that depend on nothing but the game, so that
/// all machines play the same playouts.
pub(crate) fn compile(game: &Game) -> Option<Game> {
    let rules = game.rules().filter(|_| game.roles() > 1)?;
    let turns = turns::look(game.image())?;
    let description = Game::describe(game.name(), rules).ok()?;
    let compiled = ruche_compiler::compile_tactics(&description, &Options::default(), &turns);
    let compiled = compiled.ok()??;
    let tactical = Game::of_image(game.name(), &compiled.file).ok()?;
    (is_same_game(game, &tactical) && fits(&tactical)).then_some(tactical)
}

/// Whether positions, moves and goals are numbered alike.
fn is_same_game(game: &Game, other: &Game) -> bool {
    let (one, other) = (game.image(), other.image());
    let goals = |image: &ruche_shared::Image<'_>| -> Vec<(u16, u16)> {
        image.goals().map(|goal| (goal.role, goal.value)).collect()
    };
    one.fluents() == other.fluents()
        && one.initial() == other.initial()
        && (0..one.roles()).all(|role| one.move_range(role) == other.move_range(role))
        && goals(one) == goals(other)
}

/// In the memory of a cluster with all its cores, as most games do.
fn fits(game: &Game) -> bool {
    Budget::default().account(&Demand::of(game.image()), WordWidth::SixtyFour).fits()
}
