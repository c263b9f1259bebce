//! The search: selects batches, hands them over, brings their results into the
//! tree.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use ruche_eval::playouts::Outcome;
use ruche_shared::Image;
use ruche_shared::position::position_words;
use tracing::debug_span;

use crate::descent::Descent;
use crate::offload::{Batch, Finished, Offload, OffloadError};
use crate::report::{Progress, SearchError, SearchReport, TimeSplit};
use crate::selection::{Quota, Selected, Selector};
use crate::settings::{MOST_PLAYOUTS, Order, SearchBudget, SearchSettings};
use crate::summary;
use crate::tree::{Legal, Tree};

/// Positions that the first batches have: as long as the tree is small, a large
/// batch would go where its own results would not have sent it.
const FIRST_BATCH: u64 = 8;

/// A batch is at most this part of all descents before it.
const RAMP: u64 = 16;

/// So many descents may be made for each position of a batch: where the game is
/// almost decided, most of them find it over.
const DESCENTS_PER_LEAF: usize = 4;

/// A search from one position.
#[derive(Debug)]
pub struct Search<'image> {
    settings: SearchSettings,
    roles: usize,
    tree: Tree,
    selector: Selector<'image>,
    /// The legal moves of the root.
    moves: Legal,
    counts: Counts,
    time: Duration,
    split: TimeSplit,
}

/// What was done so far.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    /// Playouts in the tree, ends included.
    playouts: u64,
    outcome: Outcome,
    /// Positions whose results are in the tree.
    leaves: u64,
    ends: u64,
    batches: u64,
    /// Positions and batches that were handed over.
    positions_submitted: u64,
    batches_submitted: u64,
}

/// A batch under way.
#[derive(Debug)]
struct UnderWay {
    number: u64,
    leaves: Vec<Descent>,
}

/// What belongs to one call of [`Search::run`].
#[derive(Debug)]
struct Run {
    start: Instant,
    deadline: Option<Instant>,
    /// The number of playouts at which to stop.
    limit: u64,
    under_way: VecDeque<UnderWay>,
    /// Results whose turn has not come.
    held: Vec<Finished>,
}

/// Why a run stops early.
enum Failure {
    Offload(OffloadError),
    Answer { batch: u64, reason: String },
}

impl From<OffloadError> for Failure {
    fn from(error: OffloadError) -> Self {
        Failure::Offload(error)
    }
}

impl<'image> Search<'image> {
    /// A search from a position, of which nothing is known yet.
    ///
    /// # Errors
    /// If the position is not one of the game, or has too many moves for the
    /// memory.
    pub fn new(
        image: &Image<'image>,
        position: &[u32],
        settings: SearchSettings,
    ) -> Result<Self, SearchError> {
        let (needed, found) = (position_words(image.fluents()), position.len());
        if needed != found {
            return Err(SearchError::PositionLength { needed, found });
        }
        let options = settings.options();
        let mut tree = Tree::new(image, options.exploration, options.memory);
        let mut selector = Selector::new(image, options.playouts_per_position);
        if !selector.expander.plant(&mut tree, position) {
            return Err(SearchError::Memory { memory: options.memory });
        }
        Ok(Self {
            settings,
            roles: image.roles(),
            moves: selector.expander.legal_moves(position).clone(),
            tree,
            selector,
            counts: Counts::default(),
            time: Duration::ZERO,
            split: TimeSplit::default(),
        })
    }

    /// Searches until the budget is used up. Progress is told after each batch.
    /// Another run goes on with the same tree and the same budget once more.
    ///
    /// # Errors
    /// If whoever plays fails; the error has the report of what was finished.
    pub fn run<O: Offload + ?Sized>(
        &mut self,
        offload: &mut O,
        mut progress: impl FnMut(&Progress),
    ) -> Result<SearchReport, SearchError> {
        let before = self.time;
        let mut run = self.start();
        let result = match self.tree.node(0).kind.goes_on() {
            true => self.go_on(&mut run, offload, &mut progress),
            false => Ok(()),
        };
        for batch in run.under_way.drain(..) {
            self.cancel(batch);
        }
        self.time = before + run.start.elapsed();
        let report = self.report();
        match result {
            Ok(()) => Ok(report),
            Err(Failure::Offload(source)) => {
                Err(SearchError::Offload { source, report: Box::new(report) })
            }
            Err(Failure::Answer { batch, reason }) => {
                Err(SearchError::Answer { batch, reason, report: Box::new(report) })
            }
        }
    }

