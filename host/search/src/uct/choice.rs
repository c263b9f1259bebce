//! What all roles choose in one position.

use super::formula::{Formula, Score, is_excluded};
use super::regret::Regret;
use super::ways::{Place, Ways, raise_joint, raise_turn};
use crate::tree::{Kind, Link, Tree};

/// The last choice, and memory for the next one.
#[derive(Debug, Default)]
pub(crate) struct Choice {
    /// The edges of all roles, if several have a choice.
    joint: Vec<u32>,
    regret: Regret,
}

impl Choice {
    /// Chooses an edge for each role that has a choice. Nothing is taken yet.
    #[inline]
    pub(crate) fn make(&mut self, tree: &mut Tree<Score>, formula: &Formula, index: u32) -> Link {
        if tree.node(index).kind != Kind::Turn {
            return self.make_joint(tree, index);
        }
        let slot = formula.choose(tree, tree.node(index));
        match open_slot(tree, index, slot) {
            Some(slot) => Link::Turn { node: index, slot },
            None => Link::Nowhere,
        }
    }

    /// Apart, so that the choice of one role stays small.
    #[inline(never)]
    fn make_joint(&mut self, tree: &mut Tree<Score>, index: u32) -> Link {
        self.regret.draw(tree, index, &mut self.joint);
        tree.joint(index, &self.joint)
    }

    /// Roles that choose at the same time learn from what was chosen last.
    #[inline]
    pub(crate) fn learn(&mut self, tree: &mut Tree<Score>, formula: &Formula, index: u32) {
        if tree.node(index).kind == Kind::Simultaneous {
            self.learn_joint(tree, formula, index);
        }
    }

    #[inline(never)]
    fn learn_joint(&mut self, tree: &mut Tree<Score>, formula: &Formula, index: u32) {
        self.regret.learn(tree, formula, index, &self.joint);
    }

    /// Takes what was chosen last: one descent goes this way with its playouts. Returns
    /// its step.
    pub(crate) fn take(
        &self,
        tree: &mut Tree<Score>,
        ways: &mut Ways,
        place: &Place,
        link: Link,
        playouts: u32,
    ) -> u32 {
        if let Link::Turn { slot, .. } = link {
            raise_turn(tree, place.node, slot, playouts);
            ways.add_turn(place, slot)
        } else {
            raise_joint(tree, place.node, &self.joint, playouts);
            ways.add_joint(place, &self.joint, link)
        }
    }

    /// Chooses something else of which not all is known, where roles choose at the same
    /// time and what they chose is settled: the joint move with the fewest playouts.
    /// Nothing if there is none.
    pub(crate) fn look_elsewhere(&mut self, tree: &mut Tree<Score>, index: u32) -> Option<Link> {
        let is_found = self.regret.least_known(tree, index, &mut self.joint);
        is_found.then(|| tree.joint(index, &self.joint))
    }
}

/// The slot that was chosen in a node, with an edge; nothing if nobody goes where there are
/// edges, and there is no other move or no memory for its edge.
#[inline]
pub(crate) fn open_slot(tree: &mut Tree<Score>, node: u32, slot: u32) -> Option<u32> {
    let slot = tree.slot(node, slot)?;
    let is_left_out = is_excluded(&tree.edges[tree.edge_of(node, slot)]);
    (!is_left_out).then_some(slot)
}
