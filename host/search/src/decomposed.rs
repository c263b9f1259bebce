//! Search of games for one that are made of parts: simulations are those of the whole game,
//! but what is learnt from them is kept for each part apart, so that what was found out about
//! one counts whatever the others do (AEJD, in its outline).
//!
//! | module | question it answers |
//! |---|---|
//! | `look` | what does a position lead to, and what can still be reached from there? |
//! | `locals` | what is known of moves inside each part? |
//! | `descent` | which move is next, and where do playouts begin? |
//!
//! A wrong decomposition costs time and nothing else: moves are those of the game, ends are
//! seen in the game, and a position is only given up for good when no move of it can lead to
//! more than the best score that was played.

mod descent;
mod locals;
mod look;

use std::hash::Hasher;
use std::time::{Duration, Instant};

use fnv::FnvHasher;
use ruche_game::{Game, State, StateError};
use ruche_offload::{Attributes, Batch, Best, Finished, Offload, Tally};
use ruche_playouts::{PlayoutName, replay};
use rustc_hash::FxHashMap;

use crate::Searcher;
use crate::answer::{self, Failure};
use crate::limits::{Deadline, Limits, MOST_PLAYOUTS, Stop};
use crate::method::SearchMethod;
use crate::report::{
    BestLine, MoveReport, Progress, RoleReport, SearchError, SearchReport, TimeSplit,
};
use crate::settings::SearchSettings;
use crate::uct::Uct;
use descent::{Descents, Leaf};
use locals::Mean;

/// A search by parts; of games for several by UCT.
pub struct Decomposed(Box<dyn Searcher>);

impl SearchMethod for Decomposed {
    const NAME: &'static str = "decomposed";
    const ABOUT: &'static str = "games for one by their parts: a tree for each; others by UCT";

    fn new(game: &Game, settings: &SearchSettings) -> Result<Self, SearchError> {
        Ok(Self(match game.roles() {
            1 => Box::new(Alone::new(game, settings)),
            _ => Box::new(Uct::new(game, settings)?),
        }))
    }
}

impl Searcher for Decomposed {
    fn set_position(&mut self, state: &State) -> Result<(), SearchError> {
        self.0.set_position(state)
    }

    fn search(
        &mut self,
        offload: &mut dyn Offload,
        limits: &Limits,
        stop: &Stop,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<SearchReport, SearchError> {
        self.0.search(offload, limits, stop, progress)
    }

    fn report_every(&mut self, pause: Option<Duration>) {
        self.0.report_every(pause);
    }

    fn report(&mut self) -> SearchReport {
        self.0.report()
    }
}

/// A search of a game for one.
struct Alone {
    game: Game,
    settings: SearchSettings,
    root: State,
    descents: Descents,
    /// What each move of the root has brought.
    moves: FxHashMap<u32, Mean>,
    best: Option<BestLine>,
    is_broken: bool,
    tally: Tally,
    playouts: u64,
    leaves: u64,
    batches: u64,
    /// Batches and positions that were ever handed over: their numbers are never used twice.
    batches_submitted: u64,
    positions_submitted: u64,
    time: Duration,
    split: TimeSplit,
    is_stopped: bool,
}

impl Alone {
    fn new(game: &Game, settings: &SearchSettings) -> Self {
        Self {
            game: game.clone(),
            settings: *settings,
            root: game.initial(),
            descents: Descents::new(game, settings.options()),
            moves: FxHashMap::default(),
            best: None,
            is_broken: false,
            tally: Tally::default(),
            playouts: 0,
            leaves: 0,
            batches: 0,
            batches_submitted: 0,
            positions_submitted: 0,
            time: Duration::ZERO,
            split: TimeSplit::default(),
            is_stopped: false,
        }
    }

    fn goes_on(&mut self, limit: u64, deadline: Deadline, stop: &Stop) -> bool {
        self.is_stopped |= stop.is_requested();
        !self.is_stopped && !deadline.is_over() && !self.is_complete() && self.playouts < limit
    }

    /// Whether nothing better can be found.
    fn is_complete(&self) -> bool {
        let is_over = self.root.is_terminal() || self.root.stuck_role().is_some();
        is_over || self.descents.is_done(self.best_score())
    }

    fn best_score(&self) -> Option<u16> {
        self.best.as_ref().map(|best| best.score)
    }

