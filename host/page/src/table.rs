//! How the game stands, who plays, and what may be done. All who ask and the one who thinks
//! share one table behind a lock; whatever changes it gives it another version.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ruche_picture::Boards;
use ruche_rules::{Position, Rules, RulesError};
use ruche_search::{Limits, Stop};
use serde::{Deserialize, Serialize};

use crate::analysis::Analysis;
use crate::seat::Seat;

/// What a page is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// A game is played.
    Play,
    /// One that was played is looked at.
    Replay,
    /// A search is watched that somebody else runs.
    Watch,
}

/// A game, and who plays it.
#[derive(Debug)]
pub struct Setup {
    /// The name of the game.
    pub game: String,
    /// Its rules.
    pub rules: Rules,
    /// Its boards.
    pub boards: Arc<Boards>,
    /// Joint moves that were made.
    pub joints: Vec<Vec<String>>,
    /// Who plays each role.
    pub seats: Vec<Seat>,
    /// Who has played each role, where that is over; empty otherwise.
    pub names: Vec<String>,
    /// How long the engine thinks about a move.
    pub limits: Limits,
    /// What the page is for.
    pub mode: Mode,
}

/// A game under way.
#[derive(Debug)]
pub struct Table {
    pub(crate) setup: Setup,
    /// All positions so far, the last one last.
    pub(crate) positions: Vec<Position>,
    /// Which roles had a choice in each position but the last.
    pub(crate) choosers: Vec<Vec<bool>>,
    /// What the roles are worth in each position, as far as somebody has thought about it.
    pub(crate) values: Vec<Option<Vec<f64>>>,
    /// Moves for the last position by those who have made up their minds.
    pub(crate) chosen: Vec<Option<String>>,
    /// Counts how often moves were taken back: what was known of positions is void then.
    pub(crate) branch: u64,
    /// Nobody but persons moves meanwhile.
    pub(crate) is_paused: bool,
    /// The position that shall be analysed while nobody thinks about a move.
    pub(crate) wish: Option<usize>,
    pub(crate) analysis: Option<Analysis>,
    /// What is being thought about.
    pub(crate) task: Option<Task>,
    /// What was analysed for as long as it makes sense.
    pub(crate) analysed: Option<Spot>,
    /// Counts what makes thoughts void.
    pub(crate) epoch: u64,
    /// What went wrong last.
    pub(crate) trouble: Option<String>,
    /// Ends what the driver is doing.
    pub(crate) stop: Stop,
    pub(crate) version: u64,
    is_closed: bool,
}

/// A position of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    pub branch: u64,
    pub ply: usize,
}

/// What is to be thought about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// The moves of all in the last position who are no persons.
    Choose,
    /// A position that somebody looks at.
    Analyse(usize),
}

/// What somebody wants.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
pub enum Order {
    /// A person moves: the place of a move among the legal ones of its role.
    Move {
        /// In which position, so that nobody moves in one that is gone.
        ply: usize,
        /// Of which branch.
        branch: u64,
        /// Whose move.
        role: usize,
        /// Which.
        number: usize,
    },
    /// The game goes on from an earlier position.
    Back {
        /// From which.
        ply: usize,
    },
    /// Somebody else plays a role.
    Seat {
        /// Which.
        role: usize,
        /// Who.
        player: String,
    },
    /// A position shall be analysed, or none.
    Analyse {
        /// Which.
        ply: Option<usize>,
    },
    /// Nobody moves by itself, or they go on.
    Pause {
        /// Whether nobody does.
        on: bool,
    },
    /// The engine thinks that long about a move.
    Seconds {
        /// How long.
        seconds: f64,
    },
    /// Who thinks plays what it has found by now.
    Now,
}

