//! Who is on turn, seen in random games: what tells that it is a role's turn, what the
//! others play meanwhile, and who follows.

use ruche_compiler::{Turn, Turns};
use ruche_shared::Image;

use crate::random_games::{RandomGames, plies};

/// What is known of each role's turns; nothing if roles choose at the same time, or nobody
/// ever chooses.
pub(crate) fn look(image: &Image<'_>) -> Option<Turns> {
    let mut watch = Watch::new(image);
    for _ in 0..plies(image)? {
        watch.ply()?;
    }
    Some(watch.turns())
}

/// What was seen of the turns of a role.
#[derive(Clone, Debug)]
struct Seen {
    /// For each fluent whether it was ever true, and ever false.
    fluents: Vec<[bool; 2]>,
    /// For each other role the moves that it had.
    waiting: Vec<Waiting>,
    followers: Vec<bool>,
    is_any: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waiting {
    Unknown,
    /// Always this one.
    One(usize),
    Several,
}

/// What was seen so far.
struct Watch<'a> {
    games: RandomGames<'a>,
    roles: Vec<Seen>,
    /// For each role the games in which it has just chosen.
    before: Vec<u64>,
    /// Plies that were seen, and in how many games each fluent held then.
    plies: u64,
    held: Vec<u64>,
    /// Whether two roles have ever had their greatest goals together.
    can_share: bool,
}

impl<'a> Watch<'a> {
    fn new(image: &Image<'a>) -> Self {
        let seen = Seen {
            fluents: vec![[false; 2]; image.fluents()],
            waiting: vec![Waiting::Unknown; image.roles()],
            followers: vec![false; image.roles()],
            is_any: false,
        };
        Self {
            games: RandomGames::new(image),
            roles: vec![seen; image.roles()],
            before: vec![0; image.roles()],
            plies: 0,
            held: vec![0; image.fluents()],
            can_share: false,
        }
    }

    /// One ply of all games; nothing if roles choose at the same time.
    fn ply(&mut self) -> Option<()> {
        let mut can_share = false;
        let over = self.games.find_moves(|games, over| can_share = are_shared(games, over));
        self.can_share |= can_share;
        self.forget(over);
        self.plies += 1;
        for (held, slot) in self.held.iter_mut().zip(&self.games.slots) {
            *held += u64::from(slot.count_ones());
        }
        self.see_turns()?;
        let stuck = self.games.play();
        self.forget(stuck);
        Some(())
    }

    /// Some games have begun again: nobody has chosen there yet.
    fn forget(&mut self, games: u64) {
        self.before.iter_mut().for_each(|before| *before &= !games);
    }

    fn see_turns(&mut self) -> Option<()> {
        let several: Vec<u64> =
            (0..self.games.image.roles()).map(|role| self.several(role)).collect();
        let mut choosing = 0;
        for &several in &several {
            if choosing & several != 0 {
                return None;
            }
            choosing |= several;
        }
        for (role, &games) in several.iter().enumerate().filter(|(_, games)| **games != 0) {
            self.see(role, games);
            for (before, &chose) in self.before.iter().enumerate() {
                self.roles[before].followers[role] |= chose & games != 0;
            }
        }
        self.before = several;
        Some(())
    }

    /// The games in which a role has several moves.
    fn several(&self, role: usize) -> u64 {
        let moves = &self.games.slots[self.games.image.move_slots(role)];
        let survey = |(some, several), &legal: &u64| (some | legal, several | some & legal);
        moves.iter().fold((0, 0), survey).1
    }

    /// It is a role's turn in some games.
    fn see(&mut self, role: usize, games: u64) {
        let seen = &mut self.roles[role];
        seen.is_any = true;
        for (seen, slot) in seen.fluents.iter_mut().zip(&self.games.slots) {
            seen[0] |= !slot & games != 0;
            seen[1] |= slot & games != 0;
        }
        for other in (0..self.games.image.roles()).filter(|&other| other != role) {
            let moves = self.games.slots[self.games.image.move_slots(other)].iter().enumerate();
            for (number, _) in moves.filter(|(_, legal)| *legal & games != 0) {
                let waiting = &mut seen.waiting[other];
                *waiting = match *waiting {
                    Waiting::Unknown => Waiting::One(number),
                    Waiting::One(one) if one == number => Waiting::One(one),
                    _ => Waiting::Several,
                };
            }
        }
    }

    fn turns(&self) -> Turns {
        let games = (self.plies * u64::from(u64::BITS)).max(1) as f64;
        Turns {
            chances: self.held.iter().map(|&held| held as f64 / games).collect(),
            roles: (0..self.games.image.roles()).map(|role| self.turn(role)).collect(),
        }
    }

    fn turn(&self, role: usize) -> Option<Turn> {
        let seen = &self.roles[role];
        let others = || (0..self.games.image.roles()).filter(|&other| other != role);
        if !seen.is_any || others().any(|other| !matches!(seen.waiting[other], Waiting::One(_))) {
            return None;
        }
        let waiting = seen.waiting.iter().map(|waiting| match waiting {
            Waiting::One(number) => Some(*number),
            _ => None,
        });
        // A fluent that is the same in the turns of all roles tells nothing of turns.
        let differs = |fluent: usize, value: bool| {
            others().any(|other| self.constant(other, fluent) == Some(!value))
        };
        let tells = |fluent| self.constant(role, fluent).filter(|&value| differs(fluent, value));
        let followers: Vec<usize> = others().filter(|&other| seen.followers[other]).collect();
        let is_sure = !seen.followers[role] && !self.can_share && followers.len() == 1;
        Some(Turn {
            fluents: (0..self.games.image.fluents()).map(tells).collect(),
            waiting: waiting.collect(),
            follower: is_sure.then(|| followers[0]),
        })
    }

    fn constant(&self, role: usize, fluent: usize) -> Option<bool> {
        match self.roles[role].fluents[fluent] {
            [true, false] => Some(false),
            [false, true] => Some(true),
            _ => None,
        }
    }
}

/// Whether two roles have their greatest goals in one of the games that are over.
fn are_shared(games: &RandomGames<'_>, over: u64) -> bool {
    let (mut seen, mut shared) = (0, 0);
    for role in 0..games.image.roles() {
        let best = games.image.role_goals(role).max_by_key(|goal| goal.value);
        let reached = best.map_or(0, |goal| games.slots[goal.slot as usize]) & over;
        shared |= seen & reached;
        seen |= reached;
    }
    shared != 0
}
