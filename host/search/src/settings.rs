//! How to search. The defaults are fixed: what a search finds may not depend on
//! the machine that plays for it.

mod keys;

use ruche_game::{Game, PlayoutPolicy};
use ruche_shared::named;
use thiserror::Error;

use crate::limits::MOST_PLAYOUTS;
pub use keys::OptionError;

named! {
    /// In which order the results of batches enter the tree.
    pub enum Order: "order" = Batch {
        /// As the batches were submitted: the tree does not depend on who is faster
        Batch = "batch",
        /// As they come: nothing waits, and no two runs are alike
        Arrival = "arrival",
    }
}

named! {
    /// Whether a search finds out what is proven.
    pub enum Proofs: "proofs" = On {
        /// Ends among all moves are looked for, and what follows from them is used
        On = "on",
        /// Means of playouts are all that counts
        Off = "off",
    }
}

named! {
    /// Whether a search looks for games inside the game.
    pub enum Decompose: "decompose" = On {
        /// Sums of impartial games are solved, and playouts leave alone what only loses
        On = "on",
        /// The game is searched as one
        Off = "off",
    }
}

named! {
    /// What trees say together that know nothing of each other.
    pub enum Merge: "merge" = Sum {
        /// The move with the most visits in all trees
        Sum = "sum",
        /// The best move of the tree that expects the most of its own
        Best = "best",
        /// The move that is best in most trees
        Vote = "vote",
    }
}

/// Settings of a search before they are checked; [`check`](Self::check) makes
/// [`SearchSettings`] of them. What a person may set by name is a line in `settings/keys.rs`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchOptions {
    /// Positions in a batch.
    pub batch: usize,
    /// Playouts from each position.
    pub playouts_per_position: u32,
    /// Batches under way at the same time.
    pub in_flight: usize,
    /// In which order results enter the tree.
    pub order: Order,
    /// The weight of exploration, `C` of UCT, for leaves rather than playouts.
    pub exploration: f64,
    /// Leaves that what a move has brought elsewhere counts as, before it is tried in a
    /// position; with 0 each move is tried before any is tried twice.
    pub prior: f64,
    /// Whether to find out what is proven.
    pub proofs: Proofs,
    /// Whether to use games inside the game.
    pub decompose: Decompose,
    /// Trees of root parallelism, which other methods do not have.
    pub trees: usize,
    /// What they say together.
    pub merge: Merge,
    /// How playouts choose: whoever plays for the search gets the game that
    /// [`game_of_playouts`](Self::game_of_playouts) makes of it.
    pub policy: PlayoutPolicy,
    /// Bytes that the tree may take.
    pub memory: u64,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            batch: 256,
            playouts_per_position: 16,
            // The host chooses leaves while the cores play.
            in_flight: 2,
            order: Order::Batch,
            exploration: 0.175,
            prior: 0.5,
            proofs: Proofs::On,
            decompose: Decompose::On,
            trees: 2,
            merge: Merge::Sum,
            policy: PlayoutPolicy::Tactical,
            memory: 1 << 30,
        }
    }
}

/// Most positions under way at the same time.
pub const MOST_UNDER_WAY: usize = 1 << 20;
/// Most playouts from one position.
pub const MOST_PLAYOUTS_PER_POSITION: u32 = 1 << 12;
/// The most trees of root parallelism: each has a thread.
pub const MOST_TREES: usize = 64;
/// The least memory of a tree, in bytes.
pub const LEAST_MEMORY: u64 = 1 << 16;

// What is under way fits into what the counters can hold beyond that.
const MOST_PLAYOUTS_UNDER_WAY: u64 = u32::MAX as u64 - MOST_PLAYOUTS;

impl SearchOptions {
    /// The game that whoever plays for the search is given: it decides how playouts choose.
    #[must_use]
    pub fn game_of_playouts(&self, game: &Game) -> Game {
        match self.decompose {
            Decompose::On => game.for_focused_playouts(self.policy),
            Decompose::Off => game.for_playouts(self.policy),
        }
    }

    /// What is used of the games inside a game, in a line; nothing if nothing is.
    #[must_use]
    pub fn parts_in_use(&self, game: &Game) -> Option<String> {
        if self.decompose == Decompose::Off {
            return None;
        }
        let sum = game.impartial_sum().filter(|_| self.proofs == Proofs::On);
        let sum =
            sum.map(|sum| format!("{} impartial games, solved by their numbers", sum.parts()));
        let put_off = || game.put_off().filter(|_| self.policy == PlayoutPolicy::Tactical);
        sum.or_else(|| put_off().map(|put_off| put_off.describe(game)))
    }

