//! What the scripts of `toolchain/` promise, as far as that can be seen without running
//! their work.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The files of `toolchain/` itself: name, and whether they can be called.
fn scripts() -> Vec<(String, bool)> {
    let entries = fs::read_dir(root().join("toolchain")).expect("a readable folder");
    let mut scripts = Vec::new();
    for entry in entries.map(|entry| entry.expect("a readable entry")) {
        let metadata = entry.metadata().expect("a readable entry");
        if metadata.is_file() {
            let name = entry.file_name().into_string().expect("a plain name");
            scripts.push((name, metadata.permissions().mode() & 0o111 != 0));
        }
    }
    scripts.sort();
    scripts
}

/// The value of a line `key = "value"`.
fn value(text: &str, key: &str) -> String {
    let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "));
    line.unwrap_or_else(|| panic!("no {key}")).trim_matches('"').to_owned()
}

fn version(text: &str) -> Vec<u32> {
    text.split('.').map(|part| part.parse().expect("a number")).collect()
}

#[test]
fn the_rust_that_is_tested_is_as_new_as_the_one_that_is_promised() {
    let tested = value(&read("rust-toolchain.toml"), "channel");
    let promised = value(&read("Cargo.toml"), "rust-version");
    assert!(version(&tested) >= version(&promised), "{tested} is older than {promised}");
    assert_eq!(value(&read("cluster-kernel/bare/Cargo.toml"), "rust-version"), promised);
}

/// A folder of programs that stand before all others.
struct Programs(tempfile::TempDir);

impl Programs {
    fn new(programs: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, body) in programs {
            let path = folder.path().join(name);
            fs::write(&path, format!("#!/bin/sh\n{body}\n")).expect("a program");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a program");
        }
        Self(folder)
    }

    /// Runs `toolchain/setup` as somebody who has only these.
    fn set_up(&self) -> Output {
        Command::new(root().join("toolchain/setup"))
            .current_dir("/")
            .env_clear()
            .env("PATH", format!("{}:/usr/bin:/bin", self.0.path().display()))
            .env("HOME", self.0.path())
            .output()
            .expect("toolchain/setup starts")
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn set_up_takes_a_rust_without_rustup_as_it_is() {
    let programs = [("cargo", ""), ("cc", ""), ("rustc", "echo 'rustc 1.90.0 (x)'")];
    let output = Programs::new(&programs).set_up();
    assert!(output.status.success(), "{}", said(&output));
    assert!(said(&output).contains("nothing to install (rustc 1.90.0"), "{}", said(&output));
}

#[test]
fn set_up_asks_rustup_for_the_rust_that_is_tested() {
    let tested = value(&read("rust-toolchain.toml"), "channel");
    let rustup = "test \"$1 $2\" = 'toolchain install' && touch \"$HOME/$3\"";
    let rustc = "test -e \"$HOME/$RUSTUP_TOOLCHAIN\" && echo \"rustc $RUSTUP_TOOLCHAIN (x)\"";
    let programs =
        Programs::new(&[("cargo", ""), ("cc", ""), ("rustc", rustc), ("rustup", rustup)]);
    let output = programs.set_up();
    assert!(output.status.success(), "{}", said(&output));
    assert!(said(&output).contains(&format!("Rust {tested} with rustfmt and clippy")));
    assert!(programs.0.path().join(tested).exists(), "{}", said(&output));
}

#[test]
fn set_up_goes_on_with_another_rust_where_none_can_be_fetched() {
    let rustup = "test \"$1\" = default && echo 'stable (default)'";
    let rustc = "test \"$RUSTUP_TOOLCHAIN\" = stable && echo 'rustc 1.90.0 (x)'";
    let programs = [("cargo", ""), ("cc", ""), ("rustc", rustc), ("rustup", rustup)];
    let output = Programs::new(&programs).set_up();
    assert!(output.status.success(), "{}", said(&output));
    assert!(said(&output).contains("goes on with Rust 1.90.0"), "{}", said(&output));
}

/// Otherwise `target/release/ruche` has MPI or not, by which script was called last.
#[test]
fn one_function_builds_ruche_for_all_scripts() {
    let mut builders: Vec<_> = scripts().into_iter().map(|(name, _)| name).collect();
    builders.push("compare/measure".to_owned());
    builders.retain(|name| {
        let text = read(&format!("toolchain/{name}"));
        let text = text.replace("\\\n", "");
        text.lines().any(|line| {
            ["cargo build", "cargo run"].iter().any(|call| line.contains(call))
                && line.contains("--release")
                && !["cluster-kernel/bare", "--example"].iter().any(|other| line.contains(other))
        })
    });
    assert_eq!(builders, ["mpi"]);
}

#[test]
fn every_script_says_how_it_is_used() {
    for (name, _) in scripts().into_iter().filter(|(_, callable)| *callable) {
        let path = root().join("toolchain").join(&name);
        let output = Command::new(path).arg("--help").output().expect("a script");
        assert!(output.status.success(), "{name} --help");
        let help = String::from_utf8_lossy(&output.stdout);
        assert!(help.contains(&format!("usage: toolchain/{name}")), "{name} --help: {help}");
    }
}

#[test]
fn every_script_has_a_line_in_the_readme() {
    let readme = read("README.md");
    for (name, _) in scripts().into_iter().filter(|(_, callable)| *callable) {
        let first = format!("`toolchain/{name}");
        let line = readme.lines().find(|line| line.starts_with('|') && line.contains(&first));
        assert!(line.is_some(), "README.md does not say what toolchain/{name} is for");
    }
}

/// What continuous integration does can be done at home.
#[test]
fn workflows_call_scripts_and_nothing_else() {
    for file in ["test", "nightly"] {
        let text = read(&format!(".github/workflows/{file}.yml"));
        let calls: Vec<_> = text.lines().filter_map(|line| line.split_once("run: ")).collect();
        assert!(!calls.is_empty(), "{file}.yml calls nothing");
        for (_, call) in calls {
            let script = call.split(' ').next().unwrap_or_default();
            assert!(script.starts_with("toolchain/"), "{file}.yml: {call}");
            assert!(root().join(script).is_file(), "{file}.yml: {call}");
        }
    }
}

#[test]
fn every_step_of_a_night_has_its_job() {
    let nightly = read("toolchain/nightly");
    let steps = nightly.lines().find_map(|line| line.strip_prefix("STEPS=(")).expect("steps");
    let steps = format!("{} fuzz", steps.trim_end_matches(')')).replace(' ', ", ");
    let workflow = read(".github/workflows/nightly.yml");
    assert!(workflow.contains(&format!("step: [{steps}]")), "the jobs are not: {steps}");
}
