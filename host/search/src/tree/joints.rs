//! Joint moves of nodes where several roles choose at the same time.
//!
//! Most nodes have tried one or two: they are a list. A node with more has a board with a
//! place for each joint move, so that all that one role could have done instead is found
//! side by side. Only where a board would be too large they are found by their hashes.

use std::hash::BuildHasher;

use rustc_hash::FxBuildHasher;

use super::{Expected, LAST_INDEX, Link, NONE, PENDING, Tree};

/// What is kept with the spans of a node: the last joint move of its list, how long that
/// is, and where its board begins.
pub(super) const ENTRIES: usize = 3;
const LAST: usize = 0;
const LENGTH: usize = 1;
const BOARD: usize = 2;

/// Longer lists become boards.
const LONGEST_LIST: u32 = 4;

/// Nodes with more joint moves have no board.
const LARGEST_BOARD: usize = 1 << 12;

/// Where a joint move leads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Joint {
    pub(super) child: u32,
    /// Playouts that are over.
    visits: u32,
    /// The one before in the list of its node.
    before: u32,
    /// Whether it is found by its hash.
    is_hashed: bool,
    /// Whether all is known of where it leads, as far as its node was told.
    is_settled: bool,
}

impl<S: Expected> Tree<S> {
    /// Where a joint move of a node is noted. It is added if it is new and there is memory.
    pub(crate) fn joint(&mut self, node: u32, edges: &[u32]) -> Link {
        if let Some(joint) = self.known_joint(node, edges) {
            return Link::Joint(joint);
        }
        match self.add_joint(node, edges) {
            Some(joint) => Link::Joint(joint),
            None => {
                self.account.close();
                Link::Nowhere
            }
        }
    }

    /// A joint move that was noted.
    pub(crate) fn known_joint(&self, node: u32, edges: &[u32]) -> Option<u32> {
        let entries = self.entries(node);
        if self.spans[entries + BOARD] != NONE {
            let place = self.spans[entries + BOARD] as usize + self.place_of(node, edges);
            return Some(self.boards[place]).filter(|&joint| joint != NONE);
        }
        let is_it = |joint: &u32| self.edges_of(*joint) == edges;
        let first = Some(self.spans[entries + LAST]).filter(|&joint| joint != NONE)?;
        if self.joints[first as usize].is_hashed {
            return self.by_joint.find(joint_hash(edges), |joint| is_it(&joint));
        }
        let before =
            |joint: &u32| Some(self.joints[*joint as usize].before).filter(|&joint| joint != NONE);
        core::iter::successors(Some(first), before).find(is_it)
    }

    /// What a role could do instead of its part of a joint move: for each of its moves the
    /// joint move that it would make of this one, if it was noted, else [`NONE`].
    pub(crate) fn alternatives(&self, node: u32, role: usize, joint: &[u32], found: &mut Vec<u32>) {
        let (entries, edges) = (self.entries(node), self.role_edges(node, role));
        let (board, last) = (self.spans[entries + BOARD], self.spans[entries + LAST]);
        found.clear();
        if board != NONE {
            let stride = (0..role).map(|role| self.role_edges(node, role).len()).product();
            let skipped = (joint[role] as usize - edges.start) * stride;
            let first = board as usize + self.place_of(node, joint) - skipped;
            let row = self.boards[first..].iter().step_by(stride);
            return found.extend(row.take(edges.len()));
        }
        found.resize(edges.len(), NONE);
        if last != NONE && self.joints[last as usize].is_hashed {
            let mut other = joint.to_vec();
            for (found, edge) in found.iter_mut().zip(edges) {
                other[role] = edge as u32;
                *found = self.known_joint(node, &other).unwrap_or(NONE);
            }
            return;
        }
        let mut next = last;
        while next != NONE {
            let other = self.edges_of(next);
            if (0..joint.len()).all(|one| one == role || other[one] == joint[one]) {
                found[other[role] as usize - edges.start] = next;
            }
            next = self.joints[next as usize].before;
        }
    }

    /// Notes that all is known of where the joint moves of a node lead, as far as it is.
    pub(crate) fn note_settled_joints(&mut self, node: u32) {
        let mut next = self.spans[self.entries(node) + LAST];
        while next != NONE {
            let Joint { child, before, .. } = self.joints[next as usize];
            let is_settled = child < PENDING && self.node(child).is_settled;
            self.joints[next as usize].is_settled = is_settled;
            next = before;
        }
    }

    /// Where a joint move leads, if it was noted that all is known of that.
    pub(crate) fn settled_child(&self, joint: u32) -> Option<u32> {
        let joint = &self.joints[joint as usize];
        joint.is_settled.then_some(joint.child)
    }

