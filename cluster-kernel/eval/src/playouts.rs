//! Playouts: random games from positions to their ends, one in each lane.
//!
//! A [`Player`] takes stretches of playouts from a [`Queue`] and keeps its lanes
//! busy: a lane whose game has ended gets the next playout, from the same position
//! or from another one, as soon as a few lanes can be refilled in one go. Nothing
//! of what a playout does depends on its lane or on what the other lanes do,
//! because its random numbers come from a stream of its own.

mod flights;
mod landing;
mod numbers;

use core::fmt::Debug;

use ruche_shared::Image;
use ruche_shared::image::Section;
use ruche_shared::stream::PositionStreams;
pub use ruche_shared::wire::results::{Best, Tally};
use thiserror::Error;

use crate::circuit::Circuit;
use crate::policy::{Policy, Uniform};
use crate::streams::Streams;
use crate::word::Word;
use flights::Flights;
use landing::{Cut, Finish};
use numbers::Numbers;

/// Playouts from one position, with consecutive numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// By what the queue knows the position.
    pub ticket: u32,
    /// The number of the position in the run.
    pub number: u64,
    /// The random streams of the position.
    pub streams: PositionStreams,
    /// The number of the first playout.
    pub first: u64,
    /// How many playouts.
    pub count: u64,
}

/// Hands out playouts and takes what comes of them.
pub trait Queue {
    /// The next playouts to play, at least one; `None` when all are handed out.
    fn next(&mut self) -> Option<Stretch>;

    /// The position of the stretch that was handed out last, which has this
    /// ticket.
    fn position(&self, ticket: u32) -> &[u32];

    /// Some playouts of a ticket are over. Plies may be told before the playouts
    /// that they belong to, but never after the last of them.
    fn add(&mut self, ticket: u32, tally: &Tally);

    /// Playouts of a ticket that were scored brought a role so much together.
    fn add_score(&mut self, ticket: u32, role: usize, sum: u64);

    /// Whether nobody waits any longer for the playouts that are under way. Asked before
    /// each ply; they are forgotten then.
    #[inline(always)]
    fn is_abandoned(&self) -> bool {
        false
    }

    /// In a game of one role: the best of some playouts of a ticket that were scored. It is
    /// told only if it has at least the [goal to beat](Self::goal_to_beat).
    #[inline(always)]
    fn add_best(&mut self, ticket: u32, best: Best) {
        let _ = (ticket, best);
    }

    /// The goal of the best playout of a ticket so far. Nothing beats it where nobody wants
    /// to know.
    #[inline(always)]
    fn goal_to_beat(&self, ticket: u32) -> u64 {
        let _ = ticket;
        u64::MAX
    }
}

/// A playout that has not ended after so many plies is cut, unless somebody
/// decides otherwise. The longest games of the GGP archives have some hundred.
pub const DEFAULT_PLY_LIMIT: u32 = 2000;

/// Why a game cannot be played in some memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PlayerError {
    /// The memory is too small.
    #[error("playouts of this game need {needed} words, but there are only {found}")]
    TooFewWords {
        /// Words that are needed.
        needed: usize,
        /// Words that were given.
        found: usize,
    },
}

/// Words of memory that a player of this game needs: slots, what its policy asks for, and
/// the numbers of playouts where they are asked for.
#[must_use]
pub fn working_words(image: &Image<'_>, policy: &impl Policy) -> usize {
    image.slots() + policy.working_words(image) + numbers::working_words(image)
}

/// The parts of a ply, for whoever wants to know where the time goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlyPart {
    /// The sections legal and next.
    Gates,
    /// Choosing moves.
    Chooser,
    /// The section goal and adding up what it says.
    Goals,
    /// Counting playouts that are over and starting others.
    Refill,
}

/// Told whenever a part of a ply is done, if somebody wants to know.
pub type Probe<'a> = Option<&'a mut dyn FnMut(PlyPart)>;

#[inline(always)]
fn tell(probe: &mut Probe<'_>, part: PlyPart) {
    if let Some(done) = probe {
        done(part);
    }
}

