//! `ruche trace` writes what `ruche verify` reads.

mod support;

use std::fs;
use std::path::PathBuf;

use support::{assert_refused, code, file, json, path, ruche, stderr, stdout};

/// The examples of docs/traces, with the options that made them.
const EXAMPLES: [&str; 3] = ["tictactoe", "nim", "blocker"];

fn example(game: &str) -> PathBuf {
    let docs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/traces");
    docs.join(game).with_extension("jsonl")
}

#[test]
fn the_examples_are_verified() {
    for game in EXAMPLES {
        let trace = example(game);
        let output = ruche(&["verify", game, trace.to_str().unwrap(), "--json"]);
        assert_eq!(code(&output), 0, "{game}: {}{}", stdout(&output), stderr(&output));
        assert!(json(&output)["lines"].as_u64().unwrap() > 5, "{game}");
    }
}

#[test]
fn the_examples_can_be_made_again() {
    for game in EXAMPLES {
        let output = ruche(&["trace", game, "--games", "3", "--seed", "7"]);
        assert_eq!(code(&output), 0, "{game}: {}", stderr(&output));
        assert_eq!(stdout(&output), fs::read_to_string(example(game)).unwrap(), "{game}");
    }
}

#[test]
fn what_is_written_of_every_bundled_game_is_verified() {
    let trace = path("written.jsonl");
    let trace = trace.to_str().unwrap();
    for game in ruche_games::all() {
        let arguments = ["trace", game.name, "--games", "2", "--plies", "50", "-o", trace];
        let output = ruche(&arguments);
        assert_eq!(code(&output), 0, "{}: {}", game.name, stderr(&output));
        assert_eq!(stdout(&output), "", "the file has it");
        let output = ruche(&["verify", game.name, trace]);
        assert_eq!(code(&output), 0, "{}: {}{}", game.name, stdout(&output), stderr(&output));
    }
}

#[test]
fn games_that_do_not_end_well_are_told_and_verified() {
    let stuck = "
        (role r) (init (step 0)) (<= (legal r go) (true (step 0))) (goal r 100)
        (<= (next (step 1)) (does r go)) (<= terminal (true (step 2)))";
    let goalless = "
        (role r) (init (step 0)) (legal r go)
        (<= (next (step 1)) (does r go)) (<= terminal (true (step 1)))
        (<= (goal r 50) (true (step 0)))";
    for (name, rules) in [("stuck", stuck), ("goalless", goalless)] {
        let game = file(&format!("trace-{name}.kif"), rules);
        let trace = path(&format!("trace-{name}.jsonl"));
        let trace = trace.to_str().unwrap();
        assert_eq!(code(&ruche(&["trace", &game, "-o", trace])), 0);
        let output = ruche(&["verify", &game, trace]);
        assert_eq!(code(&output), 0, "{name}: {}{}", stdout(&output), stderr(&output));
    }
}

#[test]
fn trace_refuses_what_it_cannot_write() {
    assert_refused(&["trace", "nothing.kif"], &["`nothing.kif`"]);
    assert_refused(&["trace", "nim", "-o", "/no/such/folder/x.jsonl"], &["-o"]);
    assert_refused(&["trace", "nim", "--games", "0"], &["a number of games"]);
}
