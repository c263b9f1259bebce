//! Which positions to play from next.
//!
//! Descents go down the tree one after the other. Where one leaves the tree it
//! waits until 64 do or until another one comes the same way, since successors
//! cost the same for 64 as for one. What a descent goes through has its virtual loss at
//! once, so that the next one looks elsewhere.

use std::collections::VecDeque;
use std::time::Instant;

use ruche_eval::playouts::DEFAULT_PLY_LIMIT;
use ruche_game::Game;
use ruche_playouts::lanes::LANES;
use tracing::trace_span;

use super::choice::Choice;
use super::descent::Descent;
use super::expansion::{Expander, Found, scale};
use super::formula::{Formula, Score};
use crate::tree::{Kind, NONE, PENDING, Tree};

/// Descents that are longer end where they stand: longer than playouts may be,
/// they would only be cut later.
const DEPTH_LIMIT: u32 = DEFAULT_PLY_LIMIT;

/// How much to select.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quota {
    /// Positions to play from.
    pub(crate) leaves: usize,
    /// Descents, of which some find the game over.
    pub(crate) descents: usize,
    /// No descent begins after this: where positions have tens of thousands of moves, a
    /// batch takes long to select.
    pub(crate) until: Option<Instant>,
}

/// Descents between two looks at the clock.
const CLOCK_DESCENTS: usize = 16;

impl Quota {
    /// Whether the time is over after so many descents.
    fn is_late(&self, descents: usize) -> bool {
        let looks = descents > 0 && descents.is_multiple_of(CLOCK_DESCENTS);
        looks && self.until.is_some_and(|until| Instant::now() >= until)
    }
}

/// What was selected.
#[derive(Debug, Default)]
pub(crate) struct Selected {
    /// The ways to the leaves.
    pub(crate) leaves: Vec<Descent>,
    /// The leaves' positions, one behind the other.
    pub(crate) positions: Vec<u32>,
    /// All descents.
    descents: usize,
    /// Those that have found the game over, and are backed up.
    pub(crate) ends: usize,
}

impl Selected {
    fn push(&mut self, descent: Descent, position: &[u32]) {
        self.positions.extend_from_slice(position);
        self.leaves.push(descent);
    }

    /// Where a descent stands is played from, although it is in the tree.
    fn push_again(&mut self, descent: Descent, tree: &Tree<Score>) {
        let node = descent.node;
        self.push(descent, tree.position(node));
    }
}

/// Where a descent has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arrival {
    /// Out of the tree.
    Pending,
    /// To something that another descent waits for.
    Blocked,
    /// To a node that is played from again.
    Leaf,
    /// To the end of the game.
    End,
}

/// Selects positions to play from.
#[derive(Debug)]
pub(crate) struct Selector {
    pub(crate) expander: Expander,
    pub(crate) formula: Formula,
    /// Playouts from each position.
    playouts: u32,
    /// Descents that wait for successors.
    pending: Vec<Descent>,
    /// Descents that go on before new ones start.
    resumed: VecDeque<Descent>,
    /// Descents that are done, for their memory.
    pool: Vec<Descent>,
    choice: Choice,
    scores: Vec<u64>,
}

impl Selector {
    pub(crate) fn new(game: &Game, exploration: f64, playouts: u32) -> Self {
        Self {
            expander: Expander::new(game),
            formula: Formula::new(game.image(), exploration),
            playouts,
            pending: Vec::new(),
            resumed: VecDeque::new(),
            pool: Vec::new(),
            choice: Choice::default(),
            scores: Vec::new(),
        }
    }

    /// Selects positions. All descents have ended when it returns.
    pub(crate) fn select(&mut self, tree: &mut Tree<Score>, quota: Quota) -> Selected {
        let mut selected = Selected::default();
        loop {
            self.gather(tree, quota, &mut selected);
            if self.pending.is_empty() {
                return selected;
            }
            self.expand(tree, &mut selected);
        }
    }

    /// Takes descents back whose results are in the tree.
    pub(crate) fn reuse(&mut self, descents: Vec<Descent>) {
        self.pool.extend(descents);
    }

