//! The examples do what they say: each is run as a person would run it.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Where cargo puts examples: beside the folder of this test.
fn built(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("this test");
    let folder = test.ancestors().nth(2).expect("the folder of a profile").join("examples");
    folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

fn names() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let files = std::fs::read_dir(folder).expect("the folder of examples").flatten();
    files.map(|file| file.file_name().to_string_lossy().replace(".rs", "")).collect()
}

#[test]
fn every_example_runs() {
    assert!(names().len() >= 4);
    for name in names() {
        let program = built(&name);
        assert!(program.is_file(), "{name} is not built: run `cargo test -p ruche` without --test");
        let output = Command::new(program).output().expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && !output.stdout.is_empty(), "{name}: {said}");
    }
}

#[test]
fn the_first_example_has_ten_lines_and_no_cast() {
    let text = include_str!("../examples/best_move.rs");
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with("//!"));
    assert!(lines.count() <= 10 && !text.contains(" as "), "{text}");
}
