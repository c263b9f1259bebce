//! The `ruche` command as a person or a script meets it: exit codes, what goes
//! to stdout and what to stderr, the keys of the JSON.

mod support;

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;
use support::{assert_refused, code, file, json, path, ruche, stderr, stdout};

/// A lamp that can be pressed; after two presses the game is over.
const LAMP: &str = "
(role r)
(init (count 0)) (init (lamp off))
(succ 0 1) (succ 1 2)
(<= (legal r press) (true (lamp ?x)))
(<= (next (lamp on)) (does r press) (true (lamp off)))
(<= (next (lamp off)) (does r press) (true (lamp on)))
(<= (next (count ?y)) (true (count ?x)) (succ ?x ?y))
(<= terminal (true (count 2)))
(<= (goal r 100) (true (lamp off)))
(<= (goal r 0) (true (lamp on)))
";

const LAMP_TRACE: &str = r#"{"playout":0,"ply":0,"state":["(count 0)","(lamp off)"],"terminal":false,"legal":{"r":["press"]},"joint":["press"]}
{"playout":0,"ply":1,"state":["(count 1)","(lamp on)"],"terminal":false,"legal":{"r":["press"]},"joint":["press"]}
{"playout":0,"ply":2,"state":["(count 2)","(lamp off)"],"terminal":true,"goals":{"r":100}}
"#;

#[test]
fn compile_prints_the_keys_that_scripts_rely_on() {
    let lamp = file("keys.kif", LAMP);
    let output = ruche(&["compile", &lamp, "--json"]);
    assert_eq!(code(&output), 0);
    let report = json(&output);
    assert_eq!(report["game"], Value::from(lamp));
    assert_eq!((&report["roles"], &report["moves"]), (&Value::from(1), &Value::from(1)));
    for key in ["fluents", "clauses", "strata", "slots", "bytecode_bytes", "image_bytes"] {
        assert!(report[key].is_u64(), "{key} in {report}");
    }
    assert!(report["seconds"].is_f64());
    let gates = ["legal", "next", "goal"].map(|section| report["gates"][section].as_u64().unwrap());
    assert_eq!(report["gates"]["total"], Value::from(gates.iter().sum::<u64>()));
    let fits = &report["fits"];
    assert_eq!((&fits["cores"], &fits["word"]), (&Value::from(16), &Value::from(64)));
    let bytes = fits["bytes"].as_u64().unwrap() + fits["free"].as_u64().unwrap();
    assert_eq!(bytes, 2 * 1024 * 1024);
}

#[test]
fn the_parts_of_the_memory_add_up() {
    let lamp = file("parts.kif", LAMP);
    let report = json(&ruche(&["compile", &lamp, "--json"]));
    let parts = report["memory"].as_array().unwrap();
    let sum: u64 = parts.iter().map(|part| part["bytes"].as_u64().unwrap()).sum();
    assert_eq!(report["fits"]["bytes"], Value::from(sum));
    let names: Vec<&str> = parts.iter().map(|part| part["part"].as_str().unwrap()).collect();
    assert_eq!(names, ["code", "stacks", "queues", "image", "slots", "players"]);
}

#[test]
fn compile_tells_a_person_the_same() {
    let lamp = file("person.kif", LAMP);
    let output = ruche(&["compile", &lamp]);
    for words in ["ground clauses", "slots × 16 cores × 64 lanes", "fits in 2,097,152 bytes"] {
        assert!(stdout(&output).contains(words), "no `{words}` in: {}", stdout(&output));
    }
}

#[test]
fn a_game_that_does_not_fit_is_a_no() {
    let lamp = file("tight.kif", LAMP);
    let output = ruche(&["compile", &lamp, "--budget", "100K", "--json"]);
    assert_eq!(code(&output), 1);
    assert_eq!(json(&output)["fits"], Value::Null);
    let output = ruche(&["compile", &lamp, "--budget", "100K"]);
    assert_eq!(code(&output), 1);
    assert!(stdout(&output).contains("does not fit in 102,400 bytes"), "{}", stdout(&output));
}

