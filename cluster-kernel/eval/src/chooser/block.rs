//! Blocks of 24 moves: the lower part of the tree, which is counted without
//! leaving the registers.
//!
//! The leaves are groups of three moves, because one full adder counts three.
//! Each node above adds the counts of two nodes below:
//! ```text
//! block                    moves 0 … 23                      5 bits
//! halves          0 … 11                 12 … 23             4 bits each
//! quarters     0 … 5   6 … 11       12 … 17   18 … 23        3 bits each
//! leaves     0 1 2  3 4 5  …                                 2 bits each
//! ```
//! On the way down nobody asks for the count of a right child, so only those of
//! left children are stored: 18 words instead of 41. With wide words the way to
//! memory costs more than the additions.
//!
//! Everything here is for `ROLES` roles, one or two, of which at most one has
//! moves in each lane: they are counted as if they were those of one role.

// An index says which half, quarter or leaf is meant, and stands for several
// arrays at once.
#![allow(clippy::needless_range_loop)]

use core::slice::ChunksExactMut;

use crate::word::Word;

/// Moves of a block.
pub(super) const MOVES: usize = 24;
/// Bits of the count of a block.
pub(super) const BITS: usize = 5;
/// Moves of half a block.
const HALF_MOVES: usize = 12;
/// Moves of a quarter.
const QUARTER_MOVES: usize = 6;
/// Moves of a leaf.
const LEAF_MOVES: usize = 3;

/// The counts of the left children of a block: of its left half, and for each
/// half of its left quarter and of the left leaf of both quarters.
pub(super) type Lefts<W> = [W; LEFTS];

/// Words of [`Lefts`].
pub(super) const LEFTS: usize = HALVES + 2 * HALF_LEFTS;

/// Where the counts of the halves start in [`Lefts`], and how many they are.
const HALVES: usize = 4;
const HALF_LEFTS: usize = 3 + 2 * 2;

/// Where the counts of leaves start among those of a half.
const LEAVES: usize = 3;

/// Counts the moves of each block. Returns the lanes in which each role has some.
#[cfg_attr(not(target_os = "none"), inline(always))]
pub(super) fn count<W: Word, const ROLES: usize>(
    moves: [&[W]; ROLES],
    lefts: &mut [Lefts<W>],
    counts: ChunksExactMut<'_, W>,
) -> [W; ROLES] {
    let mut some = [W::ZERO; ROLES];
    let full = full_blocks(moves);
    for (block, (lefts, count)) in lefts.iter_mut().zip(counts).enumerate() {
        // The length of a full block is a constant, and nothing is asked below.
        let found = match block < full {
            true => count_block(moves.map(|moves| full_block(moves, block)), lefts, &mut some),
            false => count_block(moves.map(|moves| rest(moves, block)), lefts, &mut some),
        };
        count[..BITS].copy_from_slice(&found);
    }
    some
}

/// The number of blocks that all roles fill.
#[cfg_attr(not(target_os = "none"), inline(always))]
fn full_blocks<W, const ROLES: usize>(moves: [&[W]; ROLES]) -> usize {
    let mut full = usize::MAX;
    for moves in moves {
        full = full.min(moves.len() / MOVES);
    }
    full
}

#[cfg_attr(not(target_os = "none"), inline(always))]
fn full_block<W>(moves: &[W], block: usize) -> &[W] {
    &moves[block * MOVES..][..MOVES]
}

/// What a role has of a block that perhaps not all fill.
#[cfg_attr(not(target_os = "none"), inline(always))]
fn rest<W>(moves: &[W], block: usize) -> &[W] {
    let start = (block * MOVES).min(moves.len());
    &moves[start..(start + MOVES).min(moves.len())]
}

/// Counts one block.
#[cfg_attr(not(target_os = "none"), inline(always))]
fn count_block<W: Word, const ROLES: usize>(
    moves: [&[W]; ROLES],
    lefts: &mut Lefts<W>,
    some: &mut [W; ROLES],
) -> [W; BITS] {
    let (half, lefts) = lefts.split_at_mut(HALVES);
    let (left, right) = lefts.split_at_mut(HALF_LEFTS);
    let first = count_half(moves.map(first_half), left, some);
    half.copy_from_slice(&first);
    if is_short(moves) {
        let [a, b, c, d] = first;
        return [a, b, c, d, W::ZERO];
    }
    add(first, count_half(moves.map(second_half), right, some))
}