/// Refilling costs almost the same for one lane as for sixteen, so lanes wait
/// until so many stand idle: of the time of a ply a thirty-second is lost at
/// most, and refilling all 64 bits of their streams and all fluents of their
/// positions happens a fourth as often in a game of 64 plies.
const fn worth_refilling<W: Word>() -> u32 {
    (W::LANES / 16) as u32
}

/// Plays the games of one core.
#[derive(Debug)]
pub struct Player<'memory, W: Word, C, P: Policy = Uniform> {
    circuit: C,
    slots: &'memory mut [W],
    chooser: P::Chooser<'memory, W>,
    streams: Streams<W>,
    flights: Flights<W>,
    numbers: Numbers<'memory>,
    ply_limit: u32,
}

impl<'memory, W: Word, C: Circuit<W>> Player<'memory, W, C> {
    /// A player whose moves are all as likely, in [`working_words`] words of memory.
    ///
    /// # Errors
    /// If there are fewer.
    pub fn new(circuit: C, memory: &'memory mut [W], ply_limit: u32) -> Result<Self, PlayerError> {
        Self::with_policy(circuit, Uniform, memory, ply_limit)
    }
}

impl<'memory, W: Word, C: Circuit<W>, P: Policy> Player<'memory, W, C, P> {
    /// A player that chooses moves by a policy, in [`working_words`] words of memory.
    ///
    /// # Errors
    /// If there are fewer.
    pub fn with_policy(
        circuit: C,
        policy: P,
        memory: &'memory mut [W],
        ply_limit: u32,
    ) -> Result<Self, PlayerError> {
        let image = *circuit.image();
        let (needed, found) = (working_words(&image, &policy), memory.len());
        let memory = memory.get_mut(..needed).ok_or(PlayerError::TooFewWords { needed, found })?;
        // Remains of another game must not be able to change a result.
        memory.fill(W::ZERO);
        let (slots, memory) = memory.split_at_mut(image.slots());
        let (numbers, memory) = memory.split_at_mut(numbers::working_words(&image));
        Ok(Self {
            chooser: policy.chooser(&image, memory),
            slots,
            streams: Streams::new(),
            flights: Flights::new(),
            numbers: Numbers::new(numbers),
            ply_limit,
            circuit,
        })
    }

    /// Plays until the queue is empty and all its playouts have ended, or it is abandoned.
    #[inline(always)]
    pub fn play(&mut self, queue: &mut impl Queue, mut probe: Probe<'_>) {
        let (mut idle, mut is_dry) = (W::ONES, false);
        loop {
            let is_worth_it = idle.count() >= worth_refilling::<W>();
            if !is_dry && (is_worth_it || idle == W::ONES) {
                idle = self.refill(idle, queue);
                is_dry = !idle.is_zero();
            }
            tell(&mut probe, PlyPart::Refill);
            if idle == W::ONES {
                break;
            }
            if queue.is_abandoned() {
                self.flights = Flights::new();
                break;
            }
            idle = idle | self.ply(queue, &mut probe);
        }
    }

    /// One ply in all lanes. Returns those whose playouts are over.
    #[inline(always)]
    fn ply(&mut self, queue: &mut impl Queue, probe: &mut Probe<'_>) -> W {
        let mut over = Over { ended: W::ZERO, stuck: W::ZERO, overdue: W::ZERO };
        // One loop instead of three calls: the evaluation of a section is long,
        // and it is inlined.
        for section in Section::ALL {
            if !self.is_due(section, &mut over, probe) {
                continue;
            }
            self.circuit.run(section, self.slots);
            match section {
                Section::Legal => self.survey(&mut over),
                Section::Goal => self.score(over.ended, queue),
                Section::Next => {}
            }
            tell(probe, if section == Section::Goal { PlyPart::Goals } else { PlyPart::Gates });
        }
        if !over.cut().is_zero() {
            self.cut(&over, queue);
        }
        self.flights.tick();
        over.ended | over.cut()
    }

