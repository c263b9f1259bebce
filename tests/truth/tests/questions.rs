//! Questions, and a plain minimax on Ruche's own states as a second opinion on them.

use std::collections::{HashMap, HashSet};

use ruche_game::{Game, State};
use ruche_truth::{Question, Set, questions};

/// The best that a role can get, by looking at everything up to a win.
#[derive(Default)]
struct Minimax {
    /// Of role 0, whose gain is the other's loss.
    known: HashMap<Vec<u32>, u16>,
}

impl Minimax {
    fn value(&mut self, state: &State) -> u16 {
        if let Some(goals) = state.goals() {
            return goals[0];
        }
        if let Some(known) = self.known.get(state.position()) {
            return *known;
        }
        let value = self.best(state);
        self.known.insert(state.position().to_vec(), value);
        value
    }

    /// What whoever has a choice takes; nobody looks further than at a win.
    fn best(&mut self, state: &State) -> u16 {
        let (first, second) = (state.legal(0), state.legal(1));
        let joints = first.iter().flat_map(|left| second.iter().map(|right| [*left, *right]));
        let (wish, better): (u16, fn(u16, u16) -> u16) =
            if first.len() > 1 { (100, u16::max) } else { (0, u16::min) };
        let mut best = 100 - wish;
        for joint in joints {
            best = better(best, self.value(&state.play(&joint).unwrap()));
            if best == wish {
                break;
            }
        }
        best
    }

    fn check(&mut self, game: &Game, question: &Question) {
        let state = game.after(&question.line()).unwrap();
        for (name, value) in &question.values {
            let value_of_first = self.value(&state.play_named(name).unwrap());
            let expected = if question.role == 0 { value_of_first } else { 100 - value_of_first };
            assert_eq!(u16::from(*value), expected, "{name} in {question:?}");
        }
    }
}

/// Compares the questions of a set that come late enough in the game.
fn compare(set: Set, count: usize, plies: usize) {
    let Some(name) = set.game() else { return };
    let game = Game::load(&name).unwrap();
    let mut questions = questions(set, 7, count);
    questions.retain(|question| question.moves.len() >= plies);
    assert!(questions.len() >= 5, "{} questions are late", questions.len());
    let mut minimax = Minimax::default();
    questions.iter().for_each(|question| minimax.check(&game, question));
}

#[test]
fn minimax_agrees_about_breakthrough() {
    compare(Set::Breakthrough, 60, 20);
}

#[test]
fn minimax_agrees_about_domineering() {
    compare(Set::Domineering, 40, 20);
}

#[test]
fn minimax_agrees_about_othello() {
    compare(Set::Othello, 60, 55);
}

#[test]
fn minimax_agrees_about_sheep_and_wolf() {
    compare(Set::SheepAndWolf, 60, 16);
}

#[test]
fn minimax_agrees_about_nim() {
    compare(Set::Nim, 100, 0);
}

#[test]
fn minimax_agrees_about_tic_tac_toe() {
    compare(Set::TicTacToe, 100, 0);
}

#[test]
fn questions_are_different_and_matter() {
    for set in Set::ALL {
        let questions = questions(set, 3, 8);
        assert_eq!(questions.len(), 8, "{}", set.name());
        assert!(questions.iter().all(Question::matters), "{}", set.name());
        let lines: HashSet<_> = questions.iter().map(Question::line).collect();
        assert_eq!(lines.len(), questions.len(), "{}", set.name());
    }
}

#[test]
fn questions_depend_on_the_seed_alone() {
    for set in [Set::Nim, Set::TicTacToe] {
        assert_eq!(questions(set, 5, 20), questions(set, 5, 20));
        assert_ne!(questions(set, 5, 20), questions(set, 6, 20));
    }
}

#[test]
fn a_set_without_more_questions_ends() {
    let found = questions(Set::Nim, 1, 10_000).len();
    assert!((100..1000).contains(&found), "{found}");
}

#[test]
fn only_a_best_legal_move_keeps_the_value() {
    let values = [("(a)", 50), ("(b)", 0), ("(c)", 50)];
    let values = values.map(|(name, value)| (name.to_owned(), value)).to_vec();
    let question = Question { set: Set::Nim, moves: Vec::new(), role: 0, values };
    let kept = ["(a)", "(b)", "(c)", "(d)"].map(|name| question.keeps_value(name));
    assert_eq!((question.value(), kept), (50, [true, false, true, false]));
}
