//! The game's circuit at work on up to 64 positions at once, one in each lane of
//! a word: legal moves, successors and goals of what a search wants to know.

use std::sync::Arc;

use ruche_eval::circuit::Circuit;
use ruche_eval::playouts::scored_lanes;
use ruche_eval::transpose::transpose;
use ruche_game::Game;
use ruche_native::NativeCode;
use ruche_shared::Image;
use ruche_shared::image::Section;
use ruche_shared::position::position_words;

use crate::engine::{EngineChoice, HostCircuit, HostEngine};

/// The moves of a position: the numbers of each role's legal moves one behind the other,
/// and how many each role has.
#[derive(Clone, Debug, Default)]
pub struct LegalMoves {
    /// Role after role.
    pub numbers: Vec<u32>,
    /// For each role.
    pub counts: Vec<u32>,
}

impl LegalMoves {
    fn clear(&mut self) {
        self.numbers.clear();
        self.counts.clear();
    }

    /// The only role with a choice; the first one if none has; nobody if several have.
    #[must_use]
    pub fn mover(&self) -> Option<usize> {
        let mut choosing = (0..self.counts.len()).filter(|&role| self.counts[role] > 1);
        let mover = choosing.next().unwrap_or(0);
        choosing.next().is_none().then_some(mover)
    }

    /// The moves of one role.
    ///
    /// # Panics
    /// If there is no such role.
    #[must_use]
    pub fn of(&self, role: usize) -> &[u32] {
        let start: u32 = self.counts[..role].iter().sum();
        &self.numbers[start as usize..][..self.counts[role] as usize]
    }
}

/// How a game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End<'a> {
    /// With a goal for each role.
    Goals(&'a [u16]),
    /// Without, or somebody has no legal move.
    Unscored,
}

/// Positions that are handled at once.
pub const LANES: usize = u64::BITS as usize;

/// 64 positions of one game.
#[derive(Debug)]
pub struct Lanes {
    game: Game,
    code: Option<Arc<NativeCode>>,
    slots: Vec<u64>,
    /// For each lane the legal moves as bits, [`move_blocks`](Self::move_blocks)
    /// words each.
    legal: Vec<u64>,
}

impl Lanes {
    /// Lanes of a game, evaluated by what is fastest here.
    #[must_use]
    pub fn new(game: &Game) -> Self {
        let image = game.image();
        Self {
            code: HostEngine::new(EngineChoice::Auto).code(image, LANES).ok().flatten(),
            slots: vec![0; image.slots()],
            legal: vec![0; image.moves().div_ceil(LANES) * LANES],
            game: game.clone(),
        }
    }