    /// Goes down until enough descents wait for successors.
    fn gather(&mut self, tree: &mut Tree<Score>, quota: Quota, selected: &mut Selected) {
        while self.pending.len() < LANES {
            let Some(mut descent) = self.next_descent(quota, selected) else { return };
            match self.descend(tree, &mut descent) {
                Arrival::Pending => self.pending.push(descent),
                Arrival::Blocked => return self.resumed.push_front(descent),
                Arrival::Leaf => selected.push_again(descent, tree),
                Arrival::End => {
                    let goals = tree.goals(descent.node);
                    scale(goals, tree.roles(), self.playouts, &mut self.scores);
                    descent.back_up(tree, &self.formula, self.playouts, &self.scores);
                    selected.ends += 1;
                    self.pool.push(descent);
                }
            }
        }
    }

    fn next_descent(&mut self, quota: Quota, selected: &mut Selected) -> Option<Descent> {
        if let Some(descent) = self.resumed.pop_front() {
            return Some(descent);
        }
        let leaves = selected.leaves.len() + self.pending.len();
        let is_enough = leaves >= quota.leaves || selected.descents >= quota.descents;
        if is_enough || quota.is_late(selected.descents) {
            return None;
        }
        selected.descents += 1;
        let mut descent = self.pool.pop().unwrap_or_else(Descent::new);
        descent.restart();
        Some(descent)
    }

    /// Goes down from where a descent stands.
    fn descend(&mut self, tree: &mut Tree<Score>, descent: &mut Descent) -> Arrival {
        loop {
            match tree.node(descent.node).kind {
                Kind::Over | Kind::Unscored => return Arrival::End,
                Kind::Expanding => return Arrival::Blocked,
                _ if descent.plies >= DEPTH_LIMIT => return Arrival::Leaf,
                Kind::Leaf => return start_expanding(tree, descent),
                Kind::Turn | Kind::Simultaneous => {}
            }
            let link = self.choice.make(tree, &self.formula, descent.node);
            let child = tree.child(link);
            if child == PENDING {
                return Arrival::Blocked;
            }
            self.choice.take(tree, descent, link, self.playouts);
            if child == NONE {
                if !tree.is_full() {
                    tree.set_child(link, PENDING);
                }
                return Arrival::Pending;
            }
            if !descent.follow(tree, child) {
                return Arrival::Leaf;
            }
        }
    }

    /// Computes the successors that descents wait for.
    fn expand(&mut self, tree: &mut Tree<Score>, selected: &mut Selected) {
        let mut pending = core::mem::take(&mut self.pending);
        let _span = trace_span!("expansion", positions = pending.len()).entered();
        self.expander.expand(tree, &self.formula, &mut pending, self.playouts);
        let mut resumed = 0;
        for (lane, descent) in pending.drain(..).enumerate() {
            let found = self.expander.settle(tree, lane, &descent);
            if let Some(descent) = self.proceed(tree, descent, lane, found, selected) {
                // Before one that was blocked by these, and in their order.
                self.resumed.insert(resumed, descent);
                resumed += 1;
            }
        }
        self.pending = pending;
    }

    /// What a descent does after its successor is known. Returns it if it goes on.
    fn proceed(
        &mut self,
        tree: &mut Tree<Score>,
        mut descent: Descent,
        lane: usize,
        found: Found,
        selected: &mut Selected,
    ) -> Option<Descent> {
        match found {
            Found::Leaf => selected.push(descent, self.expander.position(lane)),
            Found::End => {
                let scores = self.expander.scores(self.playouts);
                descent.back_up(tree, &self.formula, self.playouts, scores);
                selected.ends += 1;
                self.pool.push(descent);
            }
            Found::Full => selected.push_again(descent, tree),
            Found::Known(child) if descent.follow(tree, child) => return Some(descent),
            Found::Known(_) => selected.push_again(descent, tree),
        }
        None
    }
}

/// A descent is the first to go through a leaf.
fn start_expanding(tree: &mut Tree<Score>, descent: &mut Descent) -> Arrival {
    if tree.is_full() {
        return Arrival::Leaf;
    }
    tree.nodes[descent.node as usize].kind = Kind::Expanding;
    descent.link = None;
    Arrival::Pending
}
