//! Positions with tens of thousands of moves: what a search says of them takes no longer
//! than finding it out.

mod support;

use std::time::{Duration, Instant};

use ruche_game::Game;
use ruche_search::{SearchMethod, SearchOptions, Searcher, Uct};
use support::{Fake, few_playouts, go_on};

/// A game of `side` × `side` moves in every position, and two plies.
fn board(side: usize) -> Game {
    let numbers: String = (0..side).map(|number| format!("(number {number}) ")).collect();
    let rules = format!(
        "(role r) (init (step 0)) {numbers}
         (<= (legal r (mark ?x ?y)) (number ?x) (number ?y))
         (<= (next (step 1)) (true (step 0))) (<= (next (step 2)) (true (step 1)))
         (<= terminal (true (step 2))) (goal r 50)"
    );
    Game::compile("board", rules.as_bytes()).expect("a sound game")
}

/// How long the report on a search takes, which played once through every move.
fn time_of_report(side: usize) -> Duration {
    let game = board(side);
    let settings = SearchOptions { memory: 1 << 30, ..SearchOptions::default() }.check();
    let mut search = Uct::new(&game, &settings.expect("sound settings")).expect("memory");
    let asked = few_playouts(64);
    go_on(&mut search, asked, &mut Fake::new(&game)).expect("playouts");
    let time = || {
        let start = Instant::now();
        let report = search.report();
        assert_eq!(report.roles[0].moves.len(), side * side);
        start.elapsed()
    };
    std::iter::repeat_with(time).take(5).min().expect("five times")
}

#[test]
fn a_report_takes_time_in_proportion_to_the_moves() {
    let (few, many) = (time_of_report(40), time_of_report(160));
    let ratio = many.as_secs_f64() / few.as_secs_f64();
    assert!(ratio < 80.0, "16 times as many moves take {ratio:.0} times as long");
}

#[test]
fn every_move_has_a_line_that_begins_with_it() {
    let game = board(12);
    let settings = SearchOptions::default().check().expect("sound settings");
    let mut search = Uct::new(&game, &settings).expect("memory");
    let report = go_on(&mut search, few_playouts(2000), &mut Fake::new(&game)).expect("playouts");
    for one in &report.roles[0].moves {
        assert_eq!(one.line.first(), Some(&vec![one.number]));
    }
    let line = &report.roles[0].moves[0].line;
    assert!(line.len() == 2 || report.is_complete, "a line goes on to the end of the game");
}
