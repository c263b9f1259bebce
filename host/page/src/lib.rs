//! A local page: one plays on it by clicking, replays records, and sees a search think.
//!
//! ```text
//!  browser ── GET state, position ──▶ serving ──▶ table ◀── driver ──▶ Thinker, players
//!          ── POST do ─────────────▶              (one lock)           (the caller's thread)
//! ```
//!
//! | module | question it answers |
//! |---|---|
//! | [`table`] | how does the game stand, who plays, and what may be done? |
//! | [`seat`] | who plays a role? |
//! | [`analysis`] | what does a search think, in the words of the game? |
//! | `driver` | who is asked next, and when is that void? |
//! | `scene` | what is the page told? |
//! | `serving` | who may ask for what, and what comes back? |
//!
//! The page draws what it is told and sends numbers of moves: nothing about a game is decided
//! in the browser. What listens has a token in its address, and refuses whoever does not know
//! it.
#![forbid(unsafe_code)]

pub mod analysis;
mod driver;
mod scene;
pub mod seat;
mod serving;
pub mod table;

use std::sync::Arc;
use std::thread::JoinHandle;

use ruche_game::State;
use ruche_ggp::ServerError;
use ruche_ggp::http::Closer;
use ruche_search::{Limits, SearchReport, Stop};
use thiserror::Error;

pub use analysis::{Analysis, Cluster};
pub use seat::Seat;
pub use table::{Mode, Setup};

use table::Shared;

/// Why there is no page.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PageError {
    /// Nobody can be listened to.
    #[error(transparent)]
    Server(#[from] ServerError),
    /// The system has no random numbers.
    #[error("the system gives no random numbers for the token of the page: {0}")]
    Token(getrandom::Error),
    /// The game cannot be set up.
    #[error(transparent)]
    Rules(#[from] ruche_rules::RulesError),
    /// The system starts no thread.
    #[error("the page has no thread: {0}")]
    Thread(std::io::Error),
}

/// Whoever thinks for the page: a search, that tells what it finds while it does.
pub trait Thinker {
    /// Searches from a state under these limits, or until somebody wants it to stop, and
    /// tells from time to time what is known by then.
    ///
    /// # Errors
    /// If it cannot.
    fn think(
        &mut self,
        state: &State,
        limits: &Limits,
        stop: &Stop,
        watch: &mut dyn FnMut(&SearchReport),
    ) -> Result<SearchReport, Box<dyn std::error::Error>>;

    /// What its clusters have done so far can be asked here, also while it thinks.
    fn meter(&self) -> Meter;
}

/// Says what clusters have done so far; nothing where there are none.
pub type Meter = Arc<dyn Fn() -> Vec<Cluster>>;

/// A page, and whoever listens for it.
#[derive(Debug)]
pub struct Page {
    shared: Arc<Shared>,
    address: String,
    closer: Closer,
    server: Option<JoinHandle<()>>,
}

impl Page {
    /// Sets a game up and listens at a host and a port; port 0 takes any that is free.
    ///
    /// # Errors
    /// If the moves of the setup are not legal, or nobody can be listened to.
    pub fn open(setup: Setup, host: &str, port: u16) -> Result<Self, PageError> {
        let shared = Arc::new(Shared::new(setup)?);
        let listening = serving::listen(&shared, host, port)?;
        let serving::Listening { address, closer, thread } = listening;
        Ok(Self { shared, address, closer, server: Some(thread) })
    }

    /// Where the page is, with its token.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Plays for all who are no persons, and analyses what is wished for, until somebody
    /// wants it to stop. Without a thinker the engine plays random moves.
    pub fn drive<'a>(&'a self, thinker: Option<&'a mut (dyn Thinker + 'a)>, stop: &Stop) {
        driver::drive(&self.shared, thinker, stop);
    }

    /// Shows what a search elsewhere thinks of the last position.
    pub fn show(&self, report: &SearchReport, clusters: Vec<Cluster>, is_running: bool) {
        driver::show(&self.shared, report, clusters, is_running);
    }

    /// The game so far: joint moves, and who plays.
    #[must_use]
    pub fn played(&self) -> (Vec<Vec<String>>, Vec<String>) {
        self.shared.with(|table| (table.joints().to_vec(), table.players()))
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        self.shared.close();
        self.closer.close();
        if let Some(server) = self.server.take() {
            // It has nothing to say.
            let _ = server.join();
        }
    }
}