    /// Chooses leaves, one batch of them.
    fn choose(&mut self, seed: u64, limit: u64) -> Vec<Leaf> {
        let options = self.settings.options();
        let left = (limit - self.playouts).div_ceil(options.playouts_per_position.into());
        let count = usize::try_from(left).unwrap_or(usize::MAX).min(options.batch);
        let mut leaves = Vec::new();
        while leaves.len() < count && !self.is_complete() {
            let number = self.positions_submitted + leaves.len() as u64;
            let mut best = self.best_score();
            let (leaf, line) =
                self.descents.descend(self.root.position(), &mut best, seed ^ number << 20);
            if let Some((score, moves)) = line {
                self.keep(BestLine { score, moves });
            }
            match leaf {
                Some(leaf) => leaves.push(leaf),
                None => break,
            }
        }
        leaves
    }

    /// Keeps a line that is better than the best, once it has been played.
    fn keep(&mut self, line: BestLine) {
        let play = |state: State, number: &u32| state.play(&[*number]).ok();
        let end = line.moves.iter().try_fold(self.root.clone(), play);
        match end.and_then(|end| end.goals()) == Some(vec![line.score]) {
            true => self.best = Some(line),
            false => self.is_broken = true,
        }
    }

    fn play(
        &mut self,
        offload: &mut dyn Offload,
        stop: &Stop,
        leaves: &[Leaf],
    ) -> Result<(), Failure> {
        if leaves.is_empty() {
            return Ok(());
        }
        let playouts = self.settings.options().playouts_per_position;
        let (number, first) = (self.batches_submitted, self.positions_submitted);
        let positions = leaves.iter().flat_map(|leaf| leaf.position.iter().copied()).collect();
        let batch = Batch { number, first, playouts, positions, count: leaves.len() };
        self.batches_submitted += 1;
        self.positions_submitted += leaves.len() as u64;
        offload.submit(batch)?;
        let start = Instant::now();
        let finished = answer::wait(offload, stop, number)?;
        self.split.waiting += start.elapsed();
        let attributes = offload.attributes();
        match finished {
            Some(finished) => self.apply(&finished, leaves, first, &attributes),
            None => Ok(()),
        }
    }

    fn apply(
        &mut self,
        finished: &Finished,
        leaves: &[Leaf],
        first: u64,
        attributes: &Attributes,
    ) -> Result<(), Failure> {
        let start = Instant::now();
        let (batch, playouts) = (finished.number, self.settings.options().playouts_per_position);
        answer::check(&finished.results, leaves.len(), 1, playouts)
            .map_err(|reason| Failure::Answer { batch, reason })?;
        for (index, leaf) in leaves.iter().enumerate() {
            let sum = finished.results.scores(index)[0];
            self.descents.credit(leaf, sum as f64 / f64::from(playouts));
            let root = self.moves.entry(leaf.moves[0]).or_default();
            root.visits += f64::from(playouts);
            root.sum += sum as f64;
            let best = finished.results.best(index);
            let is_better = |best: &Best| self.best_score().is_none_or(|own| best.goal > own.into());
            if let Some(best) = best.filter(is_better) {
                self.replay(leaf, first + index as u64, best, attributes);
            }
        }
        self.tally.add(&finished.results.total());
        self.playouts += leaves.len() as u64 * u64::from(playouts);
        self.leaves += leaves.len() as u64;
        self.batches += 1;
        self.split.backup += start.elapsed();
        Ok(())
    }

    /// Plays the best playout from a leaf again, and keeps its line.
    fn replay(&mut self, leaf: &Leaf, position: u64, best: Best, attributes: &Attributes) {
        let name = PlayoutName { seed: attributes.seed, position, playout: best.playout };
        let line = replay(&self.game, &leaf.position, name, attributes.ply_limit).ok();
        let score = u16::try_from(best.goal).ok();
        match line.zip(score) {
            Some((line, score)) => {
                let rest = line.moves.into_iter().flatten();
                let moves = leaf.moves.iter().copied().chain(rest).collect();
                self.keep(BestLine { score, moves });
            }
            None => self.is_broken = true,
        }
    }

