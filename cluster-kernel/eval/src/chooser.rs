//! The move chooser: leaves one random legal move per lane and role.
//!
//! Lanes never leave their bits. For a role, the legal moves of all lanes are
//! counted with adders made of bit operations; the draw of each lane is scaled to
//! a rank below its count; and a tree of counts leads each lane to the move
//! of that rank.
//!
//! In each ply a lane draws for the first role that has a choice, even if none
//! has one, and once more for each further role that has. So lanes seldom fall
//! out of step, and where roles take turns one draw per ply is enough.
//!
//! In most games one role has a choice and the others wait with a single move.
//! Which role it is differs between the lanes of a word, so roles whose choices
//! do not meet in any lane are laid over each other and chosen for in one go. For
//! two roles that take turns `turns` does so without a copy.
//!
//! A word in vector registers must not leave the function that is compiled for them,
//! so that all of this is inlined into it. A bare machine has no such words but little
//! memory: there the compiler decides, which makes the chooser a third as long.

mod block;
mod tree;
mod turns;

use core::ops::Range;

use ruche_shared::Image;
use ruche_shared::stream::{self, DRAW_BITS};

use crate::streams::{Draw, Streams};
use crate::word::{Job, Word};
use tree::Tree;
use turns::Turns;

/// Words of working memory that choosing moves of this game needs.
#[must_use]
pub fn working_words(image: &Image<'_>) -> usize {
    let most = most_moves(image);
    image.roles() + most + tree::words(most)
}

/// The most moves that a role has.
fn most_moves(image: &Image<'_>) -> usize {
    (0..image.roles()).map(|role| image.move_range(role).len()).max().unwrap_or(0)
}

/// Chooses the moves of one game.
#[derive(Debug)]
pub struct Chooser<'memory, W> {
    /// For each role the lanes in which it has several moves.
    several: &'memory mut [W],
    /// The moves of several roles, laid over each other.
    merged: &'memory mut [W],
    tree: Tree<'memory, W>,
    turns: Turns,
}

impl<'memory, W: Word> Chooser<'memory, W> {
    /// A chooser in [`working_words`] words of memory.
    ///
    /// # Panics
    /// If there are fewer.
    #[must_use]
    pub fn new(image: &Image<'_>, memory: &'memory mut [W]) -> Self {
        let (several, memory) = memory.split_at_mut(image.roles());
        let (merged, memory) = memory.split_at_mut(most_moves(image));
        Self { several, merged, tree: Tree::new(memory), turns: Turns::new(image) }
    }

    /// Takes the legal moves, role after role as in the image, and leaves of each
    /// role one per lane. Returns the lanes in which some role has no move.
    #[cfg_attr(not(target_os = "none"), inline(always))]
    pub fn choose(&mut self, image: &Image<'_>, moves: &mut [W], streams: &mut Streams<W>) -> W {
        W::call(Choice { chooser: self, image, moves, streams })
    }

    #[cfg_attr(not(target_os = "none"), inline(always))]
    fn choose_inlined(
        &mut self,
        image: &Image<'_>,
        moves: &mut [W],
        streams: &mut Streams<W>,
    ) -> W {
        if W::LANES == 1 {
            return choose_single(image, moves, streams);
        }
        let mut draw = [W::ZERO; DRAW_BITS];
        streams.draw(&mut draw);
        if let Some(stuck) = self.turns.choose(moves, &draw, &mut self.tree) {
            return stuck;
        }
        let mut stuck = W::ZERO;
        for role in 0..image.roles() {
            let moves = &moves[image.move_range(role)];
            let (some, several) = survey(moves);
            self.several[role] = several;
            self.turns.learn(role, moves, some & !several);
            stuck = stuck | !some;
        }
        self.choose_by_groups(image, moves, &draw, streams);
        stuck
    }

    /// Splits the roles into groups of which at most one has a choice in each
    /// lane. The draw is for the first choice of a lane; for others it draws anew.
    #[cfg_attr(not(target_os = "none"), inline(always))]
    fn choose_by_groups(
        &mut self,
        image: &Image<'_>,
        moves: &mut [W],
        draw: &Draw<W>,
        streams: &mut Streams<W>,
    ) {
        let (mut first, mut served) = (0, W::ZERO);
        while first < image.roles() {
            let (mut end, mut choosing) = (first, W::ZERO);
            while end < image.roles() && (choosing & self.several[end]).is_zero() {
                choosing = choosing | self.several[end];
                end += 1;
            }
            let again = choosing & served;
            if !again.is_zero() {
                let draw = streams.draw_again(draw, again);
                self.choose_for(first..end, image, moves, &draw);
            } else if !choosing.is_zero() {
                self.choose_for(first..end, image, moves, draw);
            }
            (first, served) = (end, served | choosing);
        }
    }

    /// Chooses for roles of which at most one has a choice in each lane.
    #[cfg_attr(not(target_os = "none"), inline(always))]
    fn choose_for(
        &mut self,
        roles: Range<usize>,
        image: &Image<'_>,
        moves: &mut [W],
        draw: &Draw<W>,
    ) {
        let mut length = 0;
        for role in roles.clone() {
            let several = self.several[role];
            if several.is_zero() {
                continue;
            }
            let moves = &moves[image.move_range(role)];
            merge(&mut self.merged[..moves.len()], length, moves, several);
            length = length.max(moves.len());
        }
        self.tree.count([&self.merged[..length]]);
        self.tree.keep([&mut self.merged[..length]], draw);
        for role in roles {
            let several = self.several[role];
            if !several.is_zero() {
                let moves = &mut moves[image.move_range(role)];
                keep_chosen(moves, &self.merged[..moves.len()], !several);
            }
        }
    }
}

