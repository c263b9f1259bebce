//! What the moves of a position bid for descents that come together and choose one after
//! the other.
//!
//! Each takes the highest bid, which is lowered by that. A move that has had many visits is
//! taken by several at once, since choosing one by one would hardly end otherwise. How much
//! exploration is worth is asked once, when they come, and the edges are changed once, when
//! all have chosen.

use super::formula::{Formula, Score, is_excluded, uncertainty};
use crate::tree::{Node, Tree};

/// Descents that take a move together are at most a fourth of the looks that it has had:
/// with equal playouts that is as strong as one by one, and more leaves are chosen in the
/// same time (docs/tree.md).
const BUNDLE_PART: u32 = 4;

/// The bids of one node.
#[derive(Debug, Default)]
pub(crate) struct Bids {
    playouts: u32,
    exploration: f32,
    bids: Vec<Bid>,
    /// How often each was taken.
    taken: Vec<u32>,
}

/// The value of a move, and behind it its place: of equal ones the first is the highest.
/// Values are positive, so that their bits are in the order of the values.
type Bid = u64;

impl Bids {
    /// Asks for the bids of a node where one role chooses; each descent has some playouts.
    #[inline]
    pub(crate) fn open(
        &mut self,
        formula: &Formula,
        tree: &Tree<Score>,
        node: u32,
        playouts: u32,
    ) {
        let node = tree.node(node);
        let edges = &tree.edges[node.turn_edges()];
        let exploration = formula.exploration(node.started);
        (self.playouts, self.exploration) = (playouts, exploration);
        self.bids.clear();
        self.bids.extend(edges.iter().zip(0..).map(|(edge, slot)| bid(edge.score, exploration, slot)));
        self.taken.clear();
        self.taken.resize(edges.len(), 0);
        self.add_untried(tree, node);
    }

    /// A bid for the next move without an edge.
    fn add_untried(&mut self, tree: &Tree<Score>, node: &Node) {
        if let Some(score) = tree.next_score(node) {
            self.bids.push(bid(score, self.exploration, node.turn_edges().len() as u32));
        }
    }

    /// The slot with the highest bid.
    #[inline]
    pub(crate) fn best(&self) -> u32 {
        // Four at a time, since each comparison waits for the one before.
        let (fours, rest) = self.bids.as_chunks::<4>();
        let mut best = [0; 4];
        for four in fours {
            best = [0, 1, 2, 3].map(|index: usize| best[index].max(four[index]));
        }
        let rest = rest.iter().copied().max().unwrap_or(0);
        let best = best[0].max(best[1]).max(best[2].max(best[3])).max(rest);
        !(best as u32)
    }

    /// How many descents take an edge together.
    #[inline]
    pub(crate) fn bundle(&self, tree: &Tree<Score>, edge: usize) -> u32 {
        (tree.edges[edge].started / (BUNDLE_PART * self.playouts)).max(1)
    }

    /// Descents take an edge.
    #[inline]
    pub(crate) fn take(&mut self, tree: &Tree<Score>, node: u32, slot: u32, times: u32) {
        let place = tree.node(node);
        let index = slot as usize;
        // It has just got its edge.
        if self.taken.len() == index {
            self.taken.push(0);
            self.add_untried(tree, place);
        }
        self.taken[index] += times;
        let edge = &tree.edges[place.turn_edges()][index];
        if !is_excluded(edge) {
            let started = edge.started + self.taken[index] * self.playouts;
            let score = Score { uncertainty: uncertainty(started), ..edge.score };
            self.bids[index] = bid(score, self.exploration, slot);
        }
    }

    /// How often each slot was taken.
    pub(crate) fn taken(&self) -> &[u32] {
        &self.taken
    }
}

#[inline]
fn bid(score: Score, exploration: f32, slot: u32) -> Bid {
    let value = score.mean + exploration * score.uncertainty;
    // Those that are left out bid less than nothing.
    let value = if value > 0.0 { value } else { 0.0 };
    u64::from(value.to_bits()) << u32::BITS | u64::from(!slot)
}
