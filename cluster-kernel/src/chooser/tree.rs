//! Finds the legal move of a given rank in all lanes at once.
//!
//! The leaves are groups of three moves, because one full adder counts three.
//! Each node above adds the counts of two nodes below:
//! ```text
//! level 0   moves 0 1 2   moves 3 4 5   moves 6 7 8   …    2 bits each
//! level 1        moves 0 … 5                moves 6 …      3 bits
//! level 2                  moves 0 … 11                    4 bits
//! ```
//! On the way down each lane is at one node of a level. The counts of the left
//! children of all those nodes are put together into one number per lane; where
//! the rank is below it the lane goes left, elsewhere it goes right and the
//! number is subtracted. So comparing and subtracting, which are dear, happen
//! once per level and not once per node.

use crate::streams::Draw;
use crate::word::Word;

/// Moves counted by one leaf.
const LEAF_MOVES: usize = 3;

/// Bits of a leaf's count.
const LEAF_BITS: usize = 2;

/// The most levels: enough for 3 × 2²³ moves, more than an image has slots.
const MOST_LEVELS: usize = 24;

/// Words of memory for up to this many moves: a rank, a count, the lanes at each
/// leaf, and the tree.
pub(super) fn words(moves: usize) -> usize {
    let tree: usize = levels(moves).map(|level| level.nodes * level.bits).sum();
    2 * root_bits(moves) + moves.div_ceil(LEAF_MOVES) + tree
}

/// Bits of the count of all moves.
fn root_bits(moves: usize) -> usize {
    levels(moves).map(|level| level.bits).last().unwrap_or(LEAF_BITS)
}

/// Where the counts of a level lie.
#[derive(Clone, Copy, Debug)]
struct Level {
    first: usize,
    nodes: usize,
    /// Bits of each count.
    bits: usize,
}

impl Level {
    fn above(self) -> Self {
        Self {
            first: self.first + self.nodes * self.bits,
            nodes: self.nodes.div_ceil(2),
            bits: self.bits + 1,
        }
    }
}

/// The levels from the leaves to the root.
fn levels(moves: usize) -> impl Iterator<Item = Level> {
    let leaves = Level { first: 0, nodes: moves.div_ceil(LEAF_MOVES), bits: LEAF_BITS };
    core::iter::successors(Some(leaves), |level| (level.nodes > 1).then(|| level.above()))
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

    /// Leaves in each lane one of its moves, the one that the draw points at.
    #[inline(always)]
    pub fn pick(&mut self, moves: &mut [W], draw: &Draw<W>) {
        count_leaves(moves, self.parts(moves.len()).counts);
        let Parts { at, rank, .. } = self.find(moves.len(), draw);
        keep(moves, at, Ranks::of(rank));
    }

    /// Counts the moves of two roles as if they were those of one, for
    /// [`keep_two`](Self::keep_two). Returns the lanes in which each has some.
    #[inline(always)]
    pub fn count_two(&mut self, moves: &[W], others: &[W]) -> [W; 2] {
        let length = moves.len().max(others.len());
        count_leaves_of_two(moves, others, self.parts(length).counts)
    }

    /// Leaves in each lane one of the moves that were counted just before. No
    /// lane may have moves of both roles.
    #[inline(always)]
    pub fn keep_two(&mut self, moves: &mut [W], others: &mut [W], draw: &Draw<W>) {
        let Parts { at, rank, .. } = self.find(moves.len().max(others.len()), draw);
        keep_of_two(moves, others, at, Ranks::of(rank));
    }

    #[inline(always)]
    fn parts(&mut self, moves: usize) -> Parts<'_, W> {
        let bits = root_bits(moves);
        let (rank, memory) = self.memory.split_at_mut(bits);
        let (left, memory) = memory.split_at_mut(bits);
        let (at, counts) = memory.split_at_mut(moves.div_ceil(LEAF_MOVES));
        Parts { rank, left, at, counts }
    }

    /// Leads each lane to the leaf with the move that its draw points at. The
    /// leaves have been counted.
    #[inline(always)]
    fn find(&mut self, moves: usize, draw: &Draw<W>) -> Parts<'_, W> {
        let parts = self.parts(moves);
        let root = count_nodes(moves, parts.counts);
        let total = &parts.counts[root.first..][..root.bits];
        // Lanes without a move must not be led to one.
        parts.at[0] = W::ZERO;
        for &bit in total {
            parts.at[0] = parts.at[0] | bit;
        }
        scale(draw, total, parts.rank);
        descend(moves, parts.counts, parts.at, parts.rank, parts.left);
        parts
    }
}