/// The choices of one ply, for a function of their own.
struct Choice<'a, 'memory, W: Word> {
    chooser: &'a mut Chooser<'memory, W>,
    image: &'a Image<'a>,
    moves: &'a mut [W],
    streams: &'a mut Streams<W>,
}

impl<W: Word> Job for Choice<'_, '_, W> {
    type Output = W;

    #[cfg_attr(not(target_os = "none"), inline(always))]
    fn run(self) -> W {
        self.chooser.choose_inlined(self.image, self.moves, self.streams)
    }
}

/// Moves that loops over moves take at a time, so that most instructions are
/// about moves and few about the loop.
const STRIDE: usize = 4;

/// Lays the moves of a role, where it has several, over the first `length` that
/// are there.
#[cfg_attr(not(target_os = "none"), inline(always))]
fn merge<W: Word>(merged: &mut [W], length: usize, moves: &[W], several: W) {
    let over = length.min(moves.len());
    let (blocks, rest) = merged[..over].as_chunks_mut::<STRIDE>();
    let (legal, legal_rest) = moves[..over].as_chunks::<STRIDE>();
    for (merged, legal) in blocks.iter_mut().zip(legal) {
        for index in 0..STRIDE {
            merged[index] = merged[index] | (legal[index] & several);
        }
    }
    for (merged, &legal) in rest.iter_mut().zip(legal_rest) {
        *merged = *merged | (legal & several);
    }
    let (blocks, rest) = merged[over..].as_chunks_mut::<STRIDE>();
    let (legal, legal_rest) = moves[over..].as_chunks::<STRIDE>();
    for (merged, legal) in blocks.iter_mut().zip(legal) {
        for index in 0..STRIDE {
            merged[index] = legal[index] & several;
        }
    }
    for (merged, &legal) in rest.iter_mut().zip(legal_rest) {
        *merged = legal & several;
    }
}

/// Leaves a role the chosen move, and in other lanes what it has.
#[cfg_attr(not(target_os = "none"), inline(always))]
fn keep_chosen<W: Word>(moves: &mut [W], chosen: &[W], others: W) {
    let (blocks, rest) = moves.as_chunks_mut::<STRIDE>();
    let (chosen, chosen_rest) = chosen.as_chunks::<STRIDE>();
    for (legal, chosen) in blocks.iter_mut().zip(chosen) {
        for index in 0..STRIDE {
            legal[index] = legal[index] & (chosen[index] | others);
        }
    }
    for (legal, &chosen) in rest.iter_mut().zip(chosen_rest) {
        *legal = *legal & (chosen | others);
    }
}

/// The lanes with some legal move and those with several.
#[cfg_attr(not(target_os = "none"), inline(always))]
fn survey<W: Word>(moves: &[W]) -> (W, W) {
    // Four at a time, because each step has to wait for the one before.
    let (fours, rest) = moves.as_chunks::<STRIDE>();
    let (mut some, mut several) = (W::ZERO, W::ZERO);
    for &[a, b, c, d] in fours {
        let (ab, cd) = (a | b, c | d);
        several = several | (a & b) | (c & d) | (ab & cd) | (some & (ab | cd));
        some = some | ab | cd;
    }
    for &legal in rest {
        several = several | (some & legal);
        some = some | legal;
    }
    (some, several)
}

/// The same choice for a word with one lane, where nothing needs to be sliced.
#[cfg_attr(not(target_os = "none"), inline(always))]
fn choose_single<W: Word>(image: &Image<'_>, moves: &mut [W], streams: &mut Streams<W>) -> W {
    let mut stuck = W::ZERO;
    let mut first = Some(streams.draw_single());
    for role in 0..image.roles() {
        let moves = &mut moves[image.move_range(role)];
        let count = count_single(moves);
        if count == 0 {
            stuck = W::ONES;
        } else if count > 1 {
            let draw = first.take().unwrap_or_else(|| streams.draw_single());
            keep_single(moves, stream::scale(draw, count));
        }
    }
    stuck
}

#[cfg_attr(not(target_os = "none"), inline(always))]
fn count_single<W: Word>(moves: &[W]) -> u32 {
    moves.iter().map(|legal| u32::from(legal.lane(0))).sum()
}

/// Leaves just the legal move of this rank.
#[cfg_attr(not(target_os = "none"), inline(always))]
fn keep_single<W: Word>(moves: &mut [W], mut rank: u32) {
    for block in moves.chunks_mut(16) {
        let count = count_single(block);
        if rank >= count {
            block.fill(W::ZERO);
        } else {
            keep_in_block(block, rank);
        }
        // Wraps below zero after the chosen one, and stays above every count.
        rank = rank.wrapping_sub(count);
    }
}

#[cfg_attr(not(target_os = "none"), inline(always))]
fn keep_in_block<W: Word>(block: &mut [W], mut rank: u32) {
    for legal in block {
        let is_legal = legal.lane(0);
        *legal = if is_legal && rank == 0 { W::ONES } else { W::ZERO };
        rank = rank.wrapping_sub(u32::from(is_legal));
    }
}
