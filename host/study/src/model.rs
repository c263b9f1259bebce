//! The virtual time of a modelled machine.

use std::sync::Arc;

use ruche_clusters::Route;
use ruche_game::Game;
use ruche_model::{MachineModel, Openings, Parameters, WIDEST};
use ruche_offload::{Offload, VirtualTime};
use ruche_playouts::HostEngine;
use ruche_report::{Clock, Point, Positions, Shares, Transport};

use crate::laboratory::{Assignment, Laboratory, LaboratoryError, Measured};
use crate::library::Library;
use crate::runs::{Runs, search};
use crate::settings::{check_io_nodes, game, impossible, start};
use ruche_search::Stop;

/// Measures on a machine that there is not, several points at a time.
#[derive(Debug)]
pub struct ModelLaboratory {
    games: Library,
    parameters: Parameters,
    stop: Stop,
    openings: Arc<Openings>,
    engine: Arc<HostEngine>,
}

impl ModelLaboratory {
    /// A laboratory with such a machine, for these games.
    #[must_use]
    pub fn new(games: Library, parameters: Parameters, stop: Stop) -> Self {
        Self { games, parameters, stop, openings: Arc::default(), engine: Arc::default() }
    }

    /// The machine as a point wants it.
    fn machine_of(&self, point: &Point) -> MachineModel<'_> {
        MachineModel {
            parameters: &self.parameters,
            io_nodes: point.io_nodes as usize,
            cost_factor: point.cost_factor,
            is_search: point.positions == Positions::Search,
            openings: self.openings.clone(),
            misfortune: None,
        }
    }

    /// Runs from the leaves of a tree; how many were played, and the tree.
    fn search(
        &self,
        assignment: &Assignment,
        game: &Game,
        model: &mut dyn Offload,
    ) -> Result<(u64, u64), LaboratoryError> {
        let report = search(&assignment.point, assignment.runs, game, model, &self.stop)?;
        Ok((report.tally.playouts(), report.signature))
    }
}

impl Laboratory for ModelLaboratory {
    fn clock(&self) -> Clock {
        Clock::Model
    }

    fn machine(&self) -> String {
        self.parameters.name.clone()
    }

    fn transport(&self) -> Transport {
        Transport::Model
    }

    /// Points have nothing to do with each other.
    fn parallel(&self) -> usize {
        std::thread::available_parallelism().map_or(1, usize::from)
    }

    fn check(&self, assignment: &Assignment) -> Result<(), LaboratoryError> {
        let point = &assignment.point;
        if point.word > WIDEST {
            let wanted = point.word;
            return Err(impossible(format!(
                "words of {wanted} lanes: the model has up to {WIDEST}"
            )));
        }
        check_io_nodes(point)?;
        game(&self.games, assignment).map(drop)
    }

    /// There is nothing to warm up.
    fn measure(&self, assignment: &Assignment) -> Result<Measured, LaboratoryError> {
        self.check(assignment)?;
        let (point, game) = (&assignment.point, game(&self.games, assignment)?);
        let machine = self.machine_of(point);
        let mut model = start(Route::Platform(&machine), assignment, &game, &self.engine)?;
        let (playouts, signature) = match point.positions {
            Positions::Search => self.search(assignment, &game, &mut *model)?,
            Positions::Initial => {
                let runs = Runs::new(point, game.image().initial());
                let played = runs.play(0..assignment.runs, &mut *model, &self.stop)?;
                (played.playouts, played.signature)
            }
        };
        let time = model.usage().virtual_time.unwrap_or_default();
        Ok(Measured {
            runs: assignment.runs,
            playouts,
            seconds: time.elapsed.as_secs_f64(),
            cpu_seconds: None,
            shares: shares(&time),
            signature: format!("{signature:016x}"),
        })
    }
}

fn shares(time: &VirtualTime) -> Shares {
    let VirtualTime { elapsed: _, host, transfer, hand_off, playouts, waiting } = *time;
    Shares { host, transfer, hand_off, playouts, waiting }
}