/// Whether nobody has moves in the second half of a block.
#[cfg_attr(not(target_os = "none"), inline(always))]
fn is_short<W, const ROLES: usize>(moves: [&[W]; ROLES]) -> bool {
    let mut is_short = true;
    for moves in moves {
        is_short &= moves.len() <= HALF_MOVES;
    }
    is_short
}

#[cfg_attr(not(target_os = "none"), inline(always))]
fn first_half<W>(moves: &[W]) -> &[W] {
    &moves[..moves.len().min(HALF_MOVES)]
}

#[cfg_attr(not(target_os = "none"), inline(always))]
fn second_half<W>(moves: &[W]) -> &[W] {
    &moves[moves.len().min(HALF_MOVES)..]
}

#[cfg_attr(not(target_os = "none"), inline(always))]
fn count_half<W: Word, const ROLES: usize>(
    moves: [&[W]; ROLES],
    lefts: &mut [W],
    some: &mut [W; ROLES],
) -> [W; 4] {
    let mut quarters = [[W::ZERO; 3]; 2];
    for quarter in 0..2 {
        let [a, b, c] = merged(moves, quarter * QUARTER_MOVES, some);
        let left = full_adder(a, b, c);
        lefts[LEAVES + 2 * quarter..][..2].copy_from_slice(&left);
        let [a, b, c] = merged(moves, quarter * QUARTER_MOVES + LEAF_MOVES, some);
        quarters[quarter] = add(left, full_adder(a, b, c));
    }
    lefts[..LEAVES].copy_from_slice(&quarters[0]);
    add(quarters[0], quarters[1])
}

/// The moves of a leaf of all roles together; notes the lanes that have some.
#[cfg_attr(not(target_os = "none"), inline(always))]
fn merged<W: Word, const ROLES: usize>(
    moves: [&[W]; ROLES],
    first: usize,
    some: &mut [W; ROLES],
) -> [W; LEAF_MOVES] {
    let mut merged = [W::ZERO; LEAF_MOVES];
    for role in 0..ROLES {
        if let Some([a, b, c]) = whole_leaf(moves[role], first) {
            some[role] = some[role] | a | b | c;
            merged = [merged[0] | a, merged[1] | b, merged[2] | c];
            continue;
        }
        for index in 0..LEAF_MOVES {
            if let Some(&legal) = moves[role].get(first + index) {
                some[role] = some[role] | legal;
                merged[index] = merged[index] | legal;
            }
        }
    }
    merged
}

/// The moves of a leaf, if it has all of them. Where this is compiled for size, asking
/// for each move costs more than counting it. Where loops are unrolled nothing is asked
/// at all, and code for leaves of all kinds only makes it worse.
#[cfg_attr(not(target_os = "none"), inline(always))]
fn whole_leaf<W: Word>(moves: &[W], first: usize) -> Option<[W; LEAF_MOVES]> {
    match cfg!(target_os = "none") {
        true => moves.get(first..)?.first_chunk().copied(),
        false => None,
    }
}

/// Sum and carry.
#[cfg_attr(not(target_os = "none"), inline(always))]
pub(super) fn full_adder<W: Word>(a: W, b: W, c: W) -> [W; 2] {
    [a.sum(b, c), a.majority(b, c)]
}

/// The sum of two numbers, with one bit more.
#[cfg_attr(not(target_os = "none"), inline(always))]
fn add<W: Word, const N: usize, const MORE: usize>(left: [W; N], right: [W; N]) -> [W; MORE] {
    const { assert!(MORE == N + 1) };
    let mut sum = [W::ZERO; MORE];
    let mut carry = left[0] & right[0];
    sum[0] = left[0] ^ right[0];
    for bit in 1..N {
        [sum[bit], carry] = full_adder(left[bit], right[bit], carry);
    }
    sum[N] = carry;
    sum
}

/// Where the lanes go below their blocks.
#[derive(Clone, Copy)]
struct Ways<W> {
    /// The lanes that go to the left half of their block.
    half: W,
    /// The lanes that go to the left quarter of their half.
    quarter: W,
    /// The lanes that go to the left leaf of their quarter.
    leaf: W,
    ranks: Ranks<W>,
}

