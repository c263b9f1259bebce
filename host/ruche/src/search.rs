//! A search in one line, and one that goes on as long as a game does.

use std::time::Duration;

use ruche_clusters::{ConnectSettings, Route, Topology, connect};
use ruche_game::{Game, State};
use ruche_offload::Offload;
use ruche_search::{Limits, Method, SearchOptions, Searcher, Stop};

use crate::Error;
use crate::found::Found;

/// What to search, how, and how long. Everything has a default: 100,000 playouts from the
/// initial position, on one thread.
#[derive(Clone, Debug)]
pub struct Search {
    game: Game,
    /// Moves from the initial position on.
    moves: String,
    state: Option<State>,
    method: Method,
    options: SearchOptions,
    limits: Limits,
    connect: ConnectSettings,
}

impl Search {
    /// A search from the initial position.
    #[must_use]
    pub fn new(game: &Game) -> Self {
        Self {
            game: game.clone(),
            moves: String::new(),
            state: None,
            method: Method::default(),
            options: SearchOptions::default(),
            limits: Limits::default(),
            connect: ConnectSettings::default(),
        }
    }

    /// A search from a state.
    #[must_use]
    pub fn from(state: &State) -> Self {
        Self { state: Some(state.clone()), ..Self::new(state.game()) }
    }

    /// From the position after these joint moves, separated by semicolons.
    #[must_use]
    pub fn moves(mut self, moves: &str) -> Self {
        self.moves = moves.to_owned();
        self
    }

    /// For this long.
    #[must_use]
    pub fn seconds(mut self, seconds: f64) -> Self {
        // What is no time ends at once.
        let time = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        self.limits = Limits::time(time);
        self
    }

    /// This many playouts.
    #[must_use]
    pub fn playouts(mut self, playouts: u64) -> Self {
        self.limits = Limits::playouts(playouts);
        self
    }

    /// Within these limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// With this run seed. The same seed finds the same on every machine.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.connect.seed = seed;
        self
    }

    /// By this method.
    #[must_use]
    pub fn method(mut self, method: Method) -> Self {
        self.method = method;
        self
    }

    /// With these options: batches, exploration, memory.
    #[must_use]
    pub fn options(mut self, options: SearchOptions) -> Self {
        self.options = options;
        self
    }

    /// On this many threads.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.connect.topology.clusters = threads.max(1);
        self
    }

    /// On these clusters.
    #[must_use]
    pub fn topology(mut self, topology: Topology) -> Self {
        self.connect.topology = topology;
        self
    }

    /// With these settings of clusters, seed and events.
    #[must_use]
    pub fn connect_with(mut self, settings: ConnectSettings) -> Self {
        self.connect = settings;
        self
    }

    /// Searches on threads of this process.
    ///
    /// # Errors
    /// If the moves are not legal, the settings make no sense, or the game does not fit
    /// into a cluster.
    pub fn run(&self) -> Result<Found, Error> {
        self.session()?.search(&self.limits.check()?, &Stop::default())
    }

    /// Searches with somebody else who plays: that one decides how playouts choose, by the
    /// game that it was given ([`Game::for_playouts`]).
    ///
    /// # Errors
    /// As [`run`](Self::run), and if whoever plays fails.
    pub fn run_with(&self, offload: &mut dyn Offload) -> Result<Found, Error> {
        let mut searcher = self.searcher()?;
        let limits = self.limits.check()?;
        let report = searcher.search(offload, &limits, &Stop::default(), &mut |_| ())?;
        Ok(Found::new(&self.game, report))
    }

    /// A search that goes on as long as the game does, on threads of this process.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn session(&self) -> Result<Session, Error> {
        Ok(Session {
            searcher: self.searcher()?,
            offload: connect(
                Route::Inproc,
                &self.options.game_of_playouts(&self.game),
                &self.connect,
            )?,
            game: self.game.clone(),
        })
    }

    fn searcher(&self) -> Result<Box<dyn Searcher>, Error> {
        let state = match &self.state {
            Some(state) => state.clone(),
            None => self.game.after(&self.moves)?,
        };
        let mut searcher = self.method.start(&self.game, &self.options.check()?)?;
        searcher.set_position(&state)?;
        Ok(searcher)
    }
}

/// A search with whoever plays for it. The tree is kept from one call to the next, also
/// when the game goes on.
pub struct Session {
    game: Game,
    searcher: Box<dyn Searcher>,
    offload: Box<dyn Offload>,
}

impl Session {
    /// Searches from this state from now on.
    ///
    /// # Errors
    /// If the state is of another game.
    pub fn set_position(&mut self, state: &State) -> Result<(), Error> {
        Ok(self.searcher.set_position(state)?)
    }

    /// Searches until a limit is reached, or somebody wants it to stop.
    ///
    /// # Errors
    /// If whoever plays fails.
    pub fn search(&mut self, limits: &Limits, stop: &Stop) -> Result<Found, Error> {
        let report = self.searcher.search(&mut *self.offload, limits, stop, &mut |_| ())?;
        Ok(Found::new(&self.game, report))
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Session({:?})", self.game)
    }
}
