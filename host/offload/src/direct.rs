//! Plays in the calling thread, when the results are asked for.

use std::collections::VecDeque;

use ruche_eval::playouts::DEFAULT_PLY_LIMIT;
use ruche_game::Game;
use ruche_playouts::{Amount, EngineChoice, PlayoutSettings, Playouts, PlayoutsError, widest_word};
use ruche_shared::WordWidth;
use ruche_shared::position::position_words;

use super::{Attributes, Batch, Columns, Finished, Offload, OffloadError};

/// How to play.
#[derive(Clone, Copy, Debug)]
pub struct DirectSettings {
    /// The run seed.
    pub seed: u64,
    /// After how many plies a playout is cut.
    pub ply_limit: u32,
    /// Lanes of a word.
    pub width: WordWidth,
    /// What evaluates the gates.
    pub engine: EngineChoice,
}

impl Default for DirectSettings {
    /// The widest word and the fastest engine for it.
    fn default() -> Self {
        let width = widest_word();
        Self { seed: 0, ply_limit: DEFAULT_PLY_LIMIT, width, engine: EngineChoice::Auto }
    }
}

impl DirectSettings {
    /// The reference: the interpreter with one lane.
    #[must_use]
    pub fn reference(seed: u64, ply_limit: u32) -> Self {
        Self { seed, ply_limit, width: WordWidth::One, engine: EngineChoice::Interpreter }
    }

    fn playouts(self) -> PlayoutSettings {
        let Self { seed, ply_limit, width, engine } = self;
        PlayoutSettings { seed, ply_limit, width, engine, ..PlayoutSettings::default() }
    }
}

/// Plays batches in the order in which they were submitted.
#[derive(Debug)]
pub struct Direct {
    playouts: Playouts,
    waiting: VecDeque<Batch>,
}

impl Direct {
    /// Plays a game in the calling thread.
    ///
    /// # Errors
    /// If this machine has no such engine for words of this width.
    pub fn new(game: &Game, settings: DirectSettings) -> Result<Self, PlayoutsError> {
        let playouts = Playouts::new(game, &settings.playouts())?;
        Ok(Self { playouts, waiting: VecDeque::new() })
    }

    /// Another one for the same game, with its code and another run seed.
    #[must_use]
    pub fn seeded(&self, seed: u64) -> Self {
        Self { playouts: self.playouts.clone().seeded(seed), waiting: VecDeque::new() }
    }

    /// Plays one batch now.
    ///
    /// # Errors
    /// If it is not a batch of this game.
    pub fn play(&self, batch: &Batch) -> Result<Finished, OffloadError> {
        let refused = |reason| OffloadError::Refused { batch: batch.number, reason };
        let positions = self.positions(batch).map_err(refused)?;
        let amount = Amount::Each(batch.playouts.into());
        let played = self.playouts.play(batch.first, &positions, amount);
        let results = played.map_err(|error| refused(error.to_string()))?.results;
        Ok(Finished { number: batch.number, results })
    }

    fn positions<'a>(&self, batch: &'a Batch) -> Result<Vec<&'a [u32]>, String> {
        let words = position_words(self.playouts.game().image().fluents());
        let (needed, found) = (words * batch.count, batch.positions.len());
        if needed != found {
            return Err(format!("it has {found} words for positions of {needed} words"));
        }
        // A game without fluents has positions without words.
        Ok((0..batch.count).map(|number| &batch.positions[number * words..][..words]).collect())
    }
}

impl Offload for Direct {
    fn attributes(&self) -> Attributes {
        let PlayoutSettings { seed, ply_limit, width, .. } = *self.playouts.settings();
        Attributes {
            columns: Columns::of_roles(self.playouts.game().roles()),
            seed,
            ply_limit,
            width,
            clusters: 0,
            sensible_batch: width.lanes() as usize,
        }
    }

    fn submit(&mut self, batch: Batch) -> Result<(), OffloadError> {
        self.waiting.push_back(batch);
        Ok(())
    }

    fn collect(&mut self) -> Result<Finished, OffloadError> {
        let batch = self.waiting.pop_front().ok_or(OffloadError::Idle)?;
        self.play(&batch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_seed_is_as_if_it_had_been_made_with_it() {
        let game = Game::bundled("tictactoe").unwrap();
        let positions = game.initial().position().to_vec();
        let batch = Batch { number: 0, first: 0, playouts: 100, positions, count: 1 };
        let made =
            |seed| Direct::new(&game, DirectSettings { seed, ..Default::default() }).unwrap();
        let (first, second) = (made(1), made(2));
        let again = first.seeded(2);
        assert_eq!(again.attributes(), second.attributes());
        assert_eq!(again.play(&batch).unwrap(), second.play(&batch).unwrap());
        assert_ne!(again.play(&batch).unwrap(), first.play(&batch).unwrap());
    }
}
