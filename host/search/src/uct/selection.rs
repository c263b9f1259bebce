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
use super::expansion::{Expander, Found, score_bounds};
use super::formula::{Formula, Score};
use crate::settings::{Proofs, SearchOptions};
use crate::tree::{Kind, Link, NONE, PENDING, Tree};

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
    /// All descents, and how many there may be.
    descents: usize,
    most_descents: usize,
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
    /// To the end of the game, or where all is known.
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
    pub(crate) fn new(game: &Game, options: &SearchOptions) -> Self {
        let playouts = options.playouts_per_position;
        Self {
            expander: Expander::new(game, options.proofs == Proofs::On),
            formula: Formula::new(game.image(), options),
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
        let mut selected = Selected { most_descents: quota.descents, ..Selected::default() };
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
            let Some(mut descent) = self.next_descent(tree, quota, selected) else { return };
            match self.descend(tree, &mut descent, selected) {
                Arrival::Pending => self.pending.push(descent),
                Arrival::Blocked => return self.resumed.push_front(descent),
                Arrival::Leaf => selected.push_again(descent, tree),
                Arrival::End => {
                    if let Some(descent) = self.turn_back(tree, descent, selected) {
                        self.resumed.push_front(descent);
                    }
                }
            }
        }
    }

    /// Where a descent stands all is known, which says nothing about other moves: it goes
    /// back to the last choice of a single role that is open, and chooses again. Where
    /// several choose, or nothing is proven, it is a result like any other.
    fn turn_back(
        &mut self,
        tree: &mut Tree<Score>,
        mut descent: Descent,
        selected: &mut Selected,
    ) -> Option<Descent> {
        while self.expander.prover.is_on() && descent.go_back(tree, self.playouts) {
            if tree.has_lost_parents() {
                self.expander.prover.update(tree, descent.node);
            }
            if !tree.node(descent.node).is_settled {
                return Some(descent);
            }
        }
        self.back_up_settled(tree, &descent, selected);
        self.pool.push(descent);
        None
    }

    /// Where a descent stands all is known.
    fn back_up_settled(
        &mut self,
        tree: &mut Tree<Score>,
        descent: &Descent,
        selected: &mut Selected,
    ) {
        score_bounds(tree.bounds(descent.node), self.playouts, &mut self.scores);
        descent.back_up(tree, &mut self.formula, self.playouts, &self.scores);
        selected.ends += 1;
    }

    fn next_descent(
        &mut self,
        tree: &Tree<Score>,
        quota: Quota,
        selected: &mut Selected,
    ) -> Option<Descent> {
        if let Some(descent) = self.resumed.pop_front() {
            return Some(descent);
        }
        if tree.node(0).is_settled {
            return None;
        }
        let leaves = selected.leaves.len() + self.pending.len();
        let is_enough = leaves >= quota.leaves || selected.descents >= selected.most_descents;
        if is_enough || quota.is_late(selected.descents) {
            return None;
        }
        selected.descents += 1;
        let mut descent = self.pool.pop().unwrap_or_else(Descent::new);
        descent.restart();
        Some(descent)
    }

    /// Goes down from where a descent stands.
    fn descend(
        &mut self,
        tree: &mut Tree<Score>,
        descent: &mut Descent,
        selected: &mut Selected,
    ) -> Arrival {
        loop {
            let node = tree.node(descent.node);
            match node.kind {
                Kind::Over | Kind::Unscored => return Arrival::End,
                _ if node.is_settled => return Arrival::End,
                Kind::Expanding => return Arrival::Blocked,
                _ if descent.plies >= DEPTH_LIMIT => return Arrival::Leaf,
                Kind::Leaf => return start_expanding(tree, descent),
                Kind::Turn | Kind::Simultaneous => {}
            }
            let mut link = self.choice.make(tree, &self.formula, descent.node);
            let mut child = tree.child(link);
            if child == PENDING {
                return Arrival::Blocked;
            }
            self.choice.learn(tree, &self.formula, descent.node);
            if let Link::Joint(_) = link
                && is_settled(tree, child)
            {
                match self.look_elsewhere(tree, descent, link, selected) {
                    Some(other) => (link, child) = (other, tree.child(other)),
                    None => return Arrival::End,
                }
            }
            self.choice.take(tree, descent, link, self.playouts);
            if child == NONE {
                if !tree.is_full() {
                    tree.set_pending(link);
                }
                return Arrival::Pending;
            }
            if !descent.follow(tree, child) {
                return Arrival::Leaf;
            }
        }
    }

    /// Roles that choose at the same time have chosen something of which all is known. Who
    /// is above gets that at once, and another descent begins here where something is to be
    /// found out, if there is such a place and one more may begin; else this one stands
    /// where all is known.
    fn look_elsewhere(
        &mut self,
        tree: &mut Tree<Score>,
        descent: &mut Descent,
        link: Link,
        selected: &mut Selected,
    ) -> Option<Link> {
        let (node, child) = (descent.node, tree.child(link));
        self.choice.take(tree, descent, link, self.playouts);
        descent.arrive(child);
        if selected.descents >= selected.most_descents {
            return None;
        }
        let other = self.choice.look_elsewhere(tree, node)?;
        selected.descents += 1;
        self.back_up_settled(tree, descent, selected);
        descent.detach(node);
        Some(other)
    }

    /// Computes the successors that descents wait for.
    fn expand(&mut self, tree: &mut Tree<Score>, selected: &mut Selected) {
        let mut pending = core::mem::take(&mut self.pending);
        let _span = trace_span!("expansion", positions = pending.len()).entered();
        self.expander.expand(tree, &self.formula, &mut pending, self.playouts);
        let mut resumed = 0;
        for (lane, descent) in pending.drain(..).enumerate() {
            let found = self.expander.settle(tree, lane, &descent, self.playouts);
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
            Found::End if self.expander.prover.is_on() && !tree.is_full() => {
                if let Some(link) = descent.link {
                    descent.arrive(tree.child(link));
                }
                return self.turn_back(tree, descent, selected);
            }
            Found::End => {
                let scores = self.expander.scores();
                descent.back_up(tree, &mut self.formula, self.playouts, scores);
                selected.ends += 1;
                self.pool.push(descent);
            }
            Found::Settled => return self.turn_back(tree, descent, selected),
            Found::Full => selected.push_again(descent, tree),
            Found::Known(child) if descent.follow(tree, child) => return Some(descent),
            Found::Known(_) => selected.push_again(descent, tree),
        }
        None
    }
}

fn is_settled(tree: &Tree<Score>, child: u32) -> bool {
    child < PENDING && tree.node(child).is_settled
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
