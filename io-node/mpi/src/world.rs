//! Begin and end of a rank, and what each of them holds in between.

use std::{
    io::{self, Write},
    iter, mem, process,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use mpi::{Threading, environment::Universe, traits::Communicator as _};
use ruche_io_node::{
    Peer,
    transport::{Closed, Endpoint, Network, PeerEvent},
};
use signal_hook::{
    consts::{SIGINT, SIGTERM},
    iterator::Signals,
};

use crate::{
    MpiError,
    error::FEWEST_RANKS,
    link::{Happening, Link, Watch},
    messages::Rank,
    raw::Communicator,
};

const HOST: Rank = 0;
const IO_NODE: Rank = 1;
const FIRST_CLUSTER: Rank = 2;

/// The I/O node never works for long, so that its silence means that it is lost.
const IO_NODE_SILENCE: Duration = Duration::from_secs(6);

/// The host may be held up by whoever reads what it prints.
const HOST_SILENCE: Duration = Duration::from_secs(60);

/// `MPI_Init` waits for all ranks, which a large job may start slowly.
const LONGEST_INIT: Duration = Duration::from_secs(120);

/// The same in seconds, for whoever knows better.
const LONGEST_INIT_VARIABLE: &str = "RUCHE_MPI_START";

/// `MPI_Finalize` waits for all ranks, also for those that never come.
const LONGEST_FINALIZE: Duration = Duration::from_secs(8);

/// `MPI_Abort` may wait for ranks that do not answer, too.
const LONGEST_ABORT: Duration = Duration::from_secs(2);

/// The I/O node waits for the clusters to end, which may have a batch to play. One
/// that has not ended by then hangs, and keeps the job from its end.
const LONGEST_BATCH: Duration = Duration::from_secs(5);

/// For so long a process may go on when the launcher ends the job.
const LONGEST_FAREWELL: Duration = Duration::from_secs(5);

/// A launcher that ends the job tells all ranks within this time.
const TOLD_WITHIN: Duration = Duration::from_millis(300);

/// Which rank has died, only the launcher knows.
const JOB_ENDS: &str = "the launcher ends the job (SIGTERM), as it does when a rank has died, \
     which it names itself, or at Ctrl-C";

/// When the job ends early, the others stay for so long: OpenMPI kills all ranks as
/// soon as one has ended, and the host still has something to print.
const LINGER: Duration = Duration::from_secs(2);

/// What `World` and its connection share.
struct Shared {
    link: Link<Communicator>,
    /// Why the connection was closed, for a person.
    failure: Option<String>,
    /// Whether that was no farewell: others may never come to the end.
    broken: bool,
}

impl Shared {
    /// The status of a job that one rank ends for all: that of the host if it has
    /// ended, and never success if somebody was lost who is needed.
    fn status_for_all(&self, own: i32) -> i32 {
        let status = self.link.status_of(HOST).map_or(own, i32::from);
        if self.broken { status.max(1) } else { status }
    }
}

type Handle = Arc<Mutex<Shared>>;

fn lock(handle: &Handle) -> MutexGuard<'_, Shared> {
    // Whoever panicked meanwhile left the link in a state that can be used.
    handle.lock().unwrap_or_else(PoisonError::into_inner)
}

/// All ranks together, seen from one of them.
///
/// Only the thread that called [`World::init`] may use it and what comes from it;
/// a call on another thread panics. End it with [`World::leave`].
pub struct World {
    rank: Rank,
    size: usize,
    shared: Handle,
    job_ends: Arc<AtomicBool>,
    /// Taken when this rank has left.
    universe: Option<Universe>,
}

