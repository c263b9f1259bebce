//! The rules by hand are those that Ruche plays by: moves, names, ends and goals.

use rand::SeedableRng;
use rand::seq::IteratorRandom;
use rand_pcg::Pcg64Mcg;
use ruche_game::{Game, State};
use ruche_truth::breakthrough::Breakthrough;
use ruche_truth::connectfour::ConnectFour;
use ruche_truth::domineering::Domineering;
use ruche_truth::nim::Nim;
use ruche_truth::othello::Othello;
use ruche_truth::sheepandwolf::SheepAndWolf;
use ruche_truth::tictactoe::TicTacToe;
use ruche_truth::{Rules, Set};

/// Plays random games by both and compares all that there is to see.
fn compare<G: Rules>(set: Set, games: u64) {
    let Some(name) = set.game() else { return };
    let game = Game::load(&name).unwrap();
    for seed in 0..games {
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        let (mut position, mut state) = (G::start(), game.initial());
        while position.end().is_none() {
            check_moves(&position, &state);
            let chosen = position.moves().choose(&mut random).unwrap();
            let name = position.name(chosen);
            let joint =
                if position.mover() == 0 { [name.as_str(), "noop"] } else { ["noop", &name] };
            (position, state) =
                (position.after(chosen), state.play_named(&joint.join(" ")).unwrap());
        }
        check_end(&position, &state);
    }
}

fn check_moves<G: Rules>(position: &G, state: &State) {
    assert!(!state.is_terminal(), "{state:?}");
    let mover = position.mover();
    assert_eq!(sorted(state.legal_names(1 - mover)), ["noop"], "{state:?}");
    let names = position.moves().map(|chosen| position.name(chosen));
    assert_eq!(sorted(names), sorted(state.legal_names(mover)), "{state:?}");
}

fn check_end<G: Rules>(position: &G, state: &State) {
    assert!(state.is_terminal(), "{state:?}");
    let end = position.end().unwrap();
    let mut goals = [u16::from(end.goal()), u16::from(end.reversed().goal())];
    goals.rotate_right(position.mover());
    assert_eq!(state.goals().as_deref(), Some(goals.as_slice()), "{state:?}");
}

fn sorted(names: impl Iterator<Item = impl Into<String>>) -> Vec<String> {
    let mut names: Vec<String> = names.map(Into::into).collect();
    names.sort();
    names
}

#[test]
fn breakthrough_is_that_of_the_file() {
    compare::<Breakthrough<5, 5>>(Set::Breakthrough, 200);
}

#[test]
fn domineering_is_the_bundled_one() {
    compare::<Domineering<8>>(Set::Domineering, 100);
}

#[test]
fn othello_is_the_bundled_one() {
    compare::<Othello<8>>(Set::Othello, 50);
}

#[test]
fn sheep_and_wolf_is_that_of_the_corpus() {
    compare::<SheepAndWolf>(Set::SheepAndWolf, 200);
}

#[test]
fn connect_four_is_the_bundled_one() {
    compare::<ConnectFour<7, 6>>(Set::ConnectFour, 100);
}

#[test]
fn nim_is_the_bundled_one() {
    compare::<Nim>(Set::Nim, 200);
}

#[test]
fn tic_tac_toe_is_the_bundled_one() {
    compare::<TicTacToe>(Set::TicTacToe, 200);
}
