//! The virtual time of a modelled machine.

use std::sync::Arc;

use ruche_game::Game;
use ruche_model::{Model, Openings, Parameters, Setup};
use ruche_report::{Clock, Positions, Shares, Transport};
use ruche_shared::WordWidth;

use crate::laboratory::{Assignment, Laboratory, LaboratoryError, Measured};
use crate::library::Library;
use crate::runs::{Runs, search};
use crate::settings::{check_io_nodes, failed, game, impossible, topology};
use ruche_search::Stop;

/// Measures on a machine that there is not, several points at a time.
#[derive(Debug)]
pub struct ModelLaboratory {
    games: Library,
    parameters: Parameters,
    stop: Stop,
    openings: Arc<Openings>,
}

impl ModelLaboratory {
    /// A laboratory with such a machine, for these games.
    #[must_use]
    pub fn new(games: Library, parameters: Parameters, stop: Stop) -> Self {
        Self { games, parameters, stop, openings: Arc::default() }
    }

    fn start(&self, assignment: &Assignment, game: &Game) -> Result<Model, LaboratoryError> {
        let (point, topology) = (&assignment.point, topology(&assignment.point));
        let setup = Setup {
            parameters: &self.parameters,
            topology,
            io_nodes: point.io_nodes as usize,
            seed: assignment.seed,
            cost_factor: point.cost_factor,
            is_search: point.positions == Positions::Search,
            openings: self.openings.clone(),
        };
        let model = Model::start(game, &setup)
            .map_err(|error| failed(format!("{}: {error}", point.game)))?;
        match model.width() == topology.width {
            true => Ok(model),
            false => Err(failed("the clusters took another word than the plan asks for")),
        }
    }

    /// Runs from the leaves of a tree; how many were played, and the tree.
    fn search(
        &self,
        assignment: &Assignment,
        game: &Game,
        model: &mut Model,
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
        if point.word > WordWidth::SixtyFour {
            let (wanted, widest) = (point.word, WordWidth::SixtyFour);
            return Err(impossible(format!(
                "words of {wanted} lanes: the model has up to {widest}"
            )));
        }
        check_io_nodes(point)?;
        game(&self.games, assignment).map(drop)
    }

    /// There is nothing to warm up.
    fn measure(&self, assignment: &Assignment) -> Result<Measured, LaboratoryError> {
        self.check(assignment)?;
        let (point, game) = (&assignment.point, game(&self.games, assignment)?);
        let mut model = self.start(assignment, &game)?;
        model.restart_clock();
        let (playouts, signature) = match point.positions {
            Positions::Search => self.search(assignment, &game, &mut model)?,
            Positions::Initial => {
                let runs = Runs::new(point, game.image().initial());
                let played = runs.play(0..assignment.runs, &mut model, &self.stop)?;
                (played.playouts, played.signature)
            }
        };
        Ok(Measured {
            runs: assignment.runs,
            playouts,
            seconds: model.elapsed().as_secs_f64(),
            shares: shares(&model),
            signature: format!("{signature:016x}"),
        })
    }
}

fn shares(model: &Model) -> Shares {
    let shares = model.shares();
    Shares {
        host: shares.host,
        transfer: shares.transfer,
        hand_off: shares.hand_off,
        playouts: shares.playouts,
        waiting: shares.waiting,
    }
}
