//! How a batch is cut into parts.

use std::ops::Range;

use super::RunMode;

/// Consecutive positions of a batch that one cluster gets in one frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// The number of the batch.
    pub batch: u64,
    /// Where in its batch the first position stands.
    pub first: u32,
    /// Positions.
    pub count: u32,
    /// The only cluster that may have it, unless that dies.
    pub home: Option<usize>,
    /// The cluster that failed to play it: another one is next.
    pub avoid: Option<usize>,
    /// How often it was sent.
    pub sent: u32,
}

impl Part {
    fn new(batch: u64, range: Range<usize>, home: Option<usize>) -> Self {
        let (first, count) = (range.start as u32, range.len() as u32);
        Self { batch, first, count, home, avoid: None, sent: 0 }
    }

    /// Whether the cluster may play it.
    pub fn suits(&self, cluster: usize, is_alone: bool) -> bool {
        self.home.is_none_or(|home| home == cluster) && (is_alone || self.avoid != Some(cluster))
    }

    /// The same part for any cluster.
    pub fn for_anybody(self) -> Self {
        Self { home: None, avoid: None, ..self }
    }

    /// Positions that it has in its batch.
    pub fn range(&self) -> Range<usize> {
        let first = self.first as usize;
        first..first + self.count as usize
    }
}

/// The parts of a batch for these clusters, in order; none has more positions than
/// `most`.
pub(super) fn parts(
    batch: u64,
    positions: usize,
    players: &[usize],
    run_mode: RunMode,
    most: usize,
) -> Vec<Part> {
    match run_mode {
        RunMode::Sync => scattered(batch, positions, players, most),
        RunMode::Async => {
            // Not smaller, to have more of them: the next batch keeps a cluster busy,
            // and few positions leave cores and lanes empty.
            let size = positions.div_ceil(players.len().max(1)).clamp(1, most);
            chunks(0..positions, size).map(|range| Part::new(batch, range, None)).collect()
        }
    }
}

/// The same share for every cluster, to within one position; a share that is too
/// large for one frame goes in equal rounds.
fn scattered(batch: u64, positions: usize, players: &[usize], most: usize) -> Vec<Part> {
    let start = |share: usize| share * positions / players.len();
    let shares = players.iter().enumerate().map(|(share, home)| {
        let range = start(share)..start(share + 1);
        let rounds = range.len().div_ceil(most).max(1);
        let size = range.len().div_ceil(rounds).max(1);
        chunks(range, size).map(move |range| Part::new(batch, range, Some(*home)))
    });
    shares.flatten().collect()
}

fn chunks(range: Range<usize>, size: usize) -> impl Iterator<Item = Range<usize>> {
    let end = range.end;
    range.step_by(size).map(move |first| first..end.min(first + size))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(positions: usize, clusters: usize, run_mode: RunMode) -> Vec<Part> {
        parts(1, positions, &Vec::from_iter(0..clusters), run_mode, 64)
    }

    #[test]
    fn every_position_is_in_exactly_one_part_of_a_size_that_fits() {
        for mode in [RunMode::Sync, RunMode::Async] {
            for (positions, clusters) in [(1, 1), (1, 8), (7, 3), (64, 1), (65, 1), (1000, 3)] {
                let cut = cut(positions, clusters, mode);
                let covered: Vec<usize> = cut.iter().flat_map(Part::range).collect();
                assert_eq!(covered, Vec::from_iter(0..positions), "{mode:?}");
                assert!(cut.iter().all(|part| (1..=64).contains(&part.count)), "{mode:?}");
            }
        }
    }

    #[test]
    fn a_synchronous_batch_is_scattered_evenly() {
        let shares: Vec<u32> = cut(10, 4, RunMode::Sync).iter().map(|part| part.count).collect();
        assert_eq!(shares, [2, 3, 2, 3]);
        let homes: Vec<_> = cut(10, 4, RunMode::Sync).iter().map(|part| part.home).collect();
        assert_eq!(homes, [Some(0), Some(1), Some(2), Some(3)]);
    }

    #[test]
    fn a_share_that_is_too_large_goes_in_equal_rounds() {
        let rounds: Vec<u32> = cut(130, 1, RunMode::Sync).iter().map(|part| part.count).collect();
        assert_eq!(rounds, [44, 44, 42]);
    }

    #[test]
    fn an_asynchronous_batch_feeds_all_clusters() {
        assert_eq!(cut(64, 4, RunMode::Async).len(), 4);
        assert_eq!(cut(3, 4, RunMode::Async).len(), 3);
    }
}
