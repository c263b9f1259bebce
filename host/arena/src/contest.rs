//! A match: many games side by side, judged in the order in which they were planned.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use ruche_eval::playouts::DEFAULT_PLY_LIMIT;
use ruche_game::Game;
use ruche_playouts::{PlayoutsError, Stop};
use thiserror::Error;

use crate::contestant::Contestant;
use crate::judge::Judge;
use crate::log::{Header, Log, LogError};
use crate::opening;
use crate::play::{PlayError, Rules, Table, Task, play};
use crate::record::GameRecord;
use crate::sprt::Sprt;
use crate::standing::Standing;

/// How often somebody looks whether to stop.
const GLANCE: Duration = Duration::from_millis(50);

/// How to play a match.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatchSettings {
    /// Games to play of each game, rounded up to whole pairs.
    pub games: u64,
    /// Random plies that each pair starts with.
    pub opening: u32,
    /// A game that has not ended after so many plies is a draw.
    pub ply_limit: u32,
    /// From which openings and players are drawn.
    pub seed: u64,
    /// Games that are played at the same time, at least one.
    pub threads: usize,
    /// When to end it before all games are played.
    pub sprt: Option<Sprt>,
}

impl Default for MatchSettings {
    /// As `ruche match` plays if nothing else is said, on one thread.
    fn default() -> Self {
        let (games, opening, ply_limit) = (100, 4, DEFAULT_PLY_LIMIT);
        Self { games, opening, ply_limit, seed: 0, threads: 1, sprt: None }
    }
}

/// Why there is no match, or none that came to its end.
#[derive(Debug, Error)]
pub enum MatchError {
    /// There is no game.
    #[error("there is no game to play: name one")]
    Nothing,
    /// A game is there twice.
    #[error("{game} is named twice: leave one away")]
    Twice {
        /// Which.
        game: String,
    },
    /// Nothing can be played in the initial position.
    #[error("{game}: nothing can be played in its initial position")]
    Over {
        /// Which game.
        game: String,
    },
    /// The game cannot be played.
    #[error("{game}: {source}")]
    Playouts {
        /// Which game.
        game: String,
        /// Why not.
        source: PlayoutsError,
    },
    /// A game has failed.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// Games cannot be kept.
    #[error(transparent)]
    Log(#[from] LogError),
}

/// Two contestants and the games that they shall play.
#[derive(Debug)]
pub struct Match {
    tables: Vec<Table>,
    contestants: [Contestant; 2],
    settings: MatchSettings,
}

/// What a thread has to tell.
type Message = Result<(Task, GameRecord), PlayError>;

impl Match {
    /// A match between two contestants over some games.
    ///
    /// # Errors
    /// If there is no game, one twice, or one that cannot be played.
    pub fn new(
        games: Vec<Game>,
        contestants: [Contestant; 2],
        settings: MatchSettings,
    ) -> Result<Self, MatchError> {
        let mut tables: Vec<Table> = Vec::new();
        for game in games {
            let name = game.name().to_owned();
            if tables.iter().any(|table| table.game.name() == name) {
                return Err(MatchError::Twice { game: name });
            }
            if !opening::goes_on(&game.initial()) {
                return Err(MatchError::Over { game: name });
            }
            let table = Table::new(game);
            tables.push(table.map_err(|source| MatchError::Playouts { game: name, source })?);
        }
        match tables.is_empty() {
            true => Err(MatchError::Nothing),
            false => Ok(Self { tables, contestants, settings }),
        }
    }

    /// The names of the games.
    pub fn games(&self) -> impl Iterator<Item = &str> {
        self.tables.iter().map(|table| table.game.name())
    }

    /// The two that are compared.
    #[must_use]
    pub fn contestants(&self) -> &[Contestant; 2] {
        &self.contestants
    }

    /// How it is played.
    #[must_use]
    pub fn settings(&self) -> &MatchSettings {
        &self.settings
    }

    /// All games that there are to play at most.
    #[must_use]
    pub fn planned(&self) -> u64 {
        let games = |table: &Table| self.pairs(table) * table.assignments.len() as u64;
        self.tables.iter().map(games).sum()
    }

    /// What its games depend on: the number of games, the test and the threads are not
    /// among it.
    #[must_use]
    pub fn header(&self) -> Header {
        let [a, b] = self.contestants.each_ref().map(ToString::to_string);
        let game = |table: &Table| (table.game.name().to_owned(), table.game.image().checksum());
        let games = self.tables.iter().map(game).collect();
        let MatchSettings { seed, opening, ply_limit, .. } = self.settings;
        Header { version: Header::VERSION, a, b, games, seed, opening, ply_limit }
    }

