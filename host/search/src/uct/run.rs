//! What belongs to one call of a search: its limits, and the batches under way.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use ruche_offload::{Batch, Best, Finished, Offload};
use tracing::debug_span;

use super::Uct;
use super::selection::{Quota, Selected};
use super::ways::{Leaf, Ways};
use crate::Searcher;
use crate::answer::{self, Failure, GLANCE};
use crate::limits::{Deadline, Limits, MOST_PLAYOUTS, Stop};
use crate::report::{Progress, SearchError, SearchReport};
use crate::settings::Order;
use crate::tree::{PENDING, Witness};

/// Positions that the first batches have: as long as the tree is small, a large
/// batch would go where its own results would not have sent it.
const FIRST_BATCH: u64 = 8;

/// A batch is at most this part of all descents before it.
const RAMP: u64 = 16;

/// Descents that may be made for each position of a batch: where the game is almost
/// decided, most of them find it over.
const DESCENTS_PER_LEAF: usize = 4;

/// Once somebody wants to stop, batches under way are waited for so long: clusters that
/// are slow, or silent up to their deadline, keep nobody waiting.
const LAST_WAIT: Duration = Duration::from_secs(1);

/// A batch under way.
#[derive(Debug)]
struct UnderWay {
    number: u64,
    /// The number of its first position.
    first: u64,
    leaves: Vec<Leaf>,
    ways: Ways,
}

/// One call.
struct Run<'a> {
    search: &'a mut Uct,
    offload: &'a mut dyn Offload,
    stop: &'a Stop,
    start: Instant,
    deadline: Deadline,
    /// The number of playouts at which to stop.
    limit: u64,
    under_way: VecDeque<UnderWay>,
    /// Results whose turn has not come.
    held: Vec<Finished>,
}

/// Searches until a limit is reached or somebody wants it to stop.
pub(super) fn search(
    search: &mut Uct,
    offload: &mut dyn Offload,
    limits: &Limits,
    stop: &Stop,
    progress: &mut dyn FnMut(&Progress),
) -> Result<SearchReport, SearchError> {
    let before = search.time;
    let mut run = Run::new(search, offload, limits, stop);
    let result = match run.search.tree.node(0).kind.goes_on() {
        true => run.go_on(progress),
        false => Ok(()),
    };
    run.cancel_all();
    let elapsed = run.start.elapsed();
    search.time = before + elapsed;
    let report = search.report();
    match result {
        Ok(()) if search.selector.expander.prover.contradiction().is_some() => {
            Err(SearchError::Contradiction { report: Box::new(report) })
        }
        Ok(()) if search.lines.is_broken => Err(SearchError::Line { report: Box::new(report) }),
        Ok(()) => Ok(report),
        Err(failure) => Err(failure.with(report)),
    }
}

impl<'a> Run<'a> {
    fn new(
        search: &'a mut Uct,
        offload: &'a mut dyn Offload,
        limits: &Limits,
        stop: &'a Stop,
    ) -> Self {
        let start = Instant::now();
        let playouts = limits.playouts.unwrap_or(MOST_PLAYOUTS);
        (search.is_stopped, search.is_cramped) = (false, false);
        search.lines.begin(search.positions_submitted, &offload.attributes());
        Self {
            limit: search.counts.playouts.saturating_add(playouts).min(MOST_PLAYOUTS),
            deadline: Deadline::of(limits),
            search,
            offload,
            stop,
            start,
            under_way: VecDeque::new(),
            held: Vec::new(),
        }
    }

    fn go_on(&mut self, progress: &mut dyn FnMut(&Progress)) -> Result<(), Failure> {
        let (before, mut reported) = (self.search.time, self.start);
        loop {
            let in_flight = self.search.settings.options().in_flight;
            let lacks_room = self.search.tree.is_full() && !self.search.is_cramped;
            let quota = if lacks_room { self.make_room() } else { self.quota() };
            let is_over = match quota {
                Some(quota) if self.under_way.len() < in_flight => self.advance(quota)?,
                _ if self.under_way.is_empty() => return Ok(()),
                _ => {
                    let Some(finished) = self.wait()? else { return Ok(()) };
                    self.apply(&finished)?;
                    true
                }
            };
            if is_over {
                self.search.time = before + self.start.elapsed();
                let is_due = self.search.pause.is_some_and(|pause| reported.elapsed() >= pause);
                let report = is_due.then(|| Box::new(self.search.report()));
                progress(&Progress { report, ..self.search.progress() });
                // The time for a report is no pause between two.
                reported = if is_due { Instant::now() } else { reported };
            }
        }
    }