/// The memory of a tree.
struct Parts<'a, W> {
    /// The rank of each lane's move among those below its node.
    rank: &'a mut [W],
    /// The count of the node on the left.
    left: &'a mut [W],
    /// For each node of a level, or leaf, the lanes that are there.
    at: &'a mut [W],
    /// The counts of all nodes.
    counts: &'a mut [W],
}

/// Counts the moves below each node above the leaves; returns the root.
#[inline(always)]
fn count_nodes<W: Word>(moves: usize, counts: &mut [W]) -> Level {
    let mut levels = levels(moves);
    let Some(mut below) = levels.next() else { unreachable!("there is a level of leaves") };
    for level in levels {
        let (counts, sums) = counts.split_at_mut(level.first);
        let (counts, sums) = (&counts[below.first..], &mut sums[..level.nodes * level.bits]);
        match below.bits {
            2 => add_pairs::<W, 2>(counts, sums, below.nodes),
            3 => add_pairs::<W, 3>(counts, sums, below.nodes),
            4 => add_pairs::<W, 4>(counts, sums, below.nodes),
            5 => add_pairs::<W, 5>(counts, sums, below.nodes),
            bits => add_pairs_of(bits, counts, sums, below.nodes),
        }
        below = level;
    }
    below
}

#[inline(always)]
fn count_leaves<W: Word>(moves: &[W], counts: &mut [W]) {
    let (triples, rest) = moves.as_chunks::<LEAF_MOVES>();
    let (counts, _) = counts.as_chunks_mut::<LEAF_BITS>();
    for (&[a, b, c], count) in triples.iter().zip(&mut *counts) {
        *count = full_adder(a, b, c);
    }
    match *rest {
        [a] => counts[triples.len()] = [a, W::ZERO],
        [a, b] => counts[triples.len()] = [a ^ b, a & b],
        _ => {}
    }
}

/// The same for two roles at once. Returns the lanes in which each has a move.
#[inline(always)]
fn count_leaves_of_two<W: Word>(moves: &[W], others: &[W], counts: &mut [W]) -> [W; 2] {
    let (mut some, mut other_some) = (W::ZERO, W::ZERO);
    let both = moves.len().min(others.len()) / LEAF_MOVES * LEAF_MOVES;
    let (leaves, rest) = counts.as_chunks_mut::<LEAF_BITS>().0.split_at_mut(both / LEAF_MOVES);
    let (triples, moves) = (moves[..both].as_chunks::<LEAF_MOVES>().0, &moves[both..]);
    let (other_triples, others) = (others[..both].as_chunks::<LEAF_MOVES>().0, &others[both..]);
    for ((&[a, b, c], &[x, y, z]), count) in triples.iter().zip(other_triples).zip(leaves) {
        some = some | a | b | c;
        other_some = other_some | x | y | z;
        *count = full_adder(a | x, b | y, c | z);
    }
    // One role has no more than two moves left: what there is stands alone.
    let left = moves.len().max(others.len()).div_ceil(LEAF_MOVES);
    for (leaf, count) in rest[..left].iter_mut().enumerate() {
        let of = |moves: &[W], index: usize| {
            moves.get(leaf * LEAF_MOVES + index).copied().unwrap_or(W::ZERO)
        };
        let [a, b, c] = [of(moves, 0), of(moves, 1), of(moves, 2)];
        let [x, y, z] = [of(others, 0), of(others, 1), of(others, 2)];
        some = some | a | b | c;
        other_some = other_some | x | y | z;
        *count = full_adder(a | x, b | y, c | z);
    }
    [some, other_some]
}

/// Sum and carry.
#[inline(always)]
fn full_adder<W: Word>(a: W, b: W, c: W) -> [W; 2] {
    let differs = a ^ b;
    [differs ^ c, (a & b) | (differs & c)]
}

