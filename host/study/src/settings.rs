//! What the settings of a point mean to a machine.

use std::sync::Arc;
use std::time::Duration;

use ruche_clusters::{ConnectSettings, Route, Topology, connect};
use ruche_game::Game;
use ruche_io_node::RunMode;
use ruche_offload::Offload;
use ruche_playouts::HostEngine;
use ruche_report::{Point, Positions};
use ruche_search::{Limits, Proofs, SearchOptions, SearchSettings};
use ruche_shared::wire::control::Mode;

use crate::laboratory::{Assignment, LaboratoryError};
use crate::library::{EMPTY, Library};

/// With many more threads than processors a cluster may be silent for long
/// without being dead.
const DEADLINE: Duration = Duration::from_secs(60);

/// The game of an assignment, if there is one that its positions can come from.
pub(crate) fn game(games: &Library, assignment: &Assignment) -> Result<Game, LaboratoryError> {
    let point = &assignment.point;
    if point.positions == Positions::Search {
        search_settings(point, assignment.runs)?;
    }
    let unknown = || impossible(format!("the game `{}` is not loaded", point.game));
    games.game_of(point).ok_or_else(unknown)
}

/// The clusters of a point.
fn topology(point: &Point) -> Topology {
    Topology {
        clusters: point.clusters as usize,
        threads: point.threads,
        strategy: point.strategy,
        mode: if point.game == EMPTY { Mode::Empty } else { point.mode },
        width: point.word,
        run_mode: RunMode::usual(point.in_flight as usize),
        deadline: DEADLINE,
        // Every stratum, as in the original study.
        split_least: 1,
        ..Topology::default()
    }
}

/// The clusters of an assignment, with its game.
pub(crate) fn start<'w>(
    route: Route<'w>,
    assignment: &Assignment,
    game: &Game,
    engine: &Arc<HostEngine>,
) -> Result<Box<dyn Offload + 'w>, LaboratoryError> {
    let topology = topology(&assignment.point);
    let settings = ConnectSettings::new(topology, assignment.seed);
    let settings = ConnectSettings { engine: engine.clone(), ..settings };
    let clusters = connect(route, game, &settings)
        .map_err(|error| failed(format!("{}: {error}", assignment.point.game)))?;
    match clusters.attributes().width == topology.width {
        true => Ok(clusters),
        false => Err(failed("the clusters took another word than the plan asks for")),
    }
}

/// Whether every I/O node of a point has a cluster.
pub(crate) fn check_io_nodes(point: &Point) -> Result<(), LaboratoryError> {
    let (nodes, clusters) = (point.io_nodes, point.clusters);
    match (1..=clusters).contains(&nodes) {
        true => Ok(()),
        false => Err(impossible(format!(
            "{nodes} I/O nodes for {clusters} clusters: each needs at least one"
        ))),
    }
}

/// A search of as many playouts as the runs have.
pub(crate) fn search_settings(
    point: &Point,
    runs: u64,
) -> Result<(SearchSettings, Limits), LaboratoryError> {
    let impossible =
        |error: &dyn std::error::Error| impossible(format!("positions from a search: {error}"));
    let each = u64::from(point.batch) * u64::from(point.playouts_per_position);
    let limits = Limits::playouts(runs.saturating_mul(each));
    let options = SearchOptions {
        batch: point.batch as usize,
        playouts_per_position: point.playouts_per_position,
        in_flight: point.in_flight as usize,
        // Who measures a machine does not want to be done with a game.
        proofs: Proofs::Off,
        ..SearchOptions::default()
    };
    let settings = options.check().map_err(|error| impossible(&error))?;
    Ok((settings, limits.check().map_err(|error| impossible(&error))?))
}

pub(crate) fn impossible(why: impl ToString) -> LaboratoryError {
    LaboratoryError::Impossible(why.to_string())
}

pub(crate) fn failed(why: impl ToString) -> LaboratoryError {
    LaboratoryError::Failed(why.to_string())
}