/// Leaves in each lane the move of its rank in the block where it is.
#[cfg_attr(not(target_os = "none"), inline(always))]
pub(super) fn keep<W: Word, const ROLES: usize>(
    mut moves: [&mut [W]; ROLES],
    lefts: &[Lefts<W>],
    at: &[W],
    rank: [W; BITS],
) {
    let full = full_blocks(moves.each_ref().map(|moves| &**moves));
    let ways = descend(lefts, at, rank);
    // Backwards: the last ones are those that the cache still has.
    for (block, &here) in at.iter().enumerate().rev() {
        let first = block * MOVES;
        let moves = moves.each_mut();
        if block < full {
            keep_in_block(moves.map(|moves| &mut moves[first..][..MOVES]), here, ways);
        } else {
            keep_in_block(moves.map(|moves| rest_mut(moves, block)), here, ways);
        }
    }
}

#[cfg_attr(not(target_os = "none"), inline(always))]
fn rest_mut<W>(moves: &mut [W], block: usize) -> &mut [W] {
    let start = (block * MOVES).min(moves.len());
    let end = (start + MOVES).min(moves.len());
    &mut moves[start..end]
}

/// Finds the ways of all lanes, level by level.
#[cfg_attr(not(target_os = "none"), inline(always))]
fn descend<W: Word>(lefts: &[Lefts<W>], at: &[W], mut rank: [W; BITS]) -> Ways<W> {
    let half = step::<W, 4, 5>(&mut rank, half_counts(lefts, at));
    let quarter = step::<W, 3, 4>(&mut rank, quarter_counts(lefts, at, half));
    let leaf = step::<W, 2, 3>(&mut rank, leaf_counts(lefts, at, half, quarter));
    Ways { half, quarter, leaf, ranks: Ranks::of(&rank) }
}

/// For each lane the count of the left half of the block where it is.
#[cfg_attr(not(target_os = "none"), inline(always))]
fn half_counts<W: Word>(lefts: &[Lefts<W>], at: &[W]) -> [W; 4] {
    let mut found = [W::ZERO; 4];
    for (lefts, &here) in lefts.iter().zip(at) {
        if is_worth_it(here) {
            add_counts(&mut found, here, lefts);
        }
    }
    found
}

/// For each lane the count of the left quarter of the half where it is.
#[cfg_attr(not(target_os = "none"), inline(always))]
fn quarter_counts<W: Word>(lefts: &[Lefts<W>], at: &[W], half: W) -> [W; 3] {
    let mut found = [W::ZERO; 3];
    for (lefts, &here) in lefts.iter().zip(at) {
        if is_worth_it(here) {
            let [left, right] = split(here, half);
            add_counts(&mut found, left, &lefts[HALVES..]);
            add_counts(&mut found, right, &lefts[HALVES + HALF_LEFTS..]);
        }
    }
    found
}

/// For each lane the count of the left leaf of the quarter where it is.
#[cfg_attr(not(target_os = "none"), inline(always))]
fn leaf_counts<W: Word>(lefts: &[Lefts<W>], at: &[W], half: W, quarter: W) -> [W; 2] {
    let mut found = [W::ZERO; 2];
    for (lefts, &here) in lefts.iter().zip(at) {
        if is_worth_it(here) {
            let halves = split(here, half);
            for half in 0..2 {
                let [left, right] = split(halves[half], quarter);
                let first = HALVES + half * HALF_LEFTS + LEAVES;
                add_counts(&mut found, left, &lefts[first..]);
                add_counts(&mut found, right, &lefts[first + 2..]);
            }
        }
    }
    found
}

/// Takes over a count in some lanes.
#[cfg_attr(not(target_os = "none"), inline(always))]
pub(super) fn add_counts<W: Word, const N: usize>(found: &mut [W; N], here: W, count: &[W]) {
    for bit in 0..N {
        found[bit] = found[bit] | (here & count[bit]);
    }
}

/// Words of few lanes leave most blocks empty; there it pays to ask.
#[cfg_attr(not(target_os = "none"), inline(always))]
fn is_worth_it<W: Word>(here: W) -> bool {
    W::LANES > SPARSE_LANES || !here.is_zero()
}

/// The most lanes with which most blocks are empty.
const SPARSE_LANES: usize = 32;

/// One level down: where the rank is below the count on the left it stays;
/// elsewhere that count is subtracted. Returns the lanes that go left.
#[cfg_attr(not(target_os = "none"), inline(always))]
fn step<W: Word, const N: usize, const MORE: usize>(rank: &mut [W; BITS], left: [W; N]) -> W {
    const { assert!(MORE == N + 1 && MORE <= BITS) };
    let mut number = [W::ZERO; MORE];
    number[..N].copy_from_slice(&left);
    subtract_unless_below(&mut rank[..MORE], &mut number)
}