impl World {
    /// Joins the other ranks: initialises MPI for calls from this thread only.
    ///
    /// From here on SIGTERM, with which launchers end a job, no longer ends this
    /// process at once: it closes the connection, so that what was finished can be
    /// printed.
    ///
    /// # Errors
    /// If there are less than three ranks or MPI cannot be used.
    pub fn init() -> Result<Self, MpiError> {
        let watchdog = Watchdog::new();
        let (universe, threading) =
            mpi::initialize_with_threading(Threading::Funneled).ok_or(MpiError::StartedTwice)?;
        drop(watchdog);
        if threading < Threading::Funneled {
            return Err(MpiError::Threads);
        }
        let job_ends = watch_for_end()
            .map_err(|error| MpiError::Signal { name: "SIGTERM", why: error.to_string() })?;
        let (rank, size) = place(&universe);
        if size < FEWEST_RANKS {
            return Err(MpiError::TooFewRanks { found: size });
        }
        // SAFETY: `end` shuts the link, which uses it no more, before it drops the universe.
        let all = unsafe { Communicator::world(&universe) };
        let link = Link::new(all, others(rank, size), Arc::clone(&job_ends));
        let shared = Arc::new(Mutex::new(Shared { link, failure: None, broken: false }));
        Ok(Self { rank, size, shared, job_ends, universe: Some(universe) })
    }

    /// The number of this rank.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// How many ranks there are.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// How many clusters there are.
    #[must_use]
    pub fn clusters(&self) -> usize {
        self.size - FIRST_CLUSTER
    }

    /// The host's connection to the I/O node.
    ///
    /// # Panics
    /// If this is not rank 0.
    #[must_use]
    pub fn host_endpoint(&self) -> Connection {
        assert_eq!(self.rank, HOST, "only rank 0 is the host");
        Connection(Arc::clone(&self.shared))
    }

    /// A cluster's connection to the I/O node.
    ///
    /// # Panics
    /// If this is the rank of the host or of the I/O node.
    #[must_use]
    pub fn cluster_endpoint(&self) -> Connection {
        assert!(self.rank >= FIRST_CLUSTER, "rank {} is no cluster", self.rank);
        Connection(Arc::clone(&self.shared))
    }

    /// The I/O node's connections to all others.
    ///
    /// # Panics
    /// If this is not rank 1.
    #[must_use]
    pub fn network(&self) -> Hub {
        assert_eq!(self.rank, IO_NODE, "only rank 1 is the I/O node");
        Hub(Arc::clone(&self.shared))
    }

    /// Calls a function whenever somebody interrupts this rank (SIGINT), which then
    /// no longer ends it. SIGTERM goes on to mean that the launcher ends the job.
    ///
    /// # Errors
    /// If the system does not allow it.
    pub fn on_interrupt(&self, mut act: impl FnMut() + Send + 'static) -> Result<(), MpiError> {
        let refused =
            |error: io::Error| MpiError::Signal { name: "SIGINT", why: error.to_string() };
        let mut signals = Signals::new([SIGINT]).map_err(refused)?;
        let watch = move || signals.forever().for_each(|_| act());
        thread::Builder::new().name("interrupt".into()).spawn(watch).map_err(refused)?;
        Ok(())
    }

    /// Why the connection of this rank was closed, for a person.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        lock(&self.shared).failure.clone()
    }

    /// Takes leave of the other ranks and ends this process with this status.
    ///
    /// Never hangs: where a rank was lost, `MPI_Finalize` may wait for ever, so it
    /// is left out or given up. Where the host or the I/O node was lost, all other
    /// ranks are ended too, and the status is never 0. Print everything before.
    pub fn leave(mut self, status: i32) -> ! {
        self.end(status);
        let status = lock(&self.shared).status_for_all(status);
        process::exit(status)
    }

    /// Ends this process and all other ranks at once.
    pub fn abort(mut self, status: i32) -> ! {
        mem::forget(self.universe.take());
        end_all(&lock(&self.shared).link, status)
    }

    fn end(&mut self, status: i32) {
        flush_output();
        let mut shared = lock(&self.shared);
        let wait = self.longest_wait(&shared);
        shared.link.shut(u8::try_from(status).unwrap_or(1), wait);
        let universe = self.universe.take();
        let ending = self.ending(&shared);
        if ending == Ending::Finalize {
            exit_after(LONGEST_FINALIZE, status);
            return drop(universe);
        }
        mem::forget(universe);
        match ending {
            Ending::Abort => end_all(&shared.link, shared.status_for_all(status)),
            Ending::Linger => thread::sleep(LINGER),
            Ending::Exit | Ending::Finalize => {}
        }
    }

    /// How long the farewells of others are worth waiting for.
    fn longest_wait(&self, shared: &Shared) -> Duration {
        let hopeless = shared.broken || thread::panicking();
        if self.rank == IO_NODE && !hopeless { LONGEST_BATCH } else { Duration::ZERO }
    }

    fn ending(&self, shared: &Shared) -> Ending {
        let job_ends = self.job_ends.load(Ordering::Relaxed);
        match self.rank {
            HOST if job_ends => Ending::Exit,
            _ if job_ends => Ending::Linger,
            _ if thread::panicking() => Ending::Exit,
            HOST | IO_NODE if shared.broken => Ending::Abort,
            IO_NODE if !shared.link.is_alone() => Ending::Abort,
            _ if shared.broken => Ending::Linger,
            _ => Ending::Finalize,
        }
    }
}

