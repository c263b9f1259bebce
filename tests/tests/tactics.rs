//! Playouts that see one ply ahead: what the circuit says of moves is what stepping through
//! states says, and where it is only an estimate it is still the same game.

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use ruche_game::{Game, PlayoutPolicy, State};

/// States that random play leads to, none of them an end.
fn states(game: &Game, count: usize, seed: u64) -> Vec<State> {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let mut states = Vec::new();
    let mut state = game.initial();
    while states.len() < count {
        if state.is_terminal() || state.stuck_role().is_some() || random.random_ratio(1, 200) {
            state = game.initial();
        }
        if state.is_terminal() || state.stuck_role().is_some() {
            return states;
        }
        states.push(state.clone());
        let choose = |role| *state.legal(role).choose(&mut random).expect("nobody is stuck");
        let joint: Vec<u32> = (0..game.roles()).map(choose).collect();
        state = state.play(&joint).expect("legal moves");
    }
    states
}

/// Who has several moves, if one role has.
fn mover(state: &State) -> Option<usize> {
    let roles = state.game().roles();
    let mut movers = (0..roles).filter(|&role| state.legal(role).len() > 1);
    movers.next().filter(|_| movers.next().is_none())
}

/// The state after a move of the only role that chooses.
fn after(state: &State, role: usize, number: u32) -> State {
    let choose = |other| if other == role { number } else { state.legal(other)[0] };
    let joint: Vec<u32> = (0..state.game().roles()).map(choose).collect();
    state.play(&joint).expect("legal moves")
}

fn has_won(state: &State, role: usize) -> bool {
    let best = state.game().image().role_goals(role).map(|goal| goal.value).max();
    state.is_terminal() && state.goals().is_some_and(|goals| Some(goals[role]) == best)
}

fn can_win(state: &State, role: usize) -> bool {
    let mut moves = state.legal(role).iter();
    !state.is_terminal() && moves.any(|&number| has_won(&after(state, role, number), role))
}

/// The moves that a role should consider, found move by move.
fn sensible(state: &State, role: usize) -> Vec<u32> {
    let keep = |is_kept: &dyn Fn(&State) -> bool| -> Vec<u32> {
        let moves = state.legal(role).iter().copied();
        moves.filter(|&number| is_kept(&after(state, role, number))).collect()
    };
    let wins = keep(&|next| has_won(next, role));
    let safe = || keep(&|next| !can_win(next, 1 - role));
    match (wins.is_empty(), safe()) {
        (false, _) => wins,
        (true, safe) if safe.is_empty() => state.legal(role).to_vec(),
        (true, safe) => safe,
    }
}

fn tactical(game: &Game) -> Game {
    let tactical = game.for_playouts(PlayoutPolicy::Tactical);
    assert!(!tactical.is(game), "{game:?} has tactics");
    tactical
}

fn agrees(game: &Game, count: usize) {
    let tactical = tactical(game);
    let mut restricted = 0;
    for state in states(game, count, 1) {
        let Some(role) = mover(&state) else { continue };
        let found = tactical.state(state.position()).expect("the same positions");
        let expected = sensible(&state, role);
        assert_eq!(found.legal(role), expected, "{game:?}: {:?}", state.fluents());
        restricted += usize::from(expected.len() < state.legal(role).len());
    }
    assert!(restricted > count / 50, "{game:?}: hardly anything to see: {restricted}");
}

#[test]
fn sensible_moves_are_those_that_win_or_else_do_not_let_the_other_win() {
    for name in ["tictactoe", "connectfour", "breakthrough"] {
        agrees(&Game::bundled(name).expect("a bundled game"), 400);
    }
}

#[test]
fn without_a_turn_or_an_opponent_nothing_is_left_out() {
    for name in ["eightpuzzle", "blocker", "sudoku"] {
        let game = Game::bundled(name).expect("a bundled game");
        assert!(game.for_playouts(PlayoutPolicy::Tactical).is(&game), "{name}");
    }
    let game = Game::bundled("connectfour").expect("a bundled game");
    assert!(game.for_playouts(PlayoutPolicy::Uniform).is(&game));
    let image = Game::of_image("image", game.file()).expect("an image");
    assert!(image.for_playouts(PlayoutPolicy::Tactical).is(&image), "an image has no rules");
}

/// Two roles choose in turn; whoever has the last choice wins by the right one.
fn countdown(plies: usize) -> Game {
    let steps: String = (1..plies).map(|step| format!("(follows {step} {}) ", step + 1)).collect();
    let rules = format!(
        "(role white) (role black) (init (step 1)) (init (control white))
         (<= (legal ?role a) (true (control ?role)))
         (<= (legal ?role b) (true (control ?role)))
         (<= (legal white noop) (true (control black)))
         (<= (legal black noop) (true (control white)))
         (<= (next (step ?next)) (true (step ?step)) (follows ?step ?next))
         (<= (next (control white)) (true (control black)))
         (<= (next (control black)) (true (control white)))
         (<= (next (chosen ?role)) (does ?role a))
         {steps}
         (<= terminal (true (step {plies})))
         (<= (goal ?role 100) (true (chosen ?role)))
         (<= (goal ?role 0) (role ?role) (not (true (chosen ?role))))"
    );
    Game::compile("countdown", rules.as_bytes()).expect("a game")
}

#[test]
fn what_is_seen_too_rarely_is_not_worth_its_gates() {
    let (short, long) = (countdown(6), countdown(400));
    assert!(!short.for_playouts(PlayoutPolicy::Tactical).is(&short));
    assert!(long.for_playouts(PlayoutPolicy::Tactical).is(&long));
}

/// Only legal moves are sensible, one is wherever there are any, and nothing else changes.
fn is_the_same_game(game: &Game, count: usize) {
    let tactical = game.for_playouts(PlayoutPolicy::Tactical);
    for state in states(game, count, 2) {
        let other = tactical.state(state.position()).expect("the same positions");
        assert!(!other.is_terminal() && other.stuck_role().is_none(), "{game:?}");
        let mut joint = Vec::new();
        for role in 0..game.roles() {
            assert!(other.legal(role).iter().all(|number| state.legal(role).contains(number)));
            joint.push(other.legal(role)[other.legal(role).len() / 2]);
        }
        let (one, other) =
            (state.play(&joint).expect("legal"), other.play(&joint).expect("sensible"));
        assert_eq!(one.position(), other.position(), "{game:?}");
        assert_eq!((one.is_terminal(), one.goals()), (other.is_terminal(), other.goals()));
    }
}

#[test]
fn all_bundled_games_stay_the_same_games() {
    for game in ruche_games::all() {
        is_the_same_game(&Game::bundled(game.name).expect("a bundled game"), 100);
    }
}

#[test]
fn games_of_the_corpus_stay_the_same_games() {
    let games = [
        "pentago_v1",
        "kalaha5x2x3_v0",
        "quad_5x5_v0",
        "cephalopodMicro_v0",
        "pawnWhopping_v0",
        "knightThrough_v0",
        "checkersSmall_v0",
        "sheepAndWolf_v0",
        "ticTacToeLarge_v0",
    ];
    for id in games {
        let Some(rules) = ruche_corpus::game(id) else { return };
        is_the_same_game(&Game::compile(id, &rules).expect("a game"), 60);
    }
}
