//! An emulator: how it is started, and how it ends.

use std::fs;
use std::io;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use thiserror::Error;

use crate::noise::Noise;

/// Harts of a board: 16 cores that play, and the system core.
const HARTS: &str = "17";
/// The kernel has the first 2 MB; the emulator wants memory for its own tables,
/// which the kernel locks away.
const MEMORY: &str = "3M";
/// How long an emulator may take to connect.
const PATIENCE: Duration = Duration::from_secs(20);
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
    /// The emulator ended at once.
    #[error("the emulator ended before it was connected: {0}")]
    Ended(String),
    /// The emulator does not connect.
    #[error("the emulator did not connect within {PATIENCE:?}")]
    Silent,
    /// The system has no place for the socket and the log.
    #[error("no place for the link and the log of a board: {0}")]
    Place(io::Error),
}

/// A running emulator.
#[derive(Debug)]
pub struct Board {
    emulator: Child,
    /// The link, the log and what the emulator says.
    folder: TempDir,
}

impl Board {
    /// Starts an emulator and waits until its link is connected. The kernel boots
    /// meanwhile.
    ///
    /// # Errors
    /// If there is no emulator or no kernel, or it does not start.
    pub fn start(settings: &BoardSettings) -> Result<(Self, UnixStream), BoardError> {
        if !settings.kernel.is_file() {
            return Err(BoardError::NoKernel(settings.kernel.clone()));
        }
        let folder = tempfile::Builder::new().prefix("ruche-board").tempdir();
        let folder = folder.map_err(BoardError::Place)?;
        let listener = UnixListener::bind(folder.path().join(LINK)).map_err(BoardError::Place)?;
        listener.set_nonblocking(true).map_err(BoardError::Place)?;
        let emulator = command(settings, folder.path())?.spawn();
        let emulator =
            emulator.map_err(|error| BoardError::NoEmulator(settings.emulator.clone(), error))?;
        let mut board = Self { emulator, folder };
        let link = board.accept(&listener)?;
        Ok((board, link))
    }

    fn accept(&mut self, listener: &UnixListener) -> Result<UnixStream, BoardError> {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            match listener.accept() {
                Ok((link, _)) => {
                    link.set_nonblocking(false).map_err(BoardError::Place)?;
                    return Ok(link);
                }
                Err(_) if self.is_running() => thread::sleep(Duration::from_millis(2)),
                Err(_) => return Err(BoardError::Ended(self.complaints())),
            }
        }
        Err(BoardError::Silent)
    }

    fn is_running(&mut self) -> bool {
        matches!(self.emulator.try_wait(), Ok(None))
    }

    /// What the emulator said before it ended.
    fn complaints(&self) -> String {
        let text = fs::read_to_string(self.folder.path().join(COMPLAINTS)).unwrap_or_default();
        text.lines().next_back().unwrap_or("it did not say why").to_owned()
    }

    /// What the board wrote to its serial port so far.
    #[must_use]
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join(LOG)).unwrap_or_default()
    }

    /// Does harm to it.
    pub fn suffer(&mut self, harm: Harm) {
        match harm {
            Harm::Crash => self.kill(),
            Harm::Hang => {
                let pid = self.emulator.id().to_string();
                // Without it the board goes on, and nobody is harmed.
                let _ = Command::new("kill").args(["-STOP", &pid]).status();
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

// Files in the folder of a board.
const LINK: &str = "link";
const LOG: &str = "log";
const COMPLAINTS: &str = "complaints";

fn command(settings: &BoardSettings, folder: &Path) -> Result<Command, BoardError> {
    let path = |name: &str| folder.join(name).display().to_string();
    let complaints = fs::File::create(folder.join(COMPLAINTS)).map_err(BoardError::Place)?;
    let mut command = Command::new(&settings.emulator);
    command
        .args(["-machine", "virt", "-smp", HARTS, "-m", MEMORY, "-bios", "none"])
        .args(["-display", "none", "-monitor", "none"])
        .args(["-serial", &format!("file:{}", path(LOG))])
        .args(["-global", "virtio-mmio.force-legacy=false"])
        .args(["-device", "virtio-serial-device,max_ports=1"])
        .args(["-chardev", &format!("socket,id=link,path={}", path(LINK))])
        .args(["-device", "virtconsole,chardev=link"])
        .arg("-kernel")
        .arg(&settings.kernel)
        .args(&settings.arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(complaints);
    Ok(command)
}
