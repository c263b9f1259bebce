//! How a playout chooses among legal moves.

use core::fmt::Debug;

use ruche_shared::Image;

use crate::chooser::{self, Chooser};
use crate::streams::Streams;
use crate::word::Word;

/// How a playout chooses among legal moves.
///
/// A policy is for all words, because a cluster takes whichever word fits; a
/// [`Circuit`](crate::circuit::Circuit), beside which it stands, is for one. It is
/// compiled into each player, so that the [uniform](Uniform) one costs nothing.
///
/// # What a playout may depend on
/// A playout depends on nothing but image, position, run seed, position number and playout
/// number, and on its policy: whatever plays with another one is another run. So a choice
/// depends on the state of its lane, on the lane's stream and on the policy's value, and
/// neither on other lanes nor on what was chosen before in other playouts. In particular a
/// policy draws for a lane as often as that lane's state demands, whatever others do.
///
/// A policy with tables, such as the averages of moves in earlier playouts (MAST), fits in
/// if they are frozen:
/// - the host makes them, and numbers them; the number stands beside the run seed in the
///   list above;
/// - they travel with `Load`, behind the image, and lie in the arena once for all cores;
///   the policy's value is a reference to them;
/// - they are a line of the account (`ruche_shared::budget`), like what its
///   [`working_words`](Self::working_words) say of each core, so that a game that does not
///   fit with them is refused before it is played.
///
/// Tables that change while a game is played would make results depend on the order in which
/// cores play.
pub trait Policy: Copy + Debug {
    /// What one player has of it: working memory, and what it has found out of the game
    /// to choose faster.
    type Chooser<'memory, W: Word>: Debug + Send;

    /// Words of working memory that choosing moves of this game needs.
    fn working_words(&self, image: &Image<'_>) -> usize;

    /// What a player has of it, in so many words, all of which are zero.
    ///
    /// # Panics
    /// If there are fewer.
    fn chooser<'memory, W: Word>(
        &self,
        image: &Image<'_>,
        memory: &'memory mut [W],
    ) -> Self::Chooser<'memory, W>;

    /// Takes the legal moves, role after role as in the image, and leaves of each role one
    /// per lane. Returns the lanes in which some role has no move.
    ///
    /// To be inlined, with all that handles words (see [`Word::call`]).
    fn choose<W: Word>(
        chooser: &mut Self::Chooser<'_, W>,
        image: &Image<'_>,
        moves: &mut [W],
        streams: &mut Streams<W>,
    ) -> W;
}

/// Each legal move is as likely as the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uniform;

impl Policy for Uniform {
    type Chooser<'memory, W: Word> = Chooser<'memory, W>;

    fn working_words(&self, image: &Image<'_>) -> usize {
        chooser::working_words(image)
    }

    fn chooser<'memory, W: Word>(
        &self,
        image: &Image<'_>,
        memory: &'memory mut [W],
    ) -> Chooser<'memory, W> {
        Chooser::new(image, memory)
    }

    #[inline(always)]
    fn choose<W: Word>(
        chooser: &mut Chooser<'_, W>,
        image: &Image<'_>,
        moves: &mut [W],
        streams: &mut Streams<W>,
    ) -> W {
        chooser.choose(image, moves, streams)
    }
}
