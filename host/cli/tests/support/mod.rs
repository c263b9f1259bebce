//! Runs the `ruche` command and looks at what it does.
#![allow(dead_code, reason = "each test program uses some of it")]

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A path for one test's file, in the folder that cargo keeps for such.
pub fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

pub fn file(name: &str, contents: impl AsRef<[u8]>) -> String {
    let path = path(name);
    fs::write(&path, contents).unwrap();
    path.to_str().unwrap().to_owned()
}

pub fn ruche(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ruche")).args(arguments).output().unwrap()
}

/// The same, with somebody who types all of this.
pub fn ruche_told(arguments: &[&str], said: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ruche"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(said.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

pub fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

pub fn stdout(output: &Output) -> &str {
    str::from_utf8(&output.stdout).unwrap()
}

pub fn stderr(output: &Output) -> &str {
    str::from_utf8(&output.stderr).unwrap()
}

/// The whole of stdout as one document.
pub fn json(output: &Output) -> Value {
    serde_json::from_str(stdout(output)).unwrap()
}

/// Asserts that the input was refused, with these words on stderr and nothing on
/// stdout.
pub fn assert_refused(arguments: &[&str], words: &[&str]) {
    let output = ruche(arguments);
    assert_eq!(code(&output), 2, "{arguments:?}: {}", stderr(&output));
    assert_eq!(stdout(&output), "");
    for word in words {
        assert!(stderr(&output).contains(word), "no `{word}` in: {}", stderr(&output));
    }
}
