//! Emulated boards under the command line: nothing is left of them, however it ends.
//!
//! `toolchain/test` names the kernel with `RUCHE_BOARD_KERNEL`; without it the tests only
//! say that they are skipped.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How long what has to happen may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// The processes that were started with this folder for temporary files, by their numbers.
fn processes(folder: &Path) -> Vec<u32> {
    let mark = format!("TMPDIR={}", folder.display());
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let is_ours = |number: &u32| {
        // One that ends meanwhile has nothing to be read, and is none any more.
        let environment = fs::read(format!("/proc/{number}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
    };
    numbers.filter(is_ours).collect()
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < PATIENCE, "{what}: not within {PATIENCE:?}");
        thread::sleep(Duration::from_millis(20));
    }
}

fn has_kernel() -> bool {
    let has_kernel = env::var_os("RUCHE_BOARD_KERNEL").is_some();
    if !has_kernel {
        eprintln!("skipped: RUCHE_BOARD_KERNEL names no kernel; toolchain/board-setup makes one");
    }
    has_kernel
}

fn search(folder: &Path) -> Child {
    let arguments = "search breakthrough --transport board --clusters 2 --threads 4 --seconds 600";
    Command::new(env!("CARGO_BIN_EXE_ruche"))
        .args(arguments.split(' '))
        .env("TMPDIR", folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn a_killed_host_leaves_no_emulator_and_no_file() {
    if !has_kernel() {
        return;
    }
    for signal in ["KILL", "TERM", "INT", "HUP"] {
        let folder = tempfile::tempdir().unwrap();
        let mut host = search(folder.path());
        wait_until("both boards run", || processes(folder.path()).len() == 3);
        // The first interrupt asks the search to stop, which slow boards may put off; the
        // second ends it. Whoever is gone cannot be sent another.
        for _ in 0..2 {
            let _ = Command::new("kill").args(["-s", signal, &host.id().to_string()]).status();
            thread::sleep(Duration::from_millis(300));
        }
        host.wait().unwrap();
        wait_until("no process is left", || processes(folder.path()).is_empty());
        let files: Vec<_> = fs::read_dir(folder.path()).unwrap().flatten().collect();
        assert!(files.is_empty(), "after SIG{signal}: {files:?}");
    }
}

#[test]
fn a_player_plays_on_boards() {
    if !has_kernel() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let arguments = "player --port 0 --transport board --threads 4";
    let mut player = Command::new(env!("CARGO_BIN_EXE_ruche"))
        .args(arguments.split(' '))
        .env("TMPDIR", folder.path())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(player.stderr.take().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    let told = thread::spawn(move || lines.map_while(Result::ok).collect::<Vec<_>>());
    let address = first.split(' ').next_back().unwrap();
    let referee = ["referee", "connectfour", address, "legal", "--start", "20", "--play", "1"];
    let output = Command::new(env!("CARGO_BIN_EXE_ruche")).args(referee).output().unwrap();
    player.kill().unwrap();
    player.wait().unwrap();
    let told = told.join().unwrap().join("\n");
    assert!(output.status.success(), "{}{told}", String::from_utf8_lossy(&output.stdout));
    assert!(told.contains(" playouts, ") && !told.contains("play instead"), "{told}");
    wait_until("no process is left", || processes(folder.path()).is_empty());
}
