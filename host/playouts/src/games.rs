//! Playouts one by one: how each went, instead of sums.

use std::sync::Arc;

use ruche_eval::Word;
use ruche_eval::playouts::{Player, Queue, Stretch, Tally};
use ruche_native::NativeCode;
use ruche_shared::Image;
use ruche_shared::stream::PositionStreams;

use crate::engine::HostCircuit;
use crate::replay::PlayoutName;
use crate::run::{PlayoutSettings, PlayoutsError, WorkingMemory};
use crate::words::{Task, with_word};

/// How single playouts went, one after the other.
///
/// There may be millions: a playout takes five bytes and two for each role.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Games {
    plies: Vec<u32>,
    endings: Vec<Ending>,
    /// For each playout and role; zeros if it has no score.
    goals: Vec<u16>,
    roles: usize,
}

/// How a playout ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With exactly one goal for each role.
    Scored,
    /// Some role had no goal or several.
    Unscored,
    /// Some role had no legal move.
    Stuck,
    /// It was cut at the limit of plies.
    Endless,
}

impl Games {
    fn new(playouts: usize, roles: usize) -> Self {
        let (plies, endings) = (vec![0; playouts], vec![Ending::Endless; playouts]);
        Self { plies, endings, goals: vec![0; playouts * roles], roles }
    }

    /// How a playout ended.
    #[must_use]
    pub fn ending(&self, index: usize) -> Ending {
        self.endings[index]
    }

    /// How a playout went: what it counts for.
    #[must_use]
    pub fn tally(&self, index: usize) -> Tally {
        let ending = self.endings[index];
        let is = |other| u64::from(ending == other);
        Tally {
            scored: is(Ending::Scored),
            unscored: is(Ending::Unscored),
            stuck: is(Ending::Stuck),
            endless: is(Ending::Endless),
            plies: self.plies[index].into(),
        }
    }

    /// The goals of all roles in a playout; zeros if it has no score.
    #[must_use]
    pub fn goals(&self, index: usize) -> &[u16] {
        &self.goals[index * self.roles..][..self.roles]
    }
}

/// What is to be played, and where the results go: each playout has a ticket.
pub(crate) struct OneByOne<'a> {
    positions: &'a [&'a [u32]],
    seed: u64,
    /// The number of the first position.
    first: u64,
    /// The number of the first playout of each.
    first_playout: u64,
    each: u64,
    taken: u64,
    games: Games,
}

impl<'a> OneByOne<'a> {
    /// Playouts of positions that are numbered from `first` on.
    fn new(positions: &'a [&'a [u32]], seed: u64, first: u64, each: u64, roles: usize) -> Self {
        let games = Games::new(positions.len() * each as usize, roles);
        Self { positions, seed, first, first_playout: 0, each, taken: 0, games }
    }

    /// One playout of one position.
    pub fn single(positions: &'a [&'a [u32]; 1], name: PlayoutName, roles: usize) -> Self {
        let PlayoutName { seed, position, playout } = name;
        Self { first_playout: playout, ..Self::new(positions, seed, position, 1, roles) }
    }

    /// How they went.
    pub fn into_games(self) -> Games {
        self.games
    }
}

impl Queue for OneByOne<'_> {
    fn next(&mut self) -> Option<Stretch> {
        let position = self.taken / self.each.max(1);
        if self.each == 0 || position >= self.positions.len() as u64 {
            return None;
        }
        let (number, ticket) = (self.first.wrapping_add(position), self.taken as u32);
        let first = self.first_playout.wrapping_add(self.taken % self.each);
        self.taken += 1;
        let streams = PositionStreams::new(self.seed, number);
        Some(Stretch { ticket, number, streams, first, count: 1 })
    }

    fn position(&self, ticket: u32) -> &[u32] {
        self.positions[(u64::from(ticket) / self.each) as usize]
    }

    fn add(&mut self, ticket: u32, tally: &Tally) {
        let index = ticket as usize;
        self.games.plies[index] += tally.plies as u32;
        let endings = [
            (tally.scored, Ending::Scored),
            (tally.unscored, Ending::Unscored),
            (tally.stuck, Ending::Stuck),
        ];
        if let Some((_, ending)) = endings.into_iter().find(|(count, _)| *count > 0) {
            self.games.endings[index] = ending;
        }
    }

    fn add_score(&mut self, ticket: u32, role: usize, sum: u64) {
        self.games.goals[ticket as usize * self.games.roles + role] += sum as u16;
    }
}

struct PlayGames<'a, 'q> {
    image: &'a Image<'a>,
    code: &'a Option<Arc<NativeCode>>,
    queue: OneByOne<'q>,
    ply_limit: u32,
}

impl Task for PlayGames<'_, '_> {
    type Output = Result<Games, PlayoutsError>;

    #[inline(always)]
    fn run<W: Word>(self) -> Self::Output {
        let Self { image, code, mut queue, ply_limit } = self;
        let mut memory = WorkingMemory::<W>::new(image);
        let mut player =
            Player::new(HostCircuit::new(image, code.clone())?, memory.words(), ply_limit)?;
        player.play(&mut queue, None);
        Ok(queue.games)
    }
}

/// Plays each of some playouts for itself.
pub(crate) fn games(
    image: &Image<'_>,
    code: &Option<Arc<NativeCode>>,
    first: u64,
    positions: &[&[u32]],
    each: u64,
    settings: &PlayoutSettings,
) -> Result<Games, PlayoutsError> {
    let queue = OneByOne::new(positions, settings.seed, first, each, image.roles());
    let ply_limit = settings.ply_limit;
    with_word(settings.width, PlayGames { image, code, queue, ply_limit })
}
