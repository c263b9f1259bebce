//! A game's circuit at work: states in; terminal, legal moves, goals and next
//! states out.

use ruche_shared::Image;
use ruche_shared::image::{Code, Section};
use ruche_shared::position::position_words;
use thiserror::Error;

use crate::interpreter::execute;
use crate::word::Word;

/// Why the evaluator refuses what it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum EvaluatorError {
    /// The arena is shorter than the image demands.
    #[error("the image needs {needed} slots, but there are only {found}: give a larger arena")]
    TooFewSlots {
        /// Slots of the image.
        needed: usize,
        /// Words that were given.
        found: usize,
    },
    /// There is no such lane in a word.
    #[error("lane {lane} of a word with {lanes} lanes")]
    NoSuchLane {
        /// The lane that was asked for.
        lane: usize,
        /// Lanes of the word.
        lanes: usize,
    },
    /// A position has another length than those of this game.
    #[error(
        "a position of {found} words, but those of this game have {needed}: \
         it belongs to another game"
    )]
    PositionLength {
        /// Words of this game's positions.
        needed: usize,
        /// Words that were given.
        found: usize,
    },
    /// There is no such role or it has no such move.
    #[error("there is no move {chosen} of role {role}: it belongs to another game")]
    NoSuchMove {
        /// The role.
        role: usize,
        /// The number of the move among the role's moves.
        chosen: usize,
    },
}

/// Evaluates one image over an arena of slots, all lanes of a word at once.
///
/// A ply is [`legal`](Self::legal), then, if a lane of
/// [`terminal`](Self::terminal) is set, [`goal`](Self::goal), then a choice per
/// lane and role, then [`next`](Self::next). Lanes never influence each other.
#[derive(Debug)]
pub struct Evaluator<'image, 'slots, W> {
    image: Image<'image>,
    /// Exactly as many words as the image has slots; the evaluation relies on it.
    slots: &'slots mut [W],
}

impl<'image, 'slots, W: Word> Evaluator<'image, 'slots, W> {
    /// An evaluator whose lanes are all in the state where nothing is true.
    ///
    /// # Errors
    /// If there are fewer words than the image has slots.
    pub fn new(image: &Image<'image>, slots: &'slots mut [W]) -> Result<Self, EvaluatorError> {
        let (needed, found) = (image.slots(), slots.len());
        let slots = slots.get_mut(..needed).ok_or(EvaluatorError::TooFewSlots { needed, found })?;
        // The caller's arena may hold another game: its remains must not be able
        // to change a result.
        slots.fill(W::ZERO);
        Ok(Self { image: *image, slots })
    }

    /// The image that is evaluated.
    #[must_use]
    pub fn image(&self) -> &Image<'image> {
        &self.image
    }

    /// Puts a position into a lane.
    ///
    /// # Errors
    /// If there is no such lane, or the position is not one of this game.
    pub fn load(&mut self, lane: usize, position: &[u32]) -> Result<(), EvaluatorError> {
        self.check(lane, position)?;
        let state = &mut self.slots[..self.image.fluents()];
        for (&word, slots) in position.iter().zip(state.chunks_mut(u32::BITS as usize)) {
            for (bit, slot) in slots.iter_mut().enumerate() {
                slot.set_lane(lane, word >> bit & 1 == 1);
            }
        }
        Ok(())
    }

    /// Takes the position out of a lane.
    ///
    /// # Errors
    /// If there is no such lane, or `position` has not the length of this game's.
    pub fn store(&self, lane: usize, position: &mut [u32]) -> Result<(), EvaluatorError> {
        self.check(lane, position)?;
        let state = &self.slots[..self.image.fluents()];
        for (word, slots) in position.iter_mut().zip(state.chunks(u32::BITS as usize)) {
            let bits = slots.iter().enumerate();
            *word = bits.fold(0, |word, (bit, slot)| word | u32::from(slot.lane(lane)) << bit);
        }
        Ok(())
    }

    fn check(&self, lane: usize, position: &[u32]) -> Result<(), EvaluatorError> {
        let (needed, found) = (position_words(self.image.fluents()), position.len());
        if needed != found {
            return Err(EvaluatorError::PositionLength { needed, found });
        }
        Self::check_lane(lane)
    }

    fn check_lane(lane: usize) -> Result<(), EvaluatorError> {
        let lanes = W::LANES;
        if lane < lanes { Ok(()) } else { Err(EvaluatorError::NoSuchLane { lane, lanes }) }
    }

    /// Computes the legality of all moves and `terminal` from the states.
    pub fn legal(&mut self) {
        self.run(Section::Legal);
    }

    /// Computes the goals; [`legal`](Self::legal) must have run on the same
    /// states, and no move may have been chosen since.
    pub fn goal(&mut self) {
        self.run(Section::Goal);
    }

    /// Computes the next states; for each lane and role one move must have been
    /// chosen since [`legal`](Self::legal) ran.
    pub fn next(&mut self) {
        self.run(Section::Next);
    }

    /// Runs a section over all lanes.
    pub fn run(&mut self, section: Section) {
        // SAFETY: the code is a section of a parsed image, and `new` has made
        // sure that there is a word for each of its slots.
        unsafe {
            match self.image.code(section) {
                Code::Narrow(code) => execute(code, self.slots),
                Code::Wide(code) => execute(code, self.slots),
            };
        }
    }

    /// The lanes that have ended, after [`legal`](Self::legal).
    #[must_use]
    pub fn terminal(&self) -> W {
        self.slots[self.image.terminal_slot()]
    }

    /// The lanes in which each move of a role is legal, after
    /// [`legal`](Self::legal) and before a choice.
    ///
    /// # Panics
    /// If there is no such role.
    #[must_use]
    pub fn legal_moves(&self, role: usize) -> &[W] {
        &self.slots[self.image.move_slots(role)]
    }

    /// The moves of a role, for whoever chooses many lanes at a time: leave one
    /// move set per lane.
    ///
    /// # Panics
    /// If there is no such role.
    pub fn moves_mut(&mut self, role: usize) -> &mut [W] {
        &mut self.slots[self.image.move_slots(role)]
    }

    /// Chooses a move for a role in one lane, by its number among the role's
    /// moves. Whether it is legal is for the caller to know.
    ///
    /// # Errors
    /// If there is no such lane, role or move.
    pub fn choose(
        &mut self,
        lane: usize,
        role: usize,
        chosen: usize,
    ) -> Result<(), EvaluatorError> {
        Self::check_lane(lane)?;
        if role >= self.image.roles() || chosen >= self.image.move_range(role).len() {
            return Err(EvaluatorError::NoSuchMove { role, chosen });
        }
        for (number, slot) in self.moves_mut(role).iter_mut().enumerate() {
            slot.set_lane(lane, number == chosen);
        }
        Ok(())
    }

    /// The goal values of a role in one lane, ascending, after
    /// [`goal`](Self::goal). A sound game has exactly one where it ends.
    ///
    /// # Panics
    /// May panic if there is no such lane.
    pub fn goals(&self, lane: usize, role: usize) -> impl Iterator<Item = u16> {
        let reached = move |slot: u32| self.slots[slot as usize].lane(lane);
        self.image.role_goals(role).filter(move |goal| reached(goal.slot)).map(|goal| goal.value)
    }

    /// The goal value of a role in one lane, if it has exactly one.
    ///
    /// # Panics
    /// May panic if there is no such lane.
    #[must_use]
    pub fn score(&self, lane: usize, role: usize) -> Option<u16> {
        let mut goals = self.goals(lane, role);
        let first = goals.next()?;
        goals.next().is_none().then_some(first)
    }
}
