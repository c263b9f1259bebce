//! The games of a study, and the game that nobody plays.

use std::collections::BTreeMap;

use ruche_game::Game;
use ruche_report::Point;
use ruche_shared::WordWidth;
use ruche_shared::budget::{Account, Budget, Demand};
use ruche_shared::image::{Parts, encode, encoded_length};
use ruche_shared::position::{position_bytes, position_words};

/// The name of the game whose positions are as long as one likes, and from which
/// nobody plays.
pub const EMPTY: &str = "empty";

/// Most bytes of a position that nobody plays from; more fit into no cluster.
pub const MOST_EMPTY_BYTES: u32 = 1 << 14;

/// A game of two roles in which nothing happens, with positions of this many bytes, a
/// multiple of 4.
#[must_use]
pub fn empty(bytes: u32) -> Game {
    let fluents = bytes * u8::BITS;
    let initial = vec![0; position_words(fluents as usize)];
    let parts = Parts {
        wide: fluents > u32::from(u16::MAX) - 2,
        fluents,
        slots: fluents + 2,
        terminal_slot: 0,
        move_starts: &[0, 1, 2],
        goals: &[],
        initial: &initial,
        code: [&[], &[], &[]],
    };
    let mut image = vec![0; encoded_length(&parts)];
    encode(&parts, &mut image).expect("an image without gates");
    Game::of_image(EMPTY, &image).expect("an image without gates")
}

/// Bytes of a position.
pub(crate) fn bytes_of_position(game: &Game) -> u32 {
    position_bytes(game.image().fluents()) as u32
}

/// How a game fills the memory of a cluster with this many cores.
pub(crate) fn account(game: &Game, cores: u32, word: WordWidth) -> Account {
    Budget { cores, ..Budget::default() }.account(&Demand::of(game.image()), word)
}

/// The games that the points of a study name.
#[derive(Clone, Debug, Default)]
pub struct Library {
    games: BTreeMap<String, Game>,
}

impl Library {
    /// Adds a game under the name that plans give it.
    pub fn add(&mut self, name: &str, game: Game) {
        self.games.insert(name.to_owned(), game);
    }

    /// The game of this name; `empty` is made for positions of this many bytes.
    #[must_use]
    pub fn find(&self, name: &str, bytes: u32) -> Option<Game> {
        match name {
            EMPTY => Some(empty(bytes)),
            _ => self.games.get(name).cloned(),
        }
    }

    /// The game of a point.
    #[must_use]
    pub fn game_of(&self, point: &Point) -> Option<Game> {
        self.find(&point.game, point.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_positions_have_the_length_that_was_asked_for() {
        for bytes in [4, 200, 2000, MOST_EMPTY_BYTES] {
            assert_eq!(bytes_of_position(&empty(bytes)), bytes);
        }
    }

    #[test]
    fn the_longest_message_of_the_original_fits_and_more_does_not() {
        assert!(account(&empty(2000), 16, WordWidth::One).fits());
        assert!(!account(&empty(MOST_EMPTY_BYTES), 16, WordWidth::SixtyFour).fits());
    }
}
