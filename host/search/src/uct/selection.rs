//! Which positions to play from next.
//!
//! Descents go down the tree together, level by level, in waves. In each level they choose
//! one after the other, and what one goes through has its virtual loss at once, so that
//! the next one looks elsewhere. What a choice needs of the memory is asked for before any
//! is made: so all descents wait for it together, and not each for its own.
//!
//! Where descents leave the tree, their successors are computed together. Who has come to
//! where another one leaves it goes on in the next wave.

use std::hint::black_box;

use ruche_eval::playouts::DEFAULT_PLY_LIMIT;
use ruche_game::Game;
use ruche_playouts::lanes::LANES;
use tracing::trace_span;

use super::bids::Bids;
use super::choice::{Choice, open_slot};
use super::expansion::{Expander, Found, Pending, score_bounds};
use super::formula::{Formula, Score, exclude, is_excluded};
use super::ways::{Leaf, Place, Ways, raise_turn};
use crate::limits::Deadline;
use crate::settings::{Proofs, SearchOptions};
use crate::tree::{Kind, Link, NONE, PENDING, Tree};

/// Descents that are longer end where they stand: longer than playouts may be,
/// they would only be cut later.
const DEPTH_LIMIT: u32 = DEFAULT_PLY_LIMIT;

/// Descents that begin together where roles choose at the same time: they cannot turn back
/// from what is settled, and what others have just found out is worth more than company.
const JOINT_WAVE: usize = 16;

/// How much to select.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quota {
    /// Positions to play from.
    pub(crate) leaves: usize,
    /// Descents, of which some find the game over.
    pub(crate) descents: usize,
    /// No descent begins after this: where positions have tens of thousands of moves, a
    /// batch takes long to select.
    pub(crate) until: Deadline,
}

/// What was selected.
#[derive(Debug, Default)]
pub(crate) struct Selected {
    pub(crate) leaves: Vec<Leaf>,
    /// The ways to them.
    pub(crate) ways: Ways,
    /// The leaves' positions, one behind the other.
    pub(crate) positions: Vec<u32>,
    /// All descents, and how many there may be.
    descents: usize,
    most_descents: usize,
    /// Those that have found the game over, and are backed up.
    pub(crate) ends: usize,
}

impl Selected {
    fn push(&mut self, leaf: Leaf, position: &[u32]) {
        self.positions.extend_from_slice(position);
        self.leaves.push(leaf);
    }

    /// Where descents stand is played from, although it is in the tree.
    fn push_again(&mut self, place: &Place, tree: &Tree<Score>) {
        let leaf = Leaf { step: place.step, node: place.node };
        for _ in 0..place.visits {
            self.push(leaf, tree.position(place.node));
        }
    }
}

