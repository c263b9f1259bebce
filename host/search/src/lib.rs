//! Search methods: which positions to play from, and what their playouts say.
//!
//! A method is a folder behind one small trait, [`Searcher`]: it is given a position, and
//! searches from it with an offload under the limits of this call. [`Method`] lists them.
//!
//! | module | question it answers |
//! |---|---|
//! | [`method`] | what is a method? |
//! | [`uct`] | how does UCT search, with batches of leaves under way? |
//! | [`flat`] | what do equal playouts after each move say? |
//! | `sums` | who needs no search, since the game is a sum that is solved? |
//! | [`decomposed`] | what do parts of a game know that the whole does not? |
//! | [`root`] | what do several trees say that know nothing of each other? |
//! | `answer` | has whoever plays answered what was asked? |
//! | `matrix` | how do two play well who choose at the same time? |
//! | `tree`, `hash` | what is known of a position, and how is it found? |
//! | [`settings`] | how large are batches, how much memory has the tree? |
//! | [`quantity`] | which number does somebody mean? |
//! | [`limits`] | when does a search end, and who can end it before? |
//! | [`report`] | what has been found out? |
//!
//! Nothing here knows a cluster, a thread, a rank or a socket, and nothing
//! depends on them: with the same settings and the same run seed every machine
//! builds the same tree, bit for bit.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use ruche_game::Game;
//! use ruche_offload::{Direct, DirectSettings};
//! use ruche_search::{Limits, Method, SearchSettings, Stop};
//!
//! let game = Game::bundled("tictactoe")?;
//! let mut search = Method::Uct.start(&game, &SearchSettings::default())?;
//! let mut offload = Direct::new(&game, DirectSettings { seed: 7, ..Default::default() })?;
//! let limits = Limits::playouts(2000);
//! let report = search.search(&mut offload, &limits, &Stop::default(), &mut |_| ())?;
//! assert_eq!(report.playouts, 2000);
//!
//! // The game goes on, and the tree with it.
//! search.set_position(&game.after("(mark 2 2)")?)?;
//! assert!(search.report().playouts > 0);
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod answer;
mod hash;
pub mod limits;
mod matrix;
pub mod method;
pub mod quantity;
pub mod report;
pub mod settings;
mod sums;
mod tree;

use std::time::Duration;

use ruche_game::State;
use ruche_offload::Offload;

pub use limits::{Clock, Limits, LimitsError, Stop};
pub use method::SearchMethod;
pub use report::{
    BestLine, MixedReport, MoveReport, Progress, RoleReport, SearchError, SearchReport, SumReport,
    TimeSplit,
};
pub use settings::{
    Decompose, Merge, OptionError, Order, Proofs, SearchOptions, SearchSettings, SettingsError,
};

// A method is a module of this crate and a line here. The first is the usual one.
method::methods! {
    uct::Uct,
    flat::Flat,
    decomposed::Decomposed,
    root::Root,
}

impl Default for Method {
    /// The first of the list.
    fn default() -> Self {
        <Self as ruche_shared::names::Named>::ALL[0]
    }
}

/// A search, of whatever method, that goes on as long as the game does.
pub trait Searcher {
    /// Searches from this state from now on. What is known of it and of what follows is
    /// kept, the rest is forgotten.
    ///
    /// # Errors
    /// If the state is of another game, or has too many moves for the memory.
    fn set_position(&mut self, state: &State) -> Result<(), SearchError>;

    /// Searches until a limit of this call is reached or somebody wants it to stop;
    /// batches that are under way then are waited for, after a wish to stop only for a
    /// while. Progress is told after each batch.
    /// Another call goes on with what this one found.
    ///
    /// # Errors
    /// If whoever plays fails; the error has the report of what was finished.
    fn search(
        &mut self,
        offload: &mut dyn Offload,
        limits: &Limits,
        stop: &Stop,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<SearchReport, SearchError>;

    /// From now on progress brings a [report](Progress::report) with it whenever this much
    /// time has passed, for those who watch a search; or never. What is found does not
    /// depend on it.
    fn report_every(&mut self, pause: Option<Duration>) {
        let _ = pause;
    }

    /// What was found out about the position so far.
    fn report(&mut self) -> SearchReport;
}