    /// What was found out so far.
    #[must_use]
    pub fn report(&mut self) -> SearchReport {
        let counts = self.counts;
        SearchReport {
            roles: summary::roles(&self.tree, &mut self.selector.expander, &self.moves),
            best: summary::best(&self.tree, &self.moves),
            playouts: counts.playouts,
            outcome: counts.outcome,
            leaves: counts.leaves,
            terminal_visits: counts.ends,
            nodes: self.tree.nodes.len() as u64,
            edges: self.tree.moves.len() as u64,
            bytes: self.tree.bytes(),
            is_full: self.tree.is_full(),
            batches: counts.batches,
            time: self.time,
            split: self.split,
            signature: summary::signature(&self.tree),
        }
    }

    fn start(&self) -> Run {
        let start = Instant::now();
        let (playouts, deadline) = match self.settings.options().budget {
            SearchBudget::Playouts(playouts) => (playouts, None),
            SearchBudget::Time(time) => (MOST_PLAYOUTS, start.checked_add(time)),
        };
        let limit = self.counts.playouts.saturating_add(playouts).min(MOST_PLAYOUTS);
        Run { start, deadline, limit, under_way: VecDeque::new(), held: Vec::new() }
    }

    fn go_on<O: Offload + ?Sized>(
        &mut self,
        run: &mut Run,
        offload: &mut O,
        progress: &mut impl FnMut(&Progress),
    ) -> Result<(), Failure> {
        let before = self.time;
        loop {
            let is_over = match self.quota(run) {
                Some(quota) if run.under_way.len() < self.settings.options().in_flight => {
                    self.advance(run, offload, quota)?
                }
                _ if run.under_way.is_empty() => return Ok(()),
                _ => {
                    let finished = self.wait(run, offload)?;
                    self.apply(run, finished)?;
                    true
                }
            };
            if is_over {
                self.time = before + run.start.elapsed();
                progress(&self.progress());
            }
        }
    }

    fn progress(&self) -> Progress {
        summary::progress(&self.tree, &self.moves, self.counts.playouts, self.time)
    }

