//! `ruche play`, with a person who types.

mod support;

use std::process::Output;

use support::{assert_refused, code, json, path, ruche, ruche_told, stdout};

fn play(arguments: &[&str], typed: &str) -> Output {
    ruche_told(&[&["play"], arguments].concat(), typed)
}

#[test]
fn a_person_plays_takes_back_and_asks() {
    let file = path("played.json");
    let file = file.to_str().unwrap();
    let typed = "2 2\nhint\nanalyse\nundo\n1\nquit\n";
    let output = play(&["tictactoe", "--playouts", "500", "-o", file], typed);
    assert_eq!(code(&output), 0);
    let text = stdout(&output);
    for expected in ["2  . x .", "playouts)  (mark", "move        visits", "1  x . .", "o: (mark"] {
        assert!(text.contains(expected), "no `{expected}` in {text}");
    }
    let shown = json(&ruche(&["show", "tictactoe", "--record", file, "--json"]));
    assert!(shown["state"].as_array().unwrap().contains(&"(cell 1 1 x)".into()), "{shown}");
    assert!(!shown["state"].as_array().unwrap().contains(&"(cell 2 2 x)".into()), "taken back");
}

#[test]
fn the_engine_plays_against_itself() {
    let output = play(&["tictactoe", "--role", "none", "--playouts", "2000"], "");
    assert_eq!(code(&output), 0);
    assert!(stdout(&output).ends_with("over: x: 50   o: 50\n"), "{}", stdout(&output));
}

#[test]
fn who_stops_typing_has_left() {
    let output = play(&["nim", "--role", "both"], "nonsense\n");
    assert_eq!(code(&output), 0);
    assert!(stdout(&output).contains("`nonsense` is no legal move"), "{}", stdout(&output));
}

#[test]
fn roles_are_those_of_the_game() {
    assert_refused(&["play", "tictactoe", "--role", "z"], &["the roles are x, o", "`both`"]);
}

#[test]
fn a_record_of_another_game_is_refused() {
    let record = path("of-nim.json");
    let record = record.to_str().unwrap();
    assert_eq!(code(&play(&["nim", "-o", record], "quit\n")), 0);
    let arguments = ["play", "connectfour", "--page", "--record", record];
    assert_refused(&arguments, &["first, second", "the roles of connectfour are red, yellow"]);
    assert_refused(&["play", "nim", "--record", record], &["--page"]);
}
