//! `ruche search`: the best move, found by a tree here and playouts on clusters.

mod report;
mod timeline;

use std::sync::Arc;
use std::time::Duration;

use ruche_boards::{Accident, Harm};
use ruche_cli::moves::{MovesError, position_after};
use ruche_cli::names::Names;
use ruche_io_node::transport::Endpoint;
use ruche_offload::boards::BoardsError;
use ruche_offload::inproc::Death;
use ruche_offload::remote::ConnectError;
use ruche_offload::{Boards, HostEngine, Inproc, Remote, Topology};
use ruche_search::offload::Checking;
use ruche_search::{
    Direct, DirectSettings, Offload, Search, SearchBudget, SearchError, SearchReport,
};
use ruche_shared::wire::control::Loss;
use ruche_shared::{Image, WordWidth};

use super::CommandError;
use super::ranks::play_part;
use crate::arguments::{EngineChoice, SearchCommand, Transport};
use crate::game::Game;
use crate::output::{Answer, print};
use crate::progress::Progress;
use report::Findings;

/// Why there is no search, or none that came to its end.
#[derive(Debug, thiserror::Error)]
pub enum SearchCommandError {
    /// The moves lead nowhere.
    #[error("--moves: {0}")]
    Moves(#[from] MovesError),
    /// The clusters cannot play the game.
    #[error("{game}: {error}")]
    Connect {
        /// The path or name.
        game: String,
        /// Why not.
        error: ConnectError,
    },
    /// There are no boards, or they cannot play the game.
    #[error("{game}: {error}")]
    Boards {
        /// The path or name.
        game: String,
        /// Why not.
        error: Box<BoardsError>,
    },
    /// The search has failed.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// There is no MPI.
    #[error("{0}")]
    Mpi(#[from] ruche_mpi::Error),
    /// This process was not started by a launcher of MPI.
    #[error(
        "--transport mpi: this process is no rank of MPI: start it with \
         `mpirun -n RANKS ruche search …`; rank 0 is the host, rank 1 the I/O node"
    )]
    NoRank,
    /// The timeline cannot be written.
    #[error("{file}: {error}: give a path that can be written with --trace")]
    Timeline {
        /// The path.
        file: String,
        /// What the system says.
        error: std::io::Error,
    },
}

/// Searches, or serves a search if this process is a rank of MPI that shall.
///
/// # Errors
/// If the game cannot be loaded, the moves are not legal, or nobody can play.
pub fn run(command: &SearchCommand) -> Result<Answer, CommandError> {
    let is_launched = ruche_mpi::launch::rank_of_environment().is_some();
    let usual = if is_launched { Transport::Mpi } else { Transport::Inproc };
    let transport = command.transport.unwrap_or(usual);
    if transport != Transport::Mpi {
        return search_here(command, transport);
    }
    match ruche_mpi::world().map_err(SearchCommandError::from)? {
        None => Err(SearchCommandError::NoRank.into()),
        Some(world) => play_part(world, &engine(command), |world| {
            let topology = Topology { clusters: world.clusters(), ..command.topology };
            host_rank(command, &topology, world.host_endpoint())
        }),
    }
}

/// The host's part in this process, and all others with it.
fn search_here(command: &SearchCommand, transport: Transport) -> Result<Answer, CommandError> {
    let game = super::load(&command.game)?;
    let image = game.image()?;
    let clusters = command.topology.clusters;
    if transport == Transport::Board {
        return search_on_boards(command, &game, &image);
    }
    if transport == Transport::Direct {
        let settings = direct_settings(command);
        let mut direct = Direct::new(&image, settings)
            .map_err(|error| CommandError::Playouts { game: command.game.clone(), error })?;
        let played = Played { transport, width: settings.width, clusters, playing: |_| None };
        return search(command, &game, &image, &mut direct, played);
    }
    let inproc = Inproc::start_with_deaths(
        &image,
        &game.file()[..image.length()],
        &command.topology,
        command.seed,
        engine(command),
        &command.deaths,
        say_loss,
    );
    let mut inproc = inproc.map_err(|error| cannot_connect(command, error))?;
    let width = inproc.remote().map_or(command.topology.width, Remote::width);
    let played = Played {
        transport,
        width,
        clusters,
        playing: |inproc: &Inproc| inproc.remote().map(Remote::playing),
    };
    search(command, &game, &image, &mut inproc, played)
}

/// The clusters are boards, and this process has the rest.
fn search_on_boards(
    command: &SearchCommand,
    game: &Game,
    image: &Image<'_>,
) -> Result<Answer, CommandError> {
    let crash =
        |death: &Death| Accident { board: death.cluster, frame: death.after, harm: Harm::Crash };
    let mut settings = crate::board::settings();
    settings.accidents = command.deaths.iter().map(crash).collect();
    let (bytes, topology) = (&game.file()[..image.length()], &command.topology);
    let boards = Boards::start(image, bytes, topology, command.seed, &settings, say_loss);
    let mut boards = boards.map_err(|error| SearchCommandError::Boards {
        game: command.game.clone(),
        error: Box::new(error),
    })?;
    let played = Played {
        transport: Transport::Board,
        width: boards.remote().map_or(topology.width, Remote::width),
        clusters: topology.clusters,
        playing: |boards: &Boards| boards.remote().map(Remote::playing),
    };
    let answer = search(command, game, image, &mut boards, played);
    for (number, log) in boards.stop().iter().enumerate() {
        let depths = log.lines().filter(|line| line.starts_with("stacks: "));
        depths.for_each(|depths| eprintln!("board {number}: {depths}"));
    }
    answer
}

