//! Plays in the calling thread, when the results are asked for.

use std::collections::VecDeque;

use ruche_eval::playouts::DEFAULT_PLY_LIMIT;
use ruche_playouts::{Amount, Engine, Measured, PlayoutsError, Ready, Settings, widest_word};
use ruche_shared::Image;
use ruche_shared::budget::WordWidth;
use ruche_shared::position::position_words;

use super::{Batch, Finished, Offload, OffloadError};

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
    pub engine: Engine,
}

impl Default for DirectSettings {
    /// The widest word and the fastest engine for it.
    fn default() -> Self {
        let width = widest_word();
        Self { seed: 0, ply_limit: DEFAULT_PLY_LIMIT, width, engine: Engine::Fastest }
    }
}

impl DirectSettings {
    /// The reference: the interpreter with one lane.
    #[must_use]
    pub fn reference(seed: u64, ply_limit: u32) -> Self {
        Self { seed, ply_limit, width: WordWidth::One, engine: Engine::Interpreter }
    }

    fn settings(self) -> Settings {
        let Self { seed, ply_limit, width, engine } = self;
        Settings { seed, ply_limit, width, engine, ..Settings::default() }
    }
}

/// Plays batches in the order in which they were submitted.
#[derive(Debug)]
pub struct Direct<'image> {
    ready: Ready<'image>,
    waiting: VecDeque<Batch>,
}

impl<'image> Direct<'image> {
    /// Plays a game in the calling thread.
    ///
    /// # Errors
    /// If this machine has no such engine for words of this width.
    pub fn new(image: &Image<'image>, settings: DirectSettings) -> Result<Self, PlayoutsError> {
        let ready = Ready::new(image, &settings.settings())?;
        Ok(Self { ready, waiting: VecDeque::new() })
    }

    /// Plays one batch now.
    ///
    /// # Errors
    /// If it is not a batch of this game.
    pub fn play(&self, batch: &Batch) -> Result<Finished, OffloadError> {
        let refused = |reason| OffloadError::Refused { batch: batch.number, reason };
        let positions = self.positions(batch).map_err(refused)?;
        let amount = Amount::Each(batch.playouts.into());
        let played = self.ready.play(batch.first, &positions, amount);
        let Measured { outcomes, scores, .. } =
            played.map_err(|error| refused(error.to_string()))?;
        Ok(Finished { number: batch.number, outcomes, scores })
    }

    fn positions<'a>(&self, batch: &'a Batch) -> Result<Vec<&'a [u32]>, String> {
        let words = position_words(self.ready.image().fluents());
        let (needed, found) = (words * batch.count, batch.positions.len());
        if needed != found {
            return Err(format!("it has {found} words for positions of {needed} words"));
        }
        // A game without fluents has positions without words.
        Ok((0..batch.count).map(|number| &batch.positions[number * words..][..words]).collect())
    }
}

impl Offload for Direct<'_> {
    fn submit(&mut self, batch: Batch) -> Result<(), OffloadError> {
        self.waiting.push_back(batch);
        Ok(())
    }

    fn collect(&mut self) -> Result<Finished, OffloadError> {
        let batch = self.waiting.pop_front().ok_or(OffloadError::Idle)?;
        self.play(&batch)
    }
}