    /// Makes room in a tree that is full, once nothing is under way. Returns how much to
    /// select then.
    fn make_room(&mut self) -> Option<Quota> {
        let quota = self.quota().filter(|_| self.under_way.is_empty());
        if quota.is_some() {
            self.search.make_room(self.deadline.left());
        }
        quota
    }

    /// How much to select next, if anything.
    fn quota(&mut self) -> Option<Quota> {
        if self.stop.is_requested() {
            self.search.is_stopped = true;
            return None;
        }
        if self.deadline.is_over() || self.search.tree.node(0).is_settled {
            return None;
        }
        let options = self.search.settings.options();
        let playouts = u64::from(options.playouts_per_position);
        let under_way: u64 = self.under_way.iter().map(|batch| batch.leaves.len() as u64).sum();
        let done = self.search.counts.playouts + under_way * playouts;
        let left = self.limit.saturating_sub(done).div_ceil(playouts);
        let ramp = done / playouts / (RAMP * options.in_flight as u64);
        let most = ramp.max(FIRST_BATCH).min(options.batch as u64);
        let leaves = most.min(left) as usize;
        let descents =
            (leaves * DESCENTS_PER_LEAF).min(usize::try_from(left).unwrap_or(usize::MAX));
        (left > 0).then_some(Quota { leaves, descents, until: self.deadline })
    }

    /// Selects a batch and hands it over. Returns whether it is over already,
    /// since all descents have found ends.
    fn advance(&mut self, quota: Quota) -> Result<bool, Failure> {
        let search = &mut *self.search;
        let number = search.batches_submitted;
        let selected = search.select(number, quota);
        if selected.leaves.is_empty() {
            search.selector.reuse(selected.ways);
            return Ok(true);
        }
        let (first, count) = (search.positions_submitted, selected.leaves.len());
        let playouts = search.settings.options().playouts_per_position;
        search.batches_submitted += 1;
        search.positions_submitted += count as u64;
        self.under_way.push_back(UnderWay {
            number,
            first,
            leaves: selected.leaves,
            ways: selected.ways,
        });
        let batch = Batch { number, first, playouts, positions: selected.positions, count };
        let start = Instant::now();
        let result = debug_span!("submit", batch = number).in_scope(|| self.offload.submit(batch));
        search.split.waiting += start.elapsed();
        result?;
        Ok(false)
    }

    /// Waits for the batch whose results come next; nothing if somebody wants to stop and
    /// they do not come.
    fn wait(&mut self) -> Result<Option<Finished>, Failure> {
        let start = Instant::now();
        let _span = debug_span!("collect").entered();
        let mut end = None;
        let finished = loop {
            if let Some(finished) = self.take_held() {
                break Some(finished);
            }
            match self.offload.collect_within(GLANCE)? {
                Some(finished) if self.search.forget_abandoned(finished.number) => {}
                Some(finished) => {
                    self.check_number(&finished)?;
                    self.held.push(finished);
                }
                None if self.stop.is_requested() => {
                    let end = *end.get_or_insert_with(|| Instant::now() + LAST_WAIT);
                    if Instant::now() >= end {
                        self.search.is_stopped = true;
                        break None;
                    }
                }
                None => {}
            }
        };
        self.search.split.waiting += start.elapsed();
        Ok(finished)
    }

    /// Results whose turn has come.
    fn take_held(&mut self) -> Option<Finished> {
        let oldest = self.under_way.front()?.number;
        let order = self.search.settings.options().order;
        let is_due = |finished: &Finished| match order {
            Order::Batch => finished.number == oldest,
            Order::Arrival => true,
        };
        let place = self.held.iter().position(is_due)?;
        Some(self.held.swap_remove(place))
    }

