//! An emulator: how it is started, and how it ends.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{
    Pid, Signal, getpid, getppid, kill_process, set_parent_process_death_signal,
};
use thiserror::Error;

use crate::noise::Noise;

/// Harts of a board: 16 cores that play, and the system core.
const HARTS: &str = "17";
/// The kernel has the first 2 MB; the emulator wants memory for its own tables,
/// which the kernel locks away.
const MEMORY: &str = "3M";
/// How long a board may take to switch itself off when it was told to stop.
const FAREWELL: Duration = Duration::from_secs(5);

/// What boards are started with.
#[derive(Clone, Debug)]
pub struct BoardSettings {
    /// The emulator.
    pub emulator: PathBuf,
    /// The linked kernel.
    pub kernel: PathBuf,
    /// Further arguments of the emulator, such as a plugin that counts.
    pub arguments: Vec<String>,
    /// What goes wrong on the line, for whoever wants to see what happens then.
    pub noise: Option<Noise>,
    /// Boards that crash or hang, for the same reason.
    pub accidents: Vec<Accident>,
}

/// What happens to a board before it is sent the frame of this number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accident {
    /// Which board.
    pub board: usize,
    /// The number of the frame, from one, over all lives of the board.
    pub frame: u64,
    /// What happens.
    pub harm: Harm,
}

/// What can happen to a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Harm {
    /// Its emulator is killed.
    Crash,
    /// Its emulator is stopped, and does nothing any more.
    Hang,
}

impl BoardSettings {
    /// The name of the emulator.
    pub const EMULATOR: &str = "qemu-system-riscv64";

    /// Boards with this kernel.
    #[must_use]
    pub fn new(kernel: PathBuf) -> Self {
        Self {
            emulator: Self::EMULATOR.into(),
            kernel,
            arguments: Vec::new(),
            noise: None,
            accidents: Vec::new(),
        }
    }
}

/// Why there is no board.
#[derive(Debug, Error)]
pub enum BoardError {
    /// There is no kernel.
    #[error("there is no kernel for the board at {0}: make it with ./toolchain/board-setup")]
    NoKernel(PathBuf),
    /// There is no emulator.
    #[error("{0} cannot be started: install it with ./toolchain/board-setup ({1})")]
    NoEmulator(PathBuf, io::Error),
    /// Nobody reads its line any more.
    #[error("nobody reads the line of a board any more")]
    Unread,
    /// The system has no place for the socket and the log.
    #[error("no place for the link and the log of a board: {0}")]
    Place(io::Error),
}

/// A running emulator. It has no file and no name of a socket: what it is connected with
/// are open files without names, and the system ends it when the thread ends that has
/// started it, so that nothing is left of it however its host dies.
#[derive(Debug)]
pub struct Board {
    emulator: Child,
    /// What the board wrote to its serial port.
    log: File,
    /// What the emulator said.
    complaints: File,
}

impl Board {
    /// Starts an emulator, whose kernel boots meanwhile, and returns the host's end of its
    /// link. The calling thread has to live as long as the board.
    ///
    /// # Errors
    /// If there is no emulator or no kernel.
    pub fn start(settings: &BoardSettings) -> Result<(Self, UnixStream), BoardError> {
        if !settings.kernel.is_file() {
            return Err(BoardError::NoKernel(settings.kernel.clone()));
        }
        let nameless = || tempfile::tempfile().map_err(BoardError::Place);
        let (log, complaints) = (nameless()?, nameless()?);
        let (ours, link) = UnixStream::pair().map_err(BoardError::Place)?;
        let other = |file: &File| file.try_clone().map_err(BoardError::Place);
        let mut command = command(settings, link.as_raw_fd());
        command.stdin(Stdio::null()).stdout(other(&log)?).stderr(other(&complaints)?);
        hand_over(&mut command, link);
        let emulator = command
            .spawn()
            .map_err(|error| BoardError::NoEmulator(settings.emulator.clone(), error))?;
        Ok((Self { emulator, log, complaints }, ours))
    }

    fn is_running(&mut self) -> bool {
        matches!(self.emulator.try_wait(), Ok(None))
    }

    /// The file with what the emulator says, for whoever finds that it has ended.
    pub(crate) fn complaints(&self) -> io::Result<Complaints> {
        self.complaints.try_clone().map(Complaints)
    }

    /// What the board wrote to its serial port so far.
    #[must_use]
    pub fn log(&self) -> String {
        text(&self.log)
    }

    /// Does harm to it.
    pub fn suffer(&mut self, harm: Harm) {
        match harm {
            Harm::Crash => self.kill(),
            Harm::Hang => {
                if let Some(pid) = Pid::from_raw(self.emulator.id() as i32) {
                    // One that has ended does nothing any more either.
                    let _ = kill_process(pid, Signal::STOP);
                }
            }
        }
    }

    /// Ends it at once.
    pub fn kill(&mut self) {
        // One that has ended by itself is dead enough.
        let _ = self.emulator.kill();
        let _ = self.emulator.wait();
    }

    /// Waits until a board that was told to stop has switched itself off; its log.
    pub fn await_end(&mut self) -> String {
        let start = Instant::now();
        while self.is_running() && start.elapsed() < FAREWELL {
            thread::sleep(Duration::from_millis(2));
        }
        self.kill();
        self.log()
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        self.kill();
    }
}

/// What an emulator said.
#[derive(Debug)]
pub(crate) struct Complaints(File);

impl Complaints {
    /// The last of it, if there is anything.
    pub fn last(&self) -> Option<String> {
        text(&self.0).lines().next_back().map(str::to_owned)
    }
}

/// What is in a file that somebody else writes: the place of its next write is not moved.
fn text(file: &File) -> String {
    let mut bytes = vec![0; file.metadata().map_or(0, |it| it.len()) as usize];
    let length = file.read_at(&mut bytes, 0).unwrap_or(0);
    String::from_utf8_lossy(&bytes[..length]).into_owned()
}

fn command(settings: &BoardSettings, link: RawFd) -> Command {
    let mut command = Command::new(&settings.emulator);
    command
        .args(["-machine", "virt", "-smp", HARTS, "-m", MEMORY, "-bios", "none"])
        .args(["-display", "none", "-monitor", "none", "-serial", "stdio"])
        .args(["-global", "virtio-mmio.force-legacy=false"])
        .args(["-device", "virtio-serial-device,max_ports=1"])
        .args(["-chardev", &format!("socket,id=link,fd={link}")])
        .args(["-device", "virtconsole,chardev=link"])
        .arg("-kernel")
        .arg(&settings.kernel)
        .args(&settings.arguments);
    command
}

/// Lets a process that is started inherit a link, and end with the thread that starts it.
#[expect(unsafe_code, reason = "only between fork and exec can that be said")]
fn hand_over(command: &mut Command, link: UnixStream) {
    let parent = getpid();
    let prepare = move || {
        fcntl_setfd(&link, FdFlags::empty())?;
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // The parent may have ended before.
        match getppid() == Some(parent) {
            true => Ok(()),
            false => Err(io::ErrorKind::BrokenPipe.into()),
        }
    };
    // SAFETY: between fork and exec it only makes system calls: it neither allocates nor
    // takes locks.
    unsafe { command.pre_exec(prepare) };
}