    /// Plays what the log does not have yet, until all is played, the test is decided or
    /// somebody wants to stop. Whoever watches is told after each game how many were played
    /// and how it stands.
    ///
    /// What counts are the first pairs without a gap: so the same seed gives the same
    /// standing on any number of threads, and a match that was stopped is the beginning of
    /// the whole one.
    ///
    /// # Errors
    /// If a player fails, or a game cannot be kept.
    pub fn run(
        &self,
        log: &mut Log,
        stop: &Stop,
        watch: &mut dyn FnMut(u64, &Standing),
    ) -> Result<Standing, MatchError> {
        let standing = Standing::new(self.tables.len(), self.settings.sprt);
        let mut judge = Judge::new(self.plan(), standing);
        for record in log.records() {
            self.task_of(record).into_iter().for_each(|task| judge.take(task, record.clone()));
        }
        let missing = judge.missing();
        judge.advance();
        watch(judge.played(), judge.standing());
        if !judge.standing().is_decided() {
            self.play_all(missing, &mut judge, log, stop, watch)?;
        }
        Ok(judge.into_standing())
    }

    fn pairs(&self, table: &Table) -> u64 {
        self.settings.games.div_ceil(table.assignments.len() as u64)
    }

    /// All games, pair by pair, in the order in which pairs are judged: one of each game in
    /// turn, so that a match that ends early has played all alike.
    fn plan(&self) -> Vec<Vec<Task>> {
        let most = self.tables.iter().map(|table| self.pairs(table)).max().unwrap_or(0);
        let mut plan = Vec::new();
        for pair in 0..most {
            for (table, of_table) in self.tables.iter().enumerate() {
                if pair < self.pairs(of_table) {
                    let rounds = 0..of_table.assignments.len();
                    plan.push(rounds.map(|round| Task { table, pair, round }).collect());
                }
            }
        }
        plan
    }

    /// Which game of this match was played there; none if it is not one of it.
    fn task_of(&self, record: &GameRecord) -> Option<Task> {
        let &GameRecord { pair, round, .. } = record;
        let table = self.tables.iter().position(|table| table.game.name() == record.game)?;
        let is_planned = self.tables[table].assignments.get(round) == Some(&record.roles)
            && self.rules().pair_seed(pair) == record.seed;
        is_planned.then_some(Task { table, pair, round })
    }

    fn rules(&self) -> Rules {
        let MatchSettings { seed, opening, ply_limit, .. } = self.settings;
        Rules { seed, opening, ply_limit }
    }

    /// Plays on all threads. The calling one judges and keeps what they bring.
    fn play_all(
        &self,
        tasks: VecDeque<Task>,
        judge: &mut Judge,
        log: &mut Log,
        stop: &Stop,
        watch: &mut dyn FnMut(u64, &Standing),
    ) -> Result<(), MatchError> {
        let (queue, enough) = (Mutex::new(tasks), Stop::default());
        let (sender, receiver) = channel();
        thread::scope(|scope| {
            for _ in 0..self.settings.threads.max(1) {
                let (sender, queue, enough) = (sender.clone(), &queue, &enough);
                scope.spawn(move || self.work(queue, &sender, enough));
            }
            drop(sender);
            let result = collect(&receiver, stop, &enough, |task, record| {
                log.append(&record)?;
                judge.take(task, record);
                judge.advance();
                watch(judge.played(), judge.standing());
                Ok(judge.standing().is_decided())
            });
            enough.request();
            result
        })
    }

    /// Plays games until there is none left or it is enough.
    fn work(&self, queue: &Mutex<VecDeque<Task>>, sender: &Sender<Message>, enough: &Stop) {
        let rules = self.rules();
        let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        while let Some(task) = next().filter(|_| !enough.is_requested()) {
            let played = play(&self.tables[task.table], &self.contestants, (task, &rules), enough);
            let Some(message) = played.map(|record| Some((task, record?))).transpose() else {
                return;
            };
            // Who does not listen any more has heard enough.
            if sender.send(message).is_err() {
                return;
            }
        }
    }
}

/// Takes games as they end, until all threads are done, it is enough or something fails.
fn collect(
    receiver: &Receiver<Message>,
    stop: &Stop,
    enough: &Stop,
    mut take: impl FnMut(Task, GameRecord) -> Result<bool, MatchError>,
) -> Result<(), MatchError> {
    loop {
        match receiver.recv_timeout(GLANCE) {
            Ok(message) => {
                let (task, record) = message?;
                if take(task, record)? {
                    return Ok(());
                }
            }
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if stop.is_requested() {
            enough.request();
        }
    }
}
