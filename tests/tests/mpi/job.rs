//! Starts ranks, kills one of them, and collects what they print.

use std::{
    env, fs,
    io::{BufRead, BufReader, Read},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// Names the job that a process belongs to, in its environment.
const MARK: &str = "RUCHE_TEST_JOB";

/// Jobs of one test do not take the cores of another's.
pub fn exclusive() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the launcher does when a rank is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It ends the job.
    Plain,
    /// The others go on.
    Ulfm,
}

/// How to start a job.
#[derive(Debug)]
pub struct Launcher {
    mpirun: PathBuf,
    program: PathBuf,
    kind: Kind,
    environment: Vec<(&'static str, &'static str)>,
}

impl Launcher {
    /// For the example that only exchanges frames.
    pub fn rounds(kind: Kind) -> Option<Self> {
        Self::of("RUCHE_MPI_ROUNDS", kind)
    }

    /// For `ruche`.
    pub fn ruche(kind: Kind) -> Option<Self> {
        Self::of("RUCHE_MPI_BINARY", kind)
    }

    /// The same, but one rank is killed before it comes to MPI, and the launcher does not
    /// end the job for it. `folder` is a place for a script.
    pub fn with_early_death(mut self, rank: usize, folder: &Path) -> Self {
        let script = folder.join("early-death");
        let program = self.program.display();
        let text = format!(
            "#!/bin/sh\n[ \"$OMPI_COMM_WORLD_RANK\" != {rank} ] || kill -9 $$\n\
             exec '{program}' \"$@\"\n"
        );
        fs::write(&script, text).expect("the folder can be written");
        let rights = fs::Permissions::from_mode(0o755);
        fs::set_permissions(&script, rights).expect("it is ours");
        self.program = script;
        self.environment = vec![("OMPI_MCA_orte_enable_recovery", "1"), ("RUCHE_MPI_START", "4")];
        self
    }

    fn of(program: &str, kind: Kind) -> Option<Self> {
        let named = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
        let needed = if kind == Kind::Ulfm { "RUCHE_MPI_ULFM" } else { "RUCHE_MPIRUN" };
        let missing =
            ["RUCHE_MPIRUN", program, needed].into_iter().find(|name| named(name).is_none());
        if let Some(name) = missing {
            println!("skipped ({kind:?}): {name} is not set; toolchain/test sets it where MPI is");
            return None;
        }
        let (mpirun, program) = (named("RUCHE_MPIRUN")?.into(), named(program)?.into());
        Some(Self { mpirun, program, kind, environment: Vec::new() })
    }

    fn command(&self, ranks: usize) -> Command {
        let mut command = Command::new(&self.mpirun);
        match self.kind {
            Kind::Plain => command.arg("--plain"),
            Kind::Ulfm => command.env("RUCHE_MPI", "ulfm"),
        };
        command.envs(self.environment.iter().copied());
        command.arg("--program").arg(&self.program).arg(ranks.to_string());
        command
    }
}

/// How a job has ended.
#[derive(Debug)]
pub struct Outcome {
    /// The status of the launcher.
    pub status: ExitStatus,
    /// What all ranks have written to stdout.
    pub output: String,
    /// And to stderr.
    pub errors: String,
}

type Text = Arc<Mutex<String>>;

/// A job that runs.
#[derive(Debug)]
pub struct Job {
    child: Child,
    mark: String,
    output: (Text, JoinHandle<()>),
    errors: (Text, JoinHandle<()>),
}

impl Job {
    /// Starts so many ranks.
    pub fn start<A: AsRef<str>>(launcher: &Launcher, ranks: usize, arguments: &[A]) -> Self {
        Self::spawn(launcher.command(ranks), arguments)
    }

    /// Starts the program on its own.
    pub fn start_alone<A: AsRef<str>>(launcher: &Launcher, arguments: &[A]) -> Self {
        Self::spawn(Command::new(&launcher.program), arguments)
    }

    fn spawn<A: AsRef<str>>(mut command: Command, arguments: &[A]) -> Self {
        static JOBS: AtomicUsize = AtomicUsize::new(0);
        let mark = format!("{}-{}", std::process::id(), JOBS.fetch_add(1, Ordering::Relaxed));
        command.args(arguments.iter().map(AsRef::as_ref)).env(MARK, &mark);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the launcher starts");
        let output = collect(child.stdout.take().expect("it is piped"));
        let errors = collect(child.stderr.take().expect("it is piped"));
        Self { child, mark, output, errors }
    }

    /// Waits until the ranks have written this to stdout.
    pub fn wait_for_output(&self, text: &str, limit: Duration) {
        self.wait_until(limit, text, || read(&self.output.0).contains(text));
    }

    /// Waits until the ranks have written this to stderr.
    pub fn wait_for_errors(&self, text: &str, limit: Duration) {
        self.wait_until(limit, text, || read(&self.errors.0).contains(text));
    }

