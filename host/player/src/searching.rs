//! Moves that our search finds.

use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use ruche_clusters::ConnectError;
use ruche_game::{Game, State};
use ruche_offload::Offload;
use ruche_search::{
    Limits, MoveReport, Progress, SearchError, SearchReport, SearchSettings, Searcher, Stop,
};
use thiserror::Error;

use crate::settings::PlayerSettings;

/// Why nobody searches.
#[derive(Debug, Error)]
pub(crate) enum SearchingError {
    #[error(transparent)]
    Connect(#[from] ConnectError),
    #[error(transparent)]
    Search(#[from] SearchError),
}

/// A search of one game that goes on as long as the match does.
pub(crate) struct Searching {
    game: Game,
    searcher: Box<dyn Searcher>,
    offload: Box<dyn Offload>,
    root: State,
    /// Whether nothing is left to find out about the root.
    is_settled: bool,
    /// Joint moves that are expected from the root on.
    line: Vec<Vec<u32>>,
    /// Whether the match came to the root as it was expected to.
    is_expected: bool,
    /// Playouts from each leaf.
    each: u32,
    /// Playouts since this is the root.
    played: u64,
    /// What the last thought was worth.
    thought: Option<Thought>,
    /// Bytes of the tree.
    bytes: u64,
    /// How long it takes to move the root, for each byte of the tree.
    seconds_per_byte: f64,
    random: Pcg64Mcg,
}

/// What was known of a position, and what was found out when a move was needed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Thought {
    /// Playouts in the tree in the end.
    pub playouts: u64,
    /// Those of them that were there when the move was asked for.
    pub known: u64,
    /// Whether the others have moved as expected.
    pub is_expected: bool,
}

/// How long the first look takes, which says how fast the game is.
const FIRST_LOOK: Duration = Duration::from_millis(150);
/// How long a batch may take: nobody stops it.
const BATCH_TIME: Duration = Duration::from_millis(25);
/// Trees that are smaller say nothing about how long it takes to move a root.
const MEASURABLE: u64 = 1 << 20;
/// Shares of a mixed strategy that are not worth a risk.
const LEAST_SHARE: f64 = 0.05;

impl Searching {
    /// Begins to search a game. Batches are smaller where the game is slow.
    pub fn new(game: &Game, settings: &PlayerSettings) -> Result<Self, SearchingError> {
        let played = settings.search.options().game_of_playouts(game);
        let mut offload = (settings.connect)(&played)?;
        let mut searcher = settings.method.start(game, &settings.search)?;
        let limits = Limits::time(FIRST_LOOK);
        let report = searcher.search(&mut *offload, &limits, &Stop::default(), &mut |_| ())?;
        // Where all is known already, batches are as good as any.
        let quick = match report.is_complete {
            true => settings.search,
            false => smaller_batches(&settings.search, &report),
        };
        let each = quick.options().playouts_per_position;
        if quick != settings.search {
            searcher = settings.method.start(game, &quick)?;
        }
        let (root, random) = (game.initial(), Pcg64Mcg::seed_from_u64(0));
        Ok(Self {
            game: game.clone(),
            searcher,
            offload,
            root,
            is_settled: report.is_complete,
            line: Vec::new(),
            is_expected: true,
            each,
            played: 0,
            thought: None,
            bytes: report.bytes,
            seconds_per_byte: 2e-9,
            random,
        })
    }

    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Searches from this state from now on.
    pub fn set_position(&mut self, state: &State) -> Result<(), SearchError> {
        if self.root == *state {
            return Ok(());
        }
        let start = Instant::now();
        self.searcher.set_position(state)?;
        self.follow_line(state);
        (self.root, self.is_settled, self.played) = (state.clone(), false, 0);
        if self.bytes > MEASURABLE {
            self.seconds_per_byte = start.elapsed().as_secs_f64() / self.bytes as f64;
        }
        Ok(())
    }

    /// Notes whether a state was expected, and what is expected from there.
    fn follow_line(&mut self, state: &State) {
        let mut place = self.root.clone();
        let comes_there = |joint: &Vec<u32>| {
            place = place.play(joint).ok()?;
            Some(place == *state)
        };
        let steps = self.line.iter().map_while(comes_there).position(|is_there| is_there);
        self.is_expected = steps.is_some();
        self.line.drain(..steps.map_or(self.line.len(), |last| last + 1));
    }

    /// Notes what was found out.
    fn note(&mut self, report: &SearchReport) {
        (self.is_settled, self.bytes) = (report.is_complete, report.bytes);
        self.played = report.tally.playouts() + report.terminal_visits * u64::from(self.each);
        let choosing = report.roles.iter().find(|of_role| of_role.moves.len() > 1);
        let best = choosing.and_then(|of_role| of_role.moves.first());
        self.line = best.map(|best| best.line.clone()).unwrap_or_default();
    }

