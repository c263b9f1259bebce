//! Moves of a single role that nobody has tried, and how they get edges.
//!
//! All untried moves of a node are equally uncertain: of them only the one of which most is
//! expected can be chosen, so that they need no edges. Edges of a node lie
//! side by side; when there are more, they move to where twice as many have room, and
//! others take their place.

use super::{Edge, Kind, LAST_INDEX, Move, NONE, Node, Tree};

/// One for each power of two.
pub(super) const FREE_LISTS: usize = u32::BITS as usize;

/// Whatever a formula keeps with an edge, it starts with what is expected of a move.
pub(crate) trait Expected: Copy {
    /// The same where this is expected.
    fn expecting(self, mean: f32) -> Self;
}

/// A move that nobody has tried: behind what is expected of it, a positive float without
/// its sign and last bits, its number among those of its role. Four bytes, since of all
/// that a tree has these are the most.
#[derive(Clone, Copy, Debug)]
pub(super) struct Untried(u32);

/// How numbers and what is expected share four bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packing {
    numbers: u32,
}

/// The exponent of a float, and some of its other bits.
const LEAST_MEAN_BITS: u32 = 8 + 3;

impl Packing {
    /// For roles with so many moves at most.
    pub(crate) fn new(moves: usize) -> Self {
        let bits = usize::BITS - moves.leading_zeros();
        debug_assert!(bits <= u32::BITS - LEAST_MEAN_BITS, "images have fewer moves");
        Self { numbers: (1 << bits) - 1 }
    }

    fn pack(self, number: u32, mean: f32) -> Untried {
        Untried((mean.to_bits() << 1) & !self.numbers | number)
    }

    fn number(self, untried: Untried) -> u32 {
        untried.0 & self.numbers
    }

    fn mean(self, untried: Untried) -> f32 {
        f32::from_bits((untried.0 & !self.numbers) >> 1)
    }
}

impl<S: Expected> Tree<S> {
    /// Whether a node has moves that nobody has tried.
    pub(crate) fn has_untried(&self, node: u32) -> bool {
        self.node(node).left > 0
    }

    /// The moves of a node that nobody has tried, the next one first.
    #[inline]
    pub(super) fn untried(&self, node: u32) -> &[Untried] {
        let node = self.node(node);
        &self.untried[node.untried as usize..][..node.left as usize]
    }

    /// The next one as it lies there, for who only wants it to come.
    #[inline]
    pub(super) fn first_untried(&self, node: &Node) -> u32 {
        if node.left > 0 { self.untried[node.untried as usize].0 } else { 0 }
    }

    /// Their numbers.
    pub(crate) fn untried_numbers(&self, node: u32) -> impl Iterator<Item = u32> {
        self.untried(node).iter().map(|&one| self.packing.number(one))
    }

    /// Notes what is expected of each of them, by its number.
    pub(crate) fn expect(&mut self, node: u32, expected: impl Fn(u32) -> f32) {
        let (place, packing) = (*self.node(node), self.packing);
        let untried = &mut self.untried[place.untried as usize..][..place.left as usize];
        for one in &mut *untried {
            let number = packing.number(*one);
            *one = packing.pack(number, expected(number));
        }
        self.bring_best(node);
    }

    /// Puts the one first of which most is expected. The others have no order: most of them
    /// are never tried.
    fn bring_best(&mut self, node: u32) {
        let (place, packing) = (*self.node(node), self.packing);
        let untried = &mut self.untried[place.untried as usize..][..place.left as usize];
        let expected = |one: &Untried| one.0 & !packing.numbers;
        let most = untried.iter().map(expected).max();
        // The first of equals.
        if let Some(best) = untried.iter().position(|one| Some(expected(one)) == most) {
            untried.swap(0, best);
        }
    }

    /// What the formula says of the move that comes next, unless there is none, or no
    /// memory for it beside others.
    #[inline]
    pub(crate) fn next_score(&self, node: &Node) -> Option<S> {
        let may_be = node.left > 0 && (!self.is_full() || node.count == 0);
        let mean = |node: &Node| self.packing.mean(self.untried[node.untried as usize]);
        may_be.then(|| self.scores.turn.expecting(mean(node)))
    }

    /// Nobody goes there any more.
    pub(crate) fn forget_untried(&mut self, node: u32) {
        self.nodes[node as usize].left = 0;
    }

