//! What all roles choose in one position.

use super::descent::Descent;
use super::formula::{Formula, Noisy, Score, Uniform};
use crate::tree::{Kind, Link, Tree};

/// The last choice, and memory for the next one.
#[derive(Debug, Default)]
pub(crate) struct Choice {
    /// The edges of all roles, if several have a choice.
    joint: Vec<u32>,
}

impl Choice {
    /// Chooses an edge for each role that has a choice. Nothing is taken yet.
    pub(crate) fn make(&mut self, tree: &mut Tree<Score>, formula: &Formula, index: u32) -> Link {
        let node = *tree.node(index);
        if node.kind == Kind::Turn {
            let view = formula.view(&node, Uniform);
            return Link::Edge(formula.choose(tree, view, node.mover.into(), node.turn_edges()));
        }
        self.joint.clear();
        for role in 0..tree.roles() {
            let view = formula.view(&node, Noisy::new(&node, role));
            self.joint.push(formula.choose(tree, view, role, tree.role_edges(index, role)));
        }
        tree.joint(&self.joint)
    }

    /// Takes what was chosen last: a descent goes this way with its playouts.
    pub(crate) fn take(
        &self,
        tree: &mut Tree<Score>,
        descent: &mut Descent,
        link: Link,
        playouts: u32,
    ) {
        descent.link = Some(link);
        if let Link::Edge(edge) = link {
            let mover = usize::from(tree.node(descent.node).mover);
            descent.take(tree, core::iter::once((mover, edge)), playouts);
        } else {
            descent.take(tree, (0..).zip(self.joint.iter().copied()), playouts);
        }
    }
}
