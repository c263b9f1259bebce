//! What a search says, beside what is known from solvers that share nothing with it.

use ruche_game::Game;
use ruche_search::{SearchOptions, SearchReport};
use ruche_tests::judging::{false_proofs, is_right, name, search};
use ruche_truth::matrix::MatrixGame;
use ruche_truth::{Set, questions};

/// Positions of a set that a search answers rightly, of how many, and how many it proves.
fn judge(set: Set, count: usize, playouts: u64) -> Option<(usize, usize, usize)> {
    let game = Game::load(&set.game()?).expect("a game");
    let settings = SearchOptions::default().check().expect("sound");
    let questions = questions(set, 20_261, count);
    let (mut right, mut proven) = (0, 0);
    for (seed, question) in (0..).zip(&questions) {
        let report = search(&game, &question.line(), &settings, playouts, seed);
        assert_eq!(false_proofs(&game, question, &report), [""; 0], "{question:?}");
        right += usize::from(is_right(&game, question, &report));
        proven += usize::from(report.roles[question.role].proven.is_some());
    }
    Some((right, proven, questions.len()))
}

#[test]
fn what_is_proven_is_true_and_most_moves_keep_the_value() {
    // Percent that are right at least; far below what is measured with all of a set.
    let sets = [
        (Set::TicTacToe, 60, 100),
        (Set::Nim, 40, 100),
        (Set::SheepAndWolf, 100, 80),
        (Set::Breakthrough, 25, 80),
        (Set::Othello, 40, 80),
        (Set::Domineering, 40, 80),
        (Set::ConnectFour, 5, 60),
    ];
    for (set, count, percent) in sets {
        let Some((right, proven, all)) = judge(set, count, 20_000) else { continue };
        println!("{}: {right} right and {proven} proven of {all}", set.name());
        assert!(right * 100 >= all * percent, "{}: {right} of {all}", set.name());
    }
}

#[test]
fn small_games_are_proven_with_the_usual_budget() {
    for (name, expected) in [("nim", [0.0, 100.0]), ("tictactoe", [50.0, 50.0])] {
        let game = Game::bundled(name).expect("a bundled game");
        let settings = SearchOptions::default().check().expect("sound");
        for seed in 0..3 {
            let report = search(&game, "", &settings, 100_000, seed);
            assert!(report.is_complete && report.playouts < 100_000, "{name}");
            let proven: Vec<_> = report.roles.iter().map(|role| role.proven).collect();
            assert_eq!(proven, expected.map(Some), "{name}");
        }
    }
}

/// A role's shares as the solver wants them.
fn strategy(game: &Game, report: &SearchReport, role: usize) -> Vec<(String, f64)> {
    let share = |one: &ruche_search::MoveReport| {
        (name(game, role, one.number).to_owned(), one.share.unwrap_or(0.0))
    };
    report.roles[role].moves.iter().map(share).collect()
}

#[test]
fn mixed_strategies_come_close_to_equilibria() {
    for matrix_game in MatrixGame::ALL {
        let game = Game::load(&matrix_game.game()).expect("a game");
        let matrix = matrix_game.matrix();
        for playouts_per_position in [1, 4, 16, 64] {
            let options = SearchOptions { playouts_per_position, ..SearchOptions::default() };
            let settings = options.check().expect("sound");
            let report = search(&game, "", &settings, 2_000_000, 1);
            let what = format!("{} by {playouts_per_position}", matrix_game.name());
            for role in 0..2 {
                let strategy = strategy(&game, &report, role);
                let lost = matrix.exploitability(role, &strategy).expect("a strategy");
                assert!(lost < 3.0, "{what}: {lost} of {strategy:?}");
            }
            let mixed = report.mixed.expect("both choose");
            let value = matrix.equilibrium().value;
            assert!((mixed.values[0] - value).abs() < 1.0, "{what}: {mixed:?}");
        }
    }
}
