//! How a search answers questions whose answers are known.

use ruche_game::Game;
use ruche_offload::{Direct, DirectSettings};
use ruche_search::{Limits, Method, SearchReport, SearchSettings, Stop};
use ruche_truth::Question;

/// What a search finds after some moves with so many playouts.
///
/// # Panics
/// If the moves are not legal, or playouts fail.
#[must_use]
pub fn search(
    game: &Game,
    moves: &str,
    settings: &SearchSettings,
    playouts: u64,
    seed: u64,
) -> SearchReport {
    let state = game.after(moves).expect("the moves are legal");
    let mut search = Method::default().start(game, settings).expect("the root fits");
    search.set_position(&state).expect("a position of this game");
    let game = settings.options().game_of_playouts(game);
    let settings = DirectSettings { seed, ..DirectSettings::default() };
    let mut offload = Direct::new(&game, settings).expect("an engine");
    let limits = Limits::playouts(playouts);
    search.search(&mut offload, &limits, &Stop::default(), &mut |_| ()).expect("playouts")
}

/// The name of a role's move.
#[must_use]
pub fn name(game: &Game, role: usize, number: u32) -> &str {
    &game.names().moves(role)[number as usize]
}

/// Whether the move that a search would play keeps the value of a position.
#[must_use]
pub fn is_right(game: &Game, question: &Question, report: &SearchReport) -> bool {
    let best = report.best.as_ref().map(|best| name(game, question.role, best[question.role]));
    best.is_some_and(|best| question.keeps_value(best))
}

/// What a search says is proven and is not true, in words.
#[must_use]
pub fn false_proofs(game: &Game, question: &Question, report: &SearchReport) -> Vec<String> {
    let role = &report.roles[question.role];
    let truth = |name: &str| question.values.iter().find(|(other, _)| other == name);
    let moves = role.moves.iter().filter_map(|one| {
        let name = name(game, question.role, one.number);
        let (_, truth) = truth(name)?;
        let proven = one.proven.filter(|proven| *proven != f64::from(*truth))?;
        Some(format!("{name} brings {truth} and not {proven}"))
    });
    let value = question.value();
    let all = role.proven.filter(|proven| *proven != f64::from(value));
    let all = all.map(|proven| format!("the position brings {value} and not {proven}"));
    moves.chain(all).collect()
}
