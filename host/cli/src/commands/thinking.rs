//! A search that goes on from query to query, for commands that answer people and other
//! programs.

use std::time::Duration;

use ruche_clusters::{ConnectError, ConnectSettings, Meters, Route, Topology, connect};
use ruche_game::{Game, State};
use ruche_offload::Offload;
use ruche_search::{
    Limits, Method, Progress, SearchError, SearchReport, SearchSettings, Searcher, Stop,
};

/// Why nobody thinks.
#[derive(Debug, thiserror::Error)]
pub enum ThinkingError {
    /// Nobody plays for the search.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The search has failed.
    #[error(transparent)]
    Search(#[from] SearchError),
}

/// A search on all processors, or as many threads.
pub struct Thinking {
    searcher: Box<dyn Searcher>,
    offload: Box<dyn Offload>,
    meters: Meters,
}

impl Thinking {
    pub fn new(
        game: &Game,
        settings: &SearchSettings,
        threads: Option<u32>,
    ) -> Result<Self, ThinkingError> {
        Self::metered(game, settings, threads, Meters::default())
    }

    /// One for those who watch: with reports that often, and meters.
    pub fn shown(
        game: &Game,
        settings: &SearchSettings,
        pause: Duration,
    ) -> Result<Self, ThinkingError> {
        let mut thinking = Self::metered(game, settings, None, Meters::new())?;
        thinking.searcher.report_every(Some(pause));
        Ok(thinking)
    }

    fn metered(
        game: &Game,
        settings: &SearchSettings,
        threads: Option<u32>,
        meters: Meters,
    ) -> Result<Self, ThinkingError> {
        let processors =
            || std::thread::available_parallelism().map_or(1, usize::from).min(16) as u32;
        let threads = threads.unwrap_or_else(processors);
        let topology = Topology { threads, ..Topology::default() };
        let played = settings.options().game_of_playouts(game);
        let clusters =
            ConnectSettings { meters: meters.clone(), ..ConnectSettings::new(topology, 0) };
        Ok(Self {
            searcher: Method::default().start(game, settings)?,
            offload: connect(Route::Inproc, &played, &clusters)?,
            meters,
        })
    }

    /// What is found out about a state; what is known of it already counts.
    pub fn search(
        &mut self,
        state: &State,
        limits: &Limits,
        stop: &Stop,
    ) -> Result<SearchReport, ThinkingError> {
        self.watched(state, limits, stop, &mut |_| ())
    }

    /// The same, with what is known by then a few times each second.
    pub fn watched(
        &mut self,
        state: &State,
        limits: &Limits,
        stop: &Stop,
        watch: &mut dyn FnMut(&SearchReport),
    ) -> Result<SearchReport, ThinkingError> {
        self.searcher.set_position(state)?;
        let mut tell = |progress: &Progress| progress.report.iter().for_each(|it| watch(it));
        Ok(self.searcher.search(&mut *self.offload, limits, stop, &mut tell)?)
    }

    /// What its clusters are doing.
    pub fn meters(&self) -> &Meters {
        &self.meters
    }
}
