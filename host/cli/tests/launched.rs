//! What has no use for ranks of MPI is done by one of them, however it was launched.

mod support;

use std::process::{Command, Output};

use support::{code, json, path, ruche, stderr, stdout};

/// The command as rank `rank` of four. No MPI is needed: it is asked for only by what uses
/// ranks, and a program that is built without it says so.
fn rank(rank: &str, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ruche"))
        .args(arguments)
        .envs([("OMPI_COMM_WORLD_RANK", rank), ("OMPI_COMM_WORLD_SIZE", "4")])
        .output()
        .unwrap()
}

fn assert_done_once(arguments: &[&str]) {
    let first = rank("0", arguments);
    assert_eq!(code(&first), 0, "{arguments:?}: {}", stderr(&first));
    assert!(stderr(&first).contains("rank 0 does this alone"), "{arguments:?}");
    for other in ["1", "3"] {
        let other = rank(other, arguments);
        assert_eq!(code(&other), 0, "{arguments:?}: {}", stderr(&other));
        assert_eq!((stdout(&other), stderr(&other)), ("", ""), "{arguments:?}");
    }
}

#[test]
fn subcommands_without_ranks_are_done_once() {
    let trace = path("launched.jsonl");
    let trace = trace.to_str().unwrap();
    let traced = ruche(&["trace", "nim", "--games", "1", "-o", trace]);
    assert_eq!(code(&traced), 0, "{}", stderr(&traced));
    assert_done_once(&["compile", "nim"]);
    assert_done_once(&["trace", "nim", "--games", "1"]);
    assert_done_once(&["verify", "nim", trace]);
    assert_done_once(&["bench", "nim", "--seconds", "0.02"]);
    assert_done_once(&["bench", "--recommend", "nim", "--seconds", "0.5", "--threads", "1"]);
    assert_done_once(&["study", "--list"]);
    assert_done_once(&["study", "quick", "--show"]);
}

#[test]
fn a_search_without_ranks_is_done_once() {
    for transport in ["direct", "inproc", "model"] {
        let usual = ["search", "nim", "--decompose", "off", "--playouts", "100", "--json"];
        let arguments = [&usual[..], &["--transport", transport]].concat();
        assert_done_once(&arguments);
        assert_eq!(json(&rank("0", &arguments))["playouts"], 112, "{transport}");
    }
}

#[test]
fn a_player_without_ranks_is_there_once() {
    let other = rank("1", &["player", "--transport", "direct", "--port", "0"]);
    assert_eq!((code(&other), stdout(&other), stderr(&other)), (0, "", ""));
}

#[test]
fn a_wrong_command_line_is_explained_once() {
    let wrong = ["search", "nim", "--playouts", "many"];
    assert!(stderr(&rank("0", &wrong)).contains("--playouts"));
    let other = rank("2", &wrong);
    assert_eq!((code(&other), stderr(&other)), (2, ""));
}
