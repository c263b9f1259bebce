//! `ruche` when a person or the system stops it: what is done is printed, and the exit
//! status says who did it.

mod support;

use std::fs;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use support::{json, stderr, stdout};

const SIGINT: u32 = 2;
const SIGTERM: u32 = 15;

fn start(arguments: &str) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ruche"));
    command.args(arguments.split(' ')).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Whether the process has said that it wants to hear of a signal.
fn catches(child: &Child, signal: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
    u64::from_str_radix(mask.trim(), 16).unwrap() >> (signal - 1) & 1 == 1
}

fn send(child: &Child, signal: u32) {
    let arguments = [format!("-{signal}"), child.id().to_string()];
    assert!(Command::new("kill").args(arguments).status().unwrap().success());
}

/// Runs a command that would take long, and stops it when it has begun.
fn interrupted(arguments: &str, signal: u32) -> Output {
    let mut child = start(arguments);
    while !catches(&child, signal) {
        assert!(child.try_wait().unwrap().is_none(), "it has ended: ruche {arguments}");
        thread::sleep(Duration::from_millis(5));
    }
    thread::sleep(Duration::from_millis(300));
    send(&child, signal);
    child.wait_with_output().unwrap()
}

#[test]
fn an_interrupted_search_prints_what_it_has_found() {
    let output = interrupted("search connectfour --seconds 100 --json", SIGINT);
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    let document = json(&output);
    assert_eq!(document["stopped"], true);
    assert!(document["playouts"].as_u64().unwrap() > 0, "{document}");
    assert!(document["best"].is_array());
    assert!(stderr(&output).contains("once more stops at once"), "{}", stderr(&output));
}

#[test]
fn a_terminated_search_tells_a_person_the_same() {
    let output = interrupted("search connectfour --seconds 100", SIGTERM);
    assert_eq!(output.status.code(), Some(143), "{}", stderr(&output));
    for words in ["stopped before its limit", "expected line", "best: (drop"] {
        assert!(stdout(&output).contains(words), "no `{words}` in: {}", stdout(&output));
    }
}

#[test]
fn an_interrupted_benchmark_prints_what_it_has_measured() {
    let output = interrupted("bench tictactoe nim --seconds 100 --json", SIGINT);
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    let rows = json(&output);
    assert_eq!(rows.as_array().map(Vec::len), Some(1), "the game that was played: {rows}");
    assert_eq!((&rows[0]["game"], &rows[0]["stopped"]), (&"tictactoe".into(), &true.into()));
    assert!(rows[0]["playouts"].as_u64().unwrap() > 0, "{rows}");
    let output = interrupted("bench tictactoe nim --seconds 100", SIGTERM);
    assert_eq!(output.status.code(), Some(143), "{}", stderr(&output));
    assert!(stdout(&output).contains("\nstopped: "), "{}", stdout(&output));
}

#[test]
fn an_interrupted_match_prints_what_was_played() {
    let line = "match connectfour default random --playouts 200 --games 100000";
    let output = interrupted(&format!("{line} --json"), SIGINT);
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    let document = json(&output);
    let games = document["games"].as_u64().unwrap();
    assert!((2..100_000).contains(&games), "{games}");
    assert_eq!(document["results"].as_array().map(Vec::len), Some(games as usize));
    assert_eq!((&document["stopped"], &document["planned"]), (&true.into(), &100_000.into()));
    assert!(stderr(&output).contains("with -o FILE.jsonl it could go on"), "{}", stderr(&output));
    let output = interrupted(line, SIGTERM);
    assert_eq!(output.status.code(), Some(143), "{}", stderr(&output));
    assert!(stdout(&output).contains("95 % interval"), "{}", stdout(&output));
}

#[test]
fn a_match_of_long_searches_is_interrupted_at_once() {
    let output = interrupted("match breakthrough default default --seconds 1000 --json", SIGINT);
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    let document = json(&output);
    assert_eq!((&document["games"], &document["score"]), (&0.into(), &serde_json::Value::Null));
}

#[test]
fn whoever_is_not_interrupted_is_not_stopped() {
    let output = start("search connectfour --playouts 2000 --json").wait_with_output().unwrap();
    assert_eq!((output.status.code(), &json(&output)["stopped"]), (Some(0), &false.into()));
}
