//! Monte-Carlo tree search for manycore machines, as a library.
//!
//! ```
//! use ruche::{Game, Search};
//!
//! # fn main() -> Result<(), ruche::Error> {
//! let game = Game::bundled("tictactoe")?;
//! let found = Search::new(&game).moves("(mark 2 2)").playouts(10_000).run()?;
//! println!("{}", found.best_move(1).unwrap_or("over"));
//! # Ok(())
//! # }
//! ```
//!
//! | to | use |
//! |---|---|
//! | load or compile a game | [`Game`] |
//! | step through it: legal moves, successors, goals, fluents | [`State`] |
//! | play random games | [`Playouts`] |
//! | find the best move | [`Search`], which gives [`Found`] |
//! | search while a game goes on | [`Session`] |
//! | search on clusters, boards or ranks, or with another method | [`Search::topology`], [`Search::connect_with`], [`Method`] |
//! | write a method, or play on a machine of one's own | [`Searcher`], [`Offload`] |
//!
//! This crate is a door: what stands behind it is in crates of their own, and
//! `ARCHITECTURE.md` in the repository has the map.
#![forbid(unsafe_code)]

mod found;
mod search;

use ruche_clusters::ConnectError;
use ruche_playouts::PlayoutsError;
use ruche_search::{LimitsError, SearchError, SettingsError};
use thiserror::Error;

pub use found::Found;
pub use ruche_clusters::{ConnectSettings, Route, Topology, connect};
pub use ruche_game::{Game, GameError, MovesError, Names, PlayoutPolicy, State, StateError};
pub use ruche_offload::{
    Attributes, Batch, Columns, Event, Events, Finished, Offload, OffloadError, Results, Tally,
    Usage,
};
pub use ruche_playouts::{Amount, EngineChoice, Played, PlayoutSettings, Playouts};
pub use ruche_runtime::strategy::Strategy;
pub use ruche_search::{
    Limits, Method, Order, SearchOptions, SearchReport, SearchSettings, Searcher, Stop,
};
pub use ruche_shared::names::Named;
pub use ruche_shared::wire::control::Mode;
pub use ruche_shared::{Transport, WordWidth};
pub use search::{Search, Session};

/// Whatever can go wrong between a name of a game and the best move in it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no such game, or it is wrong.
    #[error(transparent)]
    Game(#[from] GameError),
    /// Moves lead nowhere.
    #[error(transparent)]
    Moves(#[from] MovesError),
    /// A state has no such successor.
    #[error(transparent)]
    State(#[from] StateError),
    /// The game cannot be played.
    #[error(transparent)]
    Playouts(#[from] PlayoutsError),
    /// Settings make no sense.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// Limits make no sense.
    #[error(transparent)]
    Limits(#[from] LimitsError),
    /// Nobody can play for the search.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The search has failed.
    #[error(transparent)]
    Search(#[from] SearchError),
}