/// What is known about whoever plays.
struct Played<O> {
    transport: Transport,
    /// The word that is used.
    width: WordWidth,
    clusters: usize,
    /// How long clusters were at it, all together, if anybody knows.
    playing: fn(&O) -> Option<Duration>,
}

fn host_rank<E: Endpoint>(
    command: &SearchCommand,
    topology: &Topology,
    endpoint: E,
) -> Result<Answer, CommandError> {
    let game = super::load(&command.game)?;
    let image = game.image()?;
    let load = topology.load(&image, command.seed);
    let bytes = &game.file()[..image.length()];
    let mut remote = Remote::connect(endpoint, &image, bytes, &load, say_loss)
        .map_err(|error| cannot_connect(command, error))?;
    let playing = |remote: &Remote<E>| Some(remote.playing());
    let (transport, clusters) = (Transport::Mpi, topology.clusters);
    let played = Played { transport, width: remote.width(), clusters, playing };
    search(command, &game, &image, &mut remote, played)
}

fn cannot_connect(command: &SearchCommand, error: ConnectError) -> SearchCommandError {
    SearchCommandError::Connect { game: command.game.clone(), error }
}

fn say_loss(loss: &Loss) {
    let Loss { cluster, left, text } = loss;
    eprintln!("ruche: cluster {cluster} is lost, {left} are left: {text}");
}

fn engine(command: &SearchCommand) -> Arc<HostEngine> {
    Arc::new(match command.engine {
        EngineChoice::Interpreter => HostEngine::interpreter(),
        EngineChoice::Auto | EngineChoice::Native => HostEngine::native(),
    })
}

fn direct_settings(command: &SearchCommand) -> DirectSettings {
    let width = command.topology.width;
    let engine = super::bench::engine(command.engine);
    DirectSettings { seed: command.seed, width, engine, ..DirectSettings::default() }
}

/// Searches with whoever plays, and prints what was found.
fn search<O: Offload>(
    command: &SearchCommand,
    game: &Game,
    image: &Image<'_>,
    offload: &mut O,
    played: Played<O>,
) -> Result<Answer, CommandError> {
    let names = game.names(image)?;
    let position =
        position_after(image, &names, &command.moves).map_err(SearchCommandError::from)?;
    let timeline = command.trace.as_deref().map(timeline::start).transpose()?;
    let mut search =
        Search::new(image, &position, command.settings).map_err(SearchCommandError::from)?;
    let result = watch(command, &names, |tell| match command.check > 0.0 {
        true => search.run(&mut checking(command, image, &mut *offload)?, tell).map_err(Into::into),
        false => search.run(&mut *offload, tell).map_err(CommandError::from),
    });
    drop(timeline);
    let Played { transport, width, clusters, playing } = played;
    let playing = playing(offload).map(|time| time / clusters.max(1) as u32);
    let findings = Findings { command, names: &names, transport, clusters, width, playing };
    let report = match result {
        Ok(report) => report,
        Err(CommandError::Search(SearchCommandError::Search(error))) => {
            // What was finished is worth something, although it is no answer.
            let Some(report) = error.report() else { return Err(error.into()) };
            print(&findings.text_or_json(report))?;
            eprintln!("ruche: {error}");
            return Ok(Answer::No);
        }
        Err(error) => return Err(error),
    };
    print(&findings.text_or_json(&report))?;
    Ok(Answer::Yes)
}

/// Recomputes a share of all batches.
fn checking<'image, O: Offload>(
    command: &SearchCommand,
    image: &Image<'image>,
    offload: O,
) -> Result<Checking<'image, O>, CommandError> {
    let limit = DirectSettings::default().ply_limit;
    Checking::new(offload, image, command.check, command.seed, limit)
        .map_err(|error| CommandError::Playouts { game: command.game.clone(), error })
}

/// Runs a search with a live line about it.
fn watch(
    command: &SearchCommand,
    names: &Names,
    run: impl FnOnce(&mut dyn FnMut(&ruche_search::Progress)) -> Result<SearchReport, CommandError>,
) -> Result<SearchReport, CommandError> {
    let live = match command.settings.options().budget {
        SearchBudget::Playouts(playouts) => Progress::bar("searching".to_owned(), playouts),
        SearchBudget::Time(_) => Progress::spinner("searching".to_owned()),
    };
    run(&mut |progress| {
        let best = report::joint(names, &progress.best);
        let means: Vec<String> = progress.means.iter().map(|mean| format!("{mean:.0}")).collect();
        live.show(progress.playouts, format!("{best} ({})", means.join(" ")));
    })
}