/// Selects positions to play from.
#[derive(Debug)]
pub(crate) struct Selector {
    pub(crate) expander: Expander,
    pub(crate) formula: Formula,
    /// Playouts from each position.
    playouts: u32,
    /// Where descents stand, and where they do one level below.
    active: Vec<Place>,
    lower: Vec<Place>,
    /// Descents that wait for successors.
    pending: Vec<Pending>,
    /// Descents that go on in the next wave.
    resumed: Vec<Place>,
    bids: Bids,
    /// Ways whose results are in the tree, for their memory.
    pool: Vec<Ways>,
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
            active: Vec::new(),
            lower: Vec::new(),
            pending: Vec::new(),
            resumed: Vec::new(),
            bids: Bids::default(),
            pool: Vec::new(),
            choice: Choice::default(),
            scores: Vec::new(),
        }
    }

    /// Selects positions. All descents have ended when it returns.
    pub(crate) fn select(&mut self, tree: &mut Tree<Score>, quota: Quota) -> Selected {
        let ways = self.pool.pop().unwrap_or_default();
        let most_descents = quota.descents;
        let mut selected = Selected { ways, most_descents, ..Selected::default() };
        loop {
            self.start(tree, quota, &mut selected);
            if self.active.is_empty() {
                return selected;
            }
            self.go_down(tree, &mut selected);
            self.expand(tree, &mut selected);
        }
    }

    /// Takes ways back whose results are in the tree.
    pub(crate) fn reuse(&mut self, mut ways: Ways) {
        ways.clear();
        self.pool.push(ways);
    }

    /// Starts a wave: descents that were held up, and as many new ones as there may be.
    fn start(&mut self, tree: &Tree<Score>, quota: Quota, selected: &mut Selected) {
        core::mem::swap(&mut self.active, &mut self.resumed);
        if tree.node(0).is_settled || (selected.descents > 0 && quota.until.is_over()) {
            return;
        }
        let active: u32 = self.active.iter().map(|place| place.visits).sum();
        let leaves = quota.leaves.saturating_sub(selected.leaves.len() + active as usize);
        let wave = match tree.node(0).kind {
            Kind::Simultaneous => JOINT_WAVE,
            _ => usize::MAX,
        };
        let new = leaves.min(wave).min(selected.most_descents.saturating_sub(selected.descents));
        if new > 0 {
            selected.descents += new;
            self.active.push(Place::root(new as u32));
        }
    }

    /// Goes down until nobody is in the tree.
    fn go_down(&mut self, tree: &mut Tree<Score>, selected: &mut Selected) {
        while !self.active.is_empty() {
            fetch(tree, &self.active);
            let mut active = core::mem::take(&mut self.active);
            for place in active.drain(..) {
                self.go_on(tree, place, selected);
            }
            self.active = core::mem::replace(&mut self.lower, active);
        }
    }

    /// Goes down by one level.
    fn go_on(&mut self, tree: &mut Tree<Score>, mut place: Place, selected: &mut Selected) {
        if selected.ways.goes_round(tree, &mut place) {
            return selected.push_again(&place, tree);
        }
        let node = tree.node(place.node);
        match node.kind {
            Kind::Over | Kind::Unscored => self.turn_back(tree, place, selected),
            _ if node.is_settled => self.turn_back(tree, place, selected),
            Kind::Expanding => self.resumed.push(place),
            _ if place.plies >= DEPTH_LIMIT => selected.push_again(&place, tree),
            Kind::Leaf if tree.is_full() => selected.push_again(&place, tree),
            Kind::Leaf => self.start_expanding(tree, place),
            Kind::Turn => self.divide(tree, place, selected),
            Kind::Simultaneous => self.choose_jointly(tree, place, selected),
        }
    }

    /// Somebody is the first to go through a leaf; the others wait for its moves.
    fn start_expanding(&mut self, tree: &mut Tree<Score>, place: Place) {
        tree.nodes[place.node as usize].kind = Kind::Expanding;
        self.pending.push(Pending { place: Place { visits: 1, ..place }, link: None });
        self.hold_up(Place { visits: place.visits - 1, ..place });
    }

    /// Descents go on in the next wave.
    fn hold_up(&mut self, place: Place) {
        if place.visits > 0 {
            self.resumed.push(place);
        }
    }

    /// Divides descents among the moves of the only role that chooses.
    fn divide(&mut self, tree: &mut Tree<Score>, place: Place, selected: &mut Selected) {
        match place.visits > 1 && self.formula.has_bids() {
            true => self.divide_by_bids(tree, place, selected),
            false => self.choose_in_turn(tree, place, selected),
        }
    }

    fn divide_by_bids(&mut self, tree: &mut Tree<Score>, place: Place, selected: &mut Selected) {
        self.bids.open(&self.formula, tree, place.node, self.playouts);
        let mut rest = place;
        while rest.visits > 0 {
            let Some(slot) = open_slot(tree, place.node, self.bids.best()) else {
                selected.push_again(&rest, tree);
                break;
            };
            let edge = tree.edge_of(place.node, slot);
            let bundle = match tree.edges[edge].child {
                PENDING => {
                    self.hold_up(rest);
                    break;
                }
                NONE => 1,
                _ => self.bids.bundle(tree, edge).min(rest.visits),
            };
            if tree.edges[edge].child == NONE && !tree.is_full() {
                tree.edges[edge].child = PENDING;
            }
            self.bids.take(tree, place.node, slot, bundle);
            rest.visits -= bundle;
        }
        let bids = core::mem::take(&mut self.bids);
        for (slot, &taken) in (0..).zip(bids.taken()).filter(|(_, taken)| **taken > 0) {
            raise_turn(tree, place.node, slot, taken * self.playouts);
            self.go_through(tree, &place, slot, taken, &mut selected.ways);
        }
        self.bids = bids;
    }

    /// Each descent looks at all moves: where a move has no value before it is tried, or
    /// nobody else comes.
    fn choose_in_turn(&mut self, tree: &mut Tree<Score>, place: Place, selected: &mut Selected) {
        for gone in 0..place.visits {
            let rest = Place { visits: place.visits - gone, ..place };
            let slot = self.formula.choose(tree, tree.node(place.node));
            let Some(slot) = open_slot(tree, place.node, slot) else {
                return selected.push_again(&rest, tree);
            };
            let edge = tree.edge_of(place.node, slot);
            match tree.edges[edge].child {
                PENDING => return self.hold_up(rest),
                NONE if !tree.is_full() => tree.edges[edge].child = PENDING,
                _ => {}
            }
            raise_turn(tree, place.node, slot, self.playouts);
            self.go_through(tree, &place, slot, 1, &mut selected.ways);
        }
    }

    /// Descents go one level down by a move, or wait where it leads out of the tree.
    #[inline]
    fn go_through(
        &mut self,
        tree: &Tree<Score>,
        place: &Place,
        slot: u32,
        visits: u32,
        ways: &mut Ways,
    ) {
        let step = ways.add_turn(place, slot);
        match tree.edges[tree.edge_of(place.node, slot)].child {
            NONE | PENDING => {
                let link = Some(Link::Turn { node: place.node, slot });
                let waiting = Pending { place: Place { step, visits: 1, ..*place }, link };
                // More than one only comes here where nothing is noted any more.
                self.pending.extend((0..visits).map(|_| waiting));
            }
            child => self.lower.push(place.after(tree, step, child, visits)),
        }
    }

    /// A step leads out of the tree.
    fn leave(&mut self, tree: &mut Tree<Score>, place: Place, step: u32, link: Link) {
        if !tree.is_full() {
            tree.set_pending(link);
        }
        let place = Place { step, visits: 1, ..place };
        self.pending.push(Pending { place, link: Some(link) });
    }

    /// Descents choose one after the other where all roles choose at the same time.
    fn choose_jointly(&mut self, tree: &mut Tree<Score>, place: Place, selected: &mut Selected) {
        let one = Place { visits: 1, ..place };
        for gone in 0..place.visits {
            let link = self.choice.make(tree, &self.formula, place.node);
            let child = tree.child(link);
            if child == PENDING {
                return self.hold_up(Place { visits: place.visits - gone, ..place });
            }
            self.choice.learn(tree, &self.formula, place.node);
            if is_settled(tree, child) {
                self.look_elsewhere(tree, one, link, selected);
            } else {
                self.follow(tree, one, link, selected);
            }
        }
    }

    /// One descent goes where all roles have chosen to go.
    fn follow(&mut self, tree: &mut Tree<Score>, one: Place, link: Link, selected: &mut Selected) {
        let step = self.choice.take(tree, &mut selected.ways, &one, link, self.playouts);
        match tree.child(link) {
            NONE => self.leave(tree, one, step, link),
            child => self.lower.push(one.after(tree, step, child, 1)),
        }
    }

    /// Where descents stand all is known, which says nothing about other moves: they go
    /// back to the last choice of a single role that is open, and choose again. Where
    /// several choose, or nothing is proven, it is a result like any other.
    fn turn_back(&mut self, tree: &mut Tree<Score>, mut place: Place, selected: &mut Selected) {
        while self.expander.prover.is_on() {
            let gone_back = selected.ways.go_back(tree, &mut place, self.playouts);
            let Some(edge) = gone_back else { break };
            // There was no memory for the news.
            if !is_excluded(&tree.edges[edge]) {
                self.expander.prover.update(tree, place.node);
                exclude(&mut tree.edges[edge]);
            }
            if !tree.node(place.node).is_settled {
                return self.lower.push(place);
            }
        }
        self.back_up_settled(tree, &place, selected);
    }

    /// Where descents stand all is known.
    fn back_up_settled(&mut self, tree: &mut Tree<Score>, place: &Place, selected: &mut Selected) {
        score_bounds(tree.bounds(place.node), self.playouts, &mut self.scores);
        self.scores.iter_mut().for_each(|score| *score *= u64::from(place.visits));
        let playouts = self.playouts * place.visits;
        let ways = &selected.ways;
        ways.back_up_one(tree, &mut self.formula, place.step, playouts, &self.scores);
        selected.ends += place.visits as usize;
    }

    /// Roles that choose at the same time have chosen something of which all is known. Who
    /// is above gets that at once, and another descent begins here where something is to be
    /// found out, if there is such a place and one more may begin.
    fn look_elsewhere(
        &mut self,
        tree: &mut Tree<Score>,
        one: Place,
        link: Link,
        selected: &mut Selected,
    ) {
        let step = self.choice.take(tree, &mut selected.ways, &one, link, self.playouts);
        let known = one.after(tree, step, tree.child(link), 1);
        let may_begin = selected.descents < selected.most_descents;
        let other = if may_begin { self.choice.look_elsewhere(tree, one.node) } else { None };
        let Some(other) = other else { return self.turn_back(tree, known, selected) };
        selected.descents += 1;
        self.back_up_settled(tree, &known, selected);
        self.follow(tree, one.detached(), other, selected);
    }

    /// Computes the successors that descents wait for.
    fn expand(&mut self, tree: &mut Tree<Score>, selected: &mut Selected) {
        let mut pending = core::mem::take(&mut self.pending);
        let _span = trace_span!("expansion", positions = pending.len()).entered();
        for part in pending.chunks_mut(LANES) {
            let ways = &mut selected.ways;
            self.expander.expand(tree, &self.formula, ways, part, self.playouts);
            for (lane, one) in part.iter().enumerate() {
                let found = self.expander.settle(tree, lane, one, self.playouts);
                self.proceed(tree, one, lane, found, selected);
            }
        }
        pending.clear();
        self.pending = pending;
        // Those that went back go on with those that were held up.
        self.resumed.append(&mut self.lower);
    }

    /// What a descent does after its successor is known.
    fn proceed(
        &mut self,
        tree: &mut Tree<Score>,
        one: &Pending,
        lane: usize,
        found: Found,
        selected: &mut Selected,
    ) {
        let place = one.place;
        match found {
            Found::Leaf => {
                let node = one.link.map_or(place.node, |link| tree.child(link));
                let leaf = Leaf { step: place.step, node };
                selected.push(leaf, self.expander.position(lane));
            }
            Found::End if self.expander.prover.is_on() && !tree.is_full() => {
                let child = one.link.map_or(place.node, |link| tree.child(link));
                self.turn_back(tree, place.after(tree, place.step, child, 1), selected);
            }
            Found::End => {
                let (ways, scores) = (&selected.ways, self.expander.scores());
                ways.back_up_one(tree, &mut self.formula, place.step, self.playouts, scores);
                selected.ends += 1;
            }
            Found::Settled => self.turn_back(tree, place, selected),
            Found::Full => selected.push_again(&place, tree),
            Found::Known(child) => {
                self.resumed.push(place.after(tree, place.step, child, 1));
            }
        }
    }
}

/// Asks for the memory of all choices, so that it comes while others are waited for.
fn fetch(tree: &Tree<Score>, places: &[Place]) {
    let nodes = places.iter().map(|place| tree.node(place.node).started);
    black_box(nodes.fold(0, |all, one| all ^ one));
    let choices = places.iter().map(|place| tree.fetch_choice(place.node));
    black_box(choices.fold(0, |all, one| all ^ one));
}

fn is_settled(tree: &Tree<Score>, child: u32) -> bool {
    child < PENDING && tree.node(child).is_settled
}
