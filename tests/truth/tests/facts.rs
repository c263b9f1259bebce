//! What is known about games, and what the solvers find.

use std::collections::HashSet;

use ruche_truth::nim::{Nim, NimSum};
use ruche_truth::tictactoe::TicTacToe;
use ruche_truth::{Oracle, Outcome, Rules, Solver};

/// All positions that can be reached.
fn reachable<G: Rules>() -> HashSet<G> {
    let mut seen = HashSet::from([G::start()]);
    let mut open = vec![G::start()];
    while let Some(position) = open.pop() {
        if position.end().is_none() {
            let next = position.moves().map(|chosen| position.after(chosen));
            open.extend(next.filter(|next| seen.insert(next.clone())));
        }
    }
    seen
}

fn value_of_start<G: Rules>() -> Outcome {
    Solver::<G>::default().value(&G::start())
}

#[test]
fn tic_tac_toe_has_5478_positions_and_is_a_draw() {
    assert_eq!(reachable::<TicTacToe>().len(), 5478);
    assert_eq!(value_of_start::<TicTacToe>(), Outcome::Draw);
}

#[test]
fn the_nim_sum_is_what_search_finds() {
    let mut solver = Solver::<Nim>::default();
    for position in reachable::<Nim>() {
        assert_eq!(NimSum.value(&position), solver.value(&position), "{position:?}");
    }
}
