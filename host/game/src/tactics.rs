//! Games for playouts that see one ply ahead.

use ruche_compiler::Options;
use ruche_shared::budget::{Budget, Demand};
use ruche_shared::image::Section;
use ruche_shared::{Image, WordWidth, named};

use crate::Game;
use crate::random_games::{RandomGames, plies};
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
/// would be too much work or memory or would hardly ever matter, by rules that depend on
/// nothing but the game, so that all machines play the same playouts.
pub(crate) fn compile(game: &Game) -> Option<Game> {
    let rules = game.rules().filter(|_| game.roles() > 1)?;
    let turns = turns::look(game.image())?;
    let description = Game::describe(game.name(), rules).ok()?;
    let options = Options::default();
    let compiled = ruche_compiler::compile_tactics(&description, &options, Some(&turns), &[]);
    let compiled = compiled.ok()??;
    let tactical = Game::of_image(game.name(), &compiled.file).ok()?;
    let is_good = is_same_game(game, &tactical) && fits(&tactical) && is_worth_it(game, &tactical);
    is_good.then_some(tactical)
}

/// The game in which some moves are put off, and in which playouts see one ply ahead if they
/// do so without. Nothing where that would be too much memory.
pub(crate) fn compile_focused(game: &Game, put_off: &[Vec<bool>]) -> Option<Game> {
    let description = Game::describe(game.name(), game.rules()?).ok()?;
    let sees_ahead = !game.for_playouts(PlayoutPolicy::Tactical).is(game);
    let turns = if sees_ahead { turns::look(game.image()) } else { None };
    let options = Options::default();
    let compiled = ruche_compiler::compile_tactics(&description, &options, turns.as_ref(), put_off);
    let focused = Game::of_image(game.name(), &compiled.ok()??.file).ok()?;
    (is_same_game(game, &focused) && fits(&focused)).then_some(focused)
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

/// If a ply costs twice as much, moves that are not sensible have to be among those of two
/// states in this many; if three times as much, of three, and so on. What is seen in fewer
/// states, as in games that are decided by counting, is worth less than the playouts that
/// it costs.
const STATES_OF_A_COST: u64 = 50;

/// Whether what is seen ahead is worth its cost.
fn is_worth_it(game: &Game, tactical: &Game) -> bool {
    let (image, other) = (game.image(), tactical.image());
    let Some(plies) = plies(other) else { return false };
    let mut games = RandomGames::new(image);
    let mut slots = Vec::new();
    let moves = image.fluents()..image.fluents() + image.moves();
    let mut restricted = 0;
    for _ in 0..plies {
        games.find_moves(|_, _| ());
        games.legal_in(other, &mut slots);
        let pairs = games.slots[moves.clone()].iter().zip(&slots[moves.clone()]);
        let differs = pairs.fold(0, |all, (legal, sensible)| all | (legal ^ sensible));
        restricted += u64::from(differs.count_ones());
        games.play();
    }
    let states = plies * u64::from(u64::BITS);
    restricted * STATES_OF_A_COST * work(image) >= states * work(other)
}

/// What a ply costs about: all gates are evaluated, moves are chosen from and fluents stored.
fn work(image: &Image<'_>) -> u64 {
    let sections = [Section::Legal, Section::Next, Section::Goal];
    let gates: usize = sections.iter().map(|&section| image.code(section).tally().gates).sum();
    (gates + image.moves() + image.fluents()) as u64
}
