//! UCT: selects batches of leaves, hands them over, and backs up what they bring.
//!
//! ```text
//!            ┌────────── selection ──────────┐
//!  descents ─▶ formula ─▶ out of the tree ─▶ expansion (64 lanes) ─▶ leaves ─ submit ─▶ offload
//!      ▲                                                                                 │
//!      └───────────────────────────── backup ◀───────────────────────────────── collect ─┘
//! ```
//!
//! | module | question it answers |
//! |---|---|
//! | `formula` | which move looks best: mean, exploration, prior, virtual loss |
//! | `bids` | how are many descents divided among the moves of one role? |
//! | `history` | how has a move turned out elsewhere? |
//! | `choice` | what do all roles choose in a position? |
//! | `regret` | what do roles choose that choose at the same time? |
//! | `ways` | which way do the results of leaves take back to the root? |
//! | `selection` | which positions are played from next? |
//! | `expansion` | what do moves lead to? |
//! | `foresight` | which of all moves end the game? |
//! | `proof` | what follows from ends, whatever anybody plays? |
//! | `distance` | how far away is an end that is proven? |
//! | `run` | what belongs to one call: its limits, and the batches under way |
//! | `line` | how is the best score of a game for one reached? |
//! | `mixed` | how do roles mix their moves at the root? |
//! | `summary` | what does the tree say about the root? |

mod bids;
mod choice;
mod distance;
mod expansion;
mod foresight;
mod formula;
mod history;
mod line;
mod mixed;
mod proof;
mod regret;
mod run;
mod selection;
mod summary;
mod ways;

use std::time::Duration;

use ruche_game::{Game, State, StateError};
use ruche_offload::{Offload, Tally};
use ruche_playouts::lanes::LegalMoves;
use ruche_shared::Image;
use ruche_shared::position::position_words;

use crate::Searcher;
use crate::hash::hash;
use crate::limits::{Limits, Stop};
use crate::method::SearchMethod;
use crate::report::{Progress, SearchError, SearchReport, TimeSplit};
use crate::settings::{SearchOptions, SearchSettings};
use crate::tree::{Bounds, NewScores, Packing, Shape, Tree};
use formula::Score;
use line::Lines;
use selection::Selector;

/// A search by UCT.
#[derive(Debug)]
pub struct Uct {
    game: Game,
    settings: SearchSettings,
    tree: Tree<Score>,
    selector: Selector,
    /// The legal moves of the root.
    moves: LegalMoves,
    counts: Counts,
    lines: Lines,
    /// Positions and batches that were ever handed over: their numbers are never used
    /// twice.
    positions_submitted: u64,
    batches_submitted: u64,
    /// Batches that were given up; their results may still come.
    abandoned: Vec<u64>,
    time: Duration,
    split: TimeSplit,
    is_stopped: bool,
    /// Whether too little of the tree can be forgotten to make room for more.
    is_cramped: bool,
    /// After which time progress brings a report with it.
    pause: Option<Duration>,
}

/// What was done since the position was set.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    /// Playouts in the tree, ends included.
    playouts: u64,
    tally: Tally,
    /// Positions whose results are in the tree.
    leaves: u64,
    ends: u64,
    batches: u64,
    /// How often a part of the tree was forgotten to make room.
    thinned: u64,
}

/// So much of the memory a tree may take: a part of it is copied before the rest is
/// forgotten, and both must fit.
fn most_of(memory: u64) -> u64 {
    memory / 3 * 2
}

/// The numbers of positions and batches begin with that of their tree.
pub(crate) const NUMBER_SHIFT: u32 = 40;

/// Nanoseconds that it takes to copy a node, to be on the safe side.
const COPY_TIME: u64 = 1000;

/// The tree of a game.
fn shape(image: &Image<'_>, options: &SearchOptions) -> Shape<Score> {
    let unbounded = || vec![Bounds { low: 0, high: u16::MAX }; image.roles()];
    let widest = Bounds::widest(image).unwrap_or_else(unbounded);
    let turn = Score::untried(options.prior, options.playouts_per_position);
    let scores = NewScores { turn, joint: Score::NO_REGRET };
    let most_moves = (0..image.roles()).map(|role| image.move_range(role).len()).max();
    let packing = Packing::new(most_moves.unwrap_or(0));
    let (words, memory) = (position_words(image.fluents()), most_of(options.memory));
    Shape { widest, words, packing, memory, scores }
}

impl SearchMethod for Uct {
    const NAME: &'static str = "uct";
    const ABOUT: &'static str = "UCT with transpositions, simultaneous moves and virtual loss";

    fn new(game: &Game, settings: &SearchSettings) -> Result<Self, SearchError> {
        let options = settings.options();
        let mut search = Self {
            game: game.clone(),
            settings: *settings,
            tree: Tree::new(shape(game.image(), options)),
            selector: Selector::new(game, options),
            moves: LegalMoves::default(),
            counts: Counts::default(),
            lines: Lines::default(),
            positions_submitted: 0,
            batches_submitted: 0,
            abandoned: Vec::new(),
            time: Duration::ZERO,
            split: TimeSplit::default(),
            is_stopped: false,
            is_cramped: false,
            pause: None,
        };
        search.plant(game.image().initial())?;
        Ok(search)
    }
}

