//! A random well-formed game means the same to the interpreter, to the one-lane
//! evaluator and to the evaluator with 64 lanes.

use proptest::prelude::*;
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_pcg::Pcg64Mcg;
use ruche_eval::{OneLane, Word};
use ruche_game::Game;
use ruche_tests::interpreter::{Interpreter, Value};
use ruche_tests::player::{Player, check_promises, compile};
use ruche_tests::random_game::random_game;

/// Playouts of each game.
const PLAYOUTS: u64 = 5;
/// Moves of each playout at most.
const LONGEST: usize = 8;

/// All that there is to know about a state.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Snapshot {
    state: Vec<String>,
    terminal: bool,
    legal: Vec<Vec<String>>,
    goals: Vec<Vec<u16>>,
}

/// A state and the moves that are made in it.
struct Ply {
    snapshot: Snapshot,
    joint: Vec<String>,
}

/// What the interpreter says along a random playout.
fn playout(rules: &Interpreter, random: &mut Pcg64Mcg) -> Vec<Ply> {
    let mut plies = Vec::new();
    let mut state = rules.initial();
    while plies.len() < LONGEST {
        let mut position = rules.position(&state);
        let texts = |values: Vec<Value>| rules.texts(values);
        let legal: Vec<Vec<String>> =
            rules.roles().iter().map(|role| texts(position.legal(*role))).collect();
        let goals =
            rules.roles().iter().map(|role| numbers(texts(position.goals(*role)))).collect();
        let joint: Vec<String> =
            legal.iter().map(|moves| moves.choose(random).unwrap().clone()).collect();
        let terminal = position.terminal();
        let texts = rules.texts(state.iter().copied());
        let played: Option<Vec<Value>> = joint.iter().map(|text| rules.read(text)).collect();
        state = position.next(&played.expect("legal moves are terms"));
        plies.push(Ply { snapshot: Snapshot { state: texts, terminal, legal, goals }, joint });
        if terminal {
            break;
        }
    }
    plies
}

fn numbers(texts: Vec<String>) -> Vec<u16> {
    let mut numbers: Vec<u16> =
        texts.iter().map(|text| text.parse().expect("goals are numbers")).collect();
    numbers.sort_unstable();
    numbers
}

fn snapshot<W: Word>(player: &Player<'_, W>, lane: usize, roles: usize) -> Snapshot {
    Snapshot {
        state: player.state(lane),
        terminal: player.terminal(lane),
        legal: (0..roles).map(|role| player.legal(lane, role)).collect(),
        goals: (0..roles).map(|role| player.goals(lane, role)).collect(),
    }
}

/// Replays the playouts, each in every so many lanes, and begins anew where one
/// ends, so that the lanes are soon at different plies.
fn replay<W: Word>(game: &Game, playouts: &[Vec<Ply>]) -> Result<(), TestCaseError> {
    let mut slots = Vec::new();
    let mut player = Player::<W>::new(game, &mut slots);
    let roles = game.roles();
    let mut places: Vec<(usize, usize)> =
        (0..W::LANES).map(|lane| (lane % playouts.len(), 0)).collect();
    for _ in 0..LONGEST * playouts.len() {
        player.look();
        for (lane, (playout, ply)) in places.iter().enumerate() {
            let expected = &playouts[*playout][*ply];
            prop_assert_eq!(&snapshot(&player, lane, roles), &expected.snapshot);
            player.choose(lane, &expected.joint);
        }
        player.step();
        for (lane, place) in places.iter_mut().enumerate() {
            place.1 += 1;
            if place.1 == playouts[place.0].len() {
                *place = ((place.0 + 1) % playouts.len(), 0);
                player.load(lane, game.image().initial());
            }
        }
    }
    Ok(())
}

fn check(text: &str) -> Result<(), TestCaseError> {
    let (description, _) = ruche_gdl::load(text.as_bytes())
        .map_err(|found| TestCaseError::fail(format!("{found:?}")))?;
    let rules =
        Interpreter::new(&description).map_err(|error| TestCaseError::fail(error.to_string()))?;
    let game = compile(text.as_bytes()).map_err(TestCaseError::fail)?;
    check_promises(&game).map_err(TestCaseError::fail)?;
    let playouts: Vec<Vec<Ply>> =
        (0..PLAYOUTS).map(|seed| playout(&rules, &mut Pcg64Mcg::seed_from_u64(seed))).collect();
    replay::<OneLane>(&game, &playouts)?;
    replay::<u64>(&game, &playouts)
}

proptest! {
    // A failing game is printed in full; it belongs into a test of its own.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn random_games_mean_the_same_to_interpreter_and_evaluators(game in random_game()) {
        check(&game.text())?;
    }
}

/// Two roles move at once and both select by the same condition. Only what the
/// first one selects counts for `(f ?x)`.
#[test]
fn what_one_role_selects_is_not_mixed_with_what_another_selects() {
    let text = "
        (role r0) (role r1) (role r2)
        (dom a) (dom b) (dom c) (dom d)
        (legal r0 wait) (legal r1 wait) (legal r2 wait)
        (<= (legal r0 (pick ?x)) (distinct ?z ?x) (dom ?x) (dom ?z))
        (<= (legal r1 (pick ?x)) (distinct ?y ?x) (dom ?x) (dom ?y))
        (init (start a))
        (<= (next (f ?x)) (does r0 (pick ?y)) (true (f ?y)) (dom ?x))
        (<= (next (f c)))
        (<= (next g) (true (f ?y)) (does ?who (pick ?y)))
        (<= (next g) (true (start ?x)))
        (goal r0 0)
        (<= terminal (true never))";
    check(text).unwrap();
}

/// Two branches of a rule give one product the same move twice.
#[test]
fn a_condition_that_stands_twice_in_a_product_counts_once() {
    let text = "
        (role r)
        (dom a) (dom b) (dom c)
        (legal r wait)
        (init (f a b)) (init on)
        (<= (view ?x) (true on) (dom ?x))
        (<= (view ?y) (view ?x) (dom ?y))
        (<= (legal r (m ?x ?y)) (true on) (dom ?x) (dom ?y))
        (<= (next ?f) (view a) (or (does r (m ?x ?x)) (true on)) (dom ?x) (true ?f))
        (<= (next on) (true on))
        (<= (next (f ?x ?y)) (true on) (not (not (does r (m ?z ?z)))) (dom ?x) (dom ?y) (dom ?z))
        (goal r 0)
        (<= terminal (true never))";
    check(text).unwrap();
}
