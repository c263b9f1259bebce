//! What roles choose that choose at the same time: each by its regrets, drawn, so that
//! nobody can be foreseen.
//!
//! Regret matching: a move is played in proportion to how much better it would have been
//! than what was played, summed up over all visits and never below nothing (RM+). What a
//! joint move is worth is what is proven of it, else the mean of its playouts. Averaged over
//! visits, the later the more, the strategies come close to an equilibrium.
//!
//! An edge keeps its regret where others keep their mean, and the sum of its shares where
//! others keep their uncertainty.

use std::ops::Range;

use super::formula::{Formula, GOLDEN, Score, mixed};
use super::proof::{MOST_JOINTS, for_each_joint, joints};
use crate::tree::{Link, NONE, Node, PENDING, Tree};

/// A share of all choices that is spread over all moves alike: what is never tried is never
/// known.
const EXPLORATION: f32 = 0.1;

/// Memory for the next choice.
#[derive(Debug, Default)]
pub(crate) struct Regret {
    shares: Vec<f32>,
    alternatives: Vec<u32>,
    values: Vec<f32>,
}

impl Regret {
    /// Draws an edge for each role.
    pub(crate) fn draw(&mut self, tree: &Tree<Score>, index: u32, joint: &mut Vec<u32>) {
        let node = *tree.node(index);
        joint.clear();
        for role in 0..tree.roles() {
            let edges = tree.role_edges(index, role);
            self.set_shares(tree, edges.clone());
            let drawn = self.pick(draw(&node, role));
            joint.push((edges.start + drawn) as u32);
        }
    }

    /// The strategy of a role: its positive regrets, or all moves alike.
    fn set_shares(&mut self, tree: &Tree<Score>, edges: Range<usize>) {
        let edges = &tree.edges[edges];
        let total: f32 = edges.iter().map(|edge| edge.score.mean).sum();
        let even = 1.0 / edges.len() as f32;
        let share = |regret: f32| if total > 0.0 { regret / total } else { even };
        self.shares.clear();
        self.shares.extend(edges.iter().map(|edge| share(edge.score.mean)));
    }

    /// The move at a place between 0 and 1, with exploration.
    fn pick(&self, place: f32) -> usize {
        let even = EXPLORATION / self.shares.len() as f32;
        let mut rest = place;
        for (index, share) in self.shares.iter().enumerate() {
            rest -= share * (1.0 - EXPLORATION) + even;
            if rest < 0.0 {
                return index;
            }
        }
        self.shares.len() - 1
    }

    /// Each role regrets what it did not choose, as far as is known what it would have
    /// brought.
    pub(crate) fn learn(
        &mut self,
        tree: &mut Tree<Score>,
        formula: &Formula,
        index: u32,
        joint: &[u32],
    ) {
        let weight = tree.node(index).started as f32 + 1.0;
        for role in 0..joint.len() {
            let edges = tree.role_edges(index, role);
            if edges.len() < 2 {
                continue;
            }
            self.set_shares(tree, edges.clone());
            self.look_at_alternatives(tree, formula, index, role, joint);
            let chosen = self.values[joint[role] as usize - edges.start];
            let moves = tree.edges[edges].iter_mut().zip(&self.values).zip(&self.shares);
            for ((edge, value), share) in moves {
                edge.score.mean = (edge.score.mean + value - chosen).max(0.0);
                edge.score.uncertainty += weight * share;
            }
        }
    }

    /// What each move of a role would have brought against what the others chose.
    fn look_at_alternatives(
        &mut self,
        tree: &Tree<Score>,
        formula: &Formula,
        node: u32,
        role: usize,
        joint: &[u32],
    ) {
        tree.alternatives(node, role, joint, &mut self.alternatives);
        let alternatives = self.alternatives.iter().zip(tree.role_edges(node, role));
        self.values.clear();
        self.values.extend(alternatives.map(|(&joint, edge)| match joint {
            NONE => formula.mean_of_move(tree, role, edge),
            joint => value(tree, formula, joint, role, edge),
        }));
    }

    /// The joint move with the fewest playouts among those of which not all is known.
    pub(crate) fn least_known(&self, tree: &Tree<Score>, index: u32, joint: &mut Vec<u32>) -> bool {
        if joints(&tree.counts(index)) > MOST_JOINTS {
            return false;
        }
        let mut least = None;
        for_each_joint(tree, index, |edges| {
            let visits = unsettled_visits(tree, index, edges);
            if let Some(visits) = visits.filter(|visits| least.is_none_or(|least| *visits < least))
            {
                least = Some(visits);
                joint.clear();
                joint.extend_from_slice(edges);
            }
        });
        least.is_some()
    }
}

/// What a joint move brings a role, in parts of the range of its goals; `edge` is the
/// role's own.
#[inline]
fn value(tree: &Tree<Score>, formula: &Formula, joint: u32, role: usize, edge: usize) -> f32 {
    if let Some(child) = tree.settled_child(joint) {
        return formula.part(role, tree.bounds(child)[role].middle());
    }
    match tree.joint_statistics(joint) {
        (0, _) => formula.mean_of_move(tree, role, edge),
        (visits, sums) => formula.mean(role, sums[role], visits.into()),
    }
}

/// The playouts of a joint move of which not all is known, and that nobody computes.
fn unsettled_visits(tree: &Tree<Score>, node: u32, edges: &[u32]) -> Option<u32> {
    let Some(joint) = tree.known_joint(node, edges) else { return Some(0) };
    let child = tree.child(Link::Joint(joint));
    let is_open = child != PENDING && (child > PENDING || !tree.node(child).is_settled);
    is_open.then(|| tree.joint_statistics(joint).0)
}

/// A place between 0 and 1 for this visit of a node and this role.
fn draw(node: &Node, role: usize) -> f32 {
    let occasion = (u64::from(node.started) << u32::BITS) | (role as u64 + 1);
    let drawn = mixed(mixed(node.hash ^ occasion.wrapping_mul(GOLDEN)));
    (drawn >> 40) as f32 / (1_u32 << 24) as f32
}
