//! A part of a tree as a tree of its own: what a position leads to, when a move was played
//! and the rest is of no use; and what many playouts went through, when the memory is full.
//!
//! What few playouts went through is forgotten first. Its visits stay with the moves that
//! led there, and who comes there again finds it anew. What is settled stays, since nobody
//! would come there again, but without its moves. In games for one that which a promised
//! score rests on stays as it is.

use super::{Edge, Expected, Kind, Link, NONE, Node, PENDING, Shape, Tree};

/// Where nodes and edges go.
struct Moving<'a, S> {
    from: &'a Tree<S>,
    to: Tree<S>,
    /// For each node its new index, [`NONE`] if it was not reached.
    indices: Vec<u32>,
    /// Nodes that were reached, in the order of their new indices.
    reached: Vec<Reached>,
    /// Moves with fewer visits lead nowhere.
    least: u32,
    /// Joint moves, by the edge of the first role.
    joints: Vec<(u32, u32)>,
    /// New indices of nodes and of what their moves lead to.
    families: Vec<(u32, u32)>,
}

/// A node that goes into the part.
#[derive(Clone, Copy, Debug)]
struct Reached {
    node: u32,
    /// After so many plies.
    depth: u32,
    /// Whether its moves go with it.
    is_whole: bool,
}

/// Of nodes that are forgotten so much memory is kept at most for those that stay.
const KEPT: u64 = 2;

impl<S: Expected> Tree<S> {
    /// The tree that a node is the root of, in that much memory: if it is too large for
    /// that, without what few playouts went through. Nothing if the root alone is. Nothing
    /// may be under way.
    pub(crate) fn rerooted(&self, root: u32, memory: u64) -> Option<Self> {
        let mut least = 0;
        loop {
            if let Some(part) = self.part(root, memory, least) {
                return Some(part);
            }
            if least > self.visits(root) {
                return None;
            }
            least = self.visits_of_many(memory / KEPT).max(2 * least);
        }
    }

    /// The same tree in that much memory, without what few playouts went through. Nothing
    /// may be under way.
    pub(crate) fn thinned(&self, memory: u64) -> Option<Self> {
        let least = self.visits_of_many(memory.min(self.bytes() / KEPT));
        let mut part = core::iter::successors(Some(least), |least| least.checked_mul(2))
            .take_while(|&least| least / 2 <= self.visits(0))
            .find_map(|least| self.part(0, memory, least))?;
        part.playouts = self.playouts;
        part.totals.clone_from(&self.totals);
        Some(part)
    }

    /// From how many visits on there are so few moves that what they lead to fits into that
    /// much memory, as far as one can tell from how many there are.
    fn visits_of_many(&self, memory: u64) -> u32 {
        let mut counts = [0_u64; u32::BITS as usize + 1];
        for known in self.moves.iter().filter(|known| known.visits > 0) {
            counts[known.visits.ilog2() as usize] += 1;
        }
        let room = u128::from(memory) * self.nodes.len() as u128;
        let room = (room / u128::from(self.bytes().max(1))) as u64;
        let mut sum = 0;
        let is_too_many = |&power: &usize| {
            sum += counts[power];
            sum > room
        };
        let power = (0..u32::BITS as usize).rev().find(is_too_many);
        power.map_or(1, |power| 2_u32.saturating_pow(power as u32 + 1))
    }

    /// The tree that a node is the root of, without what moves with fewer visits lead to.
    fn part(&self, root: u32, memory: u64, least: u32) -> Option<Self> {
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
            least,
            joints,
            families: Vec::new(),
        };
        moving.reach(Reached { node: root, depth: 0, is_whole: true });
        let mut next = 0;
        while let Some(&reached) = moving.reached.get(next) {
            moving.copy_node(reached)?;
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
    /// The new index of a node.
    fn reach(&mut self, reached: Reached) -> u32 {
        let index = &mut self.indices[reached.node as usize];
        if *index == NONE {
            *index = self.reached.len() as u32;
            self.reached.push(reached);
        } else {
            self.reached[*index as usize].is_whole |= reached.is_whole;
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

    /// The new index of what a move of a node leads to after so many visits, if it stays.
    fn reach_child(&mut self, parent: Reached, copy: u32, child: u32, visits: u32) -> u32 {
        if child >= PENDING {
            return NONE;
        }
        let is_whole = visits >= self.least || self.is_promised(parent.node, child);
        if !is_whole && !self.from.node(child).is_settled {
            return NONE;
        }
        let child = self.reach(Reached { node: child, depth: parent.depth + 1, is_whole });
        self.families.push((copy, child));
        child
    }

    /// Whether what a node promises the only role may rest on what a move leads to.
    fn is_promised(&self, parent: u32, child: u32) -> bool {
        let low = |node| self.from.bounds(node)[0].low;
        self.from.roles() == 1
            && low(child) > self.from.widest()[0].low
            && (low(child) >= low(parent) || self.from.node(child).is_settled)
    }

    /// Copies a node with its edges; what they lead to is reached.
    fn copy_node(&mut self, reached: Reached) -> Option<()> {
        let Reached { node, depth, is_whole } = reached;
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
            Kind::Turn if is_whole => place.turn_edges(),
            Kind::Simultaneous if is_whole => from.all_edges(node),
            Kind::Turn | Kind::Simultaneous => return Some(()),
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
        for (edge, known) in from.edges[edges.clone()].iter().zip(&from.moves[edges.clone()]) {
            let child = self.reach_child(reached, copy, edge.child, known.visits);
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
        if is_joint { self.copy_joints(reached, copy, first) } else { Some(()) }
    }

    /// Copies the joint moves of a node whose edges now start with this one.
    fn copy_joints(&mut self, reached: Reached, copy: u32, first: u32) -> Option<()> {
        let from = self.from;
        let edges = from.role_edges(reached.node, 0);
        let start = self.joints.partition_point(|(edge, _)| (*edge as usize) < edges.start);
        let end = self.joints.partition_point(|(edge, _)| (*edge as usize) < edges.end);
        for place in start..end {
            let joint = self.joints[place].1;
            let old = from.edges_of(joint);
            let moved: Vec<u32> =
                old.iter().map(|edge| edge - edges.start as u32 + first).collect();
            let (visits, sums) = from.joint_statistics(joint);
            let child = from.joints[joint as usize].child;
            let child = self.reach_child(reached, copy, child, visits);
            let Link::Joint(new) = self.to.joint(copy, &moved) else { return None };
            self.to.joints[new as usize].child = child;
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
