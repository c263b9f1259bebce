//! `ruche match` as a person or a script meets it.

mod support;

use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use support::{assert_refused, code, file, json, path, ruche, stderr, stdout};

/// A short match of these options, as one document.
fn document(options: &str) -> Value {
    let arguments: Vec<&str> = ["match"].into_iter().chain(options.split(' ')).collect();
    let output = ruche(&[&arguments[..], &["--json"]].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    json(&output)
}

#[test]
fn match_prints_the_keys_that_scripts_rely_on() {
    let found = document("tictactoe,connectfour default random --playouts 100 --games 5");
    assert_eq!((&found["a"], &found["b"]), (&"default".into(), &"random".into()));
    assert_eq!((&found["games"], &found["sprt"]), (&12.into(), &Value::Null), "whole pairs");
    let score = found["score"].as_f64().unwrap();
    assert!((0.5..=1.0).contains(&score), "{score}");
    for key in ["elo", "elo_low", "elo_high"] {
        assert!(found[key].is_f64() || found[key].is_null(), "{key}: {}", found[key]);
    }
    assert!(found["settings"]["a"].as_str().unwrap().contains("exploration=0.175"));
    let results = found["results"].as_array().unwrap();
    assert_eq!(results.len(), 12);
    for result in results {
        assert!(["tictactoe", "connectfour"].contains(&result["game"].as_str().unwrap()));
        assert!(result["seed"].is_u64() && result["plies"].as_u64() > Some(4), "{result}");
        assert!(result["goals"].as_array().unwrap().iter().all(Value::is_u64), "{result}");
    }
    assert_eq!(results[0]["roles"], Value::from(["a", "b"].as_slice()));
    assert_eq!(results[1]["roles"], Value::from(["b", "a"].as_slice()));
    assert_eq!(results[0]["seed"], results[1]["seed"]);
    let by_game = found["by_game"].as_array().unwrap();
    assert_eq!(by_game.len(), 2);
    assert_eq!((&by_game[1]["game"], &by_game[1]["games"]), (&"connectfour".into(), &6.into()));
    let sum =
        ["wins", "draws", "losses"].map(|key| found[key].as_u64().unwrap()).iter().sum::<u64>();
    assert_eq!(sum, 12);
}

#[test]
fn a_person_sees_a_table_of_games() {
    let output = ruche(
        &"match tictactoe,nim default random --playouts 100 --games 4 --sprt -10,300"
            .split(' ')
            .collect::<Vec<_>>(),
    );
    for words in
        ["A  default", "B  random", "100 playouts for a move", "95 % interval", "\nnim", "\ntotal"]
    {
        assert!(stdout(&output).contains(words), "no `{words}` in: {}", stdout(&output));
    }
    assert!(stdout(&output).contains("SPRT -10 or 300 Elo"), "{}", stdout(&output));
    assert_eq!(stderr(&output), "");
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let with = |options: &str| {
        document(&format!("tictactoe,connectfour default exploration=2 --playouts 300 {options}"))
    };
    let (one, two) = (with("--games 12 --threads 1"), with("--games 12 --threads 2"));
    assert_eq!(one, two);
    assert_ne!(one["results"], with("--games 12 --seed 1")["results"]);
    let sprt = "--games 200 --sprt -100,100 --threads";
    let with =
        |threads| document(&format!("tictactoe default random --playouts 64 {sprt} {threads}"));
    let (one, two) = (with(1), with(2));
    assert_eq!(one, two);
    assert!(one["games"].as_u64().unwrap() < 200, "it was decided early: {}", one["sprt"]);
}

#[test]
fn a_rejected_test_is_a_no() {
    let line = "match tictactoe random default --playouts 64 --games 200 --sprt 0,100 --json";
    let output = ruche(&line.split(' ').collect::<Vec<_>>());
    assert_eq!((code(&output), &json(&output)["sprt"]), (1, &"rejected".into()));
    let open = document("tictactoe default default --playouts 64 --games 2 --sprt 0,5");
    assert_eq!((&open["sprt"], open["llr"].is_f64()), (&"open".into(), true));
}

#[test]
fn games_may_be_limited_by_time() {
    let found = document("tictactoe default random --seconds 0.01 --games 2");
    assert!(found["settings"]["a"].as_str().unwrap().ends_with("seconds=0.01"));
    assert_eq!(found["games"], 2);
}

#[test]
fn a_match_that_was_killed_goes_on() {
    let log = path("killed.jsonl");
    let _ = fs::remove_file(&log);
    let log = log.to_str().unwrap();
    let options = "connectfour default exploration=0.3 --playouts 3000 --games 30 --seed 4";
    let mut child = Command::new(env!("CARGO_BIN_EXE_ruche"))
        .args(["match"].into_iter().chain(options.split(' ')).chain(["-o", log]))
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let lines = || fs::read_to_string(log).unwrap_or_default().lines().count();
    while lines() < 4 {
        assert!(child.try_wait().unwrap().is_none(), "it has ended");
        thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = fs::read_to_string(log).unwrap();
    assert!(before.lines().count() < 31, "it was killed too late");
    // As if it had been killed in the middle of a line.
    fs::write(log, format!("{before}{{\"game\":\"conn")).unwrap();
    let found = document(&format!("{options} -o {log}"));
    assert_eq!(found, document(options), "as if nothing had happened");
    let after = fs::read_to_string(log).unwrap();
    assert!(after.starts_with(&before), "what was played is not played again");
    assert_eq!(after.lines().count(), 31);
}

#[test]
fn a_file_of_another_match_is_refused() {
    let log = path("other.jsonl");
    let _ = fs::remove_file(&log);
    let log = log.to_str().unwrap();
    document(&format!("nim default random --playouts 64 --games 2 -o {log}"));
    let other = ["match", "nim", "default", "legal", "--playouts", "64", "-o", log];
    assert_refused(&other, &["other.jsonl", "another match", "B was `random` and is `legal` now"]);
    let other = ["match", "nim", "default", "random", "--playouts", "65", "-o", log];
    assert_refused(&other, &["A was `", "playouts=64` and is `", "playouts=65`"]);
    let letter = file("letter.txt", "Dear Sir");
    assert_refused(&["match", "nim", "random", "legal", "-o", &letter], &["no line of a match"]);
    assert_eq!(fs::read_to_string(letter).unwrap(), "Dear Sir");
    assert_refused(&["match", "nim", "random", "legal", "-o", "/"], &["give a path"]);
}

#[test]
fn what_makes_no_sense_is_refused_with_what_was_perhaps_meant() {
    let refused = |line: &str, words: &[&str]| {
        assert_refused(&["match"].into_iter().chain(line.split(' ')).collect::<Vec<_>>(), words);
    };
    refused("connectfuor default random", &["did you mean connectfour?"]);
    refused("nim,nim default random", &["nim is named twice"]);
    refused("nim default exploratoin=1", &["B, `exploratoin=1`", "did you mean exploration?"]);
    refused("nim bathc=1 default", &["A, `bathc=1`", "did you mean batch?"]);
    refused("nim batch=0 default", &["batch: 0 is not in 1 to"]);
    refused("nim batch=1,batch=2 default", &["batch is set twice"]);
    refused("nim default memory=lots", &["give a number of megabytes"]);
    refused("nim default", &["required"]);
    refused("nim default random --sprt 5,0", &["the smaller one first"]);
    refused("nim default random --sprt 5", &["two differences in Elo"]);
    refused("nim default random --sprt 0,5 --alpha 2", &["alpha 2: give an error rate"]);
    refused("nim default random --alpha 0.1", &["--sprt"]);
    refused("nim default random --playouts 0", &["playouts: 0 is not in 1 to"]);
    refused("nim default random --games 0", &["give a number of games"]);
    refused("nim default random --playouts 5 --seconds 1", &["cannot be used with"]);
}

#[test]
fn the_help_says_how() {
    let output = ruche(&["match", "--help"]);
    assert_eq!(code(&output), 0);
    for words in ["Examples:", "ruche match connectfour", "--sprt", "playouts-per-position"] {
        assert!(stdout(&output).contains(words), "no `{words}`");
    }
}

/// The flags of `ruche search` that are settings of a search are those that contestants have.
#[test]
fn contestants_have_the_settings_of_a_search() {
    let output = ruche(&["match", "nim", "default", "nothing=1"]);
    let (_, possible) = stderr(&output).split_once("possible: ").unwrap();
    let possible: Vec<&str> = possible.lines().next().unwrap().split(", ").collect();
    let help = ruche(&["search", "--help"]);
    let (_, search) = stdout(&help).split_once("Search:").unwrap();
    let (search, _) = search.split_once("Machine:").unwrap();
    let flags = search.lines().filter_map(|line| line.trim().strip_prefix("--"));
    let flags: Vec<&str> = flags.filter_map(|flag| flag.split(' ').next()).collect();
    let elsewhere = ["moves", "seed", "check"];
    for flag in flags.iter().filter(|flag| !elsewhere.contains(flag)) {
        assert!(possible.contains(flag), "--{flag} is no setting of a contestant: {possible:?}");
    }
    // A search may have several threads; games of a match are played on one each.
    let mut settings = possible.iter().filter(|key| **key != "thread-seconds");
    assert!(settings.all(|key| flags.contains(key)), "{possible:?} and {flags:?}");
}
