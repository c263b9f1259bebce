//! What is known about games, and what the solvers find.

use std::collections::{HashMap, HashSet};

use rand::SeedableRng;
use rand::seq::IteratorRandom;
use rand_pcg::Pcg64Mcg;
use ruche_truth::breakthrough::Breakthrough;
use ruche_truth::connectfour::{ConnectFour, ConnectFourSolver};
use ruche_truth::domineering::Domineering;
use ruche_truth::nim::{Nim, NimSum};
use ruche_truth::othello::Othello;
use ruche_truth::sheepandwolf::SheepAndWolf;
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

/// Positions that are not over after so many random moves.
fn random_positions<G: Rules>(plies: usize) -> impl Iterator<Item = G> {
    let mut random = Pcg64Mcg::seed_from_u64(plies as u64);
    let walk = move || (0..plies).try_fold(G::start(), |position, _| step(&position, &mut random));
    std::iter::repeat_with(walk).flatten()
}

fn step<G: Rules>(position: &G, random: &mut Pcg64Mcg) -> Option<G> {
    let next = position.after(position.moves().choose(random)?);
    next.end().is_none().then_some(next)
}

/// As John Tromp has solved them.
#[test]
fn small_boards_of_connect_four_have_their_known_values() {
    fn value<const WIDTH: usize, const HEIGHT: usize>() -> Outcome {
        ConnectFourSolver::<WIDTH, HEIGHT>::default().value(&ConnectFour::start())
    }
    let draws = [value::<4, 4>(), value::<4, 5>(), value::<5, 4>(), value::<5, 5>()];
    assert_eq!(draws, [Outcome::Draw; 4]);
    assert_eq!(value::<6, 4>(), Outcome::Loss);
}

/// Tromp has counted them, too.
#[test]
fn both_solvers_agree_on_all_positions_of_a_small_board_of_connect_four() {
    let positions = reachable::<ConnectFour<4, 4>>();
    assert_eq!(positions.len(), 161_029);
    let (mut plain, mut tuned) = (Solver::default(), ConnectFourSolver::default());
    for position in positions {
        assert_eq!(tuned.value(&position), plain.value(&position), "{position:?}");
    }
}

#[test]
fn both_solvers_agree_on_late_positions_of_connect_four() {
    let (mut plain, mut tuned) = (Solver::default(), ConnectFourSolver::default());
    for position in random_positions::<ConnectFour<7, 6>>(26).take(50) {
        assert_eq!(tuned.value(&position), plain.value(&position), "{position:?}");
    }
}

#[test]
fn the_nim_sum_is_what_search_finds() {
    let mut solver = Solver::<Nim>::default();
    for position in reachable::<Nim>() {
        assert_eq!(NimSum.value(&position), solver.value(&position), "{position:?}");
    }
}

/// Boards of 2, 3, 4 and 6 squares a side are won by who begins, that of 5 is lost.
#[test]
fn square_boards_of_domineering_have_their_known_values() {
    let values = [
        value_of_start::<Domineering<2>>(),
        value_of_start::<Domineering<3>>(),
        value_of_start::<Domineering<4>>(),
        value_of_start::<Domineering<5>>(),
        value_of_start::<Domineering<6>>(),
    ];
    use Outcome::{Loss, Win};
    assert_eq!(values, [Win, Win, Win, Loss, Win]);
}

/// The lead of who is to move at the end, without a solver.
fn final_lead(position: &Othello<4>) -> i32 {
    let after = |chosen| -final_lead(&position.after(chosen));
    match position.end() {
        Some(_) => position.lead(),
        None => position.moves().map(after).max().expect("a pass at least"),
    }
}

#[test]
fn othello_on_four_by_four_squares_is_lost_by_eight_discs() {
    assert_eq!(value_of_start::<Othello<4>>(), Outcome::Loss);
    assert_eq!(final_lead(&Othello::start()), -8);
}

/// The value by looking at everything, and at nothing before it happens.
fn minimax<G: Rules>(position: &G, known: &mut HashMap<G, Outcome>) -> Outcome {
    if let Some(value) = position.end().or_else(|| known.get(position).copied()) {
        return value;
    }
    let values = position.moves().map(|chosen| minimax(&position.after(chosen), known).reversed());
    let value = values.max().expect("a move");
    known.insert(position.clone(), value);
    value
}

#[test]
fn what_is_foreseen_in_breakthrough_happens() {
    let (mut known, mut solver) = (HashMap::new(), Solver::default());
    for position in reachable::<Breakthrough<3, 5>>() {
        let value = minimax(&position, &mut known);
        assert_eq!(solver.value(&position), value, "{position:?}");
    }
}

#[test]
fn sheep_that_do_not_err_catch_the_wolf() {
    assert_eq!(value_of_start::<SheepAndWolf>(), Outcome::Loss);
}