impl Searcher for Uct {
    fn set_position(&mut self, state: &State) -> Result<(), SearchError> {
        let position = state.position();
        let (needed, found) = (self.game.image().initial().len(), position.len());
        if needed != found {
            return Err(StateError::Position { needed, found }.into());
        }
        let node = self.tree.find(hash(position), position);
        if node == Some(0) {
            return Ok(());
        }
        self.lines.look(&self.game, &self.tree);
        let score = self.lines.move_root(&self.game, self.tree.position(0), position);
        match node {
            Some(node) => self.move_root(node, position)?,
            None => self.plant(position)?,
        }
        if let Some(score) = score {
            self.selector.expander.prover.raise(&mut self.tree, 0, score);
        }
        Ok(())
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
        run::search(self, offload, limits, stop, progress)
    }

    fn report_every(&mut self, pause: Option<Duration>) {
        self.pause = pause;
    }

    fn report(&mut self) -> SearchReport {
        let counts = self.counts;
        self.lines.look(&self.game, &self.tree);
        let line = self.lines.best();
        let first = line.and_then(|line| line.moves.first().copied());
        let first = first.or_else(|| distance::move_to_play(&self.tree));
        let shares = mixed::shares(&self.tree, &mut self.selector.expander.prover);
        let mixed = shares.as_deref().and_then(|shares| mixed::report(&self.tree, shares));
        SearchReport {
            best: summary::best(&self.tree, &self.moves, shares.as_deref(), first),
            roles: summary::roles(
                &self.tree,
                &mut self.selector.expander,
                &self.moves,
                shares,
                first,
            ),
            is_complete: self.tree.node(0).is_settled,
            best_line: line.cloned(),
            sum: None,
            mixed,
            playouts: counts.playouts,
            tally: counts.tally,
            leaves: counts.leaves,
            terminal_visits: counts.ends,
            nodes: self.tree.nodes.len() as u64,
            edges: self.tree.move_count,
            bytes: self.tree.bytes(),
            is_full: self.tree.is_full() || counts.thinned > 0,
            is_stopped: self.is_stopped,
            batches: counts.batches,
            time: self.time,
            split: self.split,
            signature: summary::signature(&self.tree),
        }
    }
}

impl Uct {
    /// The same with numbers of positions and batches that no other tree has.
    pub(crate) fn numbered(mut self, tree: u64) -> Self {
        self.positions_submitted = tree << NUMBER_SHIFT;
        self.batches_submitted = tree << NUMBER_SHIFT;
        self
    }

    /// Starts a new tree.
    fn plant(&mut self, position: &[u32]) -> Result<(), SearchError> {
        let options = self.settings.options();
        let memory = options.memory;
        let mut tree = Tree::new(shape(self.game.image(), options));
        match self.selector.expander.plant(&mut tree, position) {
            true => {}
            false => return Err(SearchError::Memory { memory }),
        }
        self.selector.formula.expect(&mut tree, 0, None);
        self.start(tree, position);
        Ok(())
    }

    /// Keeps what a node leads to. A leaf gets its moves, as every root has them.
    fn move_root(&mut self, node: u32, position: &[u32]) -> Result<(), SearchError> {
        let memory = self.settings.options().memory;
        let Some(mut tree) = self.tree.rerooted(node, memory - self.tree.bytes()) else {
            return self.plant(position);
        };
        self.open(&mut tree);
        if !tree.node(0).kind.has_edges() && tree.node(0).kind.goes_on() {
            return self.plant(position);
        }
        self.start(tree, position);
        self.counts.playouts = u64::from(self.tree.visits(0));
        Ok(())
    }

    /// A part of a tree may grow again.
    fn open(&self, part: &mut Tree<Score>) {
        part.allow(most_of(self.settings.options().memory));
        self.selector.expander.prover.reopen(part);
    }

    /// Forgets what few playouts went through, if there is time for that. Nothing may be
    /// under way.
    fn make_room(&mut self, time: Duration) {
        let memory = self.settings.options().memory;
        if time < Duration::from_nanos(self.tree.nodes.len() as u64 * COPY_TIME) {
            self.is_cramped = true;
            return;
        }
        self.lines.look(&self.game, &self.tree);
        let part = self.tree.thinned(memory - self.tree.bytes());
        match part.filter(|part| part.bytes() < self.tree.bytes() / 4 * 3) {
            Some(mut part) => {
                self.open(&mut part);
                self.tree = part;
                self.counts.thinned += 1;
            }
            None => self.is_cramped = true,
        }
    }

    /// Goes on with another tree.
    fn start(&mut self, tree: Tree<Score>, position: &[u32]) {
        (self.tree, self.is_cramped) = (tree, false);
        self.moves = self.selector.expander.legal_moves(position).clone();
        (self.counts, self.is_stopped) = (Counts::default(), false);
        (self.time, self.split) = (Duration::ZERO, TimeSplit::default());
    }

    fn progress(&self) -> Progress {
        summary::progress(&self.tree, &self.moves, self.counts.playouts, self.time, &self.lines)
    }
}
