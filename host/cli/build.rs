//! Says to the program which commit it was built from, and with which MPI.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where there is no repository, as in an archive, whoever builds can name the commit.
const VARIABLE: &str = "RUCHE_COMMIT";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    let commit = env::var(VARIABLE).ok().or_else(commit);
    let commit = commit.unwrap_or_else(|| "unknown commit".to_owned());
    println!("cargo::rustc-env=RUCHE_BUILD_COMMIT={commit}");
    println!("cargo::rustc-env=RUCHE_BUILD_MPI={}", mpi());
}

/// The commit of the repository that this folder is part of; that of another one, which
/// only contains ours, would say nothing.
fn commit() -> Option<String> {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR")?);
    let top = PathBuf::from(said("git", &["rev-parse", "--show-toplevel"])?);
    if top.join("host/cli").canonicalize().ok()? != here.canonicalize().ok()? {
        return None;
    }
    // Every commit and every checkout adds a line to this file.
    let log = said("git", &["rev-parse", "--git-path", "logs/HEAD"])?;
    if Path::new(&log).exists() {
        println!("cargo::rerun-if-changed={log}");
    }
    said("git", &["rev-parse", "--short=12", "HEAD"])
}

/// What the launcher of the MPI calls itself, if there is one in this build.
fn mpi() -> String {
    match env::var_os("CARGO_FEATURE_MPI") {
        None => "no MPI".to_owned(),
        Some(_) => said("mpirun", &["--version"]).unwrap_or_else(|| "MPI".to_owned()),
    }
}

/// The first line that a program prints.
fn said(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok().filter(|_| output.status.success())?;
    text.lines().next().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty())
}