    /// Refuses an answer to something that was not asked, or was answered before.
    fn check_number(&self, finished: &Finished) -> Result<(), Failure> {
        let batch = finished.number;
        let is_asked = self.under_way.iter().any(|under_way| under_way.number == batch);
        let is_new = self.held.iter().all(|held| held.number != batch);
        match (is_asked, is_new) {
            (true, true) => Ok(()),
            _ => Err(Failure::Answer { batch, reason: String::from("it is not under way") }),
        }
    }

    /// Brings results into the tree.
    fn apply(&mut self, finished: &Finished) -> Result<(), Failure> {
        let start = Instant::now();
        let _span = debug_span!("backup", batch = finished.number).entered();
        let search = &mut *self.search;
        let playouts = search.settings.options().playouts_per_position;
        let place = self.under_way.iter().position(|batch| batch.number == finished.number);
        let Some(place) = place else { return Ok(()) };
        let (asked, roles) = (self.under_way[place].leaves.len(), search.game.roles());
        answer::check(&finished.results, asked, roles, playouts)
            .map_err(|reason| Failure::Answer { batch: finished.number, reason })?;
        search.note_all_best(&self.under_way[place], finished)?;
        let Some(batch) = self.under_way.remove(place) else { return Ok(()) };
        let (tree, formula) = (&mut search.tree, &mut search.selector.formula);
        let scores = |index| finished.results.scores(index);
        batch.ways.back_up(tree, formula, &batch.leaves, playouts, scores);
        search.counts.tally.add(&finished.results.total());
        search.counts.batches += 1;
        search.counts.leaves += batch.leaves.len() as u64;
        search.counts.playouts += batch.leaves.len() as u64 * u64::from(playouts);
        search.selector.reuse(batch.ways);
        search.split.backup += start.elapsed();
        Ok(())
    }

    /// Forgets the batches whose results will never come.
    fn cancel_all(&mut self) {
        let playouts = self.search.settings.options().playouts_per_position;
        for batch in self.under_way.drain(..) {
            batch.ways.cancel(&mut self.search.tree, &batch.leaves, playouts);
            self.search.abandoned.push(batch.number);
            self.search.selector.reuse(batch.ways);
        }
    }
}

impl Uct {
    /// Whether a batch was given up, whose answer may still come.
    fn forget_abandoned(&mut self, number: u64) -> bool {
        let place = self.abandoned.iter().position(|abandoned| *abandoned == number);
        place.map(|place| self.abandoned.swap_remove(place)).is_some()
    }

    /// What the best playouts of a batch say, where there are such.
    fn note_all_best(&mut self, batch: &UnderWay, finished: &Finished) -> Result<(), Failure> {
        for (index, &leaf) in batch.leaves.iter().enumerate() {
            if let Some(best) = finished.results.best(index) {
                let noted = self.note_best(&batch.ways, leaf, batch.first + index as u64, best);
                noted.map_err(|reason| Failure::Answer { batch: batch.number, reason })?;
            }
        }
        Ok(())
    }

    /// What the best playout of a leaf in a game for one says.
    fn note_best(
        &mut self,
        ways: &Ways,
        leaf: Leaf,
        position: u64,
        best: Best,
    ) -> Result<(), String> {
        let wrong =
            || format!("position {position} has no playout {} of {}", best.playout, best.goal);
        let goal = u16::try_from(best.goal).map_err(|_| wrong())?;
        let Self { game, tree, lines, .. } = self;
        let way = || ways.numbers(tree, leaf.step);
        if lines.is_better(best.goal) && !lines.keep(game, tree, way(), position, best) {
            return Err(wrong());
        }
        let prover = &mut self.selector.expander.prover;
        let node = Some(leaf.node).filter(|&node| node < PENDING);
        if let Some((node, witness)) = node.zip(Witness::new(position, best)) {
            tree.note_witness(node, witness);
            prover.raise(tree, node, goal);
        }
        prover.raise(tree, 0, goal);
        Ok(())
    }

    fn select(&mut self, number: u64, quota: Quota) -> Selected {
        let start = Instant::now();
        let _span = debug_span!("selection", batch = number).entered();
        let selected = self.selector.select(&mut self.tree, quota);
        let playouts = u64::from(self.settings.options().playouts_per_position);
        self.counts.ends += selected.ends as u64;
        self.counts.playouts += selected.ends as u64 * playouts;
        self.split.selection += start.elapsed();
        selected
    }
}