    /// The settings, if they make sense.
    ///
    /// # Errors
    /// If one is out of its range; the error names it and the range.
    pub fn check(self) -> Result<SearchSettings, SettingsError> {
        within("batch", self.batch as u64, 1, MOST_UNDER_WAY as u64)?;
        within("batches in flight", self.in_flight as u64, 1, MOST_UNDER_WAY as u64)?;
        let most = u64::from(MOST_PLAYOUTS_PER_POSITION);
        within("playouts per position", u64::from(self.playouts_per_position), 1, most)?;
        within("trees", self.trees as u64, 1, MOST_TREES as u64)?;
        within("memory of the tree in bytes", self.memory, LEAST_MEMORY, u64::MAX)?;
        self.check_under_way()?;
        self.check_weights()?;
        Ok(SearchSettings(self))
    }

    fn check_under_way(&self) -> Result<(), SettingsError> {
        let positions = self.batch as u64 * self.in_flight as u64;
        within("batch times batches in flight", positions, 1, MOST_UNDER_WAY as u64)?;
        let playouts = positions * u64::from(self.playouts_per_position);
        within("playouts under way", playouts, 1, MOST_PLAYOUTS_UNDER_WAY)
    }

    fn check_weights(&self) -> Result<(), SettingsError> {
        let usual = Self::default();
        let weights = [
            ("exploration", self.exploration, usual.exploration),
            ("prior", self.prior, usual.prior),
        ];
        match weights.into_iter().find(|(_, found, _)| !(0.0..=1000.0).contains(found)) {
            Some((what, found, usual)) => Err(SettingsError::Weight { what, found, usual }),
            None => Ok(()),
        }
    }
}

fn within(what: &'static str, found: u64, least: u64, most: u64) -> Result<(), SettingsError> {
    match (least..=most).contains(&found) {
        true => Ok(()),
        false => Err(SettingsError::OutOfRange { what, found, least, most }),
    }
}

/// Checked settings of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SearchSettings(SearchOptions);

impl SearchSettings {
    /// What was set.
    #[must_use]
    pub fn options(&self) -> &SearchOptions {
        &self.0
    }
}

/// Why settings make no sense.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum SettingsError {
    /// A number is too small or too large.
    #[error("{what}: {found} is not in {least} to {most}")]
    OutOfRange {
        /// Which setting.
        what: &'static str,
        /// What it was set to.
        found: u64,
        /// The least that is possible.
        least: u64,
        /// The most that is possible.
        most: u64,
    },
    /// A weight is not a sensible number.
    #[error("{what}: {found} is not in 0 to 1000; {usual} suits most games")]
    Weight {
        /// Which setting.
        what: &'static str,
        /// What it was set to.
        found: f64,
        /// The default.
        usual: f64,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(change: impl FnOnce(&mut SearchOptions)) -> Result<SearchSettings, SettingsError> {
        let mut options = SearchOptions::default();
        change(&mut options);
        options.check()
    }

    #[test]
    fn defaults_are_sound() {
        assert_eq!(SearchOptions::default().check(), Ok(SearchSettings::default()));
    }

    #[test]
    fn what_makes_no_sense_is_refused_by_name() {
        let refused: [(Result<_, _>, &str); 7] = [
            (with(|options| options.batch = 0), "batch: 0"),
            (with(|options| options.in_flight = 0), "batches in flight: 0"),
            (with(|options| options.playouts_per_position = 0), "playouts per position: 0"),
            (with(|options| options.memory = 1), "memory of the tree in bytes: 1"),
            (with(|options| options.exploration = f64::NAN), "exploration: NaN"),
            (with(|options| options.prior = -1.0), "prior: -1 is not in 0 to 1000"),
            (with(|options| options.in_flight = 1 << 19), "batch times batches in flight"),
        ];
        for (result, text) in refused {
            let error = result.expect_err("it makes no sense").to_string();
            assert!(error.starts_with(text), "{error}");
        }
    }

    #[test]
    fn counters_cannot_overflow() {
        let options =
            SearchOptions { batch: MOST_UNDER_WAY, in_flight: 1, ..SearchOptions::default() };
        assert!(options.check().is_ok());
        let playouts_per_position = MOST_PLAYOUTS_PER_POSITION;
        assert!(SearchOptions { playouts_per_position, ..options }.check().is_err());
    }
}