#[test]
fn every_bundled_game_fits() {
    for game in ruche_games::all() {
        let output = ruche(&["compile", game.name]);
        assert_eq!(code(&output), 0, "{}: {}{}", game.name, stdout(&output), stderr(&output));
    }
}

#[test]
fn an_image_stands_for_its_game() {
    let (lamp, trace) = (file("image.kif", LAMP), file("image.jsonl", LAMP_TRACE));
    let image = path("image.ruche");
    let image = image.to_str().unwrap();
    let compiled = json(&ruche(&["compile", &lamp, "-o", image, "--json"]));
    let loaded = json(&ruche(&["compile", image, "--json"]));
    for key in ["roles", "fluents", "moves", "gates", "strata", "slots", "bytecode_bytes", "fits"] {
        assert_eq!(compiled[key], loaded[key], "{key}");
    }
    assert_eq!((&loaded["clauses"], &loaded["seconds"]), (&Value::Null, &Value::Null));
    assert_eq!(code(&ruche(&["verify", image, &trace])), 0);
}

#[test]
fn verify_agrees_with_a_true_trace() {
    let (lamp, trace) = (file("true.kif", LAMP), file("true.jsonl", LAMP_TRACE));
    let output = ruche(&["verify", &lamp, &trace, &trace, "--json"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let result = json(&output);
    assert_eq!((&result["lines"], &result["ok"]), (&Value::from(6), &Value::from(true)));
    assert_eq!(result["first_difference"], Value::Null);
    assert_eq!(result["game"], Value::from(lamp.as_str()));
    let output = ruche(&["verify", &lamp, &trace]);
    assert!(stdout(&output).contains("all 3 lines agree"), "{}", stdout(&output));
}

#[test]
fn verify_names_the_first_difference() {
    let lamp = file("false.kif", LAMP);
    let trace = file("false.jsonl", LAMP_TRACE.replace("(lamp on)", "(lamp red)"));
    let output = ruche(&["verify", &lamp, &trace, "--json"]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    let result = json(&output);
    assert_eq!((&result["lines"], &result["ok"]), (&Value::from(2), &Value::from(false)));
    let difference = &result["first_difference"];
    assert_eq!(difference["file"], Value::from(trace.as_str()));
    assert_eq!((&difference["line"], &difference["what"]), (&2.into(), &"state".into()));
    assert_eq!(difference["expected"], serde_json::json!(["(lamp red)"]));
    assert_eq!(difference["found"], serde_json::json!(["(lamp on)"]));
    let output = ruche(&["verify", &lamp, &trace]);
    assert_eq!(code(&output), 1);
    let expected = format!("{trace}:2: state (playout 0, ply 1, lanes 1)\n");
    assert!(stdout(&output).contains(&expected), "{}", stdout(&output));
}

#[test]
fn unknown_games_are_refused_with_the_known_ones() {
    assert_refused(&["compile", "tic-tac"], &["neither", "did you mean tictactoe?", "othello"]);
    assert_refused(&["compile", "nothing.kif"], &["`nothing.kif`", "bundled games: "]);
    assert_refused(&["compile", env!("CARGO_TARGET_TMPDIR")], &["directory"]);
}

#[test]
fn wrong_descriptions_are_refused_with_the_place() {
    let wrong = file("wrong.kif", "(role r)\n(<= (legal r a) (true");
    assert_refused(&["compile", &wrong], &["wrong.kif:2:", "error"]);
    let noise: Vec<u8> = (0..=255).cycle().take(5000).collect();
    assert_refused(&["compile", &file("noise.kif", noise)], &["noise.kif:1:"]);
}

#[test]
fn damaged_images_are_refused_with_the_place() {
    let image = path("damaged.ruche");
    let image = image.to_str().unwrap();
    ruche(&["compile", "tictactoe", "-o", image]);
    let whole = fs::read(image).unwrap();
    let mut damaged = whole.clone();
    damaged[100] ^= 1;
    assert_refused(&["compile", &file("bit.ruche", damaged)], &["bit.ruche: byte 12: checksum"]);
    assert_refused(&["compile", &file("cut.ruche", &whole[..70])], &["byte 8", "cut off"]);
    let trace = file("damaged.jsonl", LAMP_TRACE);
    let length = u32::from_le_bytes(whole[8..12].try_into().unwrap()) as usize;
    let nameless = file("nameless.ruche", &whole[..length]);
    assert_eq!(code(&ruche(&["compile", &nameless])), 0, "an image needs no names to be measured");
    assert_refused(&["verify", &nameless, &trace], &["nameless.ruche", "without names"]);
}

#[test]
fn traces_that_are_none_are_refused() {
    let lamp = file("none.kif", LAMP);
    assert_refused(&["verify", &lamp, "nowhere.jsonl"], &["nowhere.jsonl: "]);
    assert_refused(&["verify", &lamp, &lamp], &["none.kif:2: "]);
    assert_refused(&["verify", &lamp, &file("none.jsonl", "\n")], &["none.jsonl", "empty"]);
}

/// What `ruche bench --signature` prints: a checksum over the results of 2,000
/// playouts of every bundled game. A change of results, be it in the rules of a
/// bundled game, in the random streams or in the order of moves, changes it; such a
/// commit replaces it here and says so in its last line, `Signature: …`. A change
/// that only makes something faster must leave it alone.
const SIGNATURE: &str = "292465e36ee01c27";

/// The signature that `ruche bench` prints with these options.
fn signature(options: &[&str]) -> String {
    let arguments = [&["bench", "--signature", "--json"], options].concat();
    let output = ruche(&arguments);
    assert_eq!(code(&output), 0, "{arguments:?}: {}", stderr(&output));
    json(&output)["signature"].as_str().unwrap().to_owned()
}

#[test]
fn the_signature_is_the_same_for_every_word() {
    for lanes in ["1", "8", "16", "32", "64", "128", "256", "512"] {
        assert_eq!(signature(&["--word", lanes]), SIGNATURE, "{lanes} lanes");
    }
}

#[test]
fn the_signature_is_the_same_for_every_engine_and_number_of_threads() {
    for lanes in ["8", "64", "512"] {
        for threads in ["2", "3"] {
            let options = ["--word", lanes, "--threads", threads, "--engine", "interpreter"];
            assert_eq!(signature(&options), SIGNATURE, "{options:?}");
        }
    }
    assert_eq!(signature(&["--threads", "3"]), SIGNATURE, "the fastest engine of this machine");
}

#[test]
fn a_signature_covers_its_games() {
    let output = ruche(&["bench", "--signature"]);
    let lines: Vec<&str> = stdout(&output).lines().collect();
    assert_eq!(lines.len(), ruche_games::all().len() + 1, "{}", stdout(&output));
    assert!(lines[lines.len() - 1].starts_with("Signature"), "{}", stdout(&output));
    assert!(stdout(&output).contains(SIGNATURE), "{}", stdout(&output));
    assert_ne!(signature(&["tictactoe"]), signature(&["nim"]), "other games, other results");
}

#[test]
fn bench_prints_the_keys_that_scripts_rely_on() {
    let options = ["tictactoe", "nim", "--word", "64", "--threads", "2", "--seconds", "0.05"];
    let output = ruche(&[&["bench", "--json"], &options[..]].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let measured = json(&output);
    let rows = measured.as_array().unwrap();
    assert_eq!((&rows[0]["game"], &rows[1]["game"]), (&"tictactoe".into(), &"nim".into()));
    for row in rows {
        assert_eq!((&row["word"], &row["threads"]), (&64.into(), &2.into()));
        let playouts = row["playouts"].as_u64().unwrap();
        assert!(row["plies"].as_u64().unwrap() > playouts, "these games last several plies");
        for (rate, time) in
            [("playouts_per_cpu_second", "cpu_seconds"), ("playouts_per_second", "wall_seconds")]
        {
            let product = row[rate].as_f64().unwrap() * row[time].as_f64().unwrap();
            assert!((product / playouts as f64 - 1.0).abs() < 1e-6, "{rate} in {row}");
        }
    }
}

#[test]
fn bench_tells_a_person_the_same() {
    let output = ruche(&["bench", "tictactoe", "--word", "64", "--seconds", "0.05", "--breakdown"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let lines: Vec<&str> = stdout(&output).lines().collect();
    assert_eq!(lines.len(), 2, "a heading and a game: {}", stdout(&output));
    for words in ["game", "lanes", "plies", "playouts/s of CPU"] {
        assert!(lines[0].contains(words), "no `{words}` in: {}", lines[0]);
    }
    for words in ["tictactoe", " 64 ", "gates ", "chooser ", "goals ", "refill "] {
        assert!(lines[1].contains(words), "no `{words}` in: {}", lines[1]);
    }
    assert_eq!(stderr(&output), "", "nothing to complain about");
}

#[test]
fn bench_refuses_what_it_cannot_play() {
    assert_refused(&["bench", "tic-tac"], &["neither", "did you mean tictactoe?"]);
    assert_refused(&["bench", "nim", "nothing.kif"], &["`nothing.kif`"]);
    let wrong = file("bench-wrong.kif", "(role r)\n(<= (legal r a) (true");
    assert_refused(&["bench", &wrong], &["bench-wrong.kif:2:", "error"]);
    assert_refused(&["bench", "nim", "--word", "7"], &["1, 8, 16, 32, 64, 128, 256, 512"]);
    assert_refused(&["bench", "nim", "--threads", "0"], &["a number of threads from 1 to 4096"]);
    for seconds in ["0", "-1", "NaN", "soon", "1e300"] {
        let option = format!("--seconds={seconds}");
        assert_refused(&["bench", "nim", &option], &["a number of seconds, such as 2 or 0.5"]);
    }
    assert_refused(&["bench", "nim", "--plies", "0"], &["--plies"]);
    assert_refused(&["bench", "nim", "--signature", "--seconds", "1"], &["--signature"]);
    let native = ["bench", "nim", "--word", "8", "--engine", "native"];
    assert_refused(&native, &["nim: native code", "interpret the image"]);
}

#[test]
fn a_game_without_end_is_reported_once_by_name() {
    let endless = "
        (role r) (init (step 0)) (legal r wait) (goal r 100)
        (<= (next (step 0)) (true (step 0))) (<= terminal (not (true (step 0))))";
    let endless = file("endless.kif", endless);
    let arguments = ["bench", &endless, "nim", "--plies", "20", "--seconds", "0.05", "--json"];
    let output = ruche(&arguments);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let complaints: Vec<&str> = stderr(&output).lines().collect();
    assert_eq!(complaints.len(), 1, "{}", stderr(&output));
    for words in ["endless", "did not end within the limit of plies"] {
        assert!(complaints[0].contains(words), "no `{words}` in: {}", complaints[0]);
    }
    let rows = json(&output);
    assert_eq!(rows[0]["cut"]["endless"], rows[0]["playouts"], "all are cut and counted");
    assert_eq!(rows[0]["plies"].as_u64(), rows[0]["playouts"].as_u64().map(|count| 20 * count));
    assert_eq!(rows[1]["cut"]["endless"], Value::from(0), "the other game is none of it");
}

#[test]
fn states_without_a_move_and_ends_without_a_goal_are_reported() {
    let stuck = "
        (role r) (init (step 0)) (<= (legal r go) (true (step 0))) (goal r 100)
        (<= (next (step 1)) (does r go)) (<= terminal (true (step 2)))";
    let goalless = "
        (role r) (init (step 0)) (legal r go)
        (<= (next (step 1)) (does r go)) (<= terminal (true (step 1)))
        (<= (goal r 50) (true (step 0)))";
    for (name, rules, words) in [
        ("stuck.kif", stuck, "stuck: of"),
        ("goalless.kif", goalless, "without exactly one goal for each role"),
    ] {
        let output = ruche(&["bench", &file(name, rules), "--seconds", "0.05"]);
        assert_eq!(code(&output), 0, "{name}: {}", stderr(&output));
        assert_eq!(stderr(&output).lines().count(), 1, "{name}: {}", stderr(&output));
        assert!(stderr(&output).contains(words), "{name}: {}", stderr(&output));
    }
}

#[test]
fn wrong_usage_is_refused_with_help() {
    assert_refused(&[], &["Usage"]);
    assert_refused(&["verify", "tictactoe"], &["TRACE.jsonl"]);
    assert_refused(&["compile", "tictactoe", "--budget", "much"], &["2097152, 2048K or 2M"]);
    let unwritable = path("no/such/folder");
    assert_refused(&["compile", "tictactoe", "-o", unwritable.to_str().unwrap()], &["-o"]);
}

#[test]
fn the_version_says_commit_features_and_vector_units() {
    let output = ruche(&["--version"]);
    let lines: Vec<&str> = stdout(&output).lines().collect();
    assert!(lines[0].starts_with("ruche 0.") && lines[0].ends_with(')'), "{lines:?}");
    let names = ["ruche", "features", "vector units", "widest word"];
    assert_eq!(lines.len(), names.len(), "{lines:?}");
    for (line, name) in lines.iter().zip(names) {
        assert!(line.starts_with(name) && line.len() > name.len(), "{name}: {line}");
    }
    assert_eq!(stdout(&ruche(&["-V"])).lines().collect::<Vec<_>>(), &lines[..1]);
}

#[test]
fn help_has_examples_and_exit_codes() {
    for command in ["compile", "verify"] {
        let output = ruche(&[command, "--help"]);
        assert_eq!(code(&output), 0);
        assert!(stdout(&output).contains("Examples:"), "{}", stdout(&output));
        assert!(stdout(&output).contains("Exit codes:"), "{}", stdout(&output));
    }
}

#[test]
fn help_fits_into_a_small_terminal() {
    for command in ["compile", "verify", "bench", "search", "study"] {
        let help = Command::new(env!("CARGO_BIN_EXE_ruche"))
            .args([command, "--help"])
            .env("COLUMNS", "50")
            .output()
            .unwrap();
        // Usage and examples are to be copied, and stay in one line.
        let prose = stdout(&help).lines().filter(|line| !line.contains("ruche "));
        let long: Vec<&str> = prose.filter(|line| line.chars().count() > 50).collect();
        assert_eq!(long, [""; 0], "{command}");
    }
}

#[test]
fn typing_errors_are_understood() {
    for (typed, meant) in [("breaktrough", "breakthrough"), ("connect4", "connectfour")] {
        assert_refused(&["search", typed], &[&format!("did you mean {meant}?")]);
    }
    assert_refused(&["study", "quik"], &["did you mean quick?", "fig6.7"]);
}

#[test]
fn a_game_may_come_on_standard_input() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ruche"))
        .args(["compile", "-", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(LAMP.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((code(&output), &json(&output)["moves"]), (0, &1.into()));
}

#[test]
fn a_mistake_is_answered_with_the_usage_of_its_command() {
    let arguments = ["bench", "nim", "--transport", "board", "--seconds", "1"];
    assert_refused(&arguments, &["--seconds means nothing", "Usage: ruche bench"]);
}
