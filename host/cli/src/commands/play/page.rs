//! A person plays in a browser.

use std::sync::Arc;

use ruche_game::State;
use ruche_page::{Meter, Mode, Page, Seat, Setup, Thinker};
use ruche_picture::Boards;
use ruche_referee::{MatchRecord, Notes};
use ruche_rules::Rules;
use ruche_search::{Limits, SearchReport, Stop};

use super::{PlayCommandError, persons};
use crate::arguments::{PageCommand, PlayCommand};
use crate::commands::thinking::Thinking;
use crate::commands::{CommandError, page, show};
use crate::interrupt::Interrupt;
use crate::output::{Answer, print};
use crate::progress::Progress;

/// Serves a page until somebody stops it.
pub fn run(command: &PlayCommand, place: &PageCommand) -> Result<Answer, CommandError> {
    let progress = Progress::spinner(format!("compiling {}", command.game));
    let (rules, description) = show::load(&command.game)?;
    let boards = Boards::find(&rules, description.as_ref());
    drop(progress);
    let mut engine = engine(&rules, command)?;
    let page = Page::open(setup(command, &rules, boards)?, &place.host, place.port)?;
    let interrupt = Interrupt::default();
    interrupt.listen(None)?;
    print(&format!("{}\n", page.address()))?;
    eprintln!("ruche: open this address in a browser; Ctrl-C ends it");
    page.drive(engine.as_mut().map(|engine| engine as &mut dyn Thinker), interrupt.stop());
    if let Some(path) = &command.output {
        let (joints, players) = page.played();
        let notes = Notes { game: command.game.clone(), players };
        MatchRecord::of_moves(&rules, &joints, notes)?.write(path)?;
    }
    Ok(interrupt.or(Answer::Yes))
}

fn engine(rules: &Rules, command: &PlayCommand) -> Result<Option<Engine>, CommandError> {
    let Some(game) = rules.game() else {
        eprintln!("ruche: the game is too large to compile: the engine plays any legal move");
        return Ok(None);
    };
    let thinking = Thinking::shown(game, &command.settings, page::PAUSE)
        .map_err(|error| PlayCommandError::Engine(error.into()))?;
    Ok(Some(Engine(thinking)))
}

fn setup(command: &PlayCommand, rules: &Rules, boards: Boards) -> Result<Setup, CommandError> {
    let persons = persons(command.role.as_deref(), rules.roles())?;
    let seat = |person: &bool| if *person { Seat::Person } else { Seat::Engine };
    let record = command.record.as_deref().map(MatchRecord::read).transpose()?;
    if let Some(record) = record.as_ref().filter(|record| record.roles != rules.roles()) {
        let [roles, found] = [rules.roles(), &record.roles].map(|roles| roles.join(", "));
        return Err(PlayCommandError::Record { game: command.game.clone(), roles, found }.into());
    }
    let (mode, joints) = match &record {
        Some(record) => (Mode::Replay, record.joints()),
        None => (Mode::Play, rules.joints(&command.moves)?),
    };
    Ok(Setup {
        game: command.game.clone(),
        rules: rules.clone(),
        boards: Arc::new(boards),
        joints,
        seats: persons.iter().map(seat).collect(),
        names: record.map(|record| record.players).unwrap_or_default(),
        limits: command.limits,
        mode,
    })
}

struct Engine(Thinking);

impl Thinker for Engine {
    fn think(
        &mut self,
        state: &State,
        limits: &Limits,
        stop: &Stop,
        watch: &mut dyn FnMut(&SearchReport),
    ) -> Result<SearchReport, Box<dyn std::error::Error>> {
        Ok(self.0.watched(state, limits, stop, watch)?)
    }

    fn meter(&self) -> Meter {
        page::meter(self.0.meters())
    }
}
