//! Recomputes a share of all batches with the one-lane interpreter and fails
//! loudly on any difference.

use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use ruche_game::Game;
use ruche_playouts::PlayoutsError;

use super::{
    Attributes, Batch, Best, Columns, Direct, DirectSettings, Finished, Offload, OffloadError,
    Results, Tally, Usage,
};

/// Which batches are checked is drawn from this seed: the same ones in every run.
const CHECK_SEED: u64 = 0x5EED_0F0C_4EC4_0001;

/// Wraps an offload.
#[derive(Debug)]
pub struct Checking<O> {
    inner: O,
    reference: Direct,
    /// Of all batches, 0 to 1.
    share: f64,
    /// Batches under way that will be checked.
    chosen: Vec<Batch>,
    checked: u64,
}

impl<O: Offload> Checking<O> {
    /// Checks a share of all batches, 0 to 1, that `inner` plays of a game.
    ///
    /// # Errors
    /// Never on a machine with enough memory for one player.
    pub fn new(inner: O, game: &Game, share: f64) -> Result<Self, PlayoutsError> {
        let Attributes { seed, ply_limit, .. } = inner.attributes();
        let reference = Direct::new(game, DirectSettings::reference(seed, ply_limit))?;
        Ok(Self { inner, reference, share, chosen: Vec::new(), checked: 0 })
    }

    /// Batches that were recomputed, and were right.
    #[must_use]
    pub fn checked(&self) -> u64 {
        self.checked
    }

    /// The wrapped offload.
    #[must_use]
    pub fn into_inner(self) -> O {
        self.inner
    }

    fn is_chosen(&self, number: u64) -> bool {
        Pcg64Mcg::seed_from_u64(CHECK_SEED ^ number).random::<f64>() < self.share
    }

    fn check(&mut self, batch: &Batch, finished: &Finished) -> Result<(), OffloadError> {
        let expected = self.reference.play(batch)?.results;
        let columns = finished.results.columns();
        let expected = |index| row(&expected, index, columns);
        let found = |index| row(&finished.results, index, columns);
        if let Some(index) = (0..batch.count).find(|index| expected(*index) != found(*index)) {
            return Err(OffloadError::Different {
                batch: batch.number,
                position: batch.first.wrapping_add(index as u64),
                expected: in_words(expected(index)),
                found: in_words(found(index)),
            });
        }
        self.checked += 1;
        Ok(())
    }

    /// Checks the answer to a batch if that was chosen.
    fn check_chosen(&mut self, finished: &Finished) -> Result<(), OffloadError> {
        let place = self.chosen.iter().position(|batch| batch.number == finished.number);
        match place.map(|place| self.chosen.swap_remove(place)) {
            Some(batch) => self.check(&batch, finished),
            None => Ok(()),
        }
    }
}

/// What was answered for a position. Other columns are nothing that random playouts could
/// know.
type Answer<'a> = (Tally, &'a [u64], Option<Best>);

/// What was answered for a position, if anything was, as far as these columns tell.
fn row(results: &Results, index: usize, columns: Columns) -> Option<Answer<'_>> {
    let best = || columns.best_of(results.row(index));
    (index < results.len()).then(|| (results.tally(index), results.scores(index), best()))
}

fn in_words(answer: Option<Answer<'_>>) -> String {
    match answer {
        Some((tally, scores, None)) => format!("goals {scores:?} of {tally:?}"),
        Some((tally, scores, Some(Best { goal, playout }))) => {
            format!("goals {scores:?} of {tally:?}, at best {goal} in playout {playout}")
        }
        None => String::from("nothing"),
    }
}

impl<O: Offload> Offload for Checking<O> {
    fn attributes(&self) -> Attributes {
        self.inner.attributes()
    }

    fn submit(&mut self, batch: Batch) -> Result<(), OffloadError> {
        if self.is_chosen(batch.number) {
            self.chosen.push(batch.clone());
        }
        self.inner.submit(batch)
    }

    fn collect(&mut self) -> Result<Finished, OffloadError> {
        let finished = self.inner.collect()?;
        self.check_chosen(&finished)?;
        Ok(finished)
    }

    fn collect_within(&mut self, patience: Duration) -> Result<Option<Finished>, OffloadError> {
        let finished = self.inner.collect_within(patience)?;
        finished.iter().try_for_each(|finished| self.check_chosen(finished))?;
        Ok(finished)
    }

    fn usage(&self) -> Usage {
        self.inner.usage()
    }
}
