//! Flat Monte-Carlo: as many playouts after each move as after any other, and no tree. The
//! simplest thing to do with playouts, for comparison.

use std::hash::Hasher;
use std::time::{Duration, Instant};

use fnv::FnvHasher;
use ruche_game::{Game, State, StateError};
use ruche_offload::{Batch, Finished, Offload, Tally};

use crate::Searcher;
use crate::answer::{self, Failure};
use crate::limits::{Deadline, Limits, MOST_PLAYOUTS, Stop};
use crate::method::SearchMethod;
use crate::report::{MoveReport, Progress, RoleReport, SearchError, SearchReport, TimeSplit};
use crate::settings::SearchSettings;

/// Joint moves that are tried; where there are more, so many of them.
const MOST_WAYS: usize = 1 << 16;

/// A search by flat Monte-Carlo.
#[derive(Debug)]
pub struct Flat {
    game: Game,
    settings: SearchSettings,
    root: State,
    ways: Vec<Way>,
    /// The way whose turn it is.
    turn: usize,
    tally: Tally,
    playouts: u64,
    leaves: u64,
    terminal_visits: u64,
    batches: u64,
    /// Batches and positions that were ever handed over: their numbers are never used twice.
    batches_submitted: u64,
    positions_submitted: u64,
    time: Duration,
    split: TimeSplit,
    is_stopped: bool,
}

/// A joint move, and what came of it.
#[derive(Debug)]
struct Way {
    /// For each role the place of its move among its legal ones.
    places: Vec<usize>,
    position: Box<[u32]>,
    /// The goals, if it ends the game.
    end: Option<Vec<u64>>,
    visits: u64,
    sums: Vec<u64>,
}

impl Way {
    fn new(root: &State, places: Vec<usize>) -> Result<Self, StateError> {
        let roles = root.game().roles();
        let state = root.play(&joint(root, &places))?;
        let is_over = state.is_terminal() || state.stuck_role().is_some();
        let goals = || state.goals().filter(|_| state.is_terminal());
        let goals = || goals().map_or(vec![0; roles], |goals| goals.into_iter().map(u64::from).collect());
        let end = is_over.then(goals);
        let position = state.position().into();
        Ok(Self { places, position, end, visits: 0, sums: vec![0; roles] })
    }

    fn add<'a>(&mut self, playouts: u32, sums: impl Iterator<Item = &'a u64>) {
        self.visits += u64::from(playouts);
        self.sums.iter_mut().zip(sums).for_each(|(sum, more)| *sum += more);
    }
}

impl SearchMethod for Flat {
    const NAME: &'static str = "flat";
    const ABOUT: &'static str = "flat Monte-Carlo: equal playouts for each move, without a tree";

    fn new(game: &Game, settings: &SearchSettings) -> Result<Self, SearchError> {
        let mut flat = Self {
            game: game.clone(),
            settings: *settings,
            root: game.initial(),
            ways: Vec::new(),
            turn: 0,
            tally: Tally::default(),
            playouts: 0,
            leaves: 0,
            terminal_visits: 0,
            batches: 0,
            batches_submitted: 0,
            positions_submitted: 0,
            time: Duration::ZERO,
            split: TimeSplit::default(),
            is_stopped: false,
        };
        flat.begin(game.initial())?;
        Ok(flat)
    }
}

impl Searcher for Flat {
    fn set_position(&mut self, state: &State) -> Result<(), SearchError> {
        let (needed, found) = (self.root.position().len(), state.position().len());
        if needed != found {
            return Err(StateError::Position { needed, found }.into());
        }
        if state.position() == self.root.position() {
            return Ok(());
        }
        self.begin(state.clone())
    }

