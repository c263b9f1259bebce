//! `ruche player`: plays for game managers, over HTTP.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use ruche_clusters::ranks::serve_rank;
use ruche_clusters::{Boards, ConnectSettings, Ranks, Relay, Route, Topology, connect};
use ruche_ggp::Server;
use ruche_ggp::http::ServerLimits;
use ruche_mpi::World;
use ruche_offload::{Event, Events};
use ruche_player::{Connect, Player, PlayerSettings};
use ruche_playouts::{EngineChoice, HostEngine};
use ruche_shared::Transport;

use super::CommandError;
use super::ranks::play_part;
use super::search::SearchCommandError;
use crate::arguments::PlayerCommand;
use crate::board;
use crate::interrupt::Interrupt;
use crate::output::Answer;

/// Plays until somebody stops it, or serves a player if this process is a rank of MPI that
/// shall.
///
/// # Errors
/// If the port is taken, or there is no MPI although it is wanted.
pub fn run(command: &PlayerCommand) -> Result<Answer, CommandError> {
    match command.transport {
        Transport::Mpi => play_on_ranks(command),
        _ => play_here(command),
    }
}

/// Plays with clusters of this process, or that it starts.
fn play_here(command: &PlayerCommand) -> Result<Answer, CommandError> {
    let threads = on_threads(command);
    let connect = match command.transport {
        Transport::Direct => without_clusters(command.topology),
        Transport::Board => or_else(on_boards(command.topology), threads),
        _ => threads,
    };
    let interrupt = Interrupt::default();
    interrupt.listen(None)?;
    Listening::new(command, connect)?.answer(&interrupt);
    Ok(interrupt.or(Answer::Yes))
}

/// The host's part, or that of another rank.
fn play_on_ranks(command: &PlayerCommand) -> Result<Answer, CommandError> {
    let world = ruche_mpi::world().map_err(SearchCommandError::from)?;
    let world = world.ok_or(SearchCommandError::NoRank)?;
    // Who shares a terminal with the host is interrupted with it, but the host says when it
    // is over.
    if world.rank() > 0 {
        world.on_interrupt(|| ()).map_err(SearchCommandError::from)?;
    }
    let (engine, memory) = (HostEngine::new(EngineChoice::Auto), command.topology.memory);
    play_part(world, |world| serve_rank(world, &engine, memory), |world| be_host(command, world))
}

/// The part of rank 0. Only this thread may use MPI: it carries the frames of all others,
/// until the last of those who play has gone and has told the clusters to stop.
fn be_host(command: &PlayerCommand, world: &World) -> Result<Answer, CommandError> {
    let interrupt = Interrupt::default();
    interrupt.listen(Some(world))?;
    let topology = Topology { clusters: world.clusters(), ..command.topology };
    let (relay, lent) = Relay::new(world.host_endpoint());
    let ranks = Arc::new(Ranks::new(lent, topology.clusters, Events::new(say)));
    let connect = or_else(on_ranks(ranks, topology), on_threads(command));
    let server = Listening::new(command, connect)?;
    thread::scope(|scope| {
        scope.spawn(|| server.answer(&interrupt));
        relay.run();
    });
    Ok(interrupt.or(Answer::Yes))
}

/// A player whom managers can reach.
struct Listening {
    server: Server,
    player: Arc<Player>,
}

impl Listening {
    fn new(command: &PlayerCommand, connect: Connect) -> Result<Self, CommandError> {
        let server = Server::bind(&command.host, command.port, ServerLimits::default())?;
        eprintln!("ruche: a player listens at http://{}", server.address());
        let player = Arc::new(Player::new(settings(command, connect)));
        Ok(Self { server, player })
    }

    /// Answers until somebody wants to stop.
    fn answer(self, interrupt: &Interrupt) {
        let (closer, stop) = (self.server.closer(), interrupt.stop().clone());
        thread::spawn(move || {
            while !stop.is_requested() {
                thread::sleep(Duration::from_millis(50));
            }
            closer.close();
        });
        let answering = Arc::clone(&self.player);
        self.server.run(move |request| answering.answer(&request));
        self.player.close();
    }
}

fn settings(command: &PlayerCommand, connect: Connect) -> PlayerSettings {
    PlayerSettings {
        search: command.settings,
        ponders: command.ponders,
        connect,
        tell: Arc::new(tell),
        ..PlayerSettings::default()
    }
}

fn tell(text: &str) {
    eprintln!("ruche: {text}");
}

/// Tells what happens to clusters.
fn say(event: &Event) {
    tell(&event.to_string());
}

fn on_threads(command: &PlayerCommand) -> Connect {
    let topology = match command.transport {
        Transport::Inproc => command.topology,
        _ => Topology { clusters: 1, ..command.topology },
    };
    PlayerSettings::default().on_threads(topology).connect
}

fn without_clusters(topology: Topology) -> Connect {
    Arc::new(move |game| connect(Route::Direct, game, &ConnectSettings::new(topology, 0)))
}

fn on_boards(topology: Topology) -> Connect {
    let topology = Topology { deadline: board::DEADLINE, ..topology };
    Arc::new(move |game| {
        let settings = ConnectSettings::new(topology, 0);
        Ok(Box::new(Boards::start(game, &settings, &board::settings())?))
    })
}

fn on_ranks(ranks: Arc<Ranks>, topology: Topology) -> Connect {
    Arc::new(move |game| Ok(Box::new(ranks.lease(game, &ConnectSettings::new(topology, 0))?)))
}

/// Games that some cannot play are played by others: a match has to go on.
fn or_else(first: Connect, second: Connect) -> Connect {
    Arc::new(move |game| {
        first(game).or_else(|error| {
            tell(&format!("{error}: threads of this machine play instead"));
            second(game)
        })
    })
}
