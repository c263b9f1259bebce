//! Finds the legal move of a given rank in all lanes at once.
//!
//! The moves are counted in [blocks](block) of 24. Each node above the blocks
//! adds the counts of two nodes below:
//! ```text
//! level 0   moves 0 … 23   moves 24 … 47   moves 48 … 71   …    5 bits each
//! level 1         moves 0 … 47                 moves 48 …       6 bits
//! level 2                    moves 0 … 95                       7 bits
//! ```
//! On the way down each lane is at one node of a level. The counts of the left
//! children of all those nodes are put together into one number per lane; where
//! the rank is below it the lane goes left, elsewhere it goes right and the
//! number is subtracted. So comparing and subtracting, which are dear, happen
//! once per level and not once per node.

use super::block::{
    self, BITS, LEFTS, Lefts, MOVES, add_counts, full_adder, subtract_unless_below,
};
use crate::streams::Draw;
use crate::word::Word;

/// Words of memory for up to this many moves: a rank, a count, and for each block
/// the lanes that are there, what lies in it and a count.
pub(super) fn words(moves: usize) -> usize {
    let shape = Shape::of(moves);
    2 * shape.root_bits + shape.blocks * (1 + LEFTS + shape.root_bits)
}

/// How the tree for some moves looks.
///
/// Each block has a place for a count of as many bits as the root has. A node
/// above lies in the place of the last block below it: there the count of its
/// right child lay, for which nobody asks any more. So adding up touches no other
/// memory than counting the blocks did.
/// ```text
/// level 0     0   1   2   3   4
/// level 1         1       3   4
/// level 2                 3   4
/// level 3                     4
/// ```
#[derive(Clone, Copy, Debug)]
struct Shape {
    blocks: usize,
    /// Bits of the count of all moves.
    root_bits: usize,
}

impl Shape {
    fn of(moves: usize) -> Self {
        // Without a move there is an empty block.
        let blocks = moves.div_ceil(MOVES).max(1);
        let levels = blocks.next_power_of_two().trailing_zeros();
        Self { blocks, root_bits: BITS + levels as usize }
    }

    /// The words of two neighbours with `step` blocks each. The places of the left
    /// one and of both together are the last ones of either.
    #[cfg_attr(not(target_os = "none"), inline(always))]
    fn pair_words(self, step: usize) -> usize {
        2 * step * self.root_bits
    }
}

/// Memory for the counts and for the way down.
#[derive(Debug)]
pub(super) struct Tree<'memory, W> {
    memory: &'memory mut [W],
}

impl<'memory, W: Word> Tree<'memory, W> {
    /// A tree in [`words`] words of memory.
    pub fn new(memory: &'memory mut [W]) -> Self {
        Self { memory }
    }

    /// Counts the moves of roles as if they were those of one, for
    /// [`keep`](Self::keep). Returns the lanes in which each has some.
    #[cfg_attr(not(target_os = "none"), inline(always))]
    pub fn count<const ROLES: usize>(&mut self, moves: [&[W]; ROLES]) -> [W; ROLES] {
        let shape = Shape::of(longest(moves));
        let parts = self.parts(shape);
        block::count(moves, parts.lefts, parts.counts.chunks_exact_mut(shape.root_bits))
    }

    /// Leaves in each lane one of the moves that were counted just before, the
    /// one that the draw points at. No lane may have moves of two roles.
    #[cfg_attr(not(target_os = "none"), inline(always))]
    pub fn keep<const ROLES: usize>(&mut self, moves: [&mut [W]; ROLES], draw: &Draw<W>) {
        let shape = Shape::of(longest(moves.each_ref().map(|moves| &**moves)));
        let parts = self.parts(shape);
        count_nodes(shape, parts.counts);
        let total = &parts.counts[(shape.blocks - 1) * shape.root_bits..];
        // Lanes without a move must not be led to one.
        parts.at[0] = W::ZERO;
        for &bit in total {
            parts.at[0] = parts.at[0] | bit;
        }
        scale(draw, total, parts.rank);
        descend(shape, parts.counts, parts.at, parts.rank, parts.left);
        let mut rank = [W::ZERO; BITS];
        rank.copy_from_slice(&parts.rank[..BITS]);
        block::keep(moves, parts.lefts, parts.at, rank);
    }

