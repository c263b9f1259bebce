//! `ruche search` as a person or a script meets it. The playouts are few, because
//! these tests run without much optimisation; docs/offload.md has the commands for
//! the full sizes.

mod support;

use serde_json::Value;
use support::{assert_refused, code, file, json, ruche, stderr, stdout};

fn search(arguments: &str) -> std::process::Output {
    let arguments: Vec<&str> = ["search"].into_iter().chain(arguments.split(' ')).collect();
    ruche(&arguments)
}

/// What must be the same on every topology.
fn answer(arguments: &str) -> Value {
    let output = search(&format!("{arguments} --json"));
    assert_eq!(code(&output), 0, "{arguments}: {}", stderr(&output));
    let document = json(&output);
    let keys = ["best", "moves", "playouts", "seed", "signature"];
    keys.iter().map(|key| document[*key].clone()).collect()
}

#[test]
fn search_prints_the_keys_that_scripts_rely_on() {
    let output = search("connectfour --playouts 2000 --seed 3 --json");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let document = json(&output);
    for key in ["game", "best", "moves", "playouts", "seed", "signature", "seconds", "topology"] {
        assert!(!document[key].is_null(), "{key}");
    }
    let moves = document["moves"].as_array().unwrap();
    assert!(moves.iter().all(|one| one["move"].is_string() && one["mean"].is_number()));
    let visits: u64 = moves
        .iter()
        .filter(|one| one["role"] == moves[0]["role"])
        .map(|one| one["visits"].as_u64().unwrap())
        .sum();
    assert_eq!(visits, document["playouts"].as_u64().unwrap());
    assert_eq!(document["playouts"], 2000);
}

#[test]
fn the_best_line_of_a_game_for_one_is_told_and_reaches_its_score_on_every_topology() {
    for game in ["sudoku", "nonogram", "eightpuzzle"] {
        let with = |topology: &str| {
            let output = search(&format!("{game} --playouts 4000 --seed 5 --json {topology}"));
            assert_eq!(code(&output), 0, "{}", stderr(&output));
            let document = json(&output);
            ["best_score", "best_line", "signature", "complete"].map(|key| document[key].clone())
        };
        let found = with("--clusters 1 --threads 1");
        assert_eq!(found, with("--clusters 2 --threads 3"), "{game}");
        let [score, line, ..] = found;
        let line: Vec<&str> =
            line.as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
        let end = json(&ruche(&["search", game, "--moves", &line.join("; "), "--json"]));
        let goals = end["goals"].as_object().unwrap();
        assert_eq!((&end["terminal"], goals.values().collect()), (&true.into(), vec![&score]));
        let output = search(&format!("{game} --playouts 4000 --seed 5"));
        let text = stdout(&output);
        let told = format!("best score: {score} by {}", line.join("; "));
        assert!(text.contains(&told), "{game}: {text}");
    }
    let document = json(&search("connectfour --playouts 2000 --json"));
    assert!(document["best_score"].is_null() && document["best_line"].is_null());
}

/// Also where roles move at the same time.
#[test]
fn every_move_is_in_the_document_with_its_names() {
    let numbers: String = (0..40).map(|number| format!("(number {number}) ")).collect();
    let rules = format!(
        "(role left) (role right) (init (step 0)) {numbers}
         (<= (legal left (mark ?x ?y)) (number ?x) (number ?y))
         (legal right stay) (legal right go)
         (<= (next (step 1)) (true (step 0))) (<= terminal (true (step 1)))
         (goal left 60) (goal right 40)"
    );
    let game = file("search-many-moves.kif", rules);
    let document = json(&ruche(&["search", &game, "--playouts", "4000", "--json"]));
    let moves = document["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 1600 + 2);
    for (number, one) in moves.iter().enumerate() {
        let role = usize::from(number >= 1600);
        assert_eq!(one["role"], ["left", "right"][role]);
        assert_eq!(one["line"][0][role], one["move"], "{one}");
        assert_eq!(one["line"][0].as_array().unwrap().len(), 2, "{one}");
        assert_eq!(one.as_object().unwrap().len(), 7, "{one}");
    }
    let names: std::collections::BTreeSet<&str> =
        moves.iter().map(|one| one["move"].as_str().unwrap()).collect();
    assert_eq!(names.len(), moves.len(), "each has its own name");
    assert!(names.contains("(mark 39 0)"), "{names:?}");
}

#[test]
fn search_tells_a_person_the_same() {
    let output = search("connectfour --playouts 2000 --seed 3");
    let text = stdout(&output);
    for word in ["visits", "expected line", "best: (drop", "signature", "selection", "transfer"] {
        assert!(text.contains(word), "{word} in\n{text}");
    }
    let invocation = text.lines().find(|line| line.starts_with("ruche search")).unwrap();
    let again = search(invocation.trim_start_matches("ruche search "));
    let signature = |text: &str| {
        let line = text.lines().find(|line| line.starts_with("signature")).map(str::to_owned);
        line.expect("a signature")
    };
    assert_eq!(signature(stdout(&again)), signature(text), "{}", stderr(&again));
}

#[test]
fn the_tree_does_not_depend_on_the_machine() {
    let what = "breakthrough --playouts 3000 --seed 7";
    let expected = answer(&format!("{what} --transport direct --word 8 --engine interpreter"));
    let machines = [
        "--clusters 1 --threads 1 --strategy spin",
        "--clusters 2 --threads 3 --strategy restart",
        "--clusters 4 --threads 4 --strategy condvar --word 64",
        "--clusters 3 --threads 2 --strategy portal --engine interpreter",
        "--clusters 2 --threads 2 --mode split",
        "--clusters 16 --threads 16 --strategy condvar",
        "--clusters 4 --kill 1@4 --kill 3@7",
        "--clusters 16 --threads 16 --transport model",
    ];
    for machine in machines {
        assert_eq!(answer(&format!("{what} {machine}")), expected, "{machine}");
    }
}

#[test]
fn a_modelled_machine_says_how_long_it_takes() {
    let what = "search connectfour --playouts 5000 --clusters 4 --threads 16 --transport model";
    let arguments: Vec<&str> = what.split(' ').collect();
    let output = ruche(&arguments);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stdout(&output).contains("\nmodelled   "), "{}", stdout(&output));
    let times = || json(&ruche(&[&arguments[..], &["--json"]].concat()))["virtual_time"].clone();
    let time = times();
    assert!(time["seconds"].as_f64().is_some_and(|seconds| seconds > 0.0), "{time}");
    assert_eq!(time, times(), "virtual time repeats to the last bit");
    let machine = ["search", "connectfour", "--machine", "none.toml"];
    assert!(stderr(&ruche(&machine)).contains("--transport model"));
    let missing = ruche(&[&arguments[..], &["--machine", "none.toml"]].concat());
    assert_eq!(code(&missing), 2);
    assert!(stderr(&missing).contains("none.toml"), "{}", stderr(&missing));
    let dead = ruche(&[&arguments[..], &["--kill", "1@4"]].concat());
    assert_eq!(code(&dead), 2);
    assert!(stderr(&dead).contains("no cluster dies"), "{}", stderr(&dead));
}

