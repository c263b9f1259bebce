//! A page beside a search that is running.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use ruche_clusters::Meters;
use ruche_game::Game;
use ruche_page::{Meter, Mode, Page, Setup};
use ruche_picture::Boards;
use ruche_rules::Rules;
use ruche_search::{SearchReport, Stop};

use crate::arguments::SearchCommand;
use crate::commands::{CommandError, page, show};

/// How often is looked whether somebody wants the page to end.
const GLANCE: Duration = Duration::from_millis(50);

/// A page that shows a search, if there shall be one.
pub struct Watching {
    page: Option<(Page, Meter)>,
    /// What clusters are doing, if somebody watches.
    pub meters: Meters,
}

impl Watching {
    pub fn open(command: &SearchCommand, game: &Game) -> Result<Self, CommandError> {
        let Some(place) = &command.page else {
            return Ok(Self { page: None, meters: Meters::default() });
        };
        let rules = Rules::compiled(game.clone());
        let description = show::description(&command.game)?;
        let setup = Setup {
            game: command.game.clone(),
            boards: Arc::new(Boards::find(&rules, description.as_ref())),
            joints: rules.joints(&command.moves)?,
            rules,
            seats: Vec::new(),
            names: Vec::new(),
            limits: command.limits,
            mode: Mode::Watch,
        };
        let page = Page::open(setup, &place.host, place.port)?;
        eprintln!("ruche: the search is shown at {}", page.address());
        let meters = Meters::new();
        Ok(Self { page: Some((page, page::meter(&meters))), meters })
    }

    /// How often reports are wanted.
    pub fn pause(&self) -> Option<Duration> {
        self.page.as_ref().map(|_| page::PAUSE)
    }

    pub fn show(&self, report: &SearchReport, is_running: bool) {
        if let Some((page, meter)) = &self.page {
            page.show(report, meter(), is_running);
        }
    }

    /// Keeps the page open until somebody wants it to end.
    pub fn linger(&self, stop: &Stop) {
        if self.page.is_some() && !stop.is_requested() {
            eprintln!("ruche: the page stays open: Ctrl-C ends it");
        }
        while self.page.is_some() && !stop.is_requested() {
            thread::sleep(GLANCE);
        }
    }
}
