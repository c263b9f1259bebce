//! What all moves of some positions lead to, one move in each lane of the widest word of
//! this machine: a search wants to know the ends among them before it plays any.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use bytemuck::cast_slice_mut;
use ruche_eval::Word;
use ruche_eval::circuit::Circuit;
use ruche_eval::playouts::scored_lanes;
use ruche_eval::word::CHUNK_LANES;
use ruche_game::Game;
use ruche_native::NativeCode;
use ruche_shared::WordWidth;
use ruche_shared::image::Section;

use crate::engine::{EngineChoice, HostCircuit, HostEngine};
use crate::lanes::Lanes;
use crate::words::{Task, widest_word, with_word};

/// Slots take no more than this: beyond it they would leave the caches, and narrower words
/// are as fast.
const MOST_BYTES: usize = 4 << 20;

/// A move of a role in all positions of some lanes.
#[derive(Clone, Copy, Debug)]
pub struct MoveInLanes {
    /// Whose it is.
    pub role: usize,
    /// Its number among those of the role.
    pub number: usize,
    /// Where it is played.
    pub lanes: u64,
}

/// Lanes for the moves of many positions.
#[derive(Debug)]
pub struct Outlook {
    game: Game,
    slots: Box<dyn Slots>,
    /// Words of 64 bits in a slot.
    chunks: usize,
    /// Lanes that are taken.
    taken: usize,
    terminal: Vec<u64>,
    scored: Vec<u64>,
}

impl Outlook {
    /// Lanes of a game, as wide as suits this machine.
    #[must_use]
    pub fn new(game: &Game) -> Self {
        let width = width(game.image().slots());
        let slots = with_word(width, Making { game });
        let chunks = width.lanes() as usize / CHUNK_LANES;
        let (terminal, scored) = (vec![0; chunks], vec![0; chunks]);
        Self { game: game.clone(), slots, chunks, taken: 0, terminal, scored }
    }

    /// Lanes that there are.
    #[must_use]
    pub fn lanes(&self) -> usize {
        self.chunks * CHUNK_LANES
    }

    /// Moves that are played [side by side](Self::play_in).
    #[must_use]
    pub fn chunks(&self) -> usize {
        self.chunks
    }

    /// Lanes that nothing has been put into.
    #[must_use]
    pub fn free(&self) -> usize {
        self.lanes() - self.taken
    }

    /// Makes all lanes free.
    pub fn clear(&mut self) {
        self.taken = 0;
    }

    /// Puts a position into the next lanes and returns which. There must be so many.
    pub fn load(&mut self, position: &[u32], lanes: usize) -> Range<usize> {
        assert!(lanes <= self.free(), "there are free lanes");
        if self.taken == 0 {
            let fluents = self.game.image().fluents();
            self.slots.bits()[..fluents * self.chunks].fill(0);
        }
        let range = self.taken..self.taken + lanes;
        self.taken = range.end;
        let (chunks, bits) = (self.chunks, self.slots.bits());
        for_masks(range.clone(), |chunk, mask| {
            for (index, &word) in position.iter().enumerate() {
                let mut rest = word;
                while rest != 0 {
                    let fluent = index * u32::BITS as usize + rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    bits[fluent * chunks + chunk] |= mask;
                }
            }
        });
        range
    }

    /// Finds the moves, before some are chosen.
    pub fn run_legal(&mut self) {
        self.slots.run(Section::Legal);
    }

    /// One after the other of a role's legal moves in one lane after the other, each in
    /// `repeat` lanes, from the start again when all had their turn. The first lanes of
    /// this order may be `skipped`.
    pub fn choose(
        &mut self,
        lanes: Range<usize>,
        role: usize,
        moves: &[u32],
        repeat: usize,
        skipped: usize,
    ) {
        let first = self.game.image().move_slots(role).start;
        let (chunks, bits) = (self.chunks, self.slots.bits());
        let slot = |number: u32| (first + number as usize) * chunks;
        for_masks(lanes.clone(), |chunk, mask| {
            moves.iter().for_each(|&number| bits[slot(number) + chunk] &= !mask);
        });
        let mut set = |lane: usize, number: u32| {
            bits[slot(number) + lane / CHUNK_LANES] |= 1 << (lane % CHUNK_LANES);
        };
        // Mostly one role chooses: then no move has its turn twice.
        if repeat == 1 && skipped + lanes.len() <= moves.len() {
            lanes.zip(&moves[skipped..]).for_each(|(lane, &number)| set(lane, number));
        } else {
            let turn = |place: usize| moves[(skipped + place) / repeat % moves.len()];
            lanes.enumerate().for_each(|(place, lane)| set(lane, turn(place)));
        }
    }

