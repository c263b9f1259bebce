//! `ruche bench --recommend`: what it prints can be relied on and really runs.

mod support;

use serde_json::Value;
use support::{assert_refused, code, file, json, ruche, stderr, stdout};

/// Measures too briefly to be right, and long enough to go all the way.
fn recommend(options: &[&str]) -> std::process::Output {
    let output = ruche(&[&["bench", "--recommend", "--seconds", "0.5"], options].concat());
    assert_eq!(code(&output), 0, "{options:?}: {}", stderr(&output));
    output
}

/// Runs the command that was printed, for a short search.
fn assert_runs(command: &str) {
    let mut words = command.split(' ');
    assert_eq!(words.next(), Some("ruche"), "{command}");
    let arguments: Vec<&str> = words.chain(["--playouts", "2000"]).collect();
    let output = ruche(&arguments);
    assert_eq!(code(&output), 0, "{command}: {}", stderr(&output));
    assert!(stdout(&output).contains("best: "), "{}", stdout(&output));
}

#[test]
fn the_last_line_is_a_command_that_runs() {
    let output = recommend(&["tictactoe", "--threads", "2"]);
    let command = stdout(&output).lines().last().unwrap();
    for option in ["--clusters", "--threads", "--strategy", "--word", "--batch", "--in-flight"] {
        assert!(command.contains(option), "no {option} in: {command}");
    }
    assert_runs(command);
}

#[test]
fn a_person_sees_what_was_taken_and_why() {
    let output = recommend(&["tictactoe", "--threads", "1"]);
    let text = stdout(&output);
    assert_eq!(text.lines().filter(|line| line.starts_with('*')).count(), 3, "{text}");
    for words in [
        "Word:",
        "Shape:",
        "Batch:",
        "the fewest that reach 70 % of the fastest rate",
        "90 % of the best row",
        "also change what it finds",
    ] {
        assert!(text.contains(words), "no `{words}` in: {text}");
    }
    assert_eq!(stderr(&output), "", "progress is for terminals");
}

fn rows<'a>(document: &'a Value, key: &str) -> &'a Vec<Value> {
    document[key].as_array().unwrap()
}

/// The one row that was taken.
fn chosen<'a>(document: &'a Value, key: &str) -> &'a Value {
    let mut taken = rows(document, key).iter().filter(|row| row["chosen"] == true);
    let row = taken.next().unwrap();
    assert!(taken.next().is_none(), "{key}: more than one row was taken");
    row
}

#[test]
fn json_is_one_document_with_all_that_was_measured() {
    let document = json(&recommend(&["tictactoe", "--threads", "2", "--json"]));
    assert_eq!(document["game"], "tictactoe");
    assert!(document["machine"]["processors"].as_u64() >= Some(1), "{document}");
    for key in ["words", "shapes", "batches"] {
        for row in rows(&document, key) {
            assert_eq!(row["samples"].as_array().unwrap().len(), 5, "{key}: {row}");
            assert!(row["playouts_per_second"].is_f64(), "{key}: {row}");
        }
    }
    assert_eq!(rows(&document, "batches").len(), 18);
    assert_eq!(rows(&document, "shapes").len() % 4, 0, "four strategies of each shape");
    let recommendation = &document["recommendation"];
    for key in ["clusters", "threads", "strategy", "word"] {
        assert_eq!(recommendation[key], chosen(&document, "shapes")[key], "{key}");
    }
    for key in ["batch", "playouts_per_position", "in_flight"] {
        assert_eq!(recommendation[key], chosen(&document, "batches")[key], "{key}");
    }
    assert_eq!(recommendation["engine"], chosen(&document, "words")["engine"]);
    assert_runs(recommendation["command"].as_str().unwrap());
}

#[test]
fn threads_limit_what_is_tried() {
    let document = json(&recommend(&["nim", "--threads", "1", "--json"]));
    for shape in rows(&document, "shapes") {
        assert_eq!((&shape["clusters"], &shape["threads"]), (&1.into(), &1.into()));
    }
}

#[test]
fn it_is_for_exactly_one_game() {
    assert_refused(
        &["bench", "--recommend"],
        &["needs one game, not 0", "--recommend breakthrough"],
    );
    assert_refused(&["bench", "--recommend", "nim", "hex"], &["needs one game, not 2"]);
    assert_refused(&["bench", "--recommend", "tic-tac"], &["did you mean tictactoe?"]);
}

#[test]
fn it_refuses_what_it_would_find_itself() {
    for option in [&["--signature"][..], &["--breakdown"], &["--word", "64"], &["--plies", "9"]] {
        let arguments = [&["bench", "--recommend", "nim"], option].concat();
        assert_refused(&arguments, &["cannot be used with", option[0]]);
    }
}

#[test]
fn a_path_with_blanks_can_be_copied_to_a_shell() {
    let rules = "(role r) (init (step 0)) (legal r a) (legal r b) (goal r 100)
        (<= (next (step 1)) (does r a)) (<= (next (step 1)) (does r b)) (<= terminal (true (step 1)))";
    let game = file("two words.kif", rules);
    let output = recommend(&[&game, "--threads", "1"]);
    let command = stdout(&output).lines().last().unwrap();
    assert!(command.contains(&format!("'{game}'")), "{command}");
}

#[test]
fn help_has_an_example_and_the_usual_time() {
    let output = ruche(&["bench", "--help"]);
    for words in ["ruche bench --recommend breakthrough", "[default: 30]"] {
        assert!(stdout(&output).contains(words), "no `{words}` in: {}", stdout(&output));
    }
}

#[test]
fn a_game_that_is_over_at_once_has_nothing_to_measure() {
    let over = "(role r) (init (step 0)) (legal r go) (goal r 100) (<= (next (step 0)) (does r go))
        (<= terminal (true (step 0)))";
    let over = file("recommend-over.kif", over);
    assert_refused(
        &["bench", "--recommend", &over, "--seconds", "0.2"],
        &["over in its initial position"],
    );
}
