//! `ruche player`: plays for game managers, over HTTP.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use ruche_clusters::{Boards, ConnectSettings, Route, Topology, connect};
use ruche_ggp::Server;
use ruche_ggp::http::ServerLimits;
use ruche_player::{Connect, Player, PlayerSettings};
use ruche_shared::Transport;

use super::CommandError;
use crate::arguments::PlayerCommand;
use crate::board;
use crate::interrupt::Interrupt;
use crate::output::Answer;

/// Plays until somebody stops it.
///
/// # Errors
/// If the port is taken.
pub fn run(command: &PlayerCommand) -> Result<Answer, CommandError> {
    let server = Server::bind(&command.host, command.port, ServerLimits::default())?;
    let interrupt = Interrupt::default();
    interrupt.listen(None)?;
    eprintln!("ruche: a player listens at http://{}", server.address());
    let (closer, stop) = (server.closer(), interrupt.stop().clone());
    thread::spawn(move || {
        while !stop.is_requested() {
            thread::sleep(Duration::from_millis(50));
        }
        closer.close();
    });
    let player = Arc::new(Player::new(settings(command)));
    let answering = Arc::clone(&player);
    server.run(move |request| answering.answer(&request));
    player.close();
    Ok(interrupt.or(Answer::Yes))
}

fn settings(command: &PlayerCommand) -> PlayerSettings {
    let topology = command.topology;
    let usual = PlayerSettings::default().on_threads(topology);
    PlayerSettings {
        search: command.settings,
        ponders: command.ponders,
        connect: match command.transport {
            Transport::Direct => without_clusters(topology),
            Transport::Board => on_boards(topology),
            _ => Arc::clone(&usual.connect),
        },
        tell: Arc::new(|text| eprintln!("ruche: {text}")),
        ..usual
    }
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
