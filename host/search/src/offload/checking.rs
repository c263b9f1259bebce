//! Recomputes a share of all batches with the one-lane interpreter and fails
//! loudly on any difference.

use ruche_eval::playouts::Outcome;
use ruche_playouts::PlayoutsError;
use ruche_shared::Image;
use ruche_shared::stream::PositionStreams;

use super::{Batch, Direct, DirectSettings, Finished, Offload, OffloadError};

/// Which batches are checked is drawn from streams of this seed: the same ones
/// in every run.
const CHECK_SEED: u64 = 0x5EED_0F0C_4EC4_0001;

/// Wraps an offload.
#[derive(Debug)]
pub struct Checking<'image, O> {
    inner: O,
    reference: Direct<'image>,
    /// Of all batches, 0 to 1.
    share: f64,
    /// Batches under way that will be checked.
    chosen: Vec<Batch>,
    checked: u64,
}

impl<'image, O: Offload> Checking<'image, O> {
    /// Checks a share of all batches, 0 to 1, that `inner` plays with this run
    /// seed and ply limit.
    ///
    /// # Errors
    /// Never on a machine with enough memory for one player.
    pub fn new(
        inner: O,
        image: &Image<'image>,
        share: f64,
        seed: u64,
        ply_limit: u32,
    ) -> Result<Self, PlayoutsError> {
        let reference = Direct::new(image, DirectSettings::reference(seed, ply_limit))?;
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
        let drawn = PositionStreams::new(CHECK_SEED, number).playout(0).state();
        // 53 bits are exact in a float.
        ((drawn >> 11) as f64) < self.share * (1_u64 << 53) as f64
    }

    fn check(&mut self, batch: &Batch, finished: &Finished) -> Result<(), OffloadError> {
        let expected = self.reference.play(batch)?;
        let roles = expected.scores.len().checked_div(batch.count).unwrap_or(0);
        let is_wrong =
            |&index: &usize| answer(&expected, index, roles) != answer(finished, index, roles);
        if let Some(index) = (0..batch.count).find(is_wrong) {
            return Err(OffloadError::Different {
                batch: batch.number,
                position: batch.first.wrapping_add(index as u64),
                expected: in_words(answer(&expected, index, roles)),
                found: in_words(answer(finished, index, roles)),
            });
        }
        self.checked += 1;
        Ok(())
    }
}

/// What was answered for a position, if anything was.
fn answer(finished: &Finished, index: usize, roles: usize) -> Option<(Outcome, &[u64])> {
    let scores = finished.scores.get(index * roles..(index + 1) * roles)?;
    Some((*finished.outcomes.get(index)?, scores))
}

fn in_words(answer: Option<(Outcome, &[u64])>) -> String {
    match answer {
        Some((outcome, scores)) => format!("goals {scores:?} of {outcome:?}"),
        None => String::from("nothing"),
    }
}

impl<O: Offload> Offload for Checking<'_, O> {
    fn submit(&mut self, batch: Batch) -> Result<(), OffloadError> {
        if self.is_chosen(batch.number) {
            self.chosen.push(batch.clone());
        }
        self.inner.submit(batch)
    }

    fn collect(&mut self) -> Result<Finished, OffloadError> {
        let finished = self.inner.collect()?;
        let place = self.chosen.iter().position(|batch| batch.number == finished.number);
        if let Some(place) = place {
            let batch = self.chosen.swap_remove(place);
            self.check(&batch, &finished)?;
        }
        Ok(finished)
    }
}
