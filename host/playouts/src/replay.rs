//! A playout again, move by move.
//!
//! No moves travel: a playout depends on nothing but its game, its position and three
//! numbers, so that whoever knows these has its moves.

use std::sync::{Mutex, PoisonError};

use ruche_eval::circuit::Interpreted;
use ruche_eval::playouts::{Player, working_words};
use ruche_eval::streams::Streams;
use ruche_eval::{OneLane, Policy, Uniform, Word};
use ruche_game::Game;
use ruche_shared::Image;

use crate::games::{Ending, OneByOne};
use crate::run::{PlayoutsError, check_positions};

/// The numbers of a playout, by which every machine knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayoutName {
    /// The run seed.
    pub seed: u64,
    /// The number of its position in the run.
    pub position: u64,
    /// Its number among the playouts of the position.
    pub playout: u64,
}

/// A playout move by move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// For each ply the number of the move of each role, as
    /// [`State::play`](ruche_game::State::play) takes them.
    pub moves: Vec<Vec<u32>>,
    /// How it ended.
    pub ending: Ending,
    /// The goal of each role; zeros if it was not scored.
    pub goals: Vec<u16>,
}

/// Plays a playout of a position again, with the interpreter and one lane.
///
/// # Errors
/// If the position is not one of this game.
pub fn replay(
    game: &Game,
    position: &[u32],
    name: PlayoutName,
    ply_limit: u32,
) -> Result<Line, PlayoutsError> {
    let (image, positions) = (game.image(), [position]);
    check_positions(image, &positions)?;
    let moves = Mutex::default();
    let policy = Noted { policy: Uniform, moves: &moves };
    let mut memory = vec![OneLane::ZERO; working_words(image, &policy)];
    let mut queue = OneByOne::single(&positions, name, image.roles());
    Player::with_policy(Interpreted(*image), policy, &mut memory, ply_limit)?
        .play(&mut queue, None);
    let games = queue.into_games();
    let moves = moves.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(Line { moves, ending: games.ending(0), goals: games.goals(0).to_vec() })
}

/// Chooses as another policy does, and notes what that chooses in the first lane.
#[derive(Clone, Copy, Debug)]
struct Noted<'a, P> {
    policy: P,
    moves: &'a Mutex<Vec<Vec<u32>>>,
}

impl<'a, P: Policy> Policy for Noted<'a, P> {
    type Chooser<'memory, W: Word> = (P::Chooser<'memory, W>, &'a Mutex<Vec<Vec<u32>>>);

    fn working_words(&self, image: &Image<'_>) -> usize {
        self.policy.working_words(image)
    }

    fn chooser<'memory, W: Word>(
        &self,
        image: &Image<'_>,
        memory: &'memory mut [W],
    ) -> Self::Chooser<'memory, W> {
        (self.policy.chooser(image, memory), self.moves)
    }

    fn choose<W: Word>(
        (chooser, noted): &mut Self::Chooser<'_, W>,
        image: &Image<'_>,
        moves: &mut [W],
        streams: &mut Streams<W>,
    ) -> W {
        let stuck = P::choose(chooser, image, moves, streams);
        if !stuck.lane(0) {
            let chosen = |role| {
                let moves = &moves[image.move_range(role)];
                (0..).zip(moves).find(|(_, chosen)| chosen.lane(0)).map(|(number, _)| number)
            };
            let joint = (0..image.roles()).filter_map(chosen).collect();
            noted.lock().unwrap_or_else(PoisonError::into_inner).push(joint);
        }
        stuck
    }
}
