//! What all roles choose in one position.

use crate::descent::Descent;
use crate::tree::{Kind, Link, Tree};
use crate::uct::{Moody, Steady, View};

/// The last choice, and memory for the next one.
#[derive(Debug, Default)]
pub(crate) struct Choice {
    /// The edges of all roles, if several have a choice.
    joint: Vec<u32>,
}

impl Choice {
    /// Chooses an edge for each role that has a choice. Nothing is taken yet.
    pub(crate) fn make(&mut self, tree: &mut Tree, index: u32) -> Link {
        let node = *tree.node(index);
        let curiosity = tree.curiosity(&node);
        if node.kind == Kind::Turn {
            let view = View { curiosity, mood: Steady };
            return Link::Edge(tree.choose(view, node.mover.into(), node.turn_edges()));
        }
        self.joint.clear();
        for role in 0..tree.roles() {
            let view = View { curiosity, mood: Moody::new(node.hash, role, node.taken) };
            self.joint.push(tree.choose(view, role, tree.role_edges(index, role)));
        }
        tree.joint(&self.joint)
    }

    /// Takes what was chosen last: a descent goes this way, with so many playouts.
    pub(crate) fn take(&self, tree: &mut Tree, descent: &mut Descent, link: Link, playouts: u32) {
        descent.link = Some(link);
        if let Link::Edge(edge) = link {
            let mover = usize::from(tree.node(descent.node).mover);
            descent.take(tree, core::iter::once((mover, edge)), playouts);
        } else {
            descent.take(tree, (0..).zip(self.joint.iter().copied()), playouts);
        }
    }
}
