//! Runs a program within limits and measures what it costs.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};

use wait4::Wait4;

/// What a program may use before the system stops it.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    /// Seconds of processor time.
    pub seconds: u64,
    /// Bytes of address space; a guard for the machine, because what counts is
    /// the memory that is really used, and that is only known at the end.
    pub address_bytes: u64,
}

/// What a program said and what it cost.
#[derive(Debug)]
pub struct Measured {
    /// How it ended.
    pub status: ExitStatus,
    /// What it wrote to stdout.
    pub stdout: String,
    /// What it wrote to stderr.
    pub stderr: String,
    /// Seconds of processor time, its own and the system's on its behalf.
    pub seconds: f64,
    /// The most memory that it had at a time.
    pub peak_bytes: u64,
}

/// Runs a command to its end. What it writes goes through files of the folder:
/// no pipe can fill up while nobody reads it.
///
/// # Errors
/// If the command cannot be started or the folder cannot be written.
pub fn run(command: &mut Command, allowance: Allowance, folder: &Path) -> io::Result<Measured> {
    let (stdout, stderr) = (folder.join("stdout"), folder.join("stderr"));
    command.stdin(Stdio::null()).stdout(File::create(&stdout)?).stderr(File::create(&stderr)?);
    let mut child = command.spawn()?;
    limit(&child, allowance);
    let used = child.wait4()?;
    Ok(Measured {
        status: used.status,
        stdout: String::from_utf8_lossy(&fs::read(stdout)?).into_owned(),
        stderr: String::from_utf8_lossy(&fs::read(stderr)?).into_owned(),
        seconds: (used.rusage.utime + used.rusage.stime).as_secs_f64(),
        peak_bytes: used.rusage.maxrss,
    })
}

/// Sets the limits of a child. It may have ended already; then there is nothing
/// to limit.
#[cfg(target_os = "linux")]
fn limit(child: &Child, allowance: Allowance) {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};

    let limits = [(Resource::Cpu, allowance.seconds), (Resource::As, allowance.address_bytes)];
    for (resource, most) in limits {
        let limit = Rlimit { current: Some(most), maximum: Some(most) };
        let _ = prlimit(Some(Pid::from_child(child)), resource, limit);
    }
}

/// Other systems cannot limit a running child: the figures are still measured.
#[cfg(not(target_os = "linux"))]
fn limit(_child: &Child, _allowance: Allowance) {}

/// Keeps this program and all that it starts on one core, so that no game is
/// compiled with more.
#[cfg(target_os = "linux")]
pub fn stay_on_one_core() {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    let Ok(allowed) = sched_getaffinity(None) else { return };
    // The first core is the one that the system itself uses most.
    let last = (0..CpuSet::MAX_CPU).rev().find(|&core| allowed.is_set(core));
    let mut one = CpuSet::new();
    last.into_iter().for_each(|core| one.set(core));
    if let Err(error) = sched_setaffinity(None, &one) {
        eprintln!("not bound to one core: {error}");
    }
}

/// Other systems have their own ways; `ruche` has one thread anyway.
#[cfg(not(target_os = "linux"))]
pub fn stay_on_one_core() {}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    const PLENTY: Allowance = Allowance { seconds: 60, address_bytes: 1 << 40 };

    fn shell(name: &str, script: &str, allowance: Allowance) -> Measured {
        let folder = std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let measured = run(Command::new("sh").args(["-c", script]), allowance, &folder).unwrap();
        fs::remove_dir_all(folder).unwrap();
        measured
    }

    #[test]
    fn both_streams_and_the_end_are_told() {
        let measured = shell("streams", "echo yes; echo no >&2; exit 3", PLENTY);
        assert_eq!((measured.stdout.as_str(), measured.stderr.as_str()), ("yes\n", "no\n"));
        assert_eq!(measured.status.code(), Some(3));
        assert!(measured.peak_bytes > 0);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_program_that_does_not_end_is_stopped() {
        let allowance = Allowance { seconds: 1, ..PLENTY };
        let measured = shell("endless", "while :; do :; done", allowance);
        assert!(measured.status.signal().is_some());
    }
}
