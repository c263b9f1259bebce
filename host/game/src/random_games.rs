//! 64 random games side by side, to see what happens in a game.

use ruche_eval::chooser::{self, Chooser};
use ruche_eval::circuit::{Circuit, Interpreted};
use ruche_eval::streams::Streams;
use ruche_shared::Image;
use ruche_shared::image::Section;
use ruche_shared::stream::PositionStreams;

/// Plies that are looked at in each game.
const PLIES: u64 = 1024;

/// Slots that may be written for it: a fraction of a second's worth.
const MOST_WORK: u64 = 200_000_000;

/// Less says nothing.
const LEAST_PLIES: u64 = 32;

/// How many plies of a game to look at; nothing if few are too much work.
pub(crate) fn plies(image: &Image<'_>) -> Option<u64> {
    let work = (image.slots() + image.moves() + image.fluents()).max(1) as u64;
    Some(PLIES.min(MOST_WORK / work)).filter(|&plies| plies >= LEAST_PLIES)
}

/// Random games, the same every time.
pub(crate) struct RandomGames<'a> {
    pub(crate) image: Image<'a>,
    /// A word of each slot: a bit for each game.
    pub(crate) slots: Vec<u64>,
    memory: Vec<u64>,
    streams: Streams<u64>,
}

impl<'a> RandomGames<'a> {
    pub(crate) fn new(image: &Image<'a>) -> Self {
        let mut streams = Streams::new();
        streams.set(u64::MAX, |lane| PositionStreams::new(0, 0).playout(lane as u64));
        let mut games = Self {
            image: *image,
            slots: vec![0; image.slots()],
            memory: vec![0; chooser::working_words(image)],
            streams,
        };
        games.begin(u64::MAX);
        games
    }

    /// Some games begin again.
    fn begin(&mut self, games: u64) {
        let initial = self.image.initial();
        for (fluent, slot) in self.slots[..self.image.fluents()].iter_mut().enumerate() {
            let holds = initial[fluent / 32] >> (fluent % 32) & 1 == 1;
            *slot = if holds { *slot | games } else { *slot & !games };
        }
    }

    /// Finds the legal moves. Games that are over begin again, after somebody has seen
    /// their goals; returns which.
    pub(crate) fn find_moves(&mut self, mut see_goals: impl FnMut(&Self, u64)) -> u64 {
        self.run(Section::Legal);
        let over = self.slots[self.image.terminal_slot()];
        if over != 0 {
            self.run(Section::Goal);
            see_goals(self, over);
            self.begin(over);
            self.run(Section::Legal);
        }
        over
    }

    /// Takes moves of a role back that were found, in some games and where it has others.
    pub(crate) fn put_off(&mut self, role: usize, put_off: &[bool], games: u64) {
        let range = self.image.move_slots(role);
        let moves = &mut self.slots[range];
        let others = moves.iter().zip(put_off).filter(|(_, put_off)| !**put_off);
        let has_others = others.fold(0, |all, (legal, _)| all | legal);
        let later = moves.iter_mut().zip(put_off).filter(|(_, put_off)| **put_off);
        later.for_each(|(legal, _)| *legal &= !(has_others & games));
    }

    /// Plays a move of each role. Games that cannot go on begin again; returns which.
    pub(crate) fn play(&mut self) -> u64 {
        let stuck = self.choose();
        self.go_on(stuck);
        stuck
    }

    /// As [`play`](Self::play), but where a role has chosen one of some moves in some games,
    /// it plays the first of those that are `instead` and legal.
    pub(crate) fn play_instead(
        &mut self,
        role: usize,
        (some, instead): (&[bool], &[bool]),
        games: u64,
    ) {
        let range = self.image.move_slots(role);
        let legal = self.slots[range.clone()].to_vec();
        let stuck = self.choose();
        let chosen = &mut self.slots[range];
        let others = legal.iter().zip(instead).filter(|(_, instead)| **instead);
        let mut open = games & others.fold(0, |all, (legal, _)| all | legal);
        let mut changed = 0;
        for (chosen, _) in chosen.iter_mut().zip(some).filter(|(_, some)| **some) {
            changed |= *chosen & open;
            *chosen &= !open;
        }
        open = changed;
        let instead = chosen.iter_mut().zip(legal).zip(instead).filter(|(_, instead)| **instead);
        for ((chosen, legal), _) in instead {
            *chosen |= legal & open;
            open &= !legal;
        }
        self.go_on(stuck);
    }

    /// Draws a move of each role among those that were found. Returns the games that are
    /// stuck.
    fn choose(&mut self) -> u64 {
        let image = self.image;
        let moves = &mut self.slots[image.fluents()..][..image.moves()];
        self.memory.fill(0);
        Chooser::new(&image, &mut self.memory).choose(&image, moves, &mut self.streams)
    }

    fn go_on(&mut self, stuck: u64) {
        self.run(Section::Next);
        self.begin(stuck);
    }

    fn run(&mut self, section: Section) {
        Interpreted(self.image).run(section, &mut self.slots);
    }

    /// For each move the games in which it is legal in an image of the same positions.
    pub(crate) fn legal_in(&self, other: &Image<'_>, slots: &mut Vec<u64>) {
        slots.resize(other.slots(), 0);
        let fluents = self.image.fluents();
        slots[..fluents].copy_from_slice(&self.slots[..fluents]);
        Interpreted(*other).run(Section::Legal, slots);
    }
}
