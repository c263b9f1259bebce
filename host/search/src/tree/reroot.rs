//! The part of a tree that a position leads to, as a tree of its own: when a move was
//! played, what was found out about the rest is of no use, and its memory is wanted.

use super::{Edge, Expected, Kind, Link, NONE, Node, PENDING, Shape, Tree};

/// Where nodes and edges go.
struct Moving<'a, S> {
    from: &'a Tree<S>,
    to: Tree<S>,
    /// For each node its new index, [`NONE`] if it was not reached.
    indices: Vec<u32>,
    /// Nodes that were reached, in the order of their new indices, and after how many
    /// plies.
    reached: Vec<(u32, u32)>,
    /// Joint moves, by the edge of the first role.
    joints: Vec<(u32, u32)>,
    /// New indices of nodes and of what their moves lead to.
    families: Vec<(u32, u32)>,
}

impl<S: Expected> Tree<S> {
    /// The tree that a node is the root of; nothing if the memory does not suffice for
    /// a moment. Nothing may be under way.
    pub(crate) fn rerooted(&self, root: u32, memory: u64) -> Option<Self> {
        let Tree { roles, words, packing, scores, .. } = *self;
        let first_edge = |joint: usize| self.joint_edges[joint * roles];
        let mut joints: Vec<(u32, u32)> =
            (0..self.joints.len()).map(|joint| (first_edge(joint), joint as u32)).collect();
        joints.sort_unstable();
        let mut moving = Moving {
            from: self,
            to: Tree::new(Shape { widest: self.widest.clone(), words, packing, memory, scores }),
            indices: vec![NONE; self.nodes.len()],
            reached: Vec::new(),
            joints,
            families: Vec::new(),
        };
        moving.reach(root, 0);
        let mut next = 0;
        while let Some(&(node, depth)) = moving.reached.get(next) {
            moving.copy_node(node, depth)?;
            next += 1;
        }
        let mut tree = moving.finish();
        tree.try_all(0).then_some(tree)
    }

    /// Playouts that went through a node and are over.
    pub(crate) fn visits(&self, node: u32) -> u32 {
        let place = self.node(node);
        let edges = match place.kind {
            Kind::Turn => place.turn_edges(),
            // Each role has moved once in each of them.
            Kind::Simultaneous => self.role_edges(node, 0),
            _ => 0..0,
        };
        self.moves[edges].iter().map(|known| known.visits).sum()
    }
}

