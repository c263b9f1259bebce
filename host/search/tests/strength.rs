//! The search plays well.

mod support;

use ruche_search::{Search, SearchOptions};
use ruche_shared::Image;
use support::{Game, Perfect, direct, mixed, mover, playouts, report};

/// The goals of a game of Tic-tac-toe in which the search plays one role and a
/// perfect player, who picks any of the best moves, the other.
fn play(image: &Image<'_>, perfect: &mut Perfect<'_>, role: usize, seed: u64) -> Vec<u16> {
    let mut position = image.initial().to_vec();
    for ply in 0.. {
        let view = perfect.rules.view(&position);
        if let Some(goals) = view.goals {
            return goals;
        }
        // The first role begins, and they take turns.
        let joint = if ply % 2 == role {
            debug_assert!(view.legal[role].len() > 1 || mover(&view) == 0);
            let settings = playouts(10_000).check().expect("sound settings");
            let mut search = Search::new(image, &position, settings).expect("a position");
            let found = search.run(&mut direct(image, seed), |_| {}).expect("playouts");
            found.best.expect("the game goes on")
        } else {
            let best = perfect.best(&position);
            best[(mixed(seed * 16 + ply as u64) % best.len() as u64) as usize].clone()
        };
        position = perfect.rules.step(&position, &joint);
    }
    unreachable!("the game ends")
}

#[test]
fn tic_tac_toe_is_never_lost_in_200_games() {
    let game = Game::bundled("tictactoe");
    let image = game.image();
    let mut perfect = Perfect::new(&image);
    assert_eq!(perfect.value(image.initial()), 0, "a draw");
    for role in 0..2 {
        for seed in 0..100 {
            let goals = play(&image, &mut perfect, role, seed);
            assert!(goals[role] >= 50, "lost as role {role} with seed {seed}: {goals:?}");
        }
    }
}

#[test]
fn connect_four_begins_in_the_centre_column() {
    let game = Game::bundled("connectfour");
    let image = game.image();
    for seed in 0..3 {
        let found = report(&image, playouts(200_000), seed);
        let legal = found.roles[0].moves.len();
        assert_eq!((legal, found.best.map(|best| best[0])), (7, Some(3)), "seed {seed}");
    }
}

/// The visits of each run's best move, over some seeds: which one it is may be
/// a matter of luck where several are as good.
fn visits_of_best(image: &Image<'_>, batch: usize, in_flight: usize, budget: u64) -> u64 {
    let options = SearchOptions { batch, in_flight, ..playouts(budget) };
    (0..12).map(|seed| report(image, options, seed).roles[0].moves[0].visits).sum()
}

#[test]
fn a_batch_keeps_nine_tenths_of_the_visits_of_the_best_move() {
    for name in ["connectfour", "tictactoe", "doubletictactoe", "eightpuzzle"] {
        let game = Game::bundled(name);
        let image = game.image();
        let visits = |batch, in_flight| visits_of_best(&image, batch, in_flight, 40_000);
        let (single, usual) = (visits(1, 1), SearchOptions::default());
        for in_flight in 1..=usual.in_flight {
            let batched = visits(usual.batch, in_flight);
            let what = format!("{name} with {in_flight} x {}", usual.batch);
            assert!(batched * 10 >= single * 9, "{what}: {batched} instead of {single}");
        }
    }
}