    fn search(
        &mut self,
        offload: &mut dyn Offload,
        limits: &Limits,
        stop: &Stop,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<SearchReport, SearchError> {
        let (needed, found) = (self.game.roles(), offload.attributes().columns.roles);
        if needed != found {
            return Err(SearchError::Roles { needed, found });
        }
        let (start, before) = (Instant::now(), self.time);
        let limit = self.playouts.saturating_add(limits.playouts.unwrap_or(MOST_PLAYOUTS));
        let deadline = Deadline::of(limits);
        self.is_stopped = false;
        while self.goes_on(limit.min(MOST_PLAYOUTS), deadline, stop) {
            let chosen = self.choose(limit);
            let result = self.play(offload, stop, &chosen);
            self.time = before + start.elapsed();
            if let Err(failure) = result {
                return Err(failure.with(self.report()));
            }
            progress(&self.progress());
        }
        Ok(self.report())
    }

    fn report(&mut self) -> SearchReport {
        let roles: Vec<RoleReport> = (0..self.game.roles()).map(|role| self.role(role)).collect();
        let first = |role: &RoleReport| role.moves.first().map(|first| first.number);
        SearchReport {
            best: roles.iter().map(first).collect(),
            roles,
            is_complete: self.is_complete(),
            playouts: self.playouts,
            tally: self.tally,
            leaves: self.leaves,
            terminal_visits: self.terminal_visits,
            nodes: 1 + self.ways.len() as u64,
            edges: self.ways.len() as u64,
            bytes: self.bytes(),
            is_stopped: self.is_stopped,
            batches: self.batches,
            time: self.time,
            split: self.split,
            signature: self.signature(),
            ..SearchReport::default()
        }
    }
}

impl Flat {
    /// Forgets all, and finds out where the moves of a state lead.
    fn begin(&mut self, root: State) -> Result<(), SearchError> {
        let can_go_on = !root.is_terminal() && root.stuck_role().is_none();
        let counts: Vec<usize> = (0..self.game.roles()).map(|role| root.legal(role).len()).collect();
        let all = counts.iter().fold(1_usize, |all, &count| all.saturating_mul(count));
        let tried = if can_go_on { all.min(MOST_WAYS) } else { 0 };
        // Those that are tried are spread over all.
        let place = |index: usize| (index as u128 * all as u128 / tried.max(1) as u128) as usize;
        let ways = (0..tried).map(|index| Way::new(&root, places(&counts, place(index))));
        self.ways = ways.collect::<Result<_, StateError>>()?;
        self.root = root;
        (self.turn, self.playouts, self.leaves) = (0, 0, 0);
        (self.terminal_visits, self.batches, self.is_stopped) = (0, 0, false);
        (self.tally, self.time, self.split) =
            (Tally::default(), Duration::ZERO, TimeSplit::default());
        Ok(())
    }

    fn goes_on(&mut self, limit: u64, deadline: Deadline, stop: &Stop) -> bool {
        self.is_stopped |= stop.is_requested();
        !self.is_stopped && !deadline.is_over() && !self.is_complete() && self.playouts < limit
    }

    /// Whether all moves end the game, and were tried.
    fn is_complete(&self) -> bool {
        self.ways.iter().all(|way| way.end.is_some() && way.visits > 0)
    }

    /// The ways whose turn is next, one batch of them.
    fn choose(&mut self, limit: u64) -> Vec<usize> {
        let options = self.settings.options();
        let left = (limit - self.playouts).div_ceil(options.playouts_per_position.into());
        let count = usize::try_from(left).unwrap_or(usize::MAX).min(options.batch);
        let chosen = (0..count).map(|index| (self.turn + index) % self.ways.len()).collect();
        self.turn = (self.turn + count) % self.ways.len();
        chosen
    }

    /// Plays from where some ways lead.
    fn play(
        &mut self,
        offload: &mut dyn Offload,
        stop: &Stop,
        chosen: &[usize],
    ) -> Result<(), Failure> {
        let playouts = self.settings.options().playouts_per_position;
        let (ends, open): (Vec<usize>, Vec<usize>) =
            chosen.iter().partition(|&&way| self.ways[way].end.is_some());
        for way in ends {
            let goals = self.ways[way].end.clone().unwrap_or_default();
            let sums: Vec<u64> = goals.iter().map(|goal| goal * u64::from(playouts)).collect();
            self.ways[way].add(playouts, sums.iter());
            self.playouts += u64::from(playouts);
            self.terminal_visits += 1;
        }
        if open.is_empty() {
            return Ok(());
        }
        let number = self.submit(offload, &open, playouts)?;
        let start = Instant::now();
        let finished = answer::wait(offload, stop, number)?;
        self.split.waiting += start.elapsed();
        match finished {
            Some(finished) => self.apply(&finished, &open, playouts),
            None => Ok(()),
        }
    }

    fn submit(
        &mut self,
        offload: &mut dyn Offload,
        open: &[usize],
        playouts: u32,
    ) -> Result<u64, Failure> {
        let (number, first) = (self.batches_submitted, self.positions_submitted);
        let positions = open.iter().flat_map(|&way| self.ways[way].position.iter().copied());
        let batch =
            Batch { number, first, playouts, positions: positions.collect(), count: open.len() };
        self.batches_submitted += 1;
        self.positions_submitted += open.len() as u64;
        offload.submit(batch)?;
        Ok(number)
    }

