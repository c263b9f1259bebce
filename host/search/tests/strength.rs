//! The search plays well.

mod support;

use ruche_game::{Game, PlayoutPolicy};
use ruche_search::{Proofs, SearchOptions, Searcher};
use support::{Perfect, bundled, direct, go_on, mixed, playouts, report, report_with, search};

/// The goals of a game of Tic-tac-toe in which the search plays one role and a
/// perfect player, who picks any of the best moves, the other.
fn play(game: &Game, perfect: &mut Perfect, role: usize, seed: u64) -> Vec<u16> {
    let mut state = game.initial();
    for ply in 0.. {
        if let Some(goals) = state.goals() {
            return goals;
        }
        // The first role begins, and they take turns.
        let joint = if ply % 2 == role {
            let mut search = search(game, playouts(10_000));
            search.set_position(&state).expect("a position");
            let found = go_on(&mut search, playouts(10_000), &mut direct(game, seed));
            found.expect("playouts").best.expect("the game goes on")
        } else {
            let best = perfect.best(&state);
            best[(mixed(seed * 16 + ply as u64) % best.len() as u64) as usize].clone()
        };
        state = state.play(&joint).expect("it is legal");
    }
    unreachable!("the game ends")
}

#[test]
fn tic_tac_toe_is_never_lost_in_200_games() {
    let game = bundled("tictactoe");
    let mut perfect = Perfect::default();
    assert_eq!(perfect.value(&game.initial()), 0, "a draw");
    for role in 0..2 {
        for seed in 0..100 {
            let goals = play(&game, &mut perfect, role, seed);
            assert!(goals[role] >= 50, "lost as role {role} with seed {seed}: {goals:?}");
        }
    }
}

#[test]
fn connect_four_begins_in_the_centre_column() {
    let game = bundled("connectfour");
    let played = game.for_playouts(PlayoutPolicy::Tactical);
    for seed in 0..5 {
        let found = report_with(&game, playouts(200_000), &mut direct(&played, seed));
        let legal = found.roles[0].moves.len();
        assert_eq!((legal, found.best.map(|best| best[0])), (7, Some(3)), "seed {seed}");
    }
}

/// The visits of each run's best move, over some seeds: which one it is may be
/// a matter of luck where several are as good.
fn visits_of_best(game: &Game, batch: usize, in_flight: usize, budget: u64) -> u64 {
    let asked = playouts(budget).with(|options| {
        (options.batch, options.in_flight, options.proofs) = (batch, in_flight, Proofs::Off);
    });
    (0..12).map(|seed| report(game, asked, seed).roles[0].moves[0].visits).sum()
}

#[test]
fn a_batch_keeps_nine_tenths_of_the_visits_of_the_best_move() {
    for name in ["connectfour", "tictactoe", "doubletictactoe", "othello"] {
        let game = bundled(name);
        let visits = |batch, in_flight| visits_of_best(&game, batch, in_flight, 40_000);
        let (single, usual) = (visits(1, 1), SearchOptions::default());
        for in_flight in 1..=usual.in_flight {
            let batched = visits(usual.batch, in_flight);
            let what = format!("{name} with {in_flight} x {}", usual.batch);
            assert!(batched * 10 >= single * 9, "{what}: {batched} instead of {single}");
        }
    }
}