    /// How much to select next, if anything.
    fn quota(&self, run: &Run) -> Option<Quota> {
        if run.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return None;
        }
        let options = self.settings.options();
        let playouts = u64::from(options.playouts_per_position);
        let under_way: u64 = run.under_way.iter().map(|batch| batch.leaves.len() as u64).sum();
        let done = self.counts.playouts + under_way * playouts;
        let left = run.limit.saturating_sub(done).div_ceil(playouts);
        let ramp = done / playouts / (RAMP * options.in_flight as u64);
        let most = ramp.max(FIRST_BATCH).min(options.batch as u64);
        let leaves = most.min(left) as usize;
        let descents =
            (leaves * DESCENTS_PER_LEAF).min(usize::try_from(left).unwrap_or(usize::MAX));
        (left > 0).then_some(Quota { leaves, descents })
    }

    /// Selects a batch and hands it over. Returns whether it is over already,
    /// since all descents have found ends.
    fn advance<O: Offload + ?Sized>(
        &mut self,
        run: &mut Run,
        offload: &mut O,
        quota: Quota,
    ) -> Result<bool, Failure> {
        let number = self.counts.batches_submitted;
        let selected = self.select(number, quota);
        if selected.leaves.is_empty() {
            return Ok(true);
        }
        let (first, count) = (self.counts.positions_submitted, selected.leaves.len());
        let playouts = self.settings.options().playouts_per_position;
        self.counts.batches_submitted += 1;
        self.counts.positions_submitted += count as u64;
        run.under_way.push_back(UnderWay { number, leaves: selected.leaves });
        let batch = Batch { number, first, playouts, positions: selected.positions, count };
        let start = Instant::now();
        let result = debug_span!("submit", batch = number).in_scope(|| offload.submit(batch));
        self.split.waiting += start.elapsed();
        result?;
        Ok(false)
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

    /// Waits for the batch whose results come next.
    fn wait<O: Offload + ?Sized>(
        &mut self,
        run: &mut Run,
        offload: &mut O,
    ) -> Result<Finished, Failure> {
        let start = Instant::now();
        let _span = debug_span!("collect").entered();
        let finished = loop {
            if let Some(finished) = self.take_held(run) {
                break finished;
            }
            let finished = offload.collect()?;
            check_number(run, &finished)?;
            run.held.push(finished);
        };
        self.split.waiting += start.elapsed();
        Ok(finished)
    }

    /// Results whose turn has come.
    fn take_held(&self, run: &mut Run) -> Option<Finished> {
        let oldest = run.under_way.front()?.number;
        let is_due = |finished: &Finished| match self.settings.options().order {
            Order::Batch => finished.number == oldest,
            Order::Arrival => true,
        };
        let place = run.held.iter().position(is_due)?;
        Some(run.held.swap_remove(place))
    }

    /// Brings results into the tree.
    fn apply(&mut self, run: &mut Run, finished: Finished) -> Result<(), Failure> {
        let start = Instant::now();
        let _span = debug_span!("backup", batch = finished.number).entered();
        let playouts = self.settings.options().playouts_per_position;
        let place = run.under_way.iter().position(|batch| batch.number == finished.number);
        let Some(place) = place else { return Ok(()) };
        check_shape(&finished, run.under_way[place].leaves.len(), self.roles, playouts)?;
        let Some(batch) = run.under_way.remove(place) else { return Ok(()) };
        for (index, descent) in batch.leaves.iter().enumerate() {
            let scores = &finished.scores[index * self.roles..][..self.roles];
            descent.back_up(&mut self.tree, playouts, scores);
        }
        finished.outcomes.iter().for_each(|outcome| self.counts.outcome.add(outcome));
        self.counts.batches += 1;
        self.counts.leaves += batch.leaves.len() as u64;
        self.counts.playouts += batch.leaves.len() as u64 * u64::from(playouts);
        self.selector.reuse(batch.leaves);
        self.split.backup += start.elapsed();
        Ok(())
    }

    /// Forgets a batch whose results will never come.
    fn cancel(&mut self, batch: UnderWay) {
        let playouts = self.settings.options().playouts_per_position;
        for descent in &batch.leaves {
            descent.cancel(&mut self.tree, playouts);
        }
        self.selector.reuse(batch.leaves);
    }
}

/// Refuses an answer to something that was not asked, or was answered before.
fn check_number(run: &Run, finished: &Finished) -> Result<(), Failure> {
    let batch = finished.number;
    let is_asked = run.under_way.iter().any(|under_way| under_way.number == batch);
    let is_new = run.held.iter().all(|held| held.number != batch);
    match (is_asked, is_new) {
        (true, true) => Ok(()),
        _ => Err(Failure::Answer { batch, reason: String::from("it is not under way") }),
    }
}

/// Refuses an answer that has not something sensible for each position.
fn check_shape(
    finished: &Finished,
    count: usize,
    roles: usize,
    playouts: u32,
) -> Result<(), Failure> {
    let wrong = |reason| Err(Failure::Answer { batch: finished.number, reason });
    let (outcomes, scores) = (finished.outcomes.len(), finished.scores.len());
    if outcomes != count || scores != count * roles {
        return wrong(format!(
            "{outcomes} outcomes and {scores} scores for {count} positions and {roles} roles"
        ));
    }
    let played = |outcome: &Outcome| {
        let ways = [outcome.scored, outcome.unscored, outcome.stuck, outcome.endless];
        let most_plies = u64::from(playouts) * u64::from(u32::MAX);
        ways.into_iter().try_fold(0_u64, u64::checked_add) == Some(playouts.into())
            && outcome.plies <= most_plies
    };
    if let Some(place) = finished.outcomes.iter().position(|outcome| !played(outcome)) {
        return wrong(format!(
            "position {place} of the batch has not {playouts} sensible playouts"
        ));
    }
    let most = u64::from(playouts) * u64::from(u16::MAX);
    match finished.scores.iter().position(|&score| score > most) {
        Some(place) => wrong(format!("score {place} is more than {playouts} playouts can have")),
        None => Ok(()),
    }
}