/// Where the rank is below the number it stays; elsewhere the number is
/// subtracted. The difference takes the place of the number. Returns the lanes
/// where the rank was below.
#[cfg_attr(not(target_os = "none"), inline(always))]
pub(super) fn subtract_unless_below<W: Word>(rank: &mut [W], number: &mut [W]) -> W {
    let mut borrow = W::ZERO;
    for (&mut have, number) in rank.iter_mut().zip(&mut *number) {
        let take = *number;
        *number = have.sum(take, borrow);
        borrow = take.majority(borrow, !have);
    }
    for (rank, &mut difference) in rank.iter_mut().zip(number) {
        *rank = rank.select(difference, borrow);
    }
    borrow
}

/// Leaves the chosen moves of one block.
#[cfg_attr(not(target_os = "none"), inline(always))]
fn keep_in_block<W: Word, const ROLES: usize>(
    mut moves: [&mut [W]; ROLES],
    here: W,
    ways: Ways<W>,
) {
    let [left, right] = split(here, ways.half);
    let is_short = is_short(moves.each_ref().map(|moves| &**moves));
    keep_in_half(moves.each_mut().map(|moves| halves_mut(moves).0), left, ways);
    if !is_short {
        keep_in_half(moves.map(|moves| halves_mut(moves).1), right, ways);
    }
}

#[cfg_attr(not(target_os = "none"), inline(always))]
fn halves_mut<W>(moves: &mut [W]) -> (&mut [W], &mut [W]) {
    moves.split_at_mut(moves.len().min(HALF_MOVES))
}

#[cfg_attr(not(target_os = "none"), inline(always))]
fn keep_in_half<W: Word, const ROLES: usize>(mut moves: [&mut [W]; ROLES], here: W, ways: Ways<W>) {
    let quarters = split(here, ways.quarter);
    for quarter in 0..2 {
        let leaves = split(quarters[quarter], ways.leaf);
        for leaf in 0..2 {
            let first = quarter * QUARTER_MOVES + leaf * LEAF_MOVES;
            keep_in_leaf(&mut moves, first, leaves[leaf], ways.ranks);
        }
    }
}

#[cfg_attr(not(target_os = "none"), inline(always))]
fn split<W: Word>(here: W, left: W) -> [W; 2] {
    [here & left, here & !left]
}

#[cfg_attr(not(target_os = "none"), inline(always))]
fn keep_in_leaf<W: Word, const ROLES: usize>(
    moves: &mut [&mut [W]; ROLES],
    first: usize,
    here: W,
    ranks: Ranks<W>,
) {
    let mut merged = [W::ZERO; 2];
    for role in 0..ROLES {
        if let Some([a, b, _]) = whole_leaf(moves[role], first) {
            merged = [merged[0] | a, merged[1] | b];
            continue;
        }
        for index in 0..2 {
            if let Some(&legal) = moves[role].get(first + index) {
                merged[index] = merged[index] | legal;
            }
        }
    }
    let kept = ranks.keep(merged, here);
    for role in 0..ROLES {
        if let Some([a, b, c]) = whole_leaf(moves[role], first) {
            let chosen = [a & kept[0], b & kept[1], c & kept[2]];
            moves[role][first..][..LEAF_MOVES].copy_from_slice(&chosen);
            continue;
        }
        for index in 0..LEAF_MOVES {
            if let Some(legal) = moves[role].get_mut(first + index) {
                *legal = *legal & kept[index];
            }
        }
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
    #[cfg_attr(not(target_os = "none"), inline(always))]
    fn of(rank: &[W]) -> Self {
        Self { first: !(rank[0] | rank[1]), first_or_second: !rank[1] }
    }

    /// Of three moves, of which these are the first two, the one that is meant,
    /// in lanes that are here.
    #[cfg_attr(not(target_os = "none"), inline(always))]
    fn keep(self, [a, b]: [W; 2], here: W) -> [W; LEAF_MOVES] {
        let keep_a = here & a & self.first;
        // Of rank 1 behind a legal first move, of rank 0 behind none.
        let keep_b = here & b & (self.first ^ (a & self.first_or_second));
        [keep_a, keep_b, here & !(keep_a | keep_b)]
    }
}