    /// The move of a role that the search expects in a state that comes next, should there
    /// be no time to move the root there.
    pub fn expected(&mut self, state: &State, role: usize) -> Option<u32> {
        if self.root == *state {
            return None;
        }
        let report = self.searcher.report();
        let lines = report.roles.iter().flat_map(|of_role| &of_role.moves).map(|each| &each.line);
        let mut lines = lines.filter(|line| line.len() > 1);
        let line = lines.find(|line| self.root.play(&line[0]).is_ok_and(|next| next == *state))?;
        line[1].get(role).copied().filter(|number| state.legal(role).contains(number))
    }

    /// Where the match will be after a move of a role, if nobody else has a choice.
    pub fn follower(&self, role: usize, number: u32) -> Option<State> {
        let mut joint = Vec::new();
        for other in 0..self.game.roles() {
            match self.root.legal(other) {
                _ if other == role => joint.push(number),
                [only] => joint.push(*only),
                _ => return None,
            }
        }
        self.root.play(&joint).ok()
    }

    /// Whether thinking on would find out anything, and the tree would not become so large
    /// that it takes longer than this to move its root.
    pub fn is_worth_it(&self, longest: Duration) -> bool {
        let time = self.bytes as f64 * self.seconds_per_byte;
        let goes_on = !self.root.is_terminal() && self.root.stuck_role().is_none();
        !self.is_settled && goes_on && time < longest.as_secs_f64()
    }

    /// Goes on until somebody stops it.
    pub fn ponder(&mut self, time: Duration, stop: &Stop) -> Result<(), SearchError> {
        let limits = Limits::time(time);
        let report = self.searcher.search(&mut *self.offload, &limits, stop, &mut |_| ())?;
        self.note(&report);
        Ok(())
    }

    /// The move of a role; the best one so far is told now and then.
    pub fn think(
        &mut self,
        role: usize,
        until: Instant,
        stop: &Stop,
        tell: &mut dyn FnMut(u32),
    ) -> Result<Option<u32>, SearchError> {
        self.thought = None;
        if let [only] = self.root.legal(role) {
            return Ok(Some(*only));
        }
        let before = self.played;
        let time = until.saturating_duration_since(Instant::now());
        let mut told = Instant::now();
        let mut progress = |progress: &Progress| {
            if told.elapsed() >= BATCH_TIME
                && let Some(best) = progress.best.get(role)
            {
                told = Instant::now();
                tell(*best);
            }
        };
        let report = match self.is_settled {
            true => self.searcher.report(),
            false => self.searcher.search(
                &mut *self.offload,
                &Limits::time(time),
                stop,
                &mut progress,
            )?,
        };
        self.note(&report);
        let (playouts, is_expected) = (report.playouts, self.is_expected);
        let new = self.played.saturating_sub(before);
        let known = playouts.saturating_sub(new);
        self.thought = (new > 0).then_some(Thought { playouts, known, is_expected });
        Ok(self.choose(&report, role))
    }

    /// What the last move that was asked for was based on, where there was something to
    /// find out.
    pub fn take_thought(&mut self) -> Option<Thought> {
        self.thought.take()
    }

    fn choose(&mut self, report: &SearchReport, role: usize) -> Option<u32> {
        let best = report.best.as_ref().map(|best| best[role]);
        let moves = &report.roles.get(role)?.moves;
        if moves.iter().any(|each| each.share.is_some()) {
            return self.draw(moves).or(best);
        }
        best
    }

    /// A move by its share, where roles choose at the same time: who can be foreseen can be
    /// beaten.
    fn draw(&mut self, moves: &[MoveReport]) -> Option<u32> {
        let share = |each: &MoveReport| each.share.filter(|share| *share >= LEAST_SHARE);
        let total: f64 = moves.iter().filter_map(share).sum();
        let mut left = self.random.random_range(0.0..1.0) * total;
        let drawn = moves.iter().find(|each| {
            left -= share(each).unwrap_or(0.0);
            share(each).is_some() && left <= 0.0
        });
        drawn.map(|each| each.number)
    }
}

/// Settings whose batches take no longer than a batch may.
fn smaller_batches(settings: &SearchSettings, report: &SearchReport) -> SearchSettings {
    let mut options = *settings.options();
    let speed = report.tally.playouts() as f64 / report.seconds().max(1e-3);
    let playouts = (speed * BATCH_TIME.as_secs_f64()).max(1.0);
    let each = f64::from(options.playouts_per_position).min((playouts / 4.0).max(1.0));
    options.playouts_per_position = each as u32;
    options.batch = options.batch.min((playouts / each).max(4.0) as usize);
    options.check().unwrap_or(*settings)
}
