//! The inputs that the fuzzer is started with and those that it once found,
//! replayed without a fuzzer.

use std::fs;
use std::path::{Path, PathBuf};

use ruche_tests::fuzz::TARGETS;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz").join(name)
}

/// The names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("a readable folder").file_name();
    let mut names: Vec<String> =
        entries.map(|entry| name(entry).into_string().expect("a plain name")).collect();
    names.sort();
    names
}

fn replay(target: &str) {
    let (_, body) = TARGETS.into_iter().find(|(name, _)| *name == target).expect("a target");
    let folder = folder("corpus").join(target);
    let inputs = names(&folder);
    assert!(!inputs.is_empty(), "{target} has no inputs");
    for name in inputs {
        // Where a promise is broken, the last line printed names the input.
        println!("{target}/{name}");
        body(&fs::read(folder.join(&name)).expect("a readable input"));
    }
}

#[test]
fn parse_gdl_stands_all_inputs() {
    replay("parse_gdl");
}

#[test]
fn compile_gdl_stands_all_inputs() {
    replay("compile_gdl");
}

#[test]
fn parse_image_stands_all_inputs() {
    replay("parse_image");
}

#[test]
fn parse_frame_stands_all_inputs() {
    replay("parse_frame");
}

#[test]
fn every_target_has_its_file_and_its_corpus() {
    let mut targets = TARGETS.map(|(name, _)| name.to_owned());
    targets.sort();
    assert_eq!(names(&folder("corpus")), targets);
    assert_eq!(names(&folder("fuzz_targets")), targets.map(|name| name + ".rs"));
}
