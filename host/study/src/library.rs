//! The games of a study as images, and the game that nobody plays.

use std::collections::BTreeMap;
use std::sync::Arc;

use ruche_report::Point;
use ruche_shared::budget::{Account, Budget, Demand};
use ruche_shared::image::{ImageError, Parts, encode, encoded_length};
use ruche_shared::position::{position_bytes, position_words};
use ruche_shared::{Image, WordWidth};

/// The name of the game whose positions are as long as one likes, and from which
/// nobody plays.
pub const EMPTY: &str = "empty";

/// Most bytes of a position that nobody plays from; more fit into no cluster.
pub const MOST_EMPTY_BYTES: u32 = 1 << 14;

/// A game that clusters can be loaded with.
#[derive(Clone, Debug)]
pub struct Game {
    /// The image, aligned.
    words: Vec<u32>,
    /// Bytes of the image.
    length: usize,
}

impl Game {
    /// A game from bytes that begin with an image.
    ///
    /// # Errors
    /// If the image is damaged.
    pub fn new(bytes: &[u8]) -> Result<Self, ImageError> {
        let mut words = vec![0; bytes.len().div_ceil(size_of::<u32>())];
        bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
        let length = Image::parse(&bytemuck::cast_slice(&words)[..bytes.len()])?.length();
        Ok(Self { words, length })
    }

    /// A game of two roles in which nothing happens, with positions of this many
    /// bytes, a multiple of 4.
    #[must_use]
    pub fn empty(bytes: u32) -> Self {
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
        let length = encoded_length(&parts);
        let mut words = vec![0; length / size_of::<u32>()];
        encode(&parts, bytemuck::cast_slice_mut(&mut words)).expect("an image without gates");
        Self { words, length }
    }

    /// The bytes of the image.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.length]
    }

    /// The image.
    #[must_use]
    pub fn image(&self) -> Image<'_> {
        Image::parse(self.bytes()).expect("it was sound when the game was made")
    }

    /// Bytes of a position.
    #[must_use]
    pub fn position_bytes(&self) -> u32 {
        position_bytes(self.image().fluents()) as u32
    }

    /// How the game fills the memory of a cluster with this many cores.
    #[must_use]
    pub fn account(&self, cores: u32, word: WordWidth) -> Account {
        Budget { cores, ..Budget::default() }.account(&Demand::of(&self.image()), word)
    }
}

/// The games that the points of a study name.
#[derive(Clone, Debug, Default)]
pub struct Library {
    games: BTreeMap<String, Arc<Game>>,
}

impl Library {
    /// Adds a game under the name that plans give it.
    pub fn add(&mut self, name: &str, game: Game) {
        self.games.insert(name.to_owned(), Arc::new(game));
    }

    /// The game of this name; `empty` is made for positions of this many bytes.
    #[must_use]
    pub fn find(&self, name: &str, bytes: u32) -> Option<Arc<Game>> {
        match name {
            EMPTY => Some(Arc::new(Game::empty(bytes))),
            _ => self.games.get(name).cloned(),
        }
    }

    /// The game of a point.
    #[must_use]
    pub fn game_of(&self, point: &Point) -> Option<Arc<Game>> {
        self.find(&point.game, point.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_positions_have_the_length_that_was_asked_for() {
        for bytes in [4, 200, 2000, MOST_EMPTY_BYTES] {
            assert_eq!(Game::empty(bytes).position_bytes(), bytes);
        }
    }

    #[test]
    fn the_longest_message_of_the_original_fits_and_more_does_not() {
        assert!(Game::empty(2000).account(16, WordWidth::One).fits());
        assert!(!Game::empty(MOST_EMPTY_BYTES).account(16, WordWidth::SixtyFour).fits());
    }

    #[test]
    fn a_damaged_image_is_no_game() {
        assert!(Game::new(b"no image").is_err());
        let sound = Game::empty(4);
        assert_eq!(Game::new(sound.bytes()).unwrap().bytes(), sound.bytes());
    }
}