    fn apply(&mut self, finished: &Finished, open: &[usize], playouts: u32) -> Result<(), Failure> {
        let batch = finished.number;
        answer::check(&finished.results, open.len(), self.game.roles(), playouts)
            .map_err(|reason| Failure::Answer { batch, reason })?;
        for (index, &way) in open.iter().enumerate() {
            self.ways[way].add(playouts, finished.results.scores(index).iter());
        }
        self.tally.add(&finished.results.total());
        self.playouts += open.len() as u64 * u64::from(playouts);
        self.leaves += open.len() as u64;
        self.batches += 1;
        Ok(())
    }

    /// The moves of a role, the one with the best mean first.
    fn role(&self, role: usize) -> RoleReport {
        let legal = if self.ways.is_empty() { &[] } else { self.root.legal(role) };
        let of = |&number: &u32| MoveReport { number, ..MoveReport::default() };
        let mut moves: Vec<MoveReport> = legal.iter().map(of).collect();
        for way in &self.ways {
            let found = &mut moves[way.places[role]];
            found.visits += way.visits;
            found.sum += way.sums[role];
            if found.line.is_empty() {
                found.line.push(joint(&self.root, &way.places));
            }
        }
        for found in moves.iter_mut().filter(|found| found.visits > 0) {
            found.mean = found.sum as f64 / found.visits as f64;
        }
        moves.sort_by(|one, other| other.mean.total_cmp(&one.mean));
        RoleReport { moves, proven: None }
    }

    fn progress(&self) -> Progress {
        let roles: Vec<RoleReport> = (0..self.game.roles()).map(|role| self.role(role)).collect();
        let firsts = || roles.iter().filter_map(|role| role.moves.first());
        Progress {
            playouts: self.playouts,
            time: self.time,
            best: firsts().map(|first| first.number).collect(),
            means: firsts().map(|first| first.mean).collect(),
            best_score: None,
            report: None,
        }
    }

    fn bytes(&self) -> u64 {
        let of = |way: &Way| size_of::<Way>() + size_of_val(&*way.position);
        self.ways.iter().map(of).sum::<usize>() as u64
    }

    fn signature(&self) -> u64 {
        let mut hash = FnvHasher::default();
        for way in &self.ways {
            hash.write(&way.visits.to_le_bytes());
            way.sums.iter().for_each(|sum| hash.write(&sum.to_le_bytes()));
        }
        hash.finish()
    }
}

/// The places of a joint move's moves by its own among all; those of the first role change
/// fastest.
fn places(counts: &[usize], mut place: usize) -> Vec<usize> {
    let choose = |&count: &usize| {
        let chosen = place % count;
        place /= count;
        chosen
    };
    counts.iter().map(choose).collect()
}

fn joint(root: &State, places: &[usize]) -> Vec<u32> {
    places.iter().enumerate().map(|(role, &place)| root.legal(role)[place]).collect()
}

#[cfg(test)]
mod tests {
    use ruche_offload::{Direct, DirectSettings};

    use super::*;

    fn search(game: &Game, moves: &str, playouts: u64) -> SearchReport {
        let mut flat = Flat::new(game, &SearchSettings::default()).expect("a root");
        flat.set_position(&game.after(moves).expect("legal moves")).expect("a state of it");
        let settings = DirectSettings { seed: 7, ..DirectSettings::default() };
        let mut offload = Direct::new(game, settings).expect("an engine");
        let limits = Limits::playouts(playouts);
        flat.search(&mut offload, &limits, &Stop::default(), &mut |_| ()).expect("playouts")
    }

    #[test]
    fn all_moves_get_as_many_playouts() {
        let game = Game::bundled("tictactoe").expect("a bundled game");
        let report = search(&game, "", 9 * 16 * 50);
        assert_eq!(report.playouts, 9 * 16 * 50);
        assert!(report.roles[0].moves.iter().all(|one| one.visits == 16 * 50));
        let best = &game.names().moves(0)[report.best.expect("a move")[0] as usize];
        assert_eq!(best, "(mark 2 2)", "most lines go through the middle");
    }

    #[test]
    fn roles_that_choose_together_are_told_apart() {
        let game = Game::bundled("blocker").expect("a bundled game");
        let report = search(&game, "", 50_000);
        assert_eq!(report.roles.len(), 2);
        for role in &report.roles {
            assert_eq!(role.moves.iter().map(|one| one.visits).sum::<u64>(), report.playouts);
        }
    }

    #[test]
    fn a_game_that_is_over_has_nothing_to_search() {
        let game = Game::bundled("tictactoe").expect("a bundled game");
        let line = "(mark 1 1); (mark 2 1); (mark 1 2); (mark 2 2); (mark 1 3)";
        let report = search(&game, line, 1000);
        assert_eq!((report.playouts, report.best), (0, None));
    }
}
