//! What a search has found, by the names of the game.

use std::fmt;

use ruche_game::Game;
use ruche_search::SearchReport;

/// What a search has found.
#[derive(Clone, Debug)]
pub struct Found {
    game: Game,
    report: SearchReport,
}

impl Found {
    pub(crate) fn new(game: &Game, report: SearchReport) -> Self {
        Self { game: game.clone(), report }
    }

    /// Everything, by numbers.
    #[must_use]
    pub fn report(&self) -> &SearchReport {
        &self.report
    }

    /// The best move of each role by number, if the game goes on: what
    /// [`State::play`](ruche_game::State::play) takes.
    #[must_use]
    pub fn best(&self) -> Option<&[u32]> {
        self.report.best.as_deref()
    }

    /// The best move of a role; nothing if the game is over, or there is no such role.
    #[must_use]
    pub fn best_move(&self, role: usize) -> Option<&str> {
        let number = *self.report.best.as_ref()?.get(role)?;
        Some(&self.game.names().moves(role)[number as usize])
    }

    /// What a role gets on average after its best move, mostly from 0 to 100; 0 where the
    /// game is over.
    #[must_use]
    pub fn mean(&self, role: usize) -> f64 {
        let moves = self.report.roles.get(role).map(|role| &role.moves);
        moves.and_then(|moves| moves.first()).map_or(0.0, |best| best.mean)
    }

    /// Playouts in the tree.
    #[must_use]
    pub fn playouts(&self) -> u64 {
        self.report.playouts
    }
}

impl fmt::Display for Found {
    /// The best joint move.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.report.best.is_none() {
            return formatter.write_str("the game is over");
        }
        for role in 0..self.game.roles() {
            let space = if role == 0 { "" } else { " " };
            write!(formatter, "{space}{}", self.best_move(role).unwrap_or_default())?;
        }
        Ok(())
    }
}