/// Adds neighbours of `BITS` bits each. A last one without a neighbour stays.
#[inline(always)]
fn add_pairs<W: Word, const BITS: usize>(counts: &[W], sums: &mut [W], nodes: usize) {
    let (pairs, single) = counts.as_chunks::<BITS>().0[..nodes].as_chunks::<2>();
    let mut sums = sums.chunks_exact_mut(BITS + 1);
    for ([left, right], sum) in pairs.iter().zip(&mut sums) {
        let mut carry = W::ZERO;
        for bit in 0..BITS {
            [sum[bit], carry] = full_adder(left[bit], right[bit], carry);
        }
        sum[BITS] = carry;
    }
    for (count, sum) in single.iter().zip(sums) {
        sum[..BITS].copy_from_slice(count);
        sum[BITS] = W::ZERO;
    }
}

/// The same with a number of bits that is not known beforehand: few nodes have
/// so many moves below them.
#[inline(always)]
fn add_pairs_of<W: Word>(bits: usize, counts: &[W], sums: &mut [W], nodes: usize) {
    let pairs = counts[..nodes * bits].chunks(2 * bits);
    for (pair, sum) in pairs.zip(sums.chunks_exact_mut(bits + 1)) {
        let (left, right) = pair.split_at(bits);
        let mut carry = W::ZERO;
        for bit in 0..bits {
            let right = right.get(bit).copied().unwrap_or(W::ZERO);
            [sum[bit], carry] = full_adder(left[bit], right, carry);
        }
        sum[bits] = carry;
    }
}

/// The rank `draw × total / 2¹⁶` of each lane.
#[inline(always)]
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
#[inline(always)]
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
#[inline(always)]
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

/// Leads each lane from the root to the leaf of its rank. Before and after, `at`
/// tells for each node of the level which lanes are there; the rank becomes that
/// among the moves of the leaf.
#[inline(always)]
fn descend<W: Word>(moves: usize, counts: &[W], at: &mut [W], rank: &mut [W], left: &mut [W]) {
    let mut path = [Level { first: 0, nodes: 0, bits: 0 }; MOST_LEVELS];
    let mut height = 0;
    for level in levels(moves) {
        path[height] = level;
        height += 1;
    }
    for pair in path[..height].windows(2).rev() {
        let [below, level] = pair else { continue };
        let counts = &counts[below.first..][..below.nodes * below.bits];
        let at_level = &at[..level.nodes];
        match below.bits {
            2 => left_counts::<W, 2>(counts, at_level, left),
            3 => left_counts::<W, 3>(counts, at_level, left),
            4 => left_counts::<W, 4>(counts, at_level, left),
            5 => left_counts::<W, 5>(counts, at_level, left),
            bits => left_counts_of(bits, counts, at_level, left),
        }
        left[below.bits] = W::ZERO;
        let goes_left = subtract_unless_below(&mut rank[..level.bits], &mut left[..level.bits]);
        split(at, level.nodes, below.nodes, goes_left);
    }
}

/// For each lane the count of the left child of the node where it is.
#[inline(always)]
fn left_counts<W: Word, const BITS: usize>(counts: &[W], at: &[W], left: &mut [W]) {
    let mut found = [W::ZERO; BITS];
    let (pairs, single) = counts.as_chunks::<BITS>().0.as_chunks::<2>();
    let (at_pairs, at_single) = at.split_at(pairs.len());
    let mut add = |here: W, count: &[W; BITS]| {
        for bit in 0..BITS {
            found[bit] = found[bit] | (here & count[bit]);
        }
    };
    for (&here, [count, _]) in at_pairs.iter().zip(pairs) {
        if W::LANES > SPARSE_LANES || !here.is_zero() {
            add(here, count);
        }
    }
    for (&here, count) in at_single.iter().zip(single) {
        add(here, count);
    }
    left[..BITS].copy_from_slice(&found);
}

#[inline(always)]
fn left_counts_of<W: Word>(bits: usize, counts: &[W], at: &[W], left: &mut [W]) {
    left[..bits].fill(W::ZERO);
    for (&here, children) in at.iter().zip(counts.chunks(2 * bits)) {
        for (found, &count) in left.iter_mut().zip(&children[..bits]) {
            *found = *found | (here & count);
        }
    }
}

/// Words with at most so many lanes leave most nodes empty; it pays to ask.
const SPARSE_LANES: usize = 32;