/// Why something is not done.
#[derive(Debug, thiserror::Error)]
pub enum OrderError {
    /// The position is gone.
    #[error("the game is elsewhere by now")]
    Gone,
    /// There is no such role, move or position.
    #[error("there is no such {0}")]
    Unknown(&'static str),
    /// It is not for this page.
    #[error("a search is watched here: nothing can be played")]
    Watching,
    /// Nobody is meant.
    #[error(transparent)]
    Seat(#[from] ruche_arena::ContestantError),
    /// A time that makes no sense.
    #[error("the engine thinks between 0.05 s and an hour about a move")]
    Seconds,
    /// The rules do not allow it.
    #[error(transparent)]
    Rules(#[from] RulesError),
}

/// The shortest and the longest time for a move, in seconds.
const SECONDS: std::ops::RangeInclusive<f64> = 0.05..=3600.0;

impl Table {
    fn new(mut setup: Setup) -> Result<Self, RulesError> {
        let mut positions = vec![setup.rules.initial(None)?];
        let mut choosers = Vec::new();
        for joint in &setup.joints {
            let last = &positions[positions.len() - 1];
            choosers.push(choosing(last));
            let next = last.play(joint, None)?;
            positions.push(next);
        }
        let roles = setup.rules.roles().len();
        setup.seats.resize(roles, Seat::Engine);
        Ok(Self {
            values: vec![None; positions.len()],
            positions,
            choosers,
            chosen: vec![None; roles],
            branch: 0,
            is_paused: false,
            wish: None,
            analysis: None,
            task: None,
            analysed: None,
            epoch: 0,
            trouble: None,
            stop: Stop::default(),
            version: 1,
            is_closed: false,
            setup,
        })
    }

    /// The joint moves so far.
    #[must_use]
    pub fn joints(&self) -> &[Vec<String>] {
        &self.setup.joints
    }

    /// Who plays the roles.
    #[must_use]
    pub fn players(&self) -> Vec<String> {
        match self.setup.names.is_empty() {
            true => self.setup.seats.iter().map(ToString::to_string).collect(),
            false => self.setup.names.clone(),
        }
    }

    /// Where the game stands.
    pub(crate) fn last(&self) -> &Position {
        &self.positions[self.positions.len() - 1]
    }

    pub(crate) fn ply(&self) -> usize {
        self.positions.len() - 1
    }

    pub(crate) fn is_over(&self) -> bool {
        self.last().is_terminal() || self.last().stuck_role().is_some()
    }

    /// Whether a role has a choice that it has not made yet.
    pub(crate) fn has_turn(&self, role: usize) -> bool {
        !self.is_over() && self.chosen[role].is_none() && self.last().legal(role).len() > 1
    }

    /// Whether a role waits for a person.
    pub(crate) fn waits_for(&self, role: usize) -> bool {
        let is_person = self.setup.seats[role] == Seat::Person;
        self.setup.mode == Mode::Play && is_person && self.has_turn(role)
    }

    /// Does what somebody wants.
    ///
    /// # Errors
    /// If it cannot be done.
    pub fn follow(&mut self, order: Order) -> Result<(), OrderError> {
        let is_harmless = matches!(order, Order::Analyse { .. });
        if self.setup.mode == Mode::Watch && !is_harmless {
            return Err(OrderError::Watching);
        }
        match order {
            Order::Move { ply, branch, role, number } => {
                self.choose(ply, branch, role, number)?;
            }
            Order::Back { ply } => {
                self.go_back(ply)?;
                self.void();
            }
            Order::Seat { role, player } => {
                self.seat(role, &player)?;
                self.void();
            }
            Order::Analyse { ply } => self.analyse(ply)?,
            Order::Pause { on } => {
                self.is_paused = on;
                self.void();
            }
            Order::Seconds { seconds } => self.set_seconds(seconds)?,
            Order::Now => self.stop.request(),
        }
        self.trouble = None;
        Ok(())
    }

    /// What is being thought about a move counts no more.
    fn void(&mut self) {
        self.epoch += 1;
        self.stop.request();
    }

    fn set_seconds(&mut self, seconds: f64) -> Result<(), OrderError> {
        let is_sensible = SECONDS.contains(&seconds);
        let time = is_sensible.then(|| Duration::from_secs_f64(seconds));
        self.setup.limits = Limits::time(time.ok_or(OrderError::Seconds)?);
        Ok(())
    }

    fn choose(
        &mut self,
        ply: usize,
        branch: u64,
        role: usize,
        number: usize,
    ) -> Result<(), OrderError> {
        if (ply, branch) != (self.ply(), self.branch) || self.is_over() {
            return Err(OrderError::Gone);
        }
        if self.setup.mode == Mode::Replay {
            self.go_back(ply)?;
        }
        if role >= self.chosen.len() {
            return Err(OrderError::Unknown("role"));
        }
        let legal = self.last().legal(role);
        let text = (*legal.get(number).ok_or(OrderError::Unknown("move"))?).to_owned();
        self.chosen[role] = Some(text);
        self.advance()?;
        Ok(())
    }

    /// Goes on from an earlier position, also in a game that was only looked at.
    fn go_back(&mut self, ply: usize) -> Result<(), OrderError> {
        if ply >= self.positions.len() {
            return Err(OrderError::Unknown("position"));
        }
        self.setup.mode = Mode::Play;
        self.setup.names.clear();
        self.positions.truncate(ply + 1);
        self.values.truncate(ply + 1);
        self.setup.joints.truncate(ply);
        self.choosers.truncate(ply);
        self.chosen.fill(None);
        self.branch += 1;
        self.analysis = self.analysis.take().filter(|analysis| analysis.ply <= ply);
        self.wish = self.wish.map(|wish| wish.min(ply));
        self.advance()?;
        Ok(())
    }

    fn seat(&mut self, role: usize, player: &str) -> Result<(), OrderError> {
        let seat = Seat::parse(player.trim(), self.setup.limits)?;
        let place = self.setup.seats.get_mut(role).ok_or(OrderError::Unknown("role"))?;
        *place = seat;
        Ok(())
    }

    fn analyse(&mut self, ply: Option<usize>) -> Result<(), OrderError> {
        if ply.is_some_and(|ply| ply >= self.positions.len()) {
            return Err(OrderError::Unknown("position"));
        }
        self.wish = ply;
        self.analysed = None;
        Ok(())
    }

    pub(crate) fn spot(&self, ply: usize) -> Spot {
        Spot { branch: self.branch, ply }
    }

    /// What is to be thought about next.
    pub(crate) fn next_task(&self) -> Option<Task> {
        let is_open = |role: usize| self.setup.seats[role] != Seat::Person && self.has_turn(role);
        let is_played = self.setup.mode == Mode::Play && !self.is_paused;
        if is_played && (0..self.chosen.len()).any(is_open) {
            return Some(Task::Choose);
        }
        let wish = self.wish.filter(|_| self.setup.mode != Mode::Watch)?;
        let is_new = self.analysed != Some(self.spot(wish));
        let goes_on = !self.positions[wish].is_terminal();
        (is_new && goes_on).then_some(Task::Analyse(wish))
    }

    /// Makes the joint move if everybody knows what to do; whoever has one move plays it.
    pub(crate) fn advance(&mut self) -> Result<(), RulesError> {
        let before = self.ply();
        while !self.is_over() {
            let position = self.last();
            let only = |role: usize| match position.legal(role)[..] {
                [only] => Some(only.to_owned()),
                _ => None,
            };
            let choice = |role: usize| self.chosen[role].clone().or_else(|| only(role));
            let joint: Option<Vec<String>> = (0..self.chosen.len()).map(choice).collect();
            let Some(joint) = joint else { break };
            let next = position.play(&joint, None)?;
            self.choosers.push(choosing(position));
            self.setup.joints.push(joint);
            self.positions.push(next);
            self.values.push(None);
            self.chosen.fill(None);
        }
        // Whoever looks at the last position goes on with the game.
        if self.wish == Some(before) {
            self.wish = Some(self.ply());
        }
        Ok(())
    }
}

/// Whether each role has a choice.
fn choosing(position: &Position) -> Vec<bool> {
    let roles = 0..position.rules().roles().len();
    roles.map(|role| position.legal(role).len() > 1).collect()
}

/// The table behind its lock, and a bell that rings when it changes.
#[derive(Debug)]
pub(crate) struct Shared {
    table: Mutex<Table>,
    bell: Condvar,
}

impl Shared {
    pub fn new(setup: Setup) -> Result<Self, RulesError> {
        let mut table = Table::new(setup)?;
        if table.setup.mode == Mode::Play {
            table.advance()?;
        }
        Ok(Self { table: Mutex::new(table), bell: Condvar::new() })
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        // Whoever has failed has left the table as it was before or after a step.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the table.
    pub fn with<T>(&self, look: impl FnOnce(&Table) -> T) -> T {
        look(&self.lock())
    }

    /// Changes the table, and rings.
    pub fn change<T>(&self, change: impl FnOnce(&mut Table) -> T) -> T {
        let mut table = self.lock();
        let result = change(&mut table);
        table.version += 1;
        // Nobody thinks on about what is not asked any more.
        if matches!(table.task, Some(Task::Analyse(_))) && table.task != table.next_task() {
            table.stop.request();
        }
        drop(table);
        self.bell.notify_all();
        result
    }

    /// Waits until this finds something, the table is closed, or time is up.
    pub fn wait<T>(
        &self,
        patience: Duration,
        mut find: impl FnMut(&mut Table) -> Option<T>,
    ) -> Option<T> {
        let until = Instant::now() + patience;
        let mut table = self.lock();
        loop {
            if table.is_closed {
                return None;
            }
            if let Some(found) = find(&mut table) {
                return Some(found);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            let waited = self.bell.wait_timeout(table, left);
            table = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Nobody waits any more.
    pub fn close(&self) {
        let mut table = self.lock();
        table.is_closed = true;
        table.stop.request();
        drop(table);
        self.bell.notify_all();
    }
}