#[test]
fn batches_in_flight_are_applied_in_their_order() {
    let what = "connectfour --playouts 5000 --in-flight 3 --batch 64";
    let expected = answer(&format!("{what} --transport direct"));
    assert_eq!(answer(&format!("{what} --clusters 3 --threads 2")), expected);
    assert_eq!(answer(&format!("{what} --clusters 3 --run-mode sync")), expected);
}

#[test]
fn moves_lead_to_another_root() {
    let won = search("tictactoe --playouts 500 --json --moves");
    assert_eq!(code(&won), 2, "moves want a value");
    let moves = "(mark 1 1) noop; (mark 2 2); (mark 1 2)";
    let output = ruche(&["search", "tictactoe", "--playouts", "4000", "--json", "--moves", moves]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let best = &json(&output)["best"];
    assert_eq!(best[1], "(mark 1 3)", "the line must be stopped: {best}");
}

#[test]
fn illegal_moves_are_refused_with_the_legal_ones() {
    let refuse = |moves: &str, words: &[&str]| {
        assert_refused(&["search", "tictactoe", "--moves", moves], words);
    };
    refuse(
        "(mark 1 1) noop; noop (mark 1 1)",
        &["move 2", "(mark 1 1)", "not legal", "(mark 1 2)"],
    );
    refuse("(mark 1", &["parentheses"]);
    refuse("a b c", &["roles x, o"]);
}

#[test]
fn a_game_that_is_over_has_no_moves() {
    let moves = "(mark 1 1); (mark 2 1); (mark 1 2); (mark 2 2); (mark 1 3)";
    let output = ruche(&["search", "tictactoe", "--json", "--moves", moves]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(json(&output)["best"].is_null());
}

#[test]
fn the_end_of_a_game_says_who_has_which_goal() {
    let moves = "(mark 1 1); (mark 2 1); (mark 1 2); (mark 2 2); (mark 1 3)";
    let output = ruche(&["search", "tictactoe", "--json", "--moves", moves]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let document = json(&output);
    assert_eq!(document["terminal"], true);
    assert_eq!(document["goals"], serde_json::json!({ "x": 100, "o": 0 }));
    let output = ruche(&["search", "tictactoe", "--moves", moves]);
    assert!(stdout(&output).contains("the game is over: x 100, o 0"), "{}", stdout(&output));
    let document = json(&search("tictactoe --playouts 100 --json"));
    assert_eq!((&document["terminal"], &document["goals"]), (&false.into(), &Value::Null));
}

#[test]
fn a_role_without_a_move_is_named_and_the_answer_is_no() {
    let stuck = "
        (role white) (role black) (init (step 0)) (legal white go) (goal white 50) (goal black 50)
        (<= (legal black go) (true (step 0)))
        (<= (next (step 1)) (does white go)) (<= terminal (true (step 2)))";
    let stuck = file("search-stuck.kif", stuck);
    let output = ruche(&["search", &stuck, "--moves", "go go"]);
    assert_eq!(code(&output), 1, "{}", stdout(&output));
    let words = "role black has no legal move although the game is not over";
    assert!(stderr(&output).contains(words), "{}", stderr(&output));
    assert!(stdout(&output).contains(words), "{}", stdout(&output));
    let output = ruche(&["search", &stuck, "--moves", "go go", "--json"]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    let document = json(&output);
    assert_eq!((&document["terminal"], &document["stuck"]), (&false.into(), &"black".into()));
}

#[test]
fn playouts_that_did_not_end_as_they_should_are_told_of() {
    let endless = "
        (role r) (init (step 0)) (legal r wait) (legal r go) (goal r 100)
        (<= (next (step 0)) (true (step 0))) (<= terminal (not (true (step 0))))";
    let endless = file("search-endless.kif", endless);
    let output = ruche(&["search", &endless, "--playouts", "64"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let words = "of 64 playouts 64 did not end within the limit of plies";
    assert!(stderr(&output).contains(words), "{}", stderr(&output));
    assert_eq!(stderr(&search("tictactoe --playouts 64")), "", "nothing to complain about");
}

#[test]
fn a_search_has_two_clocks() {
    let document = json(&search("connectfour --playouts 20000 --json"));
    for clock in ["seconds", "cpu_seconds"] {
        assert!(document[clock].as_f64().is_some_and(|time| time > 0.0), "{clock}: {document}");
    }
    assert!(stdout(&search("tictactoe --playouts 100")).contains(" s of CPU)"));
}

#[test]
fn a_checked_search_finds_nothing_wrong() {
    let what = "connectfour --playouts 2000 --clusters 2";
    assert_eq!(answer(&format!("{what} --check 0.3")), answer(what));
}

#[test]
fn when_no_cluster_is_left_what_was_finished_is_printed() {
    let output = search("connectfour --playouts 100000 --clusters 2 --kill 0@6 --kill 1@6 --json");
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    let text = stderr(&output);
    assert!(text.contains("cluster 0 is lost") && text.contains("nobody is left"), "{text}");
    let playouts = json(&output)["playouts"].as_u64().unwrap();
    assert!((1..100_000).contains(&playouts), "{playouts}");
}

#[test]
fn a_full_tree_does_not_stop_the_search() {
    let output = search("breakthrough --playouts 200000 --memory 1 --json");
    let document = json(&output);
    assert_eq!(document["tree"]["full"], true);
    assert_eq!(document["playouts"], 200000);
    assert!(document["tree"]["bytes"].as_u64().unwrap() <= 1 << 20);
}

#[test]
fn all_processors_search_unless_threads_are_said() {
    let processors = std::thread::available_parallelism().unwrap().get() as u64;
    let topology = |options: &str| {
        let document = json(&search(&format!("tictactoe --playouts 100 --json {options}")));
        let topology = &document["topology"];
        [&topology["clusters"], &topology["threads"]].map(|number| number.as_u64().unwrap())
    };
    let [clusters, threads] = topology("--order batch");
    assert!((1..=16).contains(&threads), "{threads}");
    assert!((processors / 2..=processors).contains(&(clusters * threads)), "{clusters}×{threads}");
    assert_eq!(topology("--threads 1"), [1, 1]);
    assert_eq!(topology("--transport model"), [1, 1], "its processors are not ours");
    let text = search("tictactoe --playouts 100 --threads 1");
    assert!(stdout(&text).contains("clusters × threads 1×1, "), "{}", stdout(&text));
}

#[test]
fn numbers_are_taken_as_people_type_them() {
    let usual = answer("tictactoe --playouts 2000 --batch 64");
    assert_eq!(answer("tictactoe --playouts 2k --batch 6.4e1"), usual);
    assert_eq!(answer("tictactoe --playouts 2_000 --batch 64 --memory 1G"), usual);
}

#[test]
fn a_search_by_the_clock_ends() {
    let output = search("tictactoe --seconds 0.2 --json");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(json(&output)["playouts"].as_u64().unwrap() > 0);
}

#[test]
fn search_refuses_what_makes_no_sense() {
    let refuse = |arguments: &str, words: &[&str]| {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        assert_refused(&arguments, words);
    };
    refuse("search nosuchgame", &["nosuchgame", "bundled games"]);
    refuse("search tictactoe --threads 17", &["17", "a number of threads from 1 to 16"]);
    refuse("search tictactoe --check 0.5 --machine x.toml", &["Usage: ruche search"]);
    refuse("search tictactoe --playouts many", &["100k, 1e6"]);
    refuse("search tictactoe --clusters 0", &["0"]);
    refuse("search tictactoe --batch 0", &["batch"]);
    refuse("search tictactoe --playouts 0", &["playouts"]);
    refuse("search tictactoe --playouts 5 --seconds 1", &["cannot be used with"]);
    refuse("search tictactoe --strategy hope", &["restart"]);
    refuse("search tictactoe --clusters 2 --kill 5@1", &["clusters 0 to 1"]);
    refuse("search tictactoe --check 2", &["0 to 1"]);
    refuse("search tictactoe --transport mpi", &["mpi"]);
    refuse("search tictactoe --trace /nowhere/at/all.json", &["--trace"]);
}