/// How a rank ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    /// All is well: together with the others.
    Finalize,
    /// With everybody: nothing can go on without who was lost, or who hangs would
    /// stay behind.
    Abort,
    /// Later: the host must come first.
    Linger,
    /// At once, and alone.
    Exit,
}

impl Drop for World {
    fn drop(&mut self) {
        if self.universe.is_some() {
            self.end(1);
        }
    }
}

/// A flag that is set when the launcher ends the job. A thread waits for its
/// signal, and later ends a process that is too busy to see the flag.
fn watch_for_end() -> io::Result<Arc<AtomicBool>> {
    let mut signals = Signals::new([SIGTERM])?;
    let job_ends = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&job_ends);
    thread::Builder::new().name("end of job".into()).spawn(move || {
        if signals.forever().next().is_some() {
            flag.store(true, Ordering::Relaxed);
            exit_after(LONGEST_FAREWELL, 128 + SIGTERM);
        }
    })?;
    Ok(job_ends)
}

/// Ends this process if it lives for too long: `MPI_Init` waits for all ranks, also for
/// those that died before they came there, and nobody can interrupt it.
struct Watchdog {
    /// Dropped with it, which the thread hears.
    _alive: Option<mpsc::Sender<()>>,
}

impl Watchdog {
    fn new() -> Self {
        let (alive, ended) = mpsc::channel::<()>();
        let limit = longest_init();
        let bark = move || {
            if ended.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout) {
                eprintln!(
                    "ruche: MPI did not start within {} s: a rank has died or never came; start \
                     the job again, or wait longer with {LONGEST_INIT_VARIABLE}=SECONDS",
                    limit.as_secs()
                );
                flush_output();
                signal_hook::low_level::exit(1);
            }
        };
        // A system that starts no thread has a job without a watchdog.
        let thread = thread::Builder::new().name("watchdog".into()).spawn(bark);
        Self { _alive: thread.is_ok().then_some(alive) }
    }
}

fn longest_init() -> Duration {
    let wanted = std::env::var(LONGEST_INIT_VARIABLE).ok();
    let wanted = wanted.and_then(|wanted| wanted.parse().ok()).filter(|seconds| *seconds > 0);
    wanted.map_or(LONGEST_INIT, Duration::from_secs)
}

fn place(universe: &Universe) -> (Rank, usize) {
    let world = universe.world();
    (world.rank() as Rank, world.size() as usize)
}

/// Who a rank talks to.
fn others(rank: Rank, size: usize) -> Vec<(Rank, Watch)> {
    if rank != IO_NODE {
        return vec![(IO_NODE, Watch::Always(IO_NODE_SILENCE))];
    }
    let clusters = (FIRST_CLUSTER..size).map(|cluster| (cluster, Watch::Never));
    iter::once((HOST, Watch::AfterFrame(HOST_SILENCE))).chain(clusters).collect()
}

fn flush_output() {
    // Nobody is left to tell that nobody listens.
    let _ = io::stdout().flush();
    let _ = io::stderr().flush();
}