    fn image(&self) -> &Image<'_> {
        self.game.image()
    }

    fn run(&mut self, section: Section) {
        let image = self.game.image();
        match HostCircuit::new(image, self.code.clone()) {
            Ok(circuit) => circuit.run(section, &mut self.slots),
            Err(error) => unreachable!("the code was made of this image: {error}"),
        }
    }

    /// Blocks of 64 moves.
    fn move_blocks(&self) -> usize {
        self.game.image().moves().div_ceil(LANES)
    }

    /// Puts positions into the first lanes, at most 64.
    pub fn load<'a>(&mut self, positions: impl Iterator<Item = &'a [u32]> + Clone) {
        let state = &mut self.slots[..self.game.image().fluents()];
        for (block, slots) in state.chunks_mut(LANES).enumerate() {
            let mut rows = [0; LANES];
            for (row, position) in rows.iter_mut().zip(positions.clone()) {
                let word = |index: usize| position.get(index).copied().map_or(0, u64::from);
                *row = word(2 * block) | word(2 * block + 1) << u32::BITS;
            }
            transpose(&mut rows);
            slots.copy_from_slice(&rows[..slots.len()]);
        }
    }

    /// Takes the positions of the first lanes, one behind the other.
    pub fn store(&self, positions: &mut Vec<u32>, lanes: usize) {
        let words = position_words(self.game.image().fluents());
        positions.clear();
        positions.resize(words * lanes, 0);
        let state = &self.slots[..self.game.image().fluents()];
        for (block, slots) in state.chunks(LANES).enumerate() {
            let rows = turned(slots);
            for (position, row) in positions.chunks_mut(words).zip(rows) {
                position[2 * block] = row as u32;
                if let Some(high) = position.get_mut(2 * block + 1) {
                    *high = (row >> u32::BITS) as u32;
                }
            }
        }
    }

    /// Computes terminal and the legal moves, as circuits do.
    pub fn run_legal(&mut self) {
        self.run(Section::Legal);
    }

    /// Computes the successors; a move must have been chosen for each role.
    pub fn run_next(&mut self) {
        self.run(Section::Next);
    }

    /// Sorts out the legal moves, so that [`legal`](Self::legal) can tell them.
    pub fn survey_moves(&mut self) {
        let blocks = self.move_blocks();
        let moves = &self.slots[self.game.image().fluents()..][..self.game.image().moves()];
        for (block, slots) in moves.chunks(LANES).enumerate() {
            let rows = turned(slots);
            for (legal, row) in self.legal.chunks_mut(blocks).zip(rows) {
                legal[block] = row;
            }
        }
    }

    /// The legal moves in a lane, after [`survey_moves`](Self::survey_moves).
    pub fn legal(&self, lane: usize, legal: &mut LegalMoves) {
        legal.clear();
        let blocks = self.move_blocks();
        let bits = &self.legal[lane * blocks..][..blocks];
        for role in 0..self.game.image().roles() {
            let range = self.game.image().move_range(role);
            let before = legal.numbers.len();
            for_each_bit(bits, range.clone(), |bit| legal.numbers.push((bit - range.start) as u32));
            legal.counts.push((legal.numbers.len() - before) as u32);
        }
    }

    /// What is true of the states, a word for each fluent.
    pub(crate) fn states(&self) -> &[u64] {
        &self.slots[..self.game.image().fluents()]
    }

    /// Where each move is legal, role after role.
    pub(crate) fn moves(&self) -> &[u64] {
        &self.slots[self.game.image().fluents()..][..self.game.image().moves()]
    }

    /// Where each move of a role is legal, until moves are chosen.
    #[must_use]
    pub fn moves_of(&self, role: usize) -> &[u64] {
        &self.slots[self.game.image().move_slots(role)]
    }

    /// How many legal moves a role has in a lane.
    #[must_use]
    pub fn count(&self, lane: usize, role: usize) -> u32 {
        self.moves_of(role).iter().map(|legal| (legal >> lane & 1) as u32).sum()
    }

    /// For each role the lanes in which it is the [mover](LegalMoves::mover).
    pub fn survey_movers(&self, movers: &mut Vec<u64>) {
        movers.clear();
        let (mut some, mut several) = (0, 0);
        for role in 0..self.game.image().roles() {
            let (mut once, mut twice) = (0, 0);
            for &legal in &self.slots[self.game.image().move_slots(role)] {
                twice |= once & legal;
                once |= legal;
            }
            movers.push(twice);
            several |= some & twice;
            some |= twice;
        }
        movers[0] |= !some;
        movers.iter_mut().for_each(|lanes| *lanes &= !several);
    }

    /// Leaves no move of a role set in some lanes, before others are chosen.
    pub fn clear_moves(&mut self, role: usize, lanes: u64) {
        for slot in &mut self.slots[self.game.image().move_slots(role)] {
            *slot &= !lanes;
        }
    }

    /// Sets a move of a role, by its number among the role's moves.
    pub fn set_move(&mut self, lane: usize, role: usize, number: u32) {
        self.slots[self.game.image().move_slots(role)][number as usize] |= 1 << lane;
    }

    /// Finds out where the game is over, after [`run_legal`](Self::run_legal).
    pub fn survey_ends(&mut self, lanes: u64) -> Ends {
        let terminal = self.slots[self.game.image().terminal_slot()] & lanes;
        let mut stuck = 0;
        for role in 0..self.game.image().roles() {
            let moves = &self.slots[self.game.image().move_slots(role)];
            stuck |= !moves.iter().fold(0, |able, slot| able | slot);
        }
        let sound = if terminal == 0 { 0 } else { terminal & self.survey_goals() };
        Ends { sound, unscored: (terminal & !sound) | (stuck & lanes & !terminal) }
    }

    /// The lanes in which each role has exactly one goal.
    fn survey_goals(&mut self) -> u64 {
        self.run(Section::Goal);
        scored_lanes(self.image(), &self.slots)
    }

    /// The goals in a lane where each role has exactly one.
    pub fn goals(&self, lane: usize, goals: &mut Vec<u16>) {
        goals.clear();
        goals.resize(self.game.image().roles(), 0);
        for goal in self.game.image().goals() {
            if self.slots[goal.slot as usize] >> lane & 1 == 1 {
                goals[usize::from(goal.role)] = goal.value;
            }
        }
    }
}

/// Lanes in which the game does not go on.
#[derive(Clone, Copy, Debug)]
pub struct Ends {
    /// Over, with a goal for each role.
    sound: u64,
    /// Over without, or somebody cannot move.
    unscored: u64,
}

impl Ends {
    /// The lanes in which the game does not go on.
    #[must_use]
    pub fn any(self) -> u64 {
        self.sound | self.unscored
    }

    /// How the game has ended in a lane, if it has; goals are put where told.
    pub fn of<'a>(self, lane: usize, lanes: &Lanes, goals: &'a mut Vec<u16>) -> Option<End<'a>> {
        if self.sound >> lane & 1 == 1 {
            lanes.goals(lane, goals);
            return Some(End::Goals(goals));
        }
        (self.unscored >> lane & 1 == 1).then_some(End::Unscored)
    }
}

/// Up to 64 slots as 64 lanes.
fn turned(slots: &[u64]) -> [u64; LANES] {
    let mut rows = [0; LANES];
    rows[..slots.len()].copy_from_slice(slots);
    transpose(&mut rows);
    rows
}

/// Calls back with the bits of a range that are set.
#[inline]
fn for_each_bit(words: &[u64], range: core::ops::Range<usize>, mut each: impl FnMut(usize)) {
    let mut start = range.start;
    while start < range.end {
        let (index, first) = (start / LANES, start % LANES);
        let count = (LANES - first).min(range.end - start);
        let mut rest = words[index] >> first & u64::MAX >> (LANES - count);
        while rest != 0 {
            each(start + rest.trailing_zeros() as usize);
            rest &= rest - 1;
        }
        start += count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_of_a_range_are_found_and_no_others() {
        let words = [u64::MAX, 0x8000_0000_0000_0001, u64::MAX];
        for (range, count) in
            [(0..0, 0), (0..64, 64), (3..5, 2), (63..66, 2), (64..128, 2), (1..192, 129)]
        {
            let mut found = Vec::new();
            for_each_bit(&words, range.clone(), |bit| found.push(bit));
            assert_eq!(found.len(), count, "{range:?}");
            assert!(found.iter().all(|bit| range.contains(bit)));
            assert!(found.iter().all(|bit| words[bit / 64] >> (bit % 64) & 1 == 1));
        }
    }
}
