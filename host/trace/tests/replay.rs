//! Traces of a small game, right and wrong in every way that a trace can be.

#[path = "../../../shared/tests/support/mod.rs"]
mod support;

use ruche_compiler::symbols::{Source, SymbolTable};
use ruche_game::{Game, Names, NamesError};
use ruche_trace::{Difference, ReplayError, Trace, verify};
use support::line_of_three;

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn table() -> SymbolTable {
    let fluents = ["x1", "x2", "x3", "o1", "o2", "o3", "control"];
    let sources = (0..).map(Source::Fluent);
    let mut fluents: Vec<(String, Source)> = owned(&fluents).into_iter().zip(sources).collect();
    fluents.push(("always".to_owned(), Source::Always));
    let moves = ["(mark 1)", "(mark 2)", "(mark 3)", "noop"];
    SymbolTable { roles: owned(&["x", "o"]), moves: owned(&[moves, moves].concat()), fluents }
}

fn game() -> Game {
    let image = line_of_three(false).encode();
    Game::of_image("line", &[image.bytes(), &table().to_bytes()[..]].concat()).unwrap()
}

/// A playout in which x marks 2 and 1 while o marks 3.
const GOOD: [&str; 4] = [
    r#"{"playout":0,"ply":0,"state":["always","control"],"terminal":false,"legal":{"x":["(mark 1)","(mark 2)","(mark 3)"],"o":["noop"]},"joint":["(mark 2)","noop"]}"#,
    r#"{"playout":0,"ply":1,"state":["always","x2"],"terminal":false,"legal":{"x":["noop"],"o":["(mark 1)","(mark 3)"]},"joint":["noop","(mark 3)"]}"#,
    r#"{"playout":0,"ply":2,"nstate":4,"state_sha1":"STATE","terminal":false,"nlegal":{"x":1,"o":1},"legal_sha1":{"x":"LEGAL","o":"bd9b6fa6ff953cbee48ce28a3f6c91859e53be7d"},"joint":["(mark 1)","noop"]}"#,
    r#"{"playout":0,"ply":3,"state":["always","o3","x1","x2"],"terminal":true,"goals":{"x":100,"o":0}}"#,
];

fn sha1(text: &str) -> String {
    sha1_smol::Sha1::from(text).digest().to_string()
}

fn good() -> Vec<String> {
    let mut lines = owned(&GOOD);
    lines[2] = lines[2].replace("STATE", &sha1("always\ncontrol\no3\nx2"));
    lines[2] = lines[2].replace("LEGAL", &sha1("(mark 1)"));
    lines
}

fn replay(lines: &[String]) -> Result<Option<Difference>, ReplayError> {
    let trace = Trace::parse("t.jsonl".to_owned(), &lines.join("\n")).unwrap();
    verify(&game(), &trace, || ())
}

/// The difference after a change of one line.
fn changed(line: usize, from: &str, to: &str) -> Difference {
    let mut lines = good();
    assert!(lines[line].contains(from), "nothing to change");
    lines[line] = lines[line].replacen(from, to, 1);
    replay(&lines).unwrap().expect("a difference")
}

fn assert_difference(found: &Difference, line: usize, what: &str, sides: [&[&str]; 2]) {
    assert_eq!((found.file.as_str(), found.line), ("t.jsonl", line));
    assert_eq!(found.what, what);
    assert_eq!([&found.expected, &found.found], sides.map(owned).each_ref());
}

#[test]
fn a_true_trace_has_no_difference() {
    assert_eq!(replay(&good()).unwrap(), None);
    let mut twice = good();
    twice.extend(good().iter().map(|line| line.replace("\"playout\":0", "\"playout\":1")));
    assert_eq!(replay(&twice).unwrap(), None);
}

#[test]
fn every_line_is_replayed_with_both_words() {
    let trace = Trace::parse("t.jsonl".to_owned(), &good().join("\n")).unwrap();
    let mut lines = 0;
    verify(&game(), &trace, || lines += 1).unwrap();
    assert_eq!(lines, ruche_trace::replay::PASSES * 4);
}

#[test]
fn the_initial_state_is_compared() {
    let found = changed(0, "\"control\"", "\"x1\",\"nowhere\"");
    assert_difference(&found, 1, "state", [&["nowhere", "x1"], &["control"]]);
    assert_eq!((found.playout, found.ply, found.word), (0, 0, 1));
}

#[test]
fn the_next_state_is_compared() {
    let found = changed(1, "\"x2\"", "\"x3\"");
    assert_difference(&found, 2, "state", [&["x3"], &["x2"]]);
    let found = changed(1, "\"always\",", "");
    assert_difference(&found, 2, "state", [&[], &["always"]]);
}

#[test]
fn terminal_is_compared() {
    let found = changed(0, "\"terminal\":false", "\"terminal\":true");
    assert_difference(&found, 1, "terminal", [&["true"], &["false"]]);
}

