//! Two roles that take turns.
//!
//! While one of them chooses, the other has nothing but its *idle* move, the
//! `noop` of most games. Nobody tells which move that is: it is learned from
//! lanes in which a role has just one, and what follows from it is checked in
//! each ply before it is relied on. When it holds, leaving the idle moves aside,
//! a lane has legal moves of one role only, so that the moves of both can be
//! counted, searched and cleared as if they were one role's.

use core::ops::Range;

use ruche_shared::Image;

use super::tree::Tree;
use crate::streams::Draw;
use crate::word::Word;

/// What is known about the turns of a game.
#[derive(Debug)]
pub(super) struct Turns {
    /// The moves of the two roles; `None` in games with more or fewer.
    roles: Option<[Range<usize>; 2]>,
    /// The idle move of each role among its moves, once known.
    idle: [Option<usize>; 2],
}

impl Turns {
    pub fn new(image: &Image<'_>) -> Self {
        let roles = (image.roles() == 2).then(|| [0, 1].map(|role| image.move_range(role)));
        Self { roles, idle: [None; 2] }
    }

    /// Takes a move that is alone in some of these lanes for the idle one.
    #[cfg_attr(not(target_os = "none"), inline(always))]
    pub fn learn<W: Word>(&mut self, role: usize, moves: &[W], alone: W) {
        if self.roles.is_some() && !alone.is_zero() {
            let mut idle = 0;
            while idle < moves.len() && (moves[idle] & alone).is_zero() {
                idle += 1;
            }
            self.idle[role] = (idle < moves.len()).then_some(idle);
        }
    }

    /// Chooses as [`Chooser`](super::Chooser) does, if in every lane at most one
    /// role has other moves than its idle one, and then not the idle one.
    /// Otherwise leaves everything as it is.
    #[cfg_attr(not(target_os = "none"), inline(always))]
    pub fn choose<W: Word>(
        &self,
        moves: &mut [W],
        draw: &Draw<W>,
        tree: &mut Tree<'_, W>,
    ) -> Option<W> {
        let (Some([first, second]), [Some(idle), Some(other_idle)]) = (&self.roles, self.idle)
        else {
            return None;
        };
        let (moves, others) = moves.split_at_mut(first.end);
        debug_assert_eq!(others.len(), second.len());
        // The idle moves step aside while the others are looked at.
        let waits = core::mem::replace(&mut moves[idle], W::ZERO);
        let other_waits = core::mem::replace(&mut others[other_idle], W::ZERO);
        let [plays, other_plays] = tree.count([&*moves, &*others]);
        let clash = (plays & (waits | other_plays)) | (other_plays & other_waits);
        if clash.is_zero() {
            tree.keep([&mut *moves, &mut *others], draw);
        }
        moves[idle] = waits;
        others[other_idle] = other_waits;
        clash.is_zero().then_some(!((plays | waits) & (other_plays | other_waits)))
    }
}