    /// What the ranks have written to stderr so far.
    pub fn errors(&self) -> String {
        read(&self.errors.0).clone()
    }

    /// Waits until a file has so many lines.
    pub fn wait_for_lines(&self, file: &Path, lines: usize, limit: Duration) {
        let count = || fs::read_to_string(file).unwrap_or_default().lines().count();
        self.wait_until(limit, "line in a file", || count() >= lines);
    }

    /// The processor time that a rank has used.
    pub fn work_of(&self, rank: usize) -> Duration {
        self.process(rank).and_then(processor_time).expect("the rank still runs")
    }

    /// Waits until a rank has used so much processor time.
    pub fn wait_for_work(&self, rank: usize, work: Duration, limit: Duration) {
        self.wait_until(limit, "a rank that works", || self.has_worked(rank, work));
    }

    /// The same for a job that may end before: then it is false.
    pub fn comes_to_work(&self, rank: usize, work: Duration, limit: Duration) -> bool {
        self.comes_to(limit, "a rank that works", || self.has_worked(rank, work))
    }

    fn has_worked(&self, rank: usize, work: Duration) -> bool {
        self.process(rank).and_then(processor_time).is_some_and(|used| used >= work)
    }

    fn wait_until(&self, limit: Duration, what: &str, reached: impl Fn() -> bool) {
        let told = || format!("{}{}", read(&self.output.0), read(&self.errors.0));
        assert!(self.comes_to(limit, what, reached), "the job ended, no {what}: {}", told());
    }

    /// Waits until this is reached, or until the job has closed its stdout.
    fn comes_to(&self, limit: Duration, what: &str, reached: impl Fn() -> bool) -> bool {
        let end = Instant::now() + limit;
        loop {
            let ended = self.output.1.is_finished();
            // In this order: what is reached just before the end counts.
            if reached() {
                return true;
            }
            if ended {
                return false;
            }
            let (output, errors) = (read(&self.output.0), read(&self.errors.0));
            assert!(Instant::now() < end, "no {what} in {limit:?}: {output}{errors}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Sends a signal to a rank: `-KILL` or `-STOP`, against which it can do nothing.
    /// None to a rank that has ended: what its loss would lead to shows that it was sent.
    pub fn signal(&self, rank: usize, signal: &str) {
        let Some(process) = self.process(rank) else { return };
        Command::new("kill")
            .args([signal, &process.to_string()])
            .output()
            .expect("there is `kill`");
    }

    /// The process of a rank.
    fn process(&self, rank: usize) -> Option<u32> {
        let wanted = [format!("{MARK}={}", self.mark), format!("OMPI_COMM_WORLD_RANK={rank}")];
        let processes = fs::read_dir("/proc").expect("there is /proc").flatten();
        processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).find(|process| {
            let variables = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
            let has =
                |text: &String| variables.split(|byte| *byte == 0).any(|v| v == text.as_bytes());
            wanted.iter().all(has)
        })
    }

    /// Waits for the end of the job.
    ///
    /// # Panics
    /// If it does not end in time; then it is killed.
    pub fn finish(mut self, limit: Duration) -> Outcome {
        let end = Instant::now() + limit;
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("it can be waited for") {
                break status;
            }
            if Instant::now() > end {
                self.give_up(limit);
            }
            thread::sleep(Duration::from_millis(20));
        };
        let text = |(text, reader): (Text, JoinHandle<()>)| {
            reader.join().expect("the reader ends with the job");
            read(&text)
        };
        Outcome { status, output: text(self.output), errors: text(self.errors) }
    }

    fn give_up(&mut self, limit: Duration) -> ! {
        // SIGTERM lets the launcher end its ranks.
        let _ = Command::new("kill").arg(self.child.id().to_string()).status();
        let _ = self.child.wait();
        let (output, errors) = (read(&self.output.0), read(&self.errors.0));
        panic!("the job has not ended within {limit:?}\nstdout: {output}\nstderr: {errors}");
    }
}

fn read(text: &Text) -> String {
    text.lock().expect("nobody panics with it").clone()
}

/// Reads in the background until the end.
fn collect(pipe: impl Read + Send + 'static) -> (Text, JoinHandle<()>) {
    let text = Text::default();
    let target = Arc::clone(&text);
    let reader = thread::spawn(move || {
        for line in BufReader::new(pipe).lines().map_while(Result::ok) {
            target.lock().expect("nobody panics with it").push_str(&format!("{line}\n"));
        }
    });
    (text, reader)
}

/// The processor time of a process, from the 14th and 15th number that the system
/// tells of it, in hundredths of a second.
fn processor_time(process: u32) -> Option<Duration> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let mut numbers = text.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut next = || numbers.next()?.parse::<u64>().ok();
    Some(Duration::from_millis((next()? + next()?) * 10))
}
