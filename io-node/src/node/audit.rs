//! Whether the books are right, for simulations that look after every step.

use super::part::Part;
use super::{Batch, IoNode};

impl IoNode {
    /// Whether every position of every batch that was started is in one place: answered,
    /// with one cluster, or in line.
    ///
    /// # Errors
    /// A position that is in none or in several, for a person.
    pub fn audit(&self) -> Result<(), String> {
        self.batches.iter().filter(|batch| batch.is_started).try_for_each(|batch| self.count(batch))
    }

    fn count(&self, batch: &Batch) -> Result<(), String> {
        let number = batch.header.batch;
        let mut places = vec![0_u32; batch.header.count as usize];
        let with_clusters = self.clusters.iter().flat_map(|cluster| cluster.parts());
        let parts = batch.finished().iter().chain(with_clusters).chain(&self.line);
        for part in parts.filter(|part: &&Part| part.batch == number) {
            places[part.range()].iter_mut().for_each(|count| *count += 1);
        }
        match places.iter().position(|count| *count != 1) {
            None => Ok(()),
            Some(place) => {
                let count = places[place];
                Err(format!("position {place} of batch {number} is in {count} places"))
            }
        }
    }
}
