//! `ruche ugi` and `ruche analyse`, as other programs use them.

mod support;

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use support::{assert_refused, code, ruche_told, stdout};

#[test]
fn an_arena_is_answered() {
    let said = "ugi\nisready\nuginewgame\nposition startpos\nquery p1turn\n\
        position startpos moves (mark,1,1) (mark,2,1) (mark,1,2) (mark,2,2)\ngo nodes 200\n\
        position startpos moves (mark,1,1) (mark,2,1) (mark,1,2) (mark,2,2) (mark,1,3)\n\
        query gameover\nquery result\nposition startpos moves (fly)\nhello\n";
    let output = ruche_told(&["ugi", "tictactoe", "--threads", "1"], said);
    let text = stdout(&output);
    assert_eq!(code(&output), 0, "{text}");
    for expected in [
        "ugiok\n",
        "readyok\n",
        "response true\n",
        "bestmove (mark,1,3)\n",
        "response p1win\n",
        "info string move 1: `(fly)` is not legal",
        "info string `hello` is not known",
    ] {
        assert!(text.contains(expected), "no `{expected}` in {text}");
    }
    assert_refused(&["ugi", "eightpuzzle"], &["for two roles, and eightpuzzle has 1"]);
}

#[test]
fn an_endless_search_can_be_stopped() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ruche"))
        .args(["ugi", "breakthrough", "--threads", "1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    input.write_all(b"go infinite\nisready\n").unwrap();
    assert_eq!(lines.next().unwrap().unwrap(), "readyok", "it is asked while it thinks");
    std::thread::sleep(std::time::Duration::from_millis(200));
    input.write_all(b"stop\nquit\n").unwrap();
    assert!(lines.any(|line| line.unwrap().starts_with("bestmove (move")));
    assert!(child.wait().unwrap().success());
}

#[test]
fn queries_are_answered_line_by_line() {
    let said = r#"{"id": "a", "playouts": 300}
{"id": 2, "moves": "(mark 1 1); (mark 2 1); (mark 1 2); (mark 2 2)"}
not json

{"id": 3, "moves": "(mark 9 9)"}
{"id": 4, "playouts": 5, "seconds": 1}
"#;
    let output = ruche_told(&["analyse", "tictactoe", "--threads", "1"], said);
    assert_eq!(code(&output), 0);
    let answers: Vec<Value> =
        stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [first, second, odd, illegal, both] = &answers[..] else { panic!("{answers:?}") };
    assert_eq!(
        (&first["id"], first["roles"]["x"]["moves"].as_array().unwrap().len()),
        (&json!("a"), 9)
    );
    assert_eq!(second["best"]["x"], "(mark 1 3)");
    assert_eq!(second["roles"]["x"]["proven"], 100.0);
    assert!(odd["error"].as_str().unwrap().starts_with("no query"), "{odd}");
    assert_eq!(illegal["id"], 3);
    assert!(illegal["error"].as_str().unwrap().contains("not legal"), "{illegal}");
    assert!(both["error"].as_str().unwrap().contains("not both"), "{both}");
}