    /// Whether a section has anything to do; before the next states moves are
    /// chosen.
    #[inline(always)]
    fn is_due(&mut self, section: Section, over: &mut Over<W>, probe: &mut Probe<'_>) -> bool {
        match section {
            Section::Legal => true,
            Section::Goal => !over.ended.is_zero(),
            Section::Next => {
                let going = self.flights.flying() & !over.overdue;
                if going.is_zero() {
                    return false;
                }
                let image = self.circuit.image();
                let moves = &mut self.slots[image.fluents()..][..image.moves()];
                let chooser = &mut self.chooser;
                over.stuck = going & P::choose(chooser, image, moves, &mut self.streams);
                tell(probe, PlyPart::Chooser);
                true
            }
        }
    }

    /// Finds the lanes that have ended, or should have.
    #[inline(always)]
    fn survey(&mut self, over: &mut Over<W>) {
        let terminal = self.slots[self.circuit.image().terminal_slot()];
        over.ended = self.flights.flying() & terminal;
        over.overdue = self.flights.overdue(self.ply_limit) & !over.ended;
    }

    /// Adds up the goals of the lanes that have ended.
    #[inline(always)]
    fn score(&mut self, ended: W, queue: &mut impl Queue) {
        let image = self.circuit.image();
        let slots = &*self.slots;
        let sound = scored_lanes(image, slots);
        let numbers = &self.numbers;
        self.flights.land(ended, &mut Finish { image, slots, sound, numbers, queue });
    }

    /// Counts playouts that have no end.
    #[inline(always)]
    fn cut(&mut self, over: &Over<W>, queue: &mut impl Queue) {
        self.flights.land(over.cut(), &mut Cut { over, queue });
    }

    /// Puts new playouts into lanes, as long as the queue has any. Returns the
    /// lanes for which there was none.
    #[inline(always)]
    fn refill(&mut self, lanes: W, queue: &mut impl Queue) -> W {
        let mut idle = lanes;
        while !idle.is_zero() {
            let Some(boarding) = self.flights.board(idle, queue) else { break };
            let position = queue.position(boarding.ticket);
            load(&mut self.slots[..self.circuit.image().fluents()], position, boarding.lanes);
            let mut number = boarding.first;
            boarding.lanes.for_each_lane(|lane| {
                self.flights.seat(lane, &boarding);
                self.streams.prepare(lane, boarding.streams.playout(number));
                number += 1;
            });
            self.numbers.set(boarding.lanes, boarding.first);
            idle = idle & !boarding.lanes;
        }
        self.streams.start(lanes & !idle);
        idle
    }
}

/// The lanes in which every role has exactly one goal, after the section goal.
#[inline(always)]
pub fn scored_lanes<W: Word>(image: &Image<'_>, slots: &[W]) -> W {
    let mut sound = W::ONES;
    let (mut role, mut some, mut several) = (0, W::ZERO, W::ZERO);
    for goal in image.goals() {
        while role < goal.role {
            sound = sound & some & !several;
            (role, some, several) = (role + 1, W::ZERO, W::ZERO);
        }
        let reached = slots[goal.slot as usize];
        several = several | (some & reached);
        some = some | reached;
    }
    match usize::from(role) + 1 == image.roles() {
        true => sound & some & !several,
        // The last roles have no goals at all.
        false => W::ZERO,
    }
}

/// Puts a position into some lanes.
#[inline(always)]
fn load<W: Word>(state: &mut [W], position: &[u32], lanes: W) {
    for (&word, slots) in position.iter().zip(state.chunks_mut(u32::BITS as usize)) {
        for (bit, slot) in slots.iter_mut().enumerate() {
            // No branch: it would be guessed wrong as often as right.
            let value = W::repeated(u64::from(word >> bit & 1).wrapping_neg());
            *slot = value.select(*slot, lanes);
        }
    }
}

/// The lanes whose playouts are over, by how they went.
#[derive(Clone, Copy, Debug)]
struct Over<W> {
    ended: W,
    stuck: W,
    overdue: W,
}

impl<W: Word> Over<W> {
    /// The lanes in which no end was reached.
    #[inline(always)]
    fn cut(&self) -> W {
        self.stuck | self.overdue
    }
}
