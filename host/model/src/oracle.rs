//! How playouts end, before they are played on the modelled machine.
//!
//! What a playout brings depends on its position, the seed and two numbers, not on
//! who plays it. So this host plays all playouts of a batch at once, with its widest
//! words, when the batch is sent, and the modelled cores look up what they would
//! have found out.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ruche_eval::playouts::Tally;
use ruche_playouts::{Games, Playouts, PlayoutsError};
use ruche_shared::Image;
use ruche_shared::position::position_words;

/// Playouts from the initial position that are foreseen at a time.
const BLOCK: u64 = 1 << 14;

/// Playouts from the initial position: position `i` has the number `i` and one
/// playout. Studies ask for the same ones again and again, so all points of a study
/// share them.
#[derive(Debug, Default)]
pub struct Openings {
    blocks: Mutex<HashMap<OpeningKey, Arc<Games>>>,
}

/// Which game, seed and block.
type OpeningKey = (u32, u64, u64);

impl Openings {
    fn lock(&self) -> MutexGuard<'_, HashMap<OpeningKey, Arc<Games>>> {
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn block(
        &self,
        playouts: &Playouts,
        seed: u64,
        block: u64,
    ) -> Result<Arc<Games>, PlayoutsError> {
        let image = playouts.game().image();
        let key = (image.checksum(), seed, block);
        if let Some(games) = self.lock().get(&key) {
            return Ok(games.clone());
        }
        // Others may look up theirs meanwhile.
        let initial = image.initial().to_vec();
        let positions = vec![initial.as_slice(); BLOCK as usize];
        let games = Arc::new(playouts.games(block * BLOCK, &positions, 1)?);
        Ok(self.lock().entry(key).or_insert(games).clone())
    }
}

/// Knows how playouts end.
pub(crate) struct Oracle {
    playouts: Playouts,
    seed: u64,
    openings: Arc<Openings>,
    /// Blocks of openings by their numbers.
    blocks: Vec<Option<Arc<Games>>>,
    /// Other positions, by their numbers: where their playouts start, and how many
    /// there are.
    batches: HashMap<u64, (Arc<Games>, usize)>,
}

impl Oracle {
    pub fn new(playouts: Playouts, seed: u64, openings: Arc<Openings>) -> Self {
        Self { playouts, seed, openings, blocks: Vec::new(), batches: HashMap::new() }
    }

    pub fn image(&self) -> &Image<'_> {
        self.playouts.game().image()
    }

    /// Finds out how the playouts of positions end, of which the first has this
    /// number.
    pub fn foresee(
        &mut self,
        first: u64,
        positions: &[u32],
        playouts: u32,
    ) -> Result<(), PlayoutsError> {
        let words = position_words(self.image().fluents()).max(1);
        let positions: Vec<&[u32]> = positions.chunks_exact(words).collect();
        if playouts == 1 && positions.iter().all(|position| *position == self.image().initial()) {
            return self.foresee_openings(first, positions.len() as u64);
        }
        let games = Arc::new(self.playouts.games(first, &positions, playouts.into())?);
        for index in 0..positions.len() {
            let start = index * playouts as usize;
            self.batches.insert(first + index as u64, (games.clone(), start));
        }
        Ok(())
    }

    fn foresee_openings(&mut self, first: u64, count: u64) -> Result<(), PlayoutsError> {
        for block in first / BLOCK..(first + count).div_ceil(BLOCK) {
            let place = block as usize;
            if self.blocks.len() <= place {
                self.blocks.resize(place + 1, None);
            }
            if self.blocks[place].is_none() {
                self.blocks[place] = Some(self.openings.block(&self.playouts, self.seed, block)?);
            }
        }
        Ok(())
    }

    /// How a playout of a position goes, and the goals of the roles.
    ///
    /// # Panics
    /// If it was not foreseen: the host sends nothing without.
    pub fn game(&self, number: u64, playout: u64) -> (Tally, &[u16]) {
        let (games, index) = match self.batches.get(&number) {
            Some((games, start)) => (games, start + playout as usize),
            None => {
                let block = self.blocks[(number / BLOCK) as usize].as_ref();
                (block.expect("it was foreseen"), (number % BLOCK) as usize)
            }
        };
        (games.tally(index), games.goals(index))
    }

    /// Forgets positions whose results are back.
    pub fn forget(&mut self, first: u64, count: u64) {
        if !self.batches.is_empty() {
            (first..first + count).for_each(|number| drop(self.batches.remove(&number)));
        }
    }
}