#[test]
fn legal_moves_are_compared() {
    let found = changed(1, "\"(mark 3)\"]}", "\"noop\"]}");
    assert_difference(&found, 2, "legal moves of o", [&["noop"], &["(mark 3)"]]);
}

#[test]
fn digests_are_compared() {
    let found = changed(2, "\"nstate\":4", "\"nstate\":5");
    assert_eq!((found.line, found.what.as_str()), (3, "state"));
    assert!(found.expected[0].starts_with("5 texts") && found.found[0].starts_with("4 texts"));
    let found = changed(2, "bd9b", "bd9c");
    assert_eq!(found.what, "legal moves of o");
}

#[test]
fn goals_are_compared() {
    let found = changed(3, "\"x\":100", "\"x\":99");
    assert_difference(&found, 4, "goals of x", [&["99"], &["100"]]);
    let found = changed(3, "\"x\":100", "\"x\":null");
    assert_difference(&found, 4, "goals of x", [&["not exactly one"], &["100"]]);
    let found = changed(3, "\"goals\":{", "\"goals_raw\":{\"o\":[\"0\",\"50\"]},\"goals\":{");
    assert_difference(&found, 4, "goals of o", [&["0, 50"], &["0"]]);
}

#[test]
fn a_role_without_a_goal_has_the_goal_null() {
    let full = r#"{"playout":0,"ply":3,"state":["always","o2","x1","x3"],"terminal":true,"goals":{"x":null,"o":null},"goals_raw":{"x":[],"o":["win"]}}"#;
    assert_eq!(replay(&owned(&[full])).unwrap(), None);
    let found = replay(&owned(&[&full.replacen("null", "0", 1)])).unwrap().unwrap();
    assert_difference(&found, 1, "goals of x", [&["0"], &["none"]]);
}

#[test]
fn strangers_are_named() {
    let found = changed(0, "\"o\":", "\"y\":");
    assert_difference(&found, 1, "roles", [&["y"], &["x, o"]]);
    let found = changed(1, "\"noop\",\"(mark 3)\"]}", "\"noop\",\"(mark 4)\"]}");
    assert_difference(&found, 2, "joint move of o", [&["(mark 4)"], &["no such move"]]);
    let found = changed(1, "[\"noop\",\"(mark 3)\"]}", "[\"noop\"]}");
    assert_difference(&found, 2, "joint move", [&["1 moves"], &["2 roles"]]);
}

#[test]
fn after_skipped_plies_the_line_tells_the_state() {
    let lines = good();
    let skipped = [lines[0].clone(), lines[3].clone()];
    assert_eq!(replay(&skipped).unwrap(), None);
    let lost = [lines[0].clone(), lines[2].clone()];
    let error = replay(&lost).unwrap_err().to_string();
    assert!(error.starts_with("t.jsonl:2: the line does not follow"), "{error}");
}

#[test]
fn an_image_without_names_cannot_be_verified() {
    let trace = Trace::parse("t.jsonl".to_owned(), &good().join("\n")).unwrap();
    let bare = Game::of_image("bare", game().image_bytes()).unwrap();
    let error = verify(&bare, &trace, || ()).unwrap_err().to_string();
    assert!(error.starts_with("bare: the image comes without names"), "{error}");
}

#[test]
fn positions_and_states_are_inverse() {
    let bytes = line_of_three(false).encode();
    let image = bytes.parse().unwrap();
    let mut table = table();
    table.fluents.push(("idle".to_owned(), Source::Negated(6)));
    table.fluents.push(("twin".to_owned(), Source::Fluent(1)));
    let names = Names::new(&image, table).unwrap();
    assert_eq!(names.true_in(&[0]), ["always", "idle"]);
    let state = owned(&["always", "control", "o3", "twin", "x2"]);
    assert_eq!(names.position(&state), [1 << 1 | 1 << 5 | 1 << 6]);
    assert_eq!(names.true_in(&names.position(&state)), state);
    assert_eq!(names.find_move(1, "noop"), Some(3));
    assert_eq!((names.find_move(1, "jump"), names.find_move(2, "noop")), (None, None));
}

#[test]
fn names_of_another_image_are_refused() {
    let bytes = line_of_three(false).encode();
    let image = bytes.parse().unwrap();
    let refused = |change: fn(&mut SymbolTable)| {
        let mut table = table();
        change(&mut table);
        Names::new(&image, table).unwrap_err()
    };
    let roles = refused(|table| table.roles.truncate(1));
    assert_eq!(roles, NamesError::Count { what: "roles", needed: 2, found: 1 });
    let moves = refused(|table| table.moves.push("more".to_owned()));
    assert_eq!(moves, NamesError::Count { what: "moves", needed: 8, found: 9 });
    let fluent = refused(|table| table.fluents[2].1 = Source::Negated(7));
    assert_eq!(fluent, NamesError::Fluent { text: "x3".to_owned() });
}
