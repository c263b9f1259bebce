//! When a move was played, the tree goes on from there.

mod support;

use ruche_search::{SearchMethod, Searcher, Uct};
use support::{bundled, direct, few_playouts, go_on, playouts, report, search, without_times};

/// The most visited joint move.
fn best(search: &mut Uct) -> Vec<u32> {
    search.report().best.expect("the game goes on")
}

#[test]
fn what_is_known_of_the_new_root_is_kept_and_the_rest_forgotten() {
    for name in ["breakthrough", "connectfour", "blocker", "doubletictactoe", "eightpuzzle"] {
        let game = bundled(name);
        let asked = few_playouts(20_000);
        let mut search = search(&game, asked);
        let mut offload = direct(&game, 1);
        let before = go_on(&mut search, asked, &mut offload).expect("playouts");
        let best = best(&mut search);
        let state = game.initial().play(&best).expect("it is legal");
        search.set_position(&state).expect("it is in the tree");
        let after = search.report();
        assert!(after.nodes > 1 && after.nodes < before.nodes, "{name}: {} nodes", after.nodes);
        assert!(after.bytes <= before.bytes * 9 / 8, "{name}: vectors grow by eighths");
        assert!(after.playouts > 0 && after.playouts < before.playouts, "{name}");
        for role in &after.roles {
            let visits: u64 = role.moves.iter().map(|one| one.visits).sum();
            let is_all = visits == after.playouts || name == "blocker";
            assert!(is_all || role.moves.len() == 1, "{name}: {visits}");
        }
        let more = go_on(&mut search, asked, &mut offload).expect("playouts");
        let is_all = more.playouts == after.playouts + 20_000;
        assert!(is_all || more.is_complete, "{name}: {} playouts", more.playouts);
        assert!(more.nodes > after.nodes || more.is_complete, "{name}");
    }
}

#[test]
fn the_visits_of_a_kept_move_are_those_that_it_had() {
    let game = bundled("connectfour");
    let asked = few_playouts(40_000);
    let mut search = search(&game, asked);
    let report = go_on(&mut search, asked, &mut direct(&game, 3)).expect("playouts");
    let line = report.roles[0].moves[0].line.clone();
    let state = game.initial().play(&line[0]).expect("it is legal");
    search.set_position(&state).expect("it is in the tree");
    let kept = search.report();
    // A node is first played from once itself, before any playout goes through its moves.
    let visits = report.roles[0].moves[0].visits;
    assert!(kept.playouts <= visits && kept.playouts + 100 > visits, "{}", kept.playouts);
    assert_eq!(kept.roles[1].moves[0].line[0], line[1]);
}

#[test]
fn a_whole_game_is_played_with_one_tree() {
    for name in ["tictactoe", "blocker", "nim", "domineering"] {
        let game = bundled(name);
        let asked = few_playouts(2000);
        let mut search = search(&game, asked);
        let mut offload = direct(&game, 5);
        let mut state = game.initial();
        while !state.is_terminal() {
            let found = go_on(&mut search, asked, &mut offload).expect("playouts");
            state = state.play(&found.best.expect("it goes on")).expect("it is legal");
            search.set_position(&state).expect("a position of the game");
        }
        assert_eq!(search.report().best, None, "{name}: it is over");
        assert!(state.goals().is_some(), "{name}");
    }
}

#[test]
fn a_position_that_is_not_in_the_tree_starts_a_new_one() {
    let game = bundled("breakthrough");
    let asked = playouts(3000);
    let far = game.after(&LINE.join("; ")).expect("legal moves");
    let mut one = search(&game, asked);
    go_on(&mut one, asked, &mut direct(&game, 2)).expect("playouts");
    one.set_position(&far).expect("a position of the game");
    assert_eq!((one.report().playouts, one.report().nodes), (0, 1));
    one.set_position(&game.initial()).expect("a position of the game");
    let again = go_on(&mut one, asked, &mut direct(&game, 2)).expect("playouts");
    let fresh = report(&game, asked, 2);
    assert_ne!(without_times(&again).signature, fresh.signature, "positions have new numbers");
    assert_eq!(again.playouts, fresh.playouts);
}

/// Both sides advance a pawn and go back to where nobody searches.
const LINE: [&str; 4] = ["(move 1 2 1 3)", "(move 1 7 1 6)", "(move 8 2 8 3)", "(move 8 7 8 6)"];

#[test]
fn the_same_moves_lead_to_the_same_tree() {
    let game = bundled("connectfour");
    let asked = few_playouts(4000);
    let play = || {
        let mut search = Uct::new(&game, &asked.options.check().expect("sound")).expect("a root");
        let (mut offload, mut state) = (direct(&game, 9), game.initial());
        for _ in 0..6 {
            let found = go_on(&mut search, asked, &mut offload).expect("playouts");
            state = state.play(&found.best.expect("it goes on")).expect("it is legal");
            search.set_position(&state).expect("a position of the game");
        }
        go_on(&mut search, asked, &mut offload).expect("playouts").signature
    };
    assert_eq!(play(), play());
}