    /// Plays what was chosen, and finds out where the game is over then. Returns whether
    /// it is anywhere.
    pub fn play(&mut self) -> bool {
        let taken = self.taken;
        self.find_ends(|chunk| {
            let lanes = taken.saturating_sub(chunk * CHUNK_LANES).min(CHUNK_LANES);
            u64::MAX.checked_shr((CHUNK_LANES - lanes) as u32).unwrap_or(0)
        })
    }

    /// Plays one move in each chunk, in as many positions of some lanes as have it, and
    /// finds out where the game is over then. Nothing else may be in the lanes. Returns
    /// whether it is anywhere.
    pub fn play_in(&mut self, lanes: &Lanes, moves: &[MoveInLanes]) -> bool {
        debug_assert!(self.taken == 0 && moves.len() <= self.chunks, "a chunk for each");
        self.slots.spread(0, lanes.states());
        self.slots.spread(self.game.image().fluents(), lanes.moves());
        let (chunks, bits) = (self.chunks, self.slots.bits());
        for (chunk, one) in moves.iter().enumerate() {
            let slots = self.game.image().move_slots(one.role);
            let first = slots.start;
            slots.for_each(|slot| bits[slot * chunks + chunk] = 0);
            bits[(first + one.number) * chunks + chunk] = one.lanes;
        }
        self.find_ends(|chunk| moves.get(chunk).map_or(0, |one| one.lanes))
    }

    /// Goes on by one ply. Returns whether the game is over in any of the lanes that each
    /// chunk has.
    fn find_ends(&mut self, lanes: impl Fn(usize) -> u64) -> bool {
        self.slots.run(Section::Next);
        self.slots.run(Section::Legal);
        let slot = self.game.image().terminal_slot() * self.chunks;
        self.terminal.copy_from_slice(&self.slots.bits()[slot..][..self.chunks]);
        for (chunk, terminal) in self.terminal.iter_mut().enumerate() {
            *terminal &= lanes(chunk);
        }
        let is_anywhere = self.terminal.iter().any(|lanes| *lanes != 0);
        if is_anywhere {
            self.slots.run(Section::Goal);
            self.slots.scored(&mut self.scored);
        }
        is_anywhere
    }

    /// The lanes of a chunk whose move has ended the game, as far as terminal says.
    #[must_use]
    pub fn ends_in(&self, chunk: usize) -> u64 {
        self.terminal[chunk]
    }

    /// The first of some lanes whose move has ended the game, as far as terminal says.
    #[must_use]
    pub fn first_end(&self, lanes: Range<usize>) -> Option<usize> {
        let mut first = None;
        for_masks(lanes, |chunk, mask| {
            let ends = self.terminal[chunk] & mask;
            if first.is_none() && ends != 0 {
                first = Some(chunk * CHUNK_LANES + ends.trailing_zeros() as usize);
            }
        });
        first
    }

    /// Adds the goals of a lane whose move has ended the game, one for each role. Returns
    /// whether there are such.
    pub fn add_goals(&mut self, lane: usize, goals: &mut Vec<u16>) -> bool {
        let (chunk, bit) = (lane / CHUNK_LANES, lane % CHUNK_LANES);
        if self.scored[chunk] >> bit & 1 == 0 {
            return false;
        }
        let first = goals.len();
        goals.resize(first + self.game.roles(), 0);
        let (chunks, bits) = (self.chunks, self.slots.bits());
        for goal in self.game.image().goals() {
            if bits[goal.slot as usize * chunks + chunk] >> bit & 1 == 1 {
                goals[first + usize::from(goal.role)] = goal.value;
            }
        }
        true
    }
}

/// Calls back with the chunks of some lanes and which of their bits those are.
#[inline]
fn for_masks(lanes: Range<usize>, mut each: impl FnMut(usize, u64)) {
    let mut lane = lanes.start;
    while lane < lanes.end {
        let (chunk, bit) = (lane / CHUNK_LANES, lane % CHUNK_LANES);
        let count = (CHUNK_LANES - bit).min(lanes.end - lane);
        each(chunk, u64::MAX >> (CHUNK_LANES - count) << bit);
        lane += count;
    }
}

/// The widest word whose slots are not too large, 64 lanes at least.
fn width(slots: usize) -> WordWidth {
    let fits = |width: &WordWidth| slots * width.lanes() as usize / 8 <= MOST_BYTES;
    let widths = [WordWidth::Wide512, WordWidth::Wide256, WordWidth::Wide128];
    let available = widths.into_iter().filter(|width| *width <= widest_word());
    available.into_iter().find(fits).unwrap_or(WordWidth::SixtyFour)
}

