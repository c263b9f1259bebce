//! `ruche search`: the best move, found by a tree here and playouts on clusters.

mod page;
mod report;
mod room;
mod timeline;

use std::sync::Arc;
use std::time::Instant;

use cpu_time::ProcessTime;
use ruche_clusters::ranks::serve_rank;
use ruche_clusters::{ConnectError, ConnectSettings, Ranks, Route, Topology, connect};
use ruche_game::{MovesError, Names};
use ruche_model::MachineModel;
use ruche_mpi::World;
use ruche_offload::{Checking, Event, Events, Offload};
use ruche_playouts::HostEngine;
use ruche_search::{SearchError, SearchReport, Searcher, Stop};
use ruche_shared::Transport;

use super::ranks::play_part;
use super::{CommandError, complaint};
use crate::arguments::SearchCommand;
use crate::interrupt::{Interrupt, InterruptError};
use crate::machine::{self, MachineError};
use crate::output::{Answer, print};
use crate::progress::Progress;
use page::Watching;
use report::Findings;
use timeline::{Part, Timeline};

/// Why there is no search, or none that came to its end.
#[derive(Debug, thiserror::Error)]
pub enum SearchCommandError {
    /// The moves lead nowhere.
    #[error("--moves: {0}")]
    Moves(#[from] MovesError),
    /// Nobody can play the game.
    #[error("{game}: {source}{advice}")]
    Connect {
        /// The path or name.
        game: String,
        /// Why not.
        source: Box<ConnectError>,
        /// What would do, if that is known.
        advice: String,
    },
    /// There is no such machine to model.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// The search has failed.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// There is no MPI.
    #[error("{0}")]
    Mpi(#[from] ruche_mpi::MpiError),
    /// This process was not started by a launcher of MPI.
    #[error(
        "--transport mpi: this process is no rank of MPI: start it with \
         `mpirun -n RANKS ruche search …`; rank 0 is the host, rank 1 the I/O node"
    )]
    NoRank,
    /// Ctrl-C would not be noticed.
    #[error(transparent)]
    Interrupt(#[from] InterruptError),
    /// The timeline cannot be written.
    #[error("{file}: {source}: give a path that can be written with --trace")]
    Timeline {
        /// The path.
        file: String,
        /// What the system says.
        source: std::io::Error,
    },
}

/// Searches, or serves a search if this process is a rank of MPI that shall.
///
/// # Errors
/// If the game cannot be loaded, the moves are not legal, or nobody can play.
pub fn run(command: &SearchCommand) -> Result<Answer, CommandError> {
    let is_launched = ruche_mpi::launch::rank_of_environment().is_some();
    let usual = if is_launched { Transport::Mpi } else { Transport::Inproc };
    match command.transport.unwrap_or(usual) {
        Transport::Mpi => search_on_ranks(command),
        transport => timeline::watch(command, Part::ALONE, || search_here(command, transport)),
    }
}

/// Searches with clusters of this process, or that it starts.
fn search_here(command: &SearchCommand, transport: Transport) -> Result<Answer, CommandError> {
    match transport {
        Transport::Mpi => Err(SearchCommandError::NoRank.into()),
        Transport::Board => {
            let boards = crate::board::settings();
            search(command, Route::Boards(&boards), command.topology, None)
        }
        Transport::Direct => search(command, Route::Direct, command.topology, None),
        Transport::Inproc => search(command, Route::Inproc, command.topology, None),
        Transport::Model => {
            let parameters = machine::parameters(command.machine.as_deref())
                .map_err(SearchCommandError::from)?;
            let machine = MachineModel::new(&parameters);
            search(command, Route::Platform(&machine), command.topology, None)
        }
    }
}

/// The host's part, or that of another rank.
fn search_on_ranks(command: &SearchCommand) -> Result<Answer, CommandError> {
    match ruche_mpi::world().map_err(SearchCommandError::from)? {
        None => Err(SearchCommandError::NoRank.into()),
        Some(world) => {
            // Who shares a terminal with the host is interrupted with it, but the host
            // says when it is over.
            if world.rank() > 0 {
                world.on_interrupt(|| ()).map_err(SearchCommandError::from)?;
            }
            play_part(
                world,
                |world| serve(command, world),
                |world| timeline::watch(command, Part::of(world), || be_host(command, world)),
            )
        }
    }
}

/// The part of rank 0. When it is over, the others were told to stop.
fn be_host(command: &SearchCommand, world: &World) -> Result<Answer, CommandError> {
    let ranks = Ranks::of_world(world, Events::new(say));
    let topology = Topology { clusters: ranks.clusters(), ..command.topology };
    search(command, Route::Ranks(&ranks), topology, Some(world))
}

/// The part of any other rank, which also plays if it cannot write a timeline.
fn serve(command: &SearchCommand, world: &World) {
    let timeline = command.trace.as_deref().map(|path| Timeline::start(path, Part::of(world)));
    serve_rank(world, &HostEngine::new(command.engine), command.topology.memory);
    if let Some(Err(error)) = timeline.map(|timeline| timeline.and_then(Timeline::finish)) {
        eprintln!("ruche: rank {}: {error}", world.rank());
    }
}

/// Tells what happens to clusters.
fn say(event: &Event) {
    match event {
        Event::Stopped { cluster, log } => {
            let depths = log.lines().filter(|line| line.starts_with("stacks: "));
            depths.for_each(|depths| eprintln!("board {cluster}: {depths}"));
        }
        event => eprintln!("ruche: {event}"),
    }
}

/// Searches with whoever plays, and prints what was found.
fn search(
    command: &SearchCommand,
    route: Route<'_>,
    topology: Topology,
    world: Option<&World>,
) -> Result<Answer, CommandError> {
    let game = super::load(&command.game)?;
    let state = game.after(&command.moves).map_err(SearchCommandError::from)?;
    let watching = Watching::open(command, &game)?;
    let settings = ConnectSettings {
        meters: watching.meters.clone(),
        engine: Arc::new(HostEngine::new(command.engine)),
        deaths: command.deaths.clone(),
        events: Events::new(say),
        ..ConnectSettings::new(topology, command.seed)
    };
    let played = command.settings.options().game_of_playouts(&game);
    let mut offload = connect(route, &played, &settings).map_err(|source| {
        let advice = room::advice(played.image(), &topology, route.transport()).unwrap_or_default();
        let (game, source) = (command.game.clone(), Box::new(source));
        SearchCommandError::Connect { game, source, advice }
    })?;
    let mut searcher =
        command.method.start(&game, &command.settings).map_err(SearchCommandError::from)?;
    searcher.set_position(&state).map_err(SearchCommandError::from)?;
    searcher.report_every(watching.pause());
    let interrupt = Interrupt::default();
    interrupt.listen(world).map_err(SearchCommandError::from)?;
    let (stop, clock) = (interrupt.stop(), ProcessTime::now());
    let result = match command.check > 0.0 {
        true => {
            let checking = Checking::new(&mut *offload, &played, command.check);
            let mut checking = checking
                .map_err(|source| CommandError::Playouts { game: command.game.clone(), source })?;
            watch((command, &watching), game.names(), &mut *searcher, &mut checking, stop)
        }
        false => watch((command, &watching), game.names(), &mut *searcher, &mut *offload, stop),
    };
    let cpu = clock.elapsed();
    let attributes = offload.attributes();
    let each = attributes.clusters.max(1) as u32;
    let usage = offload.usage();
    let playing = usage.playing.map(|time| time / each);
    let (names, transport, virtual_time) = (game.names(), route.transport(), usage.virtual_time);
    let findings = Findings {
        command,
        names,
        transport,
        attributes,
        playing,
        virtual_time,
        state: &state,
        played: &played,
        cpu,
    };
    if let Ok(report) = &result {
        watching.show(report, false);
    }
    let answer = interrupt.or(tell(result, &findings)?);
    watching.linger(stop);
    if stop.is_requested() && transport == Transport::Inproc {
        // Clusters finish their round before they can be joined; they end with this process.
        std::mem::forget(offload);
    }
    Ok(answer)
}

/// Prints what was found, also by a search that has failed: it is worth something,
/// although it is no answer.
fn tell(
    result: Result<SearchReport, SearchError>,
    findings: &Findings<'_>,
) -> Result<Answer, CommandError> {
    match result {
        Ok(report) => {
            print(&findings.text_or_json(&report))?;
            let complaint = complaint(&findings.command.game, &report.tally);
            complaint.iter().for_each(|complaint| eprintln!("{complaint}"));
            match findings.standstill().filter(|_| findings.state.stuck_role().is_some()) {
                Some(stuck) => {
                    eprintln!("ruche: {}: {stuck}: nothing can be searched", findings.command.game);
                    Ok(Answer::No)
                }
                None => Ok(Answer::Yes),
            }
        }
        Err(error) => {
            let Some(report) = error.report() else {
                return Err(SearchCommandError::from(error).into());
            };
            print(&findings.text_or_json(report))?;
            eprintln!("ruche: {error}");
            Ok(Answer::No)
        }
    }
}

/// Runs a search with a live line about it, and a page if there is one.
fn watch(
    (command, watching): (&SearchCommand, &Watching),
    names: &Names,
    searcher: &mut dyn Searcher,
    offload: &mut dyn Offload,
    stop: &Stop,
) -> Result<SearchReport, SearchError> {
    let live = match command.limits.playouts {
        Some(playouts) => Progress::bar("searching".to_owned(), playouts),
        None => Progress::spinner("searching".to_owned()),
    };
    let mut told = Instant::now();
    let mut tell = |progress: &ruche_search::Progress| {
        progress.report.iter().for_each(|report| watching.show(report, true));
        if told.elapsed() < Progress::PAUSE {
            return;
        }
        told = Instant::now();
        live.show(progress.playouts, report::live(names, progress));
    };
    searcher.search(offload, &command.limits, stop, &mut tell)
}