    fn role(&self) -> RoleReport {
        let is_complete = self.is_complete();
        let first = self.best.as_ref().and_then(|best| best.moves.first().copied());
        let proven = self.best_score().filter(|_| is_complete).map(f64::from);
        let of = |&number: &u32| {
            let Mean { visits, sum } = self.moves.get(&number).copied().unwrap_or_default();
            let mean = if visits > 0.0 { sum / visits } else { 0.0 };
            let (visits, sum) = (visits as u64, sum as u64);
            let proven = proven.filter(|_| Some(number) == first);
            MoveReport { number, visits, sum, mean, proven, ..MoveReport::default() }
        };
        let goes_on = !self.root.is_terminal() && self.root.stuck_role().is_none();
        let legal = if goes_on { self.root.legal(0) } else { &[] };
        let mut moves: Vec<MoveReport> = legal.iter().map(of).collect();
        moves.sort_by_key(|one| (Some(one.number) != first, std::cmp::Reverse(one.visits)));
        RoleReport { moves, proven: proven.filter(|_| goes_on) }
    }

    fn progress(&self) -> Progress {
        let role = self.role();
        let first = role.moves.first();
        Progress {
            playouts: self.playouts,
            time: self.time,
            best: first.iter().map(|first| first.number).collect(),
            means: first.iter().map(|first| first.mean).collect(),
            best_score: self.best_score(),
            report: None,
        }
    }

    fn signature(&self) -> u64 {
        let mut hash = FnvHasher::default();
        for one in self.role().moves {
            hash.write(&one.number.to_le_bytes());
            hash.write(&one.visits.to_le_bytes());
            hash.write(&one.sum.to_le_bytes());
        }
        hash.write(&(self.descents.locals.edges() as u64).to_le_bytes());
        hash.finish()
    }
}

impl Searcher for Alone {
    fn set_position(&mut self, state: &State) -> Result<(), SearchError> {
        let (needed, found) = (self.root.position().len(), state.position().len());
        if needed != found {
            return Err(StateError::Position { needed, found }.into());
        }
        if state.position() == self.root.position() {
            return Ok(());
        }
        let rest = self.best.take().filter(|best| best.moves.len() > 1).and_then(|best| {
            let next = self.root.play(&best.moves[..1]).ok()?;
            let moves = best.moves[1..].to_vec();
            (next.position() == state.position()).then_some(BestLine { score: best.score, moves })
        });
        self.best = rest;
        self.root = state.clone();
        self.descents.forget();
        self.moves.clear();
        (self.playouts, self.leaves, self.batches, self.is_stopped) = (0, 0, 0, false);
        (self.tally, self.time, self.split) =
            (Tally::default(), Duration::ZERO, TimeSplit::default());
        Ok(())
    }

    fn search(
        &mut self,
        offload: &mut dyn Offload,
        limits: &Limits,
        stop: &Stop,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<SearchReport, SearchError> {
        let (needed, found) = (1, offload.attributes().columns.roles);
        if needed != found {
            return Err(SearchError::Roles { needed, found });
        }
        let (start, before) = (Instant::now(), self.time);
        let limit = self.playouts.saturating_add(limits.playouts.unwrap_or(MOST_PLAYOUTS));
        let limit = limit.min(MOST_PLAYOUTS);
        let deadline = Deadline::of(limits);
        let seed = offload.attributes().seed;
        self.is_stopped = false;
        while self.goes_on(limit, deadline, stop) {
            let selecting = Instant::now();
            let leaves = self.choose(seed, limit);
            self.split.selection += selecting.elapsed();
            let result = self.play(offload, stop, &leaves);
            self.time = before + start.elapsed();
            if let Err(failure) = result {
                return Err(failure.with(self.report()));
            }
            if self.is_broken {
                return Err(SearchError::Line { report: Box::new(self.report()) });
            }
            progress(&self.progress());
        }
        Ok(self.report())
    }

    fn report(&mut self) -> SearchReport {
        let role = self.role();
        let locals = &self.descents.locals;
        SearchReport {
            best: role.moves.first().map(|first| vec![first.number]),
            roles: vec![role],
            is_complete: self.is_complete(),
            best_line: self.best.clone(),
            playouts: self.playouts,
            tally: self.tally,
            leaves: self.leaves,
            nodes: locals.nodes() as u64,
            edges: locals.edges() as u64,
            bytes: self.descents.bytes() as u64,
            is_full: self.descents.is_full,
            is_stopped: self.is_stopped,
            batches: self.batches,
            time: self.time,
            split: self.split,
            signature: self.signature(),
            ..SearchReport::default()
        }
    }
}
