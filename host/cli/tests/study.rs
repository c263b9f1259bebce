//! `ruche study` as a person or a script meets it: killed, stopped, started again.

mod support;

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use support::{assert_refused, code, file, json, path, ruche, stderr, stdout};

/// 36 samples of some milliseconds each.
const PLAN: &str = "\
title = \"A test\"
runs = 20
warm-up = 1
repetitions = 3

[[sweep]]
games = \"tictactoe\"
words = 64
batch = 16
strategies = [\"restart\", \"condvar\"]
clusters = \"1..2\"
threads = \"1..2\"

[[sweep]]
games = \"empty\"
bytes = \"200..800 step 200\"
";

const SAMPLES: usize = 3 * (8 + 4);

fn folder(name: &str) -> PathBuf {
    let path = path(name);
    let _ = fs::remove_dir_all(&path);
    path
}

fn samples(dir: &Path) -> Vec<Value> {
    let text = fs::read_to_string(dir.join("results.jsonl")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn whole_lines(dir: &Path) -> usize {
    let bytes = fs::read(dir.join("results.jsonl")).unwrap_or_default();
    bytes.iter().filter(|byte| **byte == b'\n').count()
}

/// Starts a study and waits until it has so many samples.
fn start(plan: &str, dir: &Path, wanted: usize) -> Child {
    let child = Command::new(env!("CARGO_BIN_EXE_ruche"))
        .args(["study", plan, "-o", dir.to_str().unwrap()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while whole_lines(dir) < wanted || !dir.join("lock").exists() {
        assert!(start.elapsed() < Duration::from_secs(60), "no {wanted} samples");
        std::thread::sleep(Duration::from_millis(1));
    }
    child
}

fn study(plan: &str, dir: &Path, more: &[&str]) -> Output {
    ruche(&[&["study", plan, "-o", dir.to_str().unwrap()], more].concat())
}

/// What tells a sample from others.
fn key(sample: &Value) -> String {
    let keys = ["game", "clusters", "threads", "strategy", "bytes", "repetition", "seed", "runs"];
    keys.map(|key| sample[key].to_string()).join(" ")
}

fn assert_complete(dir: &Path) {
    let samples = samples(dir);
    let keys: HashSet<String> = samples.iter().map(key).collect();
    assert_eq!((samples.len(), keys.len()), (SAMPLES, SAMPLES));
}

#[test]
fn a_study_writes_the_keys_that_scripts_rely_on() {
    let (plan, dir) = (file("keys.toml", PLAN), folder("study-keys"));
    let output = study(&plan, &dir, &["--json"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let report = json(&output);
    assert_eq!(report["samples"], Value::from(SAMPLES));
    assert_eq!((&report["complete"], &report["clock"]), (&true.into(), &"wall".into()));
    assert!(Path::new(report["report"].as_str().unwrap()).exists());
    assert_eq!(report["best"].as_array().unwrap().len(), 2);
    assert!(report["best"][0]["speed_up"].as_f64().unwrap() > 0.0);
    assert_complete(&dir);
    for sample in samples(&dir) {
        for key in ["plan", "game", "strategy", "mode", "clock", "signature", "machine"] {
            assert!(sample[key].is_string(), "{key} in {sample}");
        }
        for key in ["clusters", "threads", "word", "batch", "playouts_per_second", "run_seconds"] {
            assert!(sample[key].as_f64().unwrap() > 0.0, "{key} in {sample}");
        }
    }
    assert_eq!(fs::read_to_string(dir.join("plan.toml")).unwrap(), PLAN);
    assert_eq!(csv_rows(&dir), SAMPLES);
}

fn csv_rows(dir: &Path) -> usize {
    fs::read_to_string(dir.join("results.csv")).unwrap().lines().count() - 1
}

#[test]
fn a_person_sees_a_table_and_where_the_report_is() {
    let (plan, dir) = (file("table.toml", PLAN), folder("study-table"));
    let output = study(&plan, &dir, &["--repetitions", "1", "--runs", "5"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    for words in ["A test", "speed-up", "tictactoe", "samples  12 of 12", "report   "] {
        assert!(stdout(&output).contains(words), "no `{words}` in {}", stdout(&output));
    }
    // More repetitions are taken beside those that are there.
    let output = study(&plan, &dir, &["--repetitions", "2", "--runs", "5"]);
    assert!(stderr(&output).contains("12 of 24 samples are there already"), "{}", stderr(&output));
    assert!(stdout(&output).contains("samples  24 of 24"));
}

#[test]
fn a_study_that_was_killed_goes_on_and_has_every_sample_once() {
    let plan = file("killed.toml", PLAN);
    for after in [0, 1, 7, 20] {
        let dir = folder(&format!("study-killed-{after}"));
        let mut child = start(&plan, &dir, after);
        child.kill().unwrap();
        child.wait().unwrap();
        let before = fs::read(dir.join("results.jsonl")).unwrap_or_default();
        assert!(whole_lines(&dir) >= after && whole_lines(&dir) < SAMPLES);
        let output = study(&plan, &dir, &[]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert_complete(&dir);
        assert_eq!(csv_rows(&dir), SAMPLES);
        // What was measured before is not measured again.
        let end = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        assert!(fs::read(dir.join("results.jsonl")).unwrap().starts_with(&before[..end]));
    }
}

/// A disk that takes no more: files of this process may not grow beyond some blocks.
#[cfg(target_os = "linux")]
#[test]
fn a_study_whose_disk_is_full_says_so_and_goes_on_when_it_is_not() {
    let (plan, dir) = (file("full.toml", PLAN), folder("study-full"));
    let script = "trap '' XFSZ; ulimit -f 16; exec \"$0\" \"$@\"";
    let output = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_ruche"), "study", &plan, "-o"])
        .arg(&dir)
        .output()
        .unwrap();
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    let last = stderr(&output).lines().last().unwrap();
    assert!(last.contains("results.") && last.contains("File too large"), "{last}");
    let kept = whole_lines(&dir);
    assert!((1..SAMPLES).contains(&kept), "{kept}");
    let output = study(&plan, &dir, &[]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let found = format!("{kept} of {SAMPLES} samples are there already");
    assert!(stderr(&output).contains(&found), "no `{found}` in {}", stderr(&output));
    assert_complete(&dir);
}

#[test]
fn a_cut_line_is_named_and_measured_again() {
    let (plan, dir) = (file("cut.toml", PLAN), folder("study-cut"));
    study(&plan, &dir, &[]);
    let path = dir.join("results.jsonl");
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() - 100]).unwrap();
    let output = study(&plan, &dir, &[]);
    assert_eq!(code(&output), 0);
    for words in [&format!("results.jsonl:{SAMPLES}: "), "results.damaged", "35 of 36 samples"] {
        assert!(stderr(&output).contains(words), "no `{words}` in {}", stderr(&output));
    }
    assert!(dir.join("results.damaged").exists());
    assert_complete(&dir);
}

#[cfg(unix)]
fn interrupt(child: Child) -> Output {
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    child.wait_with_output().unwrap()
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_a_report_and_says_how_to_go_on() {
    let (plan, dir) = (file("interrupted.toml", PLAN), folder("study-interrupted"));
    let output = interrupt(start(&plan, &dir, 3));
    assert_eq!(code(&output), 130, "{}", stderr(&output));
    let go_on = format!("go on with: ruche study {plan} --clock wall -o {}", dir.display());
    assert!(stderr(&output).contains(&go_on), "{}", stderr(&output));
    let report = stdout(&output).lines().find_map(|line| line.strip_prefix("report   "));
    assert!(Path::new(report.unwrap()).exists());
    assert!(samples(&dir).len() < SAMPLES);
    let line = go_on.split_once("ruche ").unwrap().1;
    assert_eq!(code(&ruche(&line.split(' ').collect::<Vec<_>>())), 0);
    assert_complete(&dir);
}

#[cfg(unix)]
#[test]
fn an_interrupt_does_not_wait_for_a_sample_that_takes_hours() {
    let text = "runs = 1_000_000_000\n[[sweep]]\ngames = \"tictactoe\"";
    let (plan, dir) = (file("hours.toml", text), folder("study-hours"));
    let child = start(&plan, &dir, 0);
    std::thread::sleep(Duration::from_millis(300));
    let output = interrupt(child);
    assert_eq!(code(&output), 130, "{}", stderr(&output));
    assert!(stdout(&output).contains("samples  0 of 1"), "{}", stdout(&output));
}

#[test]
fn every_sample_has_the_command_that_takes_it_again() {
    let (plan, dir) = (file("again.toml", PLAN), folder("study-again"));
    study(&plan, &dir, &["--repetitions", "2"]);
    let sample = samples(&dir).into_iter().nth(12 + 5).unwrap();
    let line = sample["invocation"].as_str().unwrap();
    let again = folder("study-again-once");
    fs::create_dir_all(&again).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_ruche"))
        .args(line.split(' ').skip(1))
        .current_dir(&again)
        .output()
        .unwrap();
    assert_eq!(code(&output), 0, "{line}: {}", stderr(&output));
    let [found] = &samples(&again.join("study-again-6"))[..] else { panic!("one sample") };
    for key in ["game", "clusters", "threads", "strategy", "seed", "runs", "signature"] {
        assert_eq!(found[key], sample[key], "{key}");
    }
}

#[test]
fn plans_are_listed_and_shown() {
    let list = ruche(&["study", "--list"]);
    assert_eq!((code(&list), stdout(&list).lines().count()), (0, 7));
    for line in stdout(&list).lines() {
        let name = line.split(' ').next().unwrap();
        let shown = ruche(&["study", name, "--show"]);
        assert_eq!(code(&shown), 0);
        // What is shown is a plan.
        let copy = file(&format!("shown-{name}.toml"), stdout(&shown));
        assert_eq!(stdout(&ruche(&["study", &copy, "--show"])), stdout(&shown));
    }
}

#[test]
fn what_makes_no_sense_is_refused_before_anything_is_measured() {
    let refused = |name: &str, text: &str, words: &[&str]| {
        let dir = folder(&format!("study-refused-{name}"));
        let plan = file(&format!("refused-{name}.toml"), text);
        assert_refused(&["study", &plan, "-o", dir.to_str().unwrap()], words);
        assert!(!dir.exists(), "{name}");
    };
    let game = |game: &str| format!("[[sweep]]\ngames = \"{game}\"\n");
    refused("key", "[[sweep]]\ngame = 3", &["refused-key.toml:2: game: unknown key"]);
    refused("threads", &(game("hex") + "threads = 17"), &[":3: threads: 17 is not in 1 to 16"]);
    refused("game", &game("tictactoo"), &[".toml:2: games: `tictactoo`", "bundled games"]);
    let large = "[[sweep]]\ngames = \"empty\"\nbytes = 16000\nthreads = 16\nwords = 64";
    refused("large", large, &[":2: games: empty", "does not fit", "16 cores with 64 lanes"]);
    let nodes = game("tictactoe") + "clusters = 2\nio-nodes = 3";
    refused("nodes", &nodes, &[":4: io-nodes: 3 I/O nodes for 2 clusters"]);
    refused("binary", "\u{0}\u{1}", &["refused-binary.toml:1: this is no TOML"]);
    assert_refused(&["study", "fig9.9"], &["`fig9.9` is neither", "fig6.5", "quick"]);
    assert_refused(&["study"], &["--list"]);
    let plan = file("refused-point.toml", PLAN);
    assert_refused(&["study", &plan, "--point", "13"], &["--point 13", "points 1 to 12"]);
    assert_refused(&["study", &plan, "--runs", "0"], &["--runs"]);
}

#[test]
fn a_folder_of_another_plan_is_refused() {
    let (plan, dir) = (file("first.toml", PLAN), folder("study-first"));
    study(&plan, &dir, &["--point", "9"]);
    let other = file("second.toml", "[[sweep]]\ngames = \"tictactoe\"");
    let words = ["another plan (“A test”)", "give another folder with -o"];
    assert_refused(&["study", &other, "-o", dir.to_str().unwrap()], &words);
    assert_eq!(samples(&dir).len(), 3);
}

#[cfg(not(feature = "mpi"))]
#[test]
fn a_rank_of_a_program_without_mpi_is_told_how_to_build_with_it() {
    let output = Command::new(env!("CARGO_BIN_EXE_ruche"))
        .args(["study", "quick"])
        .envs([("OMPI_COMM_WORLD_RANK", "0"), ("OMPI_COMM_WORLD_SIZE", "3")])
        .output()
        .unwrap();
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("built without MPI"), "{}", stderr(&output));
}

#[test]
fn a_modelled_machine_is_refused_with_the_wall_clock() {
    let arguments = ["study", "quick", "--clock", "wall", "--machine", "no-such-machine.toml"];
    let words = ["--machine no-such-machine.toml", "--clock model"];
    assert_refused(&arguments, &words);
}

#[test]
fn samples_of_this_machine_say_when_and_where_they_were_taken() {
    let plan = "title = \"Taken\"\nruns = 5\n[[sweep]]\ngames = \"tictactoe\"\nbatch = 16\n";
    let plan = file("taken.toml", plan);
    let samples = |clock: &str| -> Vec<Value> {
        let folder = path(&format!("taken-{clock}"));
        let _ = fs::remove_dir_all(&folder);
        let folder = folder.to_str().unwrap();
        let output = ruche(&["study", &plan, "--clock", clock, "-o", folder]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let lines = fs::read_to_string(format!("{folder}/results.jsonl")).unwrap();
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    for sample in samples("wall") {
        let taken = &sample["taken"];
        let date = taken["date"].as_str().unwrap();
        assert!(date.starts_with("20") && date.ends_with('Z') && date.len() == 20, "{date}");
        assert!(!taken["host"].as_str().unwrap().is_empty());
        assert!(!taken["commit"].as_str().unwrap().is_empty());
        assert!(taken["processors"].as_u64().is_some_and(|count| count > 0), "{taken}");
        assert!(taken["cpu_seconds"].as_f64().is_some_and(|time| time > 0.0), "{taken}");
    }
    let modelled = samples("model");
    assert!(modelled.iter().all(|sample| sample["taken"].is_null()), "the same for everybody");
}