    #[cfg_attr(not(target_os = "none"), inline(always))]
    fn parts(&mut self, shape: Shape) -> Parts<'_, W> {
        let Shape { blocks, root_bits } = shape;
        let (rank, memory) = self.memory.split_at_mut(root_bits);
        let (left, memory) = memory.split_at_mut(root_bits);
        let (at, memory) = memory.split_at_mut(blocks);
        let (lefts, memory) = memory.split_at_mut(blocks * LEFTS);
        let counts = &mut memory[..blocks * root_bits];
        Parts { rank, left, at, lefts: lefts.as_chunks_mut().0, counts }
    }
}

#[cfg_attr(not(target_os = "none"), inline(always))]
fn longest<W, const ROLES: usize>(moves: [&[W]; ROLES]) -> usize {
    moves.iter().fold(0, |most, moves| most.max(moves.len()))
}

/// The memory of a tree.
struct Parts<'a, W> {
    /// The rank of each lane's move among those below its node.
    rank: &'a mut [W],
    /// The count of the node on the left.
    left: &'a mut [W],
    /// For each node of a level, or block, the lanes that are there.
    at: &'a mut [W],
    /// What lies in the blocks.
    lefts: &'a mut [Lefts<W>],
    /// The counts of all nodes, at their places.
    counts: &'a mut [W],
}

/// Counts the moves below each node above the blocks.
#[cfg_attr(not(target_os = "none"), inline(always))]
fn count_nodes<W: Word>(shape: Shape, counts: &mut [W]) {
    let (mut step, mut bits) = (1, BITS);
    while step < shape.blocks {
        // With constants the loops over bits become straight code.
        match bits {
            5 => add_pairs(shape, step, 5, counts),
            6 => add_pairs(shape, step, 6, counts),
            7 => add_pairs(shape, step, 7, counts),
            bits => add_pairs(shape, step, bits, counts),
        }
        (step, bits) = (2 * step, bits + 1);
    }
}

/// Adds the counts of neighbours with `step` blocks and `bits` bits each.
#[cfg_attr(not(target_os = "none"), inline(always))]
fn add_pairs<W: Word>(shape: Shape, step: usize, bits: usize, counts: &mut [W]) {
    let left_words = shape.pair_words(step) / 2;
    for pair in counts.chunks_mut(shape.pair_words(step)) {
        let place = pair.len() - shape.root_bits;
        let (before, sum) = pair.split_at_mut(place);
        let sum = &mut sum[..=bits];
        let mut carry = W::ZERO;
        // The last one may have no neighbour.
        if before.len() >= left_words {
            let left = &before[left_words - shape.root_bits..][..bits];
            for bit in 0..bits {
                [sum[bit], carry] = full_adder(left[bit], sum[bit], carry);
            }
        }
        sum[bits] = carry;
    }
}

/// The rank `draw × total / 2¹⁶` of each lane.
#[cfg_attr(not(target_os = "none"), inline(always))]
fn scale<W: Word>(draw: &Draw<W>, total: &[W], rank: &mut [W]) {
    // Upper bits that no lane has would only be added for nothing.
    let mut bits = total.len();
    while bits > 0 && total[bits - 1].is_zero() {
        bits -= 1;
    }
    let total = &total[..bits];
    rank[bits..].fill(W::ZERO);
    match bits {
        0 => {}
        1 => scale_by::<W, 1>(draw, total, rank),
        2 => scale_by::<W, 2>(draw, total, rank),
        3 => scale_by::<W, 3>(draw, total, rank),
        4 => scale_by::<W, 4>(draw, total, rank),
        5 => scale_by::<W, 5>(draw, total, rank),
        6 => scale_by::<W, 6>(draw, total, rank),
        7 => scale_by::<W, 7>(draw, total, rank),
        8 => scale_by::<W, 8>(draw, total, rank),
        bits => scale_by_all(draw, total, bits, rank),
    }
}

/// Multiplies by the draw from its lowest bit up, and halves after each bit.
/// The halves that fall away never matter: `⌊(⌊x⌋ + n) / 2⌋ = ⌊(x + n) / 2⌋`.
#[cfg_attr(not(target_os = "none"), inline(always))]
fn scale_by<W: Word, const BITS: usize>(draw: &Draw<W>, total: &[W], rank: &mut [W]) {
    let Some(total) = total.first_chunk::<BITS>() else { return };
    let mut product = [W::ZERO; BITS];
    for &drawn in draw {
        let [_, mut carry] = full_adder(product[0], total[0] & drawn, W::ZERO);
        for bit in 1..BITS {
            [product[bit - 1], carry] = full_adder(product[bit], total[bit] & drawn, carry);
        }
        product[BITS - 1] = carry;
    }
    rank[..BITS].copy_from_slice(&product);
}

