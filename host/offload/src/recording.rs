//! Notes what goes through, and answers in an order drawn from a seed: what a
//! search does with it must not depend on that order.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::{Attributes, Batch, Finished, Offload, OffloadError, Usage};

/// One batch and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// What was submitted.
    pub batch: Batch,
    /// What was answered, once it was.
    pub finished: Option<Finished>,
}

/// Wraps an offload.
#[derive(Debug)]
pub struct Recording<O> {
    inner: O,
    dice: Pcg64Mcg,
    records: Vec<Record>,
    /// Batches that the wrapped offload still has.
    under_way: usize,
    /// Results that were not asked for yet.
    held: Vec<Finished>,
}

impl<O: Offload> Recording<O> {
    /// Records what goes to and comes from `inner`. Of all batches under way any
    /// one may be answered next; the seed says which.
    pub fn new(inner: O, seed: u64) -> Self {
        let dice = Pcg64Mcg::seed_from_u64(seed);
        Self { inner, dice, records: Vec::new(), under_way: 0, held: Vec::new() }
    }

    /// All batches so far, in the order in which they were submitted.
    #[must_use]
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// The wrapped offload and all records.
    #[must_use]
    pub fn into_parts(self) -> (O, Vec<Record>) {
        (self.inner, self.records)
    }

    /// The next draw, below `count`.
    fn draw(&mut self, count: usize) -> usize {
        self.dice.random_range(0..count)
    }

    fn note(&mut self, finished: &Finished) {
        let is_it = |record: &&mut Record| record.batch.number == finished.number;
        if let Some(record) = self.records.iter_mut().rev().find(is_it) {
            record.finished = Some(finished.clone());
        }
    }
}

impl<O: Offload> Offload for Recording<O> {
    fn attributes(&self) -> Attributes {
        self.inner.attributes()
    }

    fn usage(&self) -> Usage {
        self.inner.usage()
    }

    fn submit(&mut self, batch: Batch) -> Result<(), OffloadError> {
        self.inner.submit(batch.clone())?;
        self.records.push(Record { batch, finished: None });
        self.under_way += 1;
        Ok(())
    }

    fn collect(&mut self) -> Result<Finished, OffloadError> {
        while self.under_way > 0 {
            let finished = self.inner.collect()?;
            self.under_way -= 1;
            self.note(&finished);
            self.held.push(finished);
        }
        if self.held.is_empty() {
            return Err(OffloadError::Idle);
        }
        let drawn = self.draw(self.held.len());
        Ok(self.held.swap_remove(drawn))
    }
}