    /// The index of an edge of a node where one role chooses.
    #[inline]
    pub(crate) fn edge_of(&self, node: u32, slot: u32) -> usize {
        (self.node(node).first + slot) as usize
    }

    /// Gives a node moves to try, if there is memory.
    pub(super) fn expand_turn(
        &mut self,
        node: u32,
        mover: usize,
        first: &[u32],
        then: &[u32],
    ) -> bool {
        let count = first.len() + then.len();
        let has_room = self.untried.len() + count < LAST_INDEX
            && self.account.reserve(&mut self.untried, count);
        if !has_room {
            self.account.close();
            return false;
        }
        let (untried, left) = (self.untried.len() as u32, count as u32);
        let moves = first.iter().chain(then);
        let packing = self.packing;
        self.untried.extend(moves.map(|&number| packing.pack(number, 0.0)));
        self.move_count += count as u64;
        let place = &mut self.nodes[node as usize];
        let (mover, kind) = (mover as u16, Kind::Turn);
        *place = Node { first: 0, count: 0, untried, left, mover, kind, ..*place };
        true
    }

    /// The slot of a move that was chosen, which may be the next one without an edge;
    /// nothing if there is no memory for it.
    #[inline]
    pub(crate) fn slot(&mut self, node: u32, slot: u32) -> Option<u32> {
        if slot < self.node(node).count { Some(slot) } else { self.try_move(node, 0) }
    }

    /// Gives an edge to one of the moves without. Returns its slot, if there is memory.
    pub(crate) fn try_move(&mut self, node: u32, index: usize) -> Option<u32> {
        let slot = self.add_edge(node, index)?;
        self.bring_best(node);
        Some(slot)
    }

    fn add_edge(&mut self, node: u32, index: usize) -> Option<u32> {
        if !self.make_room_for_edge(node) {
            self.account.close();
            return None;
        }
        let first = self.node(node).untried as usize;
        self.untried[first..=first + index].rotate_right(1);
        let untried = self.untried[first];
        let (number, mean) = (self.packing.number(untried), self.packing.mean(untried));
        let place = &mut self.nodes[node as usize];
        let slot = place.count;
        place.count += 1;
        place.untried += 1;
        place.left -= 1;
        let score = self.scores.turn.expecting(mean);
        let edge = self.edge_of(node, slot);
        self.edges[edge] = Edge { score, started: 0, child: NONE };
        self.moves[edge] = Move { number, visits: 0, sum: 0 };
        Some(slot)
    }

    /// Gives edges to all moves of a node, if there is memory.
    pub(crate) fn try_all(&mut self, node: u32) -> bool {
        while self.node(node).kind == Kind::Turn && self.node(node).left > 0 {
            if self.add_edge(node, 0).is_none() {
                return false;
            }
        }
        true
    }

    fn make_room_for_edge(&mut self, node: u32) -> bool {
        let Node { first, count, .. } = *self.node(node);
        if count != 0 && !count.is_power_of_two() {
            return true;
        }
        let Some(place) = self.take_place((2 * count).max(1)) else { return false };
        let edges = first as usize..(first + count) as usize;
        self.edges.copy_within(edges.clone(), place as usize);
        self.moves.copy_within(edges, place as usize);
        if count > 0 {
            let list = count.trailing_zeros() as usize;
            self.edges[first as usize].child = self.free[list];
            self.free[list] = first;
        }
        self.nodes[node as usize].first = place;
        true
    }

    /// A place for as many edges, a power of two, if there is memory.
    pub(super) fn take_place(&mut self, count: u32) -> Option<u32> {
        let list = count.trailing_zeros() as usize;
        if self.free[list] != NONE {
            let place = self.free[list];
            self.free[list] = self.edges[place as usize].child;
            return Some(place);
        }
        let place = self.edges.len();
        let has_room = place + (count as usize) < LAST_INDEX
            && self.account.reserve(&mut self.edges, count as usize)
            && self.account.reserve(&mut self.moves, count as usize);
        has_room.then(|| {
            let edge = Edge { score: self.scores.turn, started: 0, child: NONE };
            self.edges.resize(place + count as usize, edge);
            self.moves.resize(self.edges.len(), Move { number: 0, visits: 0, sum: 0 });
            place as u32
        })
    }
}