    /// Where the entries of a node are among the spans.
    fn entries(&self, node: u32) -> usize {
        self.node(node).count as usize + self.roles + 1
    }

    /// The edges of a joint move, one for each role.
    pub(super) fn edges_of(&self, joint: u32) -> &[u32] {
        &self.joint_edges[joint as usize * self.roles..][..self.roles]
    }

    /// The place of a joint move among all of its node; those of the first role change
    /// fastest.
    fn place_of(&self, node: u32, edges: &[u32]) -> usize {
        let node = self.node(node);
        let spans = &self.spans[node.count as usize..][..self.roles + 1];
        let (mut place, mut stride) = (0, 1);
        for (span, edge) in spans.windows(2).zip(edges) {
            place += (edge - node.first - span[0]) as usize * stride;
            stride *= (span[1] - span[0]) as usize;
        }
        place
    }

    /// How many joint moves a node has, if a board may have so many.
    fn board_size(&self, node: u32) -> Option<usize> {
        let spans = &self.spans[self.node(node).count as usize..][..self.roles + 1];
        let counts = spans.windows(2).map(|span| (span[1] - span[0]) as usize);
        let size = counts.fold(1_usize, |product, count| product.saturating_mul(count));
        (size <= LARGEST_BOARD).then_some(size)
    }

    fn add_joint(&mut self, node: u32, edges: &[u32]) -> Option<u32> {
        let (entries, size) = (self.entries(node), self.board_size(node));
        let roles = self.roles;
        let account = &mut self.account;
        let has_room = self.joints.len() < LAST_INDEX
            && account.reserve(&mut self.joints, 1)
            && account.reserve(&mut self.joint_edges, roles)
            && account.reserve(&mut self.joint_sums, roles)
            && (size.is_some() || {
                let edges = &self.joint_edges;
                let hash = |joint: usize| joint_hash(&edges[joint * roles..][..roles]);
                let hashed = self.joints.iter().enumerate().filter(|(_, joint)| joint.is_hashed);
                let hashed = hashed.map(|(joint, _)| (hash(joint), joint as u32));
                account.reserve_table(&mut self.by_joint, hashed)
            });
        if !has_room {
            return None;
        }
        let joint = self.joints.len() as u32;
        let before = core::mem::replace(&mut self.spans[entries + LAST], joint);
        let is_hashed = size.is_none();
        self.joints.push(Joint { child: NONE, visits: 0, before, is_hashed, is_settled: false });
        self.joint_edges.extend_from_slice(edges);
        self.joint_sums.resize(self.joint_edges.len(), 0);
        match size {
            None => self.by_joint.insert(joint_hash(edges), joint),
            Some(size) => self.put_on_board(node, joint, size),
        }
        Some(joint)
    }

    /// Puts a joint move on the board of its node, if it has one or is to get one. Without
    /// memory for it the list becomes longer.
    fn put_on_board(&mut self, node: u32, joint: u32, size: usize) {
        let entries = self.entries(node);
        let length = self.spans[entries + LENGTH].wrapping_add(1);
        self.spans[entries + LENGTH] = length;
        if self.spans[entries + BOARD] != NONE {
            return self.note_on_board(node, joint);
        }
        let has_room = length >= LONGEST_LIST
            && self.boards.len() + size < LAST_INDEX
            && self.account.reserve(&mut self.boards, size);
        if has_room {
            self.spans[entries + BOARD] = self.boards.len() as u32;
            self.boards.resize(self.boards.len() + size, NONE);
            let mut next = joint;
            while next != NONE {
                self.note_on_board(node, next);
                next = self.joints[next as usize].before;
            }
        }
    }

    fn note_on_board(&mut self, node: u32, joint: u32) {
        let place = self.place_of(node, self.edges_of(joint));
        let board = self.spans[self.entries(node) + BOARD] as usize;
        self.boards[board + place] = joint;
    }

    /// The playouts of a joint move that are over, and for each role the sum of its goals.
    pub(crate) fn joint_statistics(&self, joint: u32) -> (u32, &[u64]) {
        let sums = &self.joint_sums[joint as usize * self.roles..][..self.roles];
        (self.joints[joint as usize].visits, sums)
    }

    /// Playouts of a joint move have brought these sums of goals.
    pub(crate) fn back_up_joint(&mut self, joint: u32, playouts: u32, scores: &[u64]) {
        self.joints[joint as usize].visits += playouts;
        let sums = &mut self.joint_sums[joint as usize * self.roles..];
        for (sum, score) in sums.iter_mut().zip(scores) {
            *sum += score;
        }
    }
}

/// Edges are unique in the tree, so that they name their node, too.
fn joint_hash(edges: &[u32]) -> u64 {
    FxBuildHasher.hash_one(edges)
}
