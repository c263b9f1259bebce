//! What the moves of a position bid for descents that come together and choose one after
//! the other.
//!
//! Each descent takes the highest bid, which is lowered by that. What it is lowered to was
//! computed before, so that the next descent does not wait for a root and a division. How
//! much exploration is worth is asked once, when they come.

use super::formula::{Formula, Score, is_excluded, uncertainty};
use crate::tree::{Edge, Node, Tree};

/// The bids of one node.
#[derive(Debug, Default)]
pub(crate) struct Bids {
    playouts: u32,
    exploration: f32,
    bids: Vec<Bid>,
    /// Of each move its next uncertainty.
    next: Vec<f32>,
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
        let bids = edges.iter().zip(0..);
        self.bids.extend(bids.map(|(edge, place)| bid(edge.score, exploration, place)));
        self.next.clear();
        self.next.extend(edges.iter().map(|edge| next(edge, playouts)));
        self.add_untried(tree, node);
    }

    /// A bid for the next move without an edge.
    fn add_untried(&mut self, tree: &Tree<Score>, node: &Node) {
        if let Some(score) = tree.next_score(node) {
            self.bids.push(bid(score, self.exploration, node.turn_edges().len() as u32));
            self.next.push(uncertainty(self.playouts));
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

    /// A descent takes an edge: from now on its playouts are under way there.
    #[inline]
    pub(crate) fn take(&mut self, tree: &mut Tree<Score>, node: u32, slot: u32) {
        let (index, edge) = (slot as usize, tree.edge_of(node, slot));
        let edge = &mut tree.edges[edge];
        edge.score.uncertainty = self.next[index];
        self.bids[index] = bid(edge.score, self.exploration, slot);
        edge.started += self.playouts;
        self.next[index] = next(edge, self.playouts);
        // It has just got its edge.
        if self.bids.len() == tree.node(node).turn_edges().len() {
            self.add_untried(tree, tree.node(node));
        }
    }
}

/// The uncertainty of a move after some more playouts.
#[inline]
fn next(edge: &Edge<Score>, playouts: u32) -> f32 {
    match is_excluded(edge) {
        true => edge.score.uncertainty,
        false => uncertainty(edge.started + playouts),
    }
}

#[inline]
fn bid(score: Score, exploration: f32, place: u32) -> Bid {
    let value = score.mean + exploration * score.uncertainty;
    // Those that are left out bid less than nothing.
    let value = if value > 0.0 { value } else { 0.0 };
    u64::from(value.to_bits()) << u32::BITS | u64::from(!place)
}
