//! Equilibria, compared with formulas and proofs, and the games with Ruche's states.

use std::collections::HashMap;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use ruche_game::{Game, State};
use ruche_truth::matrix::{Matrix, MatrixGame};

fn numbered(goals: Vec<Vec<f64>>) -> Matrix {
    let names = |count: usize| (0..count).map(|number| number.to_string()).collect();
    Matrix { moves: [names(goals.len()), names(goals[0].len())], goals }
}

fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-7, "{found} instead of {expected}");
}

/// What one strategy makes sure of and the other does not let go beyond is the value:
/// the two prove each other.
fn assert_proven(matrix: &Matrix) {
    let found = matrix.equilibrium();
    for role in 0..2 {
        let value = if role == 0 { found.value } else { 100.0 - found.value };
        let guaranteed = matrix.guaranteed(role, &found.strategies[role]);
        assert_near(guaranteed.expect("a strategy"), value);
    }
}

#[test]
fn equilibria_of_random_matrices_prove_themselves() {
    let mut random = Pcg64Mcg::seed_from_u64(1);
    for _ in 0..500 {
        let [rows, columns] = [(); 2].map(|()| random.random_range(1..8));
        // Few different numbers, so that ties are many.
        let mut goal = || f64::from(25 * random.random_range(0..5_u8));
        let goals = (0..rows).map(|_| (0..columns).map(|_| goal()).collect()).collect();
        assert_proven(&numbered(goals));
    }
}

/// Without a saddle: `(ad - bc) / (a + d - b - c)`.
#[test]
fn matrices_of_two_by_two_have_the_value_of_the_formula() {
    let mut random = Pcg64Mcg::seed_from_u64(2);
    for _ in 0..500 {
        let [a, d] = [(); 2].map(|()| random.random_range(50.0..100.0));
        let [b, c] = [(); 2].map(|()| random.random_range(0.0..50.0));
        let found = numbered(vec![vec![a, b], vec![c, d]]).equilibrium();
        assert_near(found.value, (a * d - b * c) / (a + d - b - c));
        assert_near(found.strategies[0][0].1, (d - c) / (a + d - b - c));
        assert_near(found.strategies[1][0].1, (d - b) / (a + d - b - c));
    }
}

#[test]
fn rock_paper_scissors_is_mixed_by_what_the_others_win() {
    let found = MatrixGame::RockPaperScissors.matrix().equilibrium();
    assert_near(found.value, 50.0);
    for strategy in found.strategies {
        let shares: Vec<f64> = strategy.iter().map(|(_, share)| *share).collect();
        [0.25, 0.5, 0.25].into_iter().zip(shares).for_each(|(is, found)| assert_near(found, is));
    }
}

/// Each round is worth 1/5 of ten points to even, and does not depend on the others.
#[test]
fn matching_pennies_add_up() {
    let found = MatrixGame::MatchingPennies.matrix().equilibrium();
    assert_near(found.value, 30.0 + 3.0 * 10.0 / 5.0);
    found.strategies.iter().for_each(|strategy| assert_near(strategy[0].1, 0.4));
}

#[test]
fn goofspiel_is_fair_and_exploits_every_certain_bid() {
    for game in [MatrixGame::Goofspiel4, MatrixGame::Goofspiel5] {
        let matrix = game.matrix();
        assert_near(matrix.equilibrium().value, 50.0);
        assert_proven(&matrix);
        for bid in &matrix.moves[0] {
            let lost = matrix.exploitability(0, &[(bid, 1.0)]).expect("a strategy");
            assert!(lost > 5.0, "{bid} loses {lost}");
            assert_near(matrix.exploitability(1, &[(bid, 1.0)]).expect("a strategy"), lost);
        }
    }
}

#[test]
fn exploitability_is_what_the_best_answer_takes() {
    let matrix = MatrixGame::RockPaperScissors.matrix();
    let lost = |strategy: &[(&str, f64)]| matrix.exploitability(0, strategy);
    assert_near(lost(&[("scissors", 1.0)]).unwrap(), 50.0);
    assert_near(lost(&[("rock", 0.5), ("paper", 0.5)]).unwrap(), 12.5);
    assert_near(lost(&[("rock", 0.25), ("paper", 0.5), ("scissors", 0.25)]).unwrap(), 0.0);
}

#[test]
fn what_is_no_strategy_has_no_exploitability() {
    let matrix = MatrixGame::RockPaperScissors.matrix();
    assert_eq!(matrix.exploitability(0, &[("well", 1.0)]), None);
    assert_eq!(matrix.exploitability(0, &[("rock", 0.5)]), None);
    assert_eq!(matrix.exploitability(0, &[("rock", 2.0), ("paper", -1.0)]), None);
    assert_eq!(matrix.exploitability(2, &[("rock", 1.0)]), None);
    assert_eq!(matrix.exploitability(0, &[("rock", f64::NAN)]), None);
}

/// The matrix of a state, through all states that can follow.
fn matrix_of(state: &State, known: &mut HashMap<Vec<u32>, f64>) -> Matrix {
    let play = |own: &u32, other: &u32| state.play(&[*own, *other]).expect("legal moves");
    let mut row = |own: &u32| -> Vec<f64> {
        state.legal(1).iter().map(|other| value_of(&play(own, other), known)).collect()
    };
    let goals = state.legal(0).iter().map(&mut row).collect();
    let names = |role| state.legal_names(role).map(str::to_owned).collect();
    Matrix { moves: [0, 1].map(names), goals }
}

fn value_of(state: &State, known: &mut HashMap<Vec<u32>, f64>) -> f64 {
    if state.is_terminal() {
        let goals = state.goals().expect("one goal for each role");
        assert_eq!(goals[0] + goals[1], 100, "{state:?}");
        return f64::from(goals[0]);
    }
    if let Some(known) = known.get(state.position()) {
        return *known;
    }
    let value = matrix_of(state, known).equilibrium().value;
    known.insert(state.position().to_vec(), value);
    value
}

#[test]
fn the_games_are_those_of_the_files() {
    for game in MatrixGame::ALL {
        let (by_hand, compiled) = (game.matrix(), Game::load(&game.game()).unwrap());
        let by_ruche = matrix_of(&compiled.initial(), &mut HashMap::new());
        for (own, row) in by_hand.goals.iter().enumerate() {
            for (other, goal) in row.iter().enumerate() {
                let names = [&by_hand.moves[0][own], &by_hand.moves[1][other]];
                let at = |role: usize| by_ruche.moves[role].iter().position(|at| at == names[role]);
                let (own, other) = (at(0).expect("a move"), at(1).expect("a move"));
                assert_near(by_ruche.goals[own][other], *goal);
            }
        }
        assert_eq!(by_ruche.goals.len(), by_hand.goals.len(), "{}", game.name());
        assert_eq!(by_ruche.goals[0].len(), by_hand.goals[0].len(), "{}", game.name());
    }
}
