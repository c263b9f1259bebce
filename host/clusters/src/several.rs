//! Several I/O nodes: each has a share of the clusters and of every batch.

use std::collections::BTreeMap;
use std::ops::Range;

use ruche_offload::{Attributes, Batch, Columns, Finished, Offload, OffloadError, Results, Usage};

/// The clusters that one of several I/O nodes has.
#[must_use]
pub fn share(clusters: usize, io_nodes: usize, io_node: usize) -> Range<usize> {
    clusters * io_node / io_nodes..clusters * (io_node + 1) / io_nodes
}

/// Plays each batch on several machines at once.
#[derive(Debug)]
pub struct Several<O> {
    members: Vec<Member<O>>,
    /// By the number of the batch.
    pending: BTreeMap<u64, Pending>,
}

#[derive(Debug)]
struct Member<O> {
    offload: O,
    /// Clusters behind it: its share of a batch.
    weight: usize,
}

#[derive(Debug)]
struct Pending {
    finished: Finished,
    /// For each share that has not come back, where it starts and who has it.
    shares: Vec<(usize, usize)>,
}

impl<O: Offload> Several<O> {
    /// Members with their weights; at least one.
    #[must_use]
    pub fn new(members: Vec<(O, usize)>) -> Self {
        let member = |(offload, weight)| Member { offload, weight };
        Self { members: members.into_iter().map(member).collect(), pending: BTreeMap::new() }
    }

    fn offloads(&self) -> impl Iterator<Item = &O> {
        self.members.iter().map(|member| &member.offload)
    }

    /// Puts a member's share of the results in its place.
    fn accept(&mut self, member: usize, part: &Finished) -> Option<Finished> {
        let pending = self.pending.get_mut(&part.number)?;
        let share = pending.shares.iter().position(|(_, owner)| *owner == member)?;
        let (start, _) = pending.shares.remove(share);
        pending.finished.results.put(start, &part.results);
        match pending.shares.is_empty() {
            true => self.pending.remove(&part.number).map(|pending| pending.finished),
            false => None,
        }
    }
}

impl<O: Offload> Several<O> {
    fn columns(&self) -> Columns {
        self.members.first().map_or(Columns::default(), |one| one.offload.attributes().columns)
    }
}

impl<O: Offload> Offload for Several<O> {
    /// Members differ in nothing but the clusters that they have.
    fn attributes(&self) -> Attributes {
        let (mut clusters, mut sensible_batch) = (0, 0);
        for one in self.offloads().map(Offload::attributes) {
            clusters += one.clusters;
            sensible_batch += one.sensible_batch;
        }
        let first = self.offloads().next().expect("there is at least one member").attributes();
        Attributes { clusters, sensible_batch, ..first }
    }

    fn usage(&self) -> Usage {
        self.offloads().map(Offload::usage).fold(Usage::default(), |sum, one| Usage {
            playing: match (sum.playing, one.playing) {
                (Some(sum), Some(one)) => Some(sum + one),
                (sum, one) => sum.or(one),
            },
            losses: sum.losses + one.losses,
            virtual_time: None,
        })
    }

    fn submit(&mut self, batch: Batch) -> Result<(), OffloadError> {
        let words = batch.positions.len() / batch.count.max(1);
        let weights: usize = self.members.iter().map(|member| member.weight).sum();
        let (mut shares, mut before) = (Vec::new(), 0);
        for (owner, member) in self.members.iter_mut().enumerate() {
            let cut = |weight: usize| batch.count * weight / weights.max(1);
            let (start, end) = (cut(before), cut(before + member.weight));
            before += member.weight;
            if start == end {
                continue;
            }
            let positions = batch.positions[start * words..end * words].to_vec();
            let (first, count) = (batch.first + start as u64, end - start);
            member.offload.submit(Batch { first, positions, count, ..batch })?;
            shares.push((start, owner));
        }
        let results = Results::new(self.columns(), batch.count);
        let finished = Finished { number: batch.number, results };
        self.pending.insert(batch.number, Pending { finished, shares });
        Ok(())
    }

    fn collect(&mut self) -> Result<Finished, OffloadError> {
        loop {
            // Somebody who owes a share of the oldest batch: waiting for others would
            // keep results from the host that are there.
            let (_, oldest) = self.pending.first_key_value().ok_or(OffloadError::Idle)?;
            let &(_, owner) = oldest.shares.first().ok_or(OffloadError::Idle)?;
            let part = self.members[owner].offload.collect()?;
            if let Some(finished) = self.accept(owner, &part) {
                return Ok(finished);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use ruche_shared::WordWidth;
    use zerocopy::IntoBytes;

    use super::*;

    /// Answers with the numbers of the positions as scores.
    #[derive(Default)]
    struct Echo(Vec<Batch>);

    const COLUMNS: Columns = Columns::of_roles(2);

    impl Offload for Echo {
        fn attributes(&self) -> Attributes {
            Attributes {
                columns: COLUMNS,
                seed: 1,
                ply_limit: 2,
                width: WordWidth::One,
                clusters: 1,
                sensible_batch: 10,
            }
        }

        fn submit(&mut self, batch: Batch) -> Result<(), OffloadError> {
            self.0.push(batch);
            Ok(())
        }

        fn collect(&mut self) -> Result<Finished, OffloadError> {
            let batch = self.0.pop().ok_or(OffloadError::Idle)?;
            let mut results = Results::new(COLUMNS, batch.count);
            for index in 0..batch.count {
                let scores = [batch.first + index as u64, u64::from(batch.positions[index])];
                let row = [&[0; 5], &scores[..]].concat();
                assert!(results.put_bytes(index, row.as_bytes()));
            }
            Ok(Finished { number: batch.number, results })
        }
    }

    #[test]
    fn shares_come_back_in_their_places() {
        for weights in [vec![1], vec![1, 1], vec![3, 1, 2], vec![1; 7]] {
            let members = weights.iter().map(|weight| (Echo::default(), *weight)).collect();
            let mut several = Several::new(members);
            for number in 0..3 {
                let positions = (0..5).collect();
                let batch = Batch { number, first: 100 * number, playouts: 1, positions, count: 5 };
                several.submit(batch).unwrap();
            }
            for _ in 0..3 {
                let finished = several.collect().unwrap();
                let expected: Vec<u64> =
                    (0..5).flat_map(|index| [100 * finished.number + index, index]).collect();
                let found: Vec<u64> =
                    (0..5).flat_map(|index| finished.results.scores(index)).copied().collect();
                assert_eq!(found, expected, "{weights:?}");
            }
            assert!(several.collect().is_err());
        }
    }
}