/// The same for more bits than registers.
#[cfg_attr(not(target_os = "none"), inline(always))]
fn scale_by_all<W: Word>(draw: &Draw<W>, total: &[W], bits: usize, rank: &mut [W]) {
    rank[..bits].fill(W::ZERO);
    for &drawn in draw {
        let [_, mut carry] = full_adder(rank[0], total[0] & drawn, W::ZERO);
        for bit in 1..bits {
            [rank[bit - 1], carry] = full_adder(rank[bit], total[bit] & drawn, carry);
        }
        rank[bits - 1] = carry;
    }
}

/// Leads each lane from the root to the block of its rank. Before and after, `at`
/// tells for each node of the level which lanes are there; the rank becomes that
/// among the moves of the block.
#[cfg_attr(not(target_os = "none"), inline(always))]
fn descend<W: Word>(shape: Shape, counts: &[W], at: &mut [W], rank: &mut [W], left: &mut [W]) {
    let (mut step, mut bits) = (shape.blocks.next_power_of_two() / 2, shape.root_bits);
    while step > 0 {
        let nodes = shape.blocks.div_ceil(2 * step);
        match bits - 1 {
            5 => left_counts::<W, 5>(shape, step, counts, &at[..nodes], left),
            6 => left_counts::<W, 6>(shape, step, counts, &at[..nodes], left),
            7 => left_counts::<W, 7>(shape, step, counts, &at[..nodes], left),
            bits => left_counts_of(bits, shape, step, counts, &at[..nodes], left),
        }
        left[bits - 1] = W::ZERO;
        let goes_left = subtract_unless_below(&mut rank[..bits], &mut left[..bits]);
        split(at, nodes, shape.blocks.div_ceil(step), goes_left);
        (step, bits) = (step / 2, bits - 1);
    }
}

/// For each lane the count of the left child of the node where it is. The count of
/// an only child is no more at its place; a number above every rank leads there.
#[cfg_attr(not(target_os = "none"), inline(always))]
fn left_counts<W: Word, const N: usize>(
    shape: Shape,
    step: usize,
    counts: &[W],
    at: &[W],
    left: &mut [W],
) {
    let mut found = [W::ZERO; N];
    let left_words = shape.pair_words(step) / 2;
    for (pair, &here) in counts.chunks(shape.pair_words(step)).zip(at) {
        if pair.len() > left_words {
            add_counts(&mut found, here, &pair[left_words - shape.root_bits..][..N]);
        } else {
            add_counts(&mut found, here, &[W::ONES; N]);
        }
    }
    left[..N].copy_from_slice(&found);
}

/// The same with a number of bits that is not known beforehand: few nodes have
/// so many moves below them.
#[cfg_attr(not(target_os = "none"), inline(always))]
fn left_counts_of<W: Word>(
    bits: usize,
    shape: Shape,
    step: usize,
    counts: &[W],
    at: &[W],
    left: &mut [W],
) {
    left[..bits].fill(W::ZERO);
    let left_words = shape.pair_words(step) / 2;
    for (pair, &here) in counts.chunks(shape.pair_words(step)).zip(at) {
        for bit in 0..bits {
            let count = match pair.len() > left_words {
                true => pair[left_words - shape.root_bits + bit],
                false => W::ONES,
            };
            left[bit] = left[bit] | (here & count);
        }
    }
}

/// Sends the lanes of each of `nodes` nodes to its left or right child, in
/// place: the last node first, whose children lie behind all other nodes. A last
/// node with one child has no choice.
#[cfg_attr(not(target_os = "none"), inline(always))]
fn split<W: Word>(at: &mut [W], nodes: usize, children: usize, goes_left: W) {
    let pairs = children / 2;
    if pairs < nodes {
        at[children - 1] = at[pairs];
    }
    for node in (0..pairs).rev() {
        let here = at[node];
        at[2 * node] = here & goes_left;
        at[2 * node + 1] = here & !goes_left;
    }
}
