//! Native code computes what the interpreter computes, on real games.

use crate::support;

#[test]
fn every_bundled_game_is_the_same_in_native_code() {
    for bundled in ruche_games::all() {
        let name = bundled.name;
        let game = support::compile(bundled.source.as_bytes()).expect("a sound game");
        support::check(name, game.image(), 1, 4);
    }
}

/// Small and large games, with and without fixpoints.
const SAMPLE: [&str; 8] = [
    "hex_v0",
    "checkers_v0",
    "eightPuzzle_v0",
    "connectFour_v0",
    "chinook_v0",
    "pentago_v0",
    "blockerParallel_v0",
    "nonogram_5x5_1_v0",
];

#[test]
fn a_sample_of_the_corpus_is_the_same_in_native_code() {
    for id in SAMPLE {
        let Some(source) = ruche_corpus::game(id) else { continue };
        let game = support::compile(&source).expect("a game of the corpus that compiles");
        support::check(id, game.image(), 2, 2);
    }
}