/// Slots of whatever word, seen as chunks of 64 lanes.
trait Slots: Debug + Send {
    fn run(&mut self, section: Section);
    fn bits(&mut self) -> &mut [u64];
    /// Puts words of 64 lanes into all chunks of a slot each.
    fn spread(&mut self, first: usize, words: &[u64]);
    /// The lanes in which every role has exactly one goal.
    fn scored(&mut self, lanes: &mut [u64]);
}

/// Slots of words `W`.
#[derive(Debug)]
struct WordSlots<W> {
    game: Game,
    code: Option<Arc<NativeCode>>,
    slots: Vec<W>,
}

impl<W: Word> Slots for WordSlots<W> {
    fn run(&mut self, section: Section) {
        match HostCircuit::new(self.game.image(), self.code.clone()) {
            Ok(circuit) => circuit.run(section, &mut self.slots),
            Err(error) => unreachable!("the code was made of this image: {error}"),
        }
    }

    fn bits(&mut self) -> &mut [u64] {
        cast_slice_mut(&mut self.slots)
    }

    fn spread(&mut self, first: usize, words: &[u64]) {
        for (slot, &word) in self.slots[first..].iter_mut().zip(words) {
            for chunk in 0..W::LANES / CHUNK_LANES {
                slot.set_chunk(chunk, word);
            }
        }
    }

    fn scored(&mut self, lanes: &mut [u64]) {
        let scored = scored_lanes(self.game.image(), &self.slots);
        for (chunk, lanes) in lanes.iter_mut().enumerate() {
            *lanes = scored.chunk(chunk);
        }
    }
}

struct Making<'a> {
    game: &'a Game,
}

impl Task for Making<'_> {
    type Output = Box<dyn Slots>;

    fn run<W: Word>(self) -> Self::Output {
        let image = self.game.image();
        let code = HostEngine::new(EngineChoice::Auto).code(image, W::LANES).ok().flatten();
        Box::new(WordSlots { game: self.game.clone(), code, slots: vec![W::ZERO; image.slots()] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_cover_their_lanes_once() {
        for (start, end) in [(0, 0), (0, 64), (3, 5), (60, 130), (64, 128), (0, 512)] {
            let mut found = [0_u64; 8];
            for_masks(start..end, |chunk, mask| {
                assert_eq!(found[chunk] & mask, 0);
                found[chunk] |= mask;
            });
            let is_set = |lane: usize| found[lane / 64] >> (lane % 64) & 1 == 1;
            assert!((0..512).all(|lane| is_set(lane) == (start..end).contains(&lane)));
        }
    }

    #[test]
    fn ends_after_each_move_are_those_of_states() {
        for name in ["tictactoe", "connectfour", "breakthrough", "nim", "blocker", "eightpuzzle"] {
            let game = Game::bundled(name).expect("a bundled game");
            let mut outlook = Outlook::new(&game);
            let mut state = game.initial();
            for ply in 0_usize.. {
                if state.is_terminal() || state.stuck_role().is_some() || ply > 60 {
                    break;
                }
                check(&mut outlook, &state);
                let pick = |role| state.legal(role)[(ply * 7 + role) % state.legal(role).len()];
                let joint: Vec<u32> = (0..game.roles()).map(pick).collect();
                state = state.play(&joint).expect("it is legal");
            }
        }
    }

    /// All joint moves of a state.
    fn check(outlook: &mut Outlook, state: &ruche_game::State) {
        let roles = state.game().roles();
        let count: usize = (0..roles).map(|role| state.legal(role).len()).product();
        outlook.clear();
        // Others come before.
        outlook.load(state.position(), 5);
        let lanes = outlook.load(state.position(), count);
        outlook.run_legal();
        let mut repeat = 1;
        for role in 0..roles {
            outlook.choose(0..5, role, &state.legal(role)[..1], 1, 0);
            outlook.choose(lanes.clone(), role, state.legal(role), repeat, 0);
            repeat *= state.legal(role).len();
        }
        outlook.play();
        let is_over = |lane: &usize| outlook.first_end(*lane..lane + 1).is_some();
        assert_eq!(outlook.first_end(lanes.clone()), lanes.clone().find(is_over));
        for (index, lane) in lanes.enumerate() {
            let mut rest = index;
            let joint: Vec<u32> = (0..roles)
                .map(|role| {
                    let legal = state.legal(role);
                    let number = legal[rest % legal.len()];
                    rest /= legal.len();
                    number
                })
                .collect();
            let next = state.play(&joint).expect("it is legal");
            let is_over = outlook.first_end(lane..lane + 1).is_some();
            assert_eq!(is_over, next.is_terminal());
            if is_over {
                let mut goals = Vec::new();
                let is_scored = outlook.add_goals(lane, &mut goals);
                assert_eq!(is_scored.then_some(goals), next.goals());
            }
        }
    }
}
