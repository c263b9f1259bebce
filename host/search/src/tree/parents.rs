//! Who leads to a node: news of it go there.

use super::{Expected, LAST_INDEX, Tree};

/// A node whose moves lead to another one.
#[derive(Clone, Copy, Debug)]
pub(super) struct ParentLink {
    parent: u32,
    /// The next link to the same node.
    next: u32,
}

impl<S: Expected> Tree<S> {
    /// Without memory for it, news of the child will not reach this parent.
    pub(super) fn add_parent(&mut self, parent: u32, child: u32) {
        if self.links.len() < LAST_INDEX && self.account.reserve(&mut self.links, 1) {
            let next = self.nodes[child as usize].parents;
            self.nodes[child as usize].parents = self.links.len() as u32;
            self.links.push(ParentLink { parent, next });
        }
    }

    /// The nodes whose moves lead to a node.
    pub(crate) fn parents(&self, node: u32) -> impl Iterator<Item = u32> {
        let link = |index: u32| self.links.get(index as usize);
        let first = link(self.node(node).parents);
        core::iter::successors(first, move |found| link(found.next)).map(|found| found.parent)
    }
}