/// Where the rank is below the number it stays; elsewhere the number is
/// subtracted. The difference takes the place of the number. Returns the lanes
/// where the rank was below.
#[inline(always)]
fn subtract_unless_below<W: Word>(rank: &mut [W], number: &mut [W]) -> W {
    let mut borrow = W::ZERO;
    for (&mut have, number) in rank.iter_mut().zip(&mut *number) {
        let take = *number;
        let differs = have ^ take;
        *number = differs ^ borrow;
        borrow = (!have & take) | (!differs & borrow);
    }
    for (rank, &mut difference) in rank.iter_mut().zip(number) {
        *rank = rank.select(difference, borrow);
    }
    borrow
}

/// Sends the lanes of each of `nodes` nodes to its left or right child, in
/// place: the last node first, whose children lie behind all other nodes. A last
/// node with one child has no choice.
#[inline(always)]
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

/// Which of the legal moves of a leaf is meant.
#[derive(Clone, Copy)]
struct Ranks<W> {
    /// The lanes that mean the first one.
    first: W,
    /// The lanes that mean the first or the second.
    first_or_second: W,
}

impl<W: Word> Ranks<W> {
    #[inline(always)]
    fn of(rank: &[W]) -> Self {
        Self { first: !(rank[0] | rank[1]), first_or_second: !rank[1] }
    }

    /// Of three moves the one that is meant, in lanes that are here.
    #[inline(always)]
    fn keep(self, [a, b, _]: [W; LEAF_MOVES], here: W) -> [W; LEAF_MOVES] {
        let keep_a = here & a & self.first;
        // Of rank 1 behind a legal first move, of rank 0 behind none.
        let keep_b = here & b & (self.first ^ (a & self.first_or_second));
        [keep_a, keep_b, here & !(keep_a | keep_b)]
    }
}

/// Leaves of each leaf the move of the lane's rank.
#[inline(always)]
fn keep<W: Word>(moves: &mut [W], at: &[W], ranks: Ranks<W>) {
    let (triples, rest) = moves.as_chunks_mut::<LEAF_MOVES>();
    for (triple, &here) in triples.iter_mut().zip(at) {
        *triple = ranks.keep(*triple, here);
    }
    keep_rest(rest, at[at.len() - 1], ranks);
}

/// The same for a last leaf of fewer moves.
#[inline(always)]
fn keep_rest<W: Word>(rest: &mut [W], here: W, ranks: Ranks<W>) {
    match rest {
        [a] => *a = *a & here,
        [a, b] => [*a, *b, _] = ranks.keep([*a, *b, W::ZERO], here),
        _ => {}
    }
}

/// The same for two roles that have no moves in the same lanes.
#[inline(always)]
fn keep_of_two<W: Word>(moves: &mut [W], others: &mut [W], at: &[W], ranks: Ranks<W>) {
    let both = moves.len().min(others.len()) / LEAF_MOVES * LEAF_MOVES;
    let (at, at_rest) = at.split_at(both / LEAF_MOVES);
    let (moves, rest) = moves.split_at_mut(both);
    let (others, other_rest) = others.split_at_mut(both);
    let pairs = moves.as_chunks_mut::<LEAF_MOVES>().0.iter_mut();
    let pairs = pairs.zip(others.as_chunks_mut::<LEAF_MOVES>().0);
    for ((one, other), &here) in pairs.zip(at) {
        let [a, b, c] = ranks.keep([one[0] | other[0], one[1] | other[1], W::ZERO], here);
        *one = [one[0] & a, one[1] & b, one[2] & c];
        *other = [other[0] & a, other[1] & b, other[2] & c];
    }
    for (leaf, &here) in at_rest.iter().enumerate() {
        let range =
            |length: usize| (leaf * LEAF_MOVES).min(length)..((leaf + 1) * LEAF_MOVES).min(length);
        let (one, other) = (range(rest.len()), range(other_rest.len()));
        let mut both = [W::ZERO; LEAF_MOVES];
        for moves in [&rest[one.clone()], &other_rest[other.clone()]] {
            both.iter_mut().zip(moves).for_each(|(both, &legal)| *both = *both | legal);
        }
        let kept = ranks.keep(both, here);
        for moves in [&mut rest[one], &mut other_rest[other]] {
            moves.iter_mut().zip(kept).for_each(|(legal, kept)| *legal = *legal & kept);
        }
    }
}
