//! `ruche player`, `ruche referee` and `ruche show` together.

mod support;

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use support::{code, json, path, ruche, stderr, stdout};

/// A player that ends with the test.
struct Player {
    child: Child,
    address: String,
}

impl Player {
    fn new() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_ruche"))
            .args(["player", "--port", "0", "--threads", "1"])
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let line = lines.next().unwrap().unwrap();
        let address = line.split(' ').next_back().unwrap().to_owned();
        // Whoever tells something must not wait for a reader.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, address }
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn two_players_finish_a_match_and_its_record_can_be_shown_and_verified() {
    let (a, b) = (Player::new(), Player::new());
    let file = path("referee.json");
    let file = file.to_str().unwrap();
    let line = ["referee", "tictactoe", &a.address, &b.address, "--start", "20", "--play", "2"];
    let output = ruche(&[&line[..], &["--scramble", "-o", file]].concat());
    assert_eq!(code(&output), 0, "{}{}", stdout(&output), stderr(&output));
    assert!(stdout(&output).contains(&a.address), "{}", stdout(&output));

    let output = ruche(&["verify", "tictactoe", file, "--json"]);
    assert_eq!((code(&output), &json(&output)["ok"]), (0, &true.into()));
    let shown = json(&ruche(&["show", "tictactoe", "--record", file, "--json"]));
    assert_eq!(shown["terminal"], true);
    assert_eq!(shown["goals"], serde_json::json!({ "x": 50, "o": 50 }), "both play well");
    let first = ruche(&["show", "tictactoe", "--record", file, "--ply", "0"]);
    assert!(stdout(&first).starts_with("cell\n3  . . .\n"), "{}", stdout(&first));
}

#[test]
fn a_match_takes_players_by_their_addresses() {
    let player = Player::new();
    let line = "match tictactoe default ADDRESS --playouts 200 --games 2 --json";
    let line = line.replace("ADDRESS", &player.address);
    let output = ruche(&line.split(' ').collect::<Vec<_>>());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let found = json(&output);
    assert_eq!(
        (&found["games"], &found["settings"]["b"]),
        (&2.into(), &player.address.clone().into())
    );
    let faults = serde_json::json!({ "late": 0, "illegal": 0 });
    assert_eq!((&found["faults"]["a"], &found["faults"]["b"]), (&faults, &faults));
    let line = line.replace(" --json", "").replace("--games 2", "--games 1");
    let output = ruche(&line.split(' ').collect::<Vec<_>>());
    assert!(stdout(&output).contains("late moves  illegal moves"), "{}", stdout(&output));
}

#[test]
fn players_of_our_own_need_no_network() {
    let output = ruche(&["referee", "nim", "random", "playouts=200", "--json"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let record = json(&output);
    assert_eq!((&record["end"], &record["errors"]), (&"terminal".into(), &serde_json::json!([])));
}

#[test]
fn whoever_cannot_play_is_named() {
    let wrong = |line: &str| {
        let output = ruche(&line.split(' ').collect::<Vec<_>>());
        assert_eq!(code(&output), 2, "{line}");
        stderr(&output).to_owned()
    };
    assert!(wrong("referee tictactoe random").contains("in this order: x o; 1 are given"));
    assert!(wrong("referee tictactoe random http://").contains("write http://HOST:PORT"));
    assert!(wrong("referee tictactoe random defualt").contains("did you mean default?"));
    assert!(wrong("show tictactoe --moves (mark_9_9)").contains("move 1: `(mark_9_9)`"));
    assert!(wrong("show tictactoe --record nowhere.json").contains("nowhere.json"));
    assert!(wrong("player --host 203.0.113.1").contains("choose another --port or --host"));
    let output = ruche(&["referee", "tictactoe", "random", "http://127.0.0.1:1", "--play", "1"]);
    assert_eq!(code(&output), 1, "moves had to be replaced");
    assert!(stdout(&output).contains("is the player running?"), "{}", stdout(&output));
}
