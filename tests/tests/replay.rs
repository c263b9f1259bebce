//! A playout that is played again by its name is the one that was counted.

use proptest::prelude::*;
use ruche_game::{Game, State};
use ruche_playouts::{
    Ending, EngineChoice, Line, PlayoutName, PlayoutSettings, Playouts, PlayoutsError, replay,
};
use ruche_shared::WordWidth;
use ruche_shared::stream::{PositionStreams, scale};
use ruche_tests::player::{bundled, compile};
use ruche_tests::random_game::random_game;

/// Playouts of each position.
const EACH: u64 = 6;

/// The state at the end of a line, each move of which is legal.
fn walk(game: &Game, position: &[u32], line: &Line) -> State {
    let start = game.state(position).expect("a position of the game");
    let step = |state: State, joint: &Vec<u32>| state.play(joint).expect("a legal move");
    line.moves.iter().fold(start, step)
}

/// The moves of a playout as the law says, one plain step after the other.
fn lawful_moves(game: &Game, position: &[u32], name: PlayoutName, plies: usize) -> Vec<Vec<u32>> {
    let PlayoutName { seed, position: number, playout } = name;
    let mut stream = PositionStreams::new(seed, number).playout(playout);
    let mut state = game.state(position).expect("a position of the game");
    let mut moves = Vec::new();
    while moves.len() < plies && !state.is_terminal() && state.stuck_role().is_none() {
        let mut first = Some(stream.draw());
        let chosen = |role| match state.legal(role) {
            [only] => *only,
            legal => {
                let draw = first.take().unwrap_or_else(|| stream.draw());
                legal[scale(draw, legal.len() as u32) as usize]
            }
        };
        let joint: Vec<u32> = (0..game.roles()).map(chosen).collect();
        state = state.play(&joint).expect("a legal move");
        moves.push(joint);
    }
    moves
}

/// The line ends where it says, and there as it says.
fn check_end(end: &State, line: &Line, ply_limit: u32) {
    let is_cut = line.moves.len() == ply_limit as usize;
    match line.ending {
        Ending::Scored => assert_eq!(end.goals().as_ref(), Some(&line.goals)),
        Ending::Unscored => assert!(end.is_terminal() && end.goals().is_none()),
        Ending::Stuck => assert!(end.stuck_role().is_some()),
        Ending::Endless => assert!(is_cut && !end.is_terminal()),
    }
}

/// Some positions of a line, the last one too.
fn positions(game: &Game, seed: u64) -> Vec<Vec<u32>> {
    let name = PlayoutName { seed, position: 0, playout: 0 };
    let mut state = game.initial();
    let mut positions = vec![state.position().to_vec()];
    for joint in replay(game, state.position(), name, 40).expect("its own position").moves {
        state = state.play(&joint).expect("a legal move");
        positions.push(state.position().to_vec());
    }
    let step = positions.len().div_ceil(3);
    positions.into_iter().rev().step_by(step).collect()
}

/// Plays from positions with a word and an engine, and each playout again by its name.
fn replays_are_the_playouts(game: &Game, first: u64, how: &PlayoutSettings) {
    let positions = positions(game, how.seed);
    let all: Vec<&[u32]> = positions.iter().map(Vec::as_slice).collect();
    let playouts = Playouts::new(game, how).expect("an engine");
    let games = playouts.games(first, &all, EACH).expect("its own positions");
    for index in 0..all.len() * EACH as usize {
        let (place, playout) = (index / EACH as usize, index as u64 % EACH);
        let name = PlayoutName { seed: how.seed, position: first + place as u64, playout };
        let line = replay(game, all[place], name, how.ply_limit).expect("its own position");
        let told = (games.ending(index), games.goals(index), games.tally(index).plies);
        let found = (line.ending, &line.goals[..], line.moves.len() as u64);
        assert_eq!(found, told, "{} {name:?} {how:?}", game.name());
        assert_eq!(line.moves, lawful_moves(game, all[place], name, how.ply_limit as usize));
        check_end(&walk(game, all[place], &line), &line, how.ply_limit);
    }
}

#[test]
fn a_replayed_playout_of_a_bundled_game_is_the_one_that_any_word_has_counted() {
    for (seed, bundle) in (40..).zip(ruche_games::all()) {
        let game = bundled(bundle.name);
        for width in WordWidth::ALL {
            for engine in EngineChoice::available(width) {
                let how = PlayoutSettings { width, engine, seed, ..PlayoutSettings::default() };
                replays_are_the_playouts(&game, 1 << 33, &how);
                replays_are_the_playouts(&game, 7, &PlayoutSettings { ply_limit: 9, ..how });
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_replayed_playout_of_a_random_game_is_the_one_that_was_counted(
        rules in random_game(), seed: u64, first in 0..u64::MAX / 2,
    ) {
        // What is no game is the business of other tests.
        if let Ok(game) = compile(rules.text().as_bytes()) {
            for width in [WordWidth::One, WordWidth::SixtyFour] {
                let engine = EngineChoice::Interpreter;
                let how = PlayoutSettings { width, engine, seed, ..PlayoutSettings::default() };
                replays_are_the_playouts(&game, first, &PlayoutSettings { ply_limit: 20, ..how });
            }
        }
    }
}

#[test]
fn the_best_playout_of_a_position_can_be_played_again() {
    for name in ["eightpuzzle", "nonogram", "sudoku"] {
        let game = bundled(name);
        let how = PlayoutSettings { seed: 9, ..PlayoutSettings::default() };
        let playouts = Playouts::new(&game, &how).expect("an engine");
        let initial = game.image().initial();
        let played = playouts.play(5, &[initial], ruche_playouts::Amount::Each(2000));
        let best = played.expect("its own position").results.best(0).expect("a score");
        let name = PlayoutName { seed: 9, position: 5, playout: best.playout };
        let line = replay(&game, initial, name, how.ply_limit).expect("its own position");
        assert_eq!((line.ending, u64::from(line.goals[0])), (Ending::Scored, best.goal));
        assert_eq!(walk(&game, initial, &line).goals(), Some(line.goals));
    }
}

#[test]
fn a_position_of_another_game_is_not_replayed() {
    let name = PlayoutName { seed: 0, position: 0, playout: 0 };
    let refused = replay(&bundled("hex"), bundled("nim").image().initial(), name, 10);
    assert!(matches!(refused, Err(PlayoutsError::PositionLength { .. })), "{refused:?}");
}