impl<S: Expected> Moving<'_, S> {
    /// The new index of a node that some plies lead to.
    fn reach(&mut self, node: u32, depth: u32) -> u32 {
        if node >= PENDING {
            return NONE;
        }
        let index = &mut self.indices[node as usize];
        if *index == NONE {
            *index = self.reached.len() as u32;
            self.reached.push((node, depth));
        }
        *index
    }

    /// Tells children who their parents are, once all of them are there.
    fn finish(mut self) -> Tree<S> {
        for (parent, child) in self.families {
            if self.to.node(child).kind.goes_on() {
                self.to.add_parent(parent, child);
            }
        }
        for node in 0..self.to.nodes.len() as u32 {
            if self.to.node(node).kind == Kind::Simultaneous {
                self.to.note_settled_joints(node);
            }
        }
        self.to
    }

    /// The new index of what a move of a node leads to.
    fn reach_child(&mut self, parent: u32, child: u32, depth: u32) -> u32 {
        let child = self.reach(child, depth);
        if child != NONE {
            self.families.push((parent, child));
        }
        child
    }

    /// Copies a node with its edges; what they lead to is reached.
    fn copy_node(&mut self, node: u32, depth: u32) -> Option<()> {
        let (from, place) = (self.from, *self.from.node(node));
        let copy = match from.end_of(node) {
            Some(end) => self.to.end(end)?,
            None => self.to.add(place.hash, from.position(node), depth)?,
        };
        self.to.bounds_mut(copy).copy_from_slice(from.bounds(node));
        self.to.nodes[copy as usize].is_settled = place.is_settled;
        if let Some(witness) = from.witness(node) {
            self.to.note_witness(copy, witness);
        }
        let edges = match place.kind {
            Kind::Turn => place.turn_edges(),
            Kind::Simultaneous => from.all_edges(node),
            _ => {
                self.to.nodes[copy as usize].count = place.count;
                return Some(());
            }
        };
        let room = match place.kind {
            Kind::Turn => edges.len().next_power_of_two(),
            _ => edges.len(),
        };
        let first = self.to.edges.len();
        let account = &mut self.to.account;
        let fits = account.reserve(&mut self.to.edges, room)
            && account.reserve(&mut self.to.moves, room)
            && account.reserve(&mut self.to.untried, place.left as usize);
        fits.then_some(())?;
        self.to.moves.extend_from_slice(&from.moves[edges.clone()]);
        for edge in &from.edges[edges.clone()] {
            let child = self.reach_child(copy, edge.child, depth + 1);
            self.to.edges.push(Edge { child, ..*edge });
        }
        if let Some(&last) = self.to.edges.last().filter(|_| !edges.is_empty()) {
            self.to.edges.resize(first + room, last);
            self.to.moves.resize(first + room, from.moves[edges.start]);
        }
        let untried = self.to.untried.len() as u32;
        if place.kind == Kind::Turn {
            self.to.untried.extend_from_slice(from.untried(node));
        }
        let is_joint = place.kind == Kind::Simultaneous;
        let count = if is_joint { self.to.add_spans(&from.counts(node)) } else { place.count };
        let (started, mover, kind) = (place.started, place.mover, place.kind);
        let copied = &mut self.to.nodes[copy as usize];
        let (first, left) = (first as u32, place.left);
        *copied = Node { started, first, count, untried, left, mover, kind, ..*copied };
        self.to.move_count += edges.len() as u64 + u64::from(left);
        if is_joint { self.copy_joints(node, copy, depth, first) } else { Some(()) }
    }

    /// Copies the joint moves of a node whose edges now start with this one.
    fn copy_joints(&mut self, node: u32, copy: u32, depth: u32, first: u32) -> Option<()> {
        let from = self.from;
        let edges = from.role_edges(node, 0);
        let start = self.joints.partition_point(|(edge, _)| (*edge as usize) < edges.start);
        let end = self.joints.partition_point(|(edge, _)| (*edge as usize) < edges.end);
        for place in start..end {
            let joint = self.joints[place].1;
            let old = from.edges_of(joint);
            let moved: Vec<u32> =
                old.iter().map(|edge| edge - edges.start as u32 + first).collect();
            let child = self.reach_child(copy, from.joints[joint as usize].child, depth + 1);
            let Link::Joint(new) = self.to.joint(copy, &moved) else { return None };
            self.to.joints[new as usize].child = child;
            let (visits, sums) = from.joint_statistics(joint);
            self.to.back_up_joint(new, visits, sums);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use ruche_playouts::lanes::LegalMoves;

    use super::super::{Bounds, NewScores, Packing};
    use super::*;

    impl Expected for () {
        fn expecting(self, _mean: f32) -> Self {}
    }

    #[test]
    fn leaves_that_are_worth_a_look_stay_so() {
        let widest = vec![Bounds { low: 0, high: 100 }];
        let scores = NewScores { turn: (), joint: () };
        let packing = Packing::new(2);
        let mut tree = Tree::new(Shape { widest, words: 1, packing, memory: 1 << 20, scores });
        let root = tree.add(0, &[0], 0).expect("memory");
        let legal = LegalMoves { numbers: vec![0, 1], counts: vec![2] };
        assert!(tree.expand(root, &legal, |_, _| 0));
        for (choice, hash, is_worth_a_look) in [(0, 1, false), (1, 2, true)] {
            let leaf = tree.add(hash, &[hash as u32], 1).expect("memory");
            tree.set_worth_a_look(leaf, is_worth_a_look);
            let link = tree.link_of(root, choice);
            tree.set_child(link, root, Some(leaf));
        }
        let copy = tree.rerooted(root, 1 << 20).expect("memory");
        let of = |hash: u32| copy.find(hash.into(), &[hash]).expect("it is in the tree");
        assert!(!copy.is_worth_a_look(of(1)) && copy.is_worth_a_look(of(2)));
    }
}
