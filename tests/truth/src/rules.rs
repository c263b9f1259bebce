//! What a solver has to know about a game of turns.

use std::hash::Hash;

/// What a position is worth to the role that is to move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Outcome {
    /// The other role wins.
    Loss,
    /// Nobody does.
    Draw,
    /// The role wins.
    Win,
}

impl Outcome {
    /// The same for the other role.
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Outcome::Loss => Outcome::Win,
            Outcome::Draw => Outcome::Draw,
            Outcome::Win => Outcome::Loss,
        }
    }

    /// What the rules in GDL give for it.
    #[must_use]
    pub const fn goal(self) -> u8 {
        match self {
            Outcome::Loss => 0,
            Outcome::Draw => 50,
            Outcome::Win => 100,
        }
    }
}

/// A position of a game in which two roles move in turn, one says `noop` while the other
/// moves, and what one wins the other loses. No position comes twice in a game.
pub trait Rules: Clone + Eq + Hash {
    /// What can be done.
    type Move: Copy;

    /// Where the game starts.
    fn start() -> Self;
    /// The role that is to move: 0 or 1.
    fn mover(&self) -> usize;
    /// What the position is worth if the game is over.
    fn end(&self) -> Option<Outcome>;
    /// What a position is worth in which that is plain to see before the game is over.
    fn foreseen(&self) -> Option<Outcome> {
        None
    }
    /// The legal moves while the game is not over, those first that are likely to be good.
    fn moves(&self) -> impl Iterator<Item = Self::Move>;
    /// The position after a legal move.
    #[must_use]
    fn after(&self, chosen: Self::Move) -> Self;
    /// The move as it stands in the rules in GDL.
    fn name(&self, chosen: Self::Move) -> String;
}

/// The bits that are set, one by one, from the lowest.
pub(crate) fn bits(mut set: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let lowest = set & set.wrapping_neg();
        set ^= lowest;
        (lowest != 0).then_some(lowest)
    })
}
