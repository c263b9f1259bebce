//! Our own search, in the calling thread.

use ruche_game::Game;
use ruche_offload::Direct;
use ruche_search::{Limits, Method, SearchError, SearchSettings, Searcher};

use super::{Player, PlayerError, Turn};

/// Plays what a search of its own finds; what the tree knows is kept from move to move.
pub(crate) struct Searching {
    searcher: Box<dyn Searcher>,
    offload: Direct,
    limits: Limits,
}

impl Searching {
    /// Searches by this method, with these limits for each move.
    pub(crate) fn new(
        game: &Game,
        (method, settings): (Method, &SearchSettings),
        limits: Limits,
        offload: Direct,
    ) -> Result<Self, SearchError> {
        Ok(Self { searcher: method.start(game, settings)?, offload, limits })
    }
}

impl Player for Searching {
    fn choose(&mut self, turn: &Turn<'_>) -> Result<u32, PlayerError> {
        self.searcher.set_position(turn.state)?;
        let report =
            self.searcher.search(&mut self.offload, &self.limits, turn.stop, &mut |_| ())?;
        report.best.map(|best| best[turn.role]).ok_or(PlayerError::Silent)
    }
}