/// Ends all ranks, this one included, whatever MPI does.
fn end_all(link: &Link<Communicator>, status: i32) -> ! {
    flush_output();
    exit_after(LONGEST_ABORT, status);
    link.messages().abort(status);
    process::exit(status)
}

/// Ends this process in a while if it has not ended until then. Without the
/// handlers of `exit`, which may wait for what MPI waits for.
fn exit_after(time: Duration, status: i32) {
    thread::spawn(move || {
        thread::sleep(time);
        signal_hook::low_level::exit(status);
    });
}

/// Whether the launcher ends the job, or is about to.
fn is_told_soon(link: &Link<Communicator>) -> bool {
    let start = Instant::now();
    while !link.job_ends() && start.elapsed() < TOLD_WITHIN {
        thread::sleep(Duration::from_millis(5));
    }
    link.job_ends()
}

/// The connection of the host or of a cluster to the I/O node.
pub struct Connection(Handle);

impl Endpoint for Connection {
    fn send(&mut self, frame: Vec<u8>) -> Result<(), Closed> {
        let sent = lock(&self.0).link.send(IO_NODE, frame);
        if sent { Ok(()) } else { Err(Closed) }
    }

    fn receive(&mut self, timeout: Option<Duration>) -> Result<Option<Vec<u8>>, Closed> {
        let mut shared = lock(&self.0);
        let (why, broken) = match shared.link.wait(timeout) {
            Some((_, Happening::Frame(frame))) => return Ok(Some(frame)),
            None if shared.link.is_open() => return Ok(None),
            None => return Err(Closed),
            Some((_, Happening::JobEnds)) => (String::new(), true),
            Some((_, Happening::Ended(_))) => ("it has ended".to_owned(), false),
            Some((_, Happening::Lost(why))) => (why, true),
        };
        // A launcher that ends the job tells one rank after the other, so that the I/O
        // node may be gone before this rank is told, and is not to blame.
        shared.failure = Some(match is_told_soon(&shared.link) {
            true => JOB_ENDS.to_owned(),
            false => format!("the I/O node (rank {IO_NODE}) is gone: {why}"),
        });
        shared.broken = broken;
        Err(Closed)
    }
}

/// The connections of the I/O node to the host and to all clusters.
pub struct Hub(Handle);

impl Network for Hub {
    fn send(&mut self, to: Peer, frame: Vec<u8>) -> Result<(), Closed> {
        let sent = lock(&self.0).link.send(rank_of(to), frame);
        if sent { Ok(()) } else { Err(Closed) }
    }

    fn receive(&mut self, timeout: Option<Duration>) -> Result<Option<(Peer, PeerEvent)>, Closed> {
        let mut shared = lock(&self.0);
        match shared.link.wait(timeout) {
            Some((rank, happening)) => {
                let failure = match &happening {
                    Happening::Lost(why) => format!("the host (rank {HOST}) is lost: {why}"),
                    _ => JOB_ENDS.to_owned(),
                };
                if rank == HOST && matches!(happening, Happening::Lost(_) | Happening::JobEnds) {
                    (shared.failure, shared.broken) = (Some(failure), true);
                }
                Ok(Some((peer_of(rank), event(rank, happening))))
            }
            None if shared.link.is_open() => Ok(None),
            None => {
                shared.failure = Some("the host and all clusters are gone".into());
                Err(Closed)
            }
        }
    }
}

fn event(rank: Rank, happening: Happening) -> PeerEvent {
    match happening {
        Happening::Frame(frame) => PeerEvent::Frame(frame),
        Happening::Ended(_) => PeerEvent::Gone(format!("rank {rank} has ended")),
        Happening::Lost(why) => PeerEvent::Gone(format!("rank {rank} is lost: {why}")),
        Happening::JobEnds => PeerEvent::Gone(JOB_ENDS.to_owned()),
    }
}

fn rank_of(peer: Peer) -> Rank {
    match peer {
        Peer::Host => HOST,
        Peer::Cluster(cluster) => FIRST_CLUSTER + cluster,
    }
}

fn peer_of(rank: Rank) -> Peer {
    rank.checked_sub(FIRST_CLUSTER).map_or(Peer::Host, Peer::Cluster)
}
