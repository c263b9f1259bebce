//! New nodes: the successors that up to 64 descents ask for, computed together.
//!
//! ```text
//! load where descents stand ─ legal ─▶ new edges ─ ends among them ─ choose ─ next ─▶ …
//! … successors ─ legal ─▶ over? known? ends among their moves ─▶ nodes
//! ```

use ruche_game::Game;
use ruche_playouts::Lanes;
use ruche_playouts::lanes::{End, Ends, LANES, LegalMoves};
use ruche_shared::position::position_words;

use super::choice::Choice;
use super::foresight::{Foresight, FoundEnd, Harvest};
use super::formula::{Formula, Score, exclude, first_move, is_excluded};
use super::proof::{Children, Prover, joints};
use super::ways::{Place, Ways};
use crate::hash::hash;
use crate::tree::{Bounds, Edge, Kind, Link, NONE, Tree};

/// What a descent has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// A position to play from.
    Leaf,
    /// The end of the game, or a position of which all is known.
    End,
    /// A node that was there already: the descent goes on from it.
    Known(u32),
    /// Where it stands all is known now.
    Settled,
    /// No memory for the moves of where it stands: that is played from again.
    Full,
}

/// A descent that waits for its successor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending {
    /// Where it stands, after its last choice.
    pub(crate) place: Place,
    /// Where the successor will be noted; `None` if there is no choice yet.
    pub(crate) link: Option<Link>,
}

/// A node that has just got its edges.
#[derive(Clone, Copy, Debug)]
struct Expanded {
    node: u32,
    /// Where the descent is that was the first to go through it.
    lane: usize,
    is_worth_a_look: bool,
}

/// Computes successors.
#[derive(Debug)]
pub(crate) struct Expander {
    lanes: Lanes,
    roles: usize,
    words: usize,
    pub(crate) prover: Prover,
    foresight: Foresight,
    harvest: Harvest,
    ends: Option<Ends>,
    /// The successors, and their hashes.
    positions: Vec<u32>,
    hashes: Vec<u64>,
    /// Their nodes, as far as they were in the tree before, else [`NONE`].
    known: Vec<u32>,
    /// What is known of new successors by the ends among their moves, and which are
    /// settled by that.
    foreseen: Vec<Bounds>,
    foreseen_settled: u64,
    /// New successors whose moves are worth another look when they get their edges.
    worth_a_look: u64,
    /// Nodes that have just got their edges.
    expanded: Vec<Expanded>,
    /// Lanes whose node got no edges, and those whose node is settled.
    refused: u64,
    settled: u64,
    /// For each role the lanes in which it chooses.
    choosing: Vec<u64>,
    legal: LegalMoves,
    choice: Choice,
    children: Children,
    goals: Vec<u16>,
    scores: Vec<u64>,
}

impl Expander {
    pub(crate) fn new(game: &Game, proves: bool) -> Self {
        let image = game.image();
        Self {
            lanes: Lanes::new(game),
            roles: image.roles(),
            words: position_words(image.fluents()),
            prover: Prover::new(image.roles(), Bounds::widest(image).is_some(), proves),
            foresight: Foresight::new(game),
            harvest: Harvest::default(),
            ends: None,
            positions: Vec::new(),
            hashes: Vec::new(),
            known: Vec::new(),
            foreseen: Vec::new(),
            foreseen_settled: 0,
            worth_a_look: 0,
            expanded: Vec::new(),
            refused: 0,
            settled: 0,
            choosing: vec![0; image.roles()],
            legal: LegalMoves::default(),
            choice: Choice::default(),
            children: Children::default(),
            goals: Vec::new(),
            scores: Vec::new(),
        }
    }

    /// Puts the root into an empty tree, with its edges if the game goes on.
    /// Returns whether there was memory for it.
    pub(crate) fn plant(&mut self, tree: &mut Tree<Score>, position: &[u32]) -> bool {
        self.lanes.load(core::iter::once(position));
        self.lanes.run_legal();
        self.lanes.survey_moves();
        self.lanes.legal(0, &mut self.legal);
        let ends = self.lanes.survey_ends(1);
        if let Some(end) = ends.of(0, &self.lanes, &mut self.goals) {
            return tree.end(end).is_some();
        }
        let root = tree.add(hash(position), position, 0);
        let Some(root) = root.filter(|&root| tree.expand(root, &self.legal, first_move)) else {
            return false;
        };
        self.look_at_moves(tree, &[Expanded { node: root, lane: 0, is_worth_a_look: true }]);
        tree.try_all(root)
    }

    /// The legal moves of a position.
    pub(crate) fn legal_moves(&mut self, position: &[u32]) -> &LegalMoves {
        self.lanes.load(core::iter::once(position));
        self.lanes.run_legal();
        self.lanes.survey_moves();
        self.lanes.legal(0, &mut self.legal);
        &self.legal
    }

    /// Computes the successors of up to 64 descents. After this each of them is
    /// [settled](Self::settle), in order.
    pub(crate) fn expand(
        &mut self,
        tree: &mut Tree<Score>,
        formula: &Formula,
        ways: &mut Ways,
        descents: &mut [Pending],
        playouts: u32,
    ) {
        debug_assert!(descents.len() <= LANES, "there is a lane for each descent");
        self.lanes.load(descents.iter().map(|one| tree.position(one.place.node)));
        self.lanes.run_legal();
        self.add_edges(tree, formula, ways, descents, playouts);
        self.choose(tree, ways, descents);
        self.lanes.run_next();
        self.lanes.store(&mut self.positions, descents.len());
        self.lanes.run_legal();
        let used = u64::MAX.checked_shr((LANES - descents.len()) as u32).unwrap_or(0);
        let ends = self.lanes.survey_ends(used);
        self.ends = Some(ends);
        let idle = self.refused | self.settled | ends.any();
        self.find_known(tree, descents.len(), idle);
        self.foresee(tree, descents.len(), idle);
    }

    /// Gives edges to the nodes that descents are the first to go through.
    fn add_edges(
        &mut self,
        tree: &mut Tree<Score>,
        formula: &Formula,
        ways: &mut Ways,
        descents: &mut [Pending],
        playouts: u32,
    ) {
        (self.refused, self.settled) = (0, 0);
        if descents.iter().all(|descent| descent.link.is_some()) {
            return;
        }
        self.lanes.survey_moves();
        let mut expanded = core::mem::take(&mut self.expanded);
        for (lane, descent) in descents.iter().enumerate().filter(|(_, one)| one.link.is_none()) {
            self.lanes.legal(lane, &mut self.legal);
            let node = descent.place.node;
            let is_worth_a_look = tree.is_worth_a_look(node);
            if tree.expand(node, &self.legal, first_move) {
                expanded.push(Expanded { node, lane, is_worth_a_look });
            } else {
                tree.nodes[node as usize].kind = Kind::Leaf;
                self.refused |= 1 << lane;
            }
        }
        self.look_at_moves(tree, &expanded);
        for Expanded { node, lane, .. } in expanded.drain(..) {
            if tree.node(node).is_settled {
                self.settled |= 1 << lane;
                continue;
            }
            let Pending { place, link: chosen } = &mut descents[lane];
            let before = ways.last_turn_of(tree, place.step, tree.node(node).mover);
            formula.expect(tree, node, before);
            let link = self.choice.make(tree, formula, node);
            if link == Link::Nowhere && tree.node(node).kind == Kind::Turn {
                self.refused |= 1 << lane;
                continue;
            }
            self.choice.learn(tree, formula, node);
            place.step = self.choice.take(tree, ways, place, link, playouts);
            *chosen = Some(link);
        }
        self.expanded = expanded;
    }

    /// Finds the ends among all moves of nodes that have just got their edges, and what
    /// follows from them. Most were looked at when they were found, and have none.
    fn look_at_moves(&mut self, tree: &mut Tree<Score>, nodes: &[Expanded]) {
        let nodes = || nodes.iter().filter(|one| one.is_worth_a_look);
        let asked = nodes().fold(0, |lanes, one| lanes | 1 << one.lane);
        if !self.prover.is_on() || asked == 0 {
            return;
        }
        let mut node_of = [NONE; LANES];
        nodes().for_each(|one| node_of[one.lane] = one.node);
        self.foresight.look_at(&mut self.lanes, asked, |lane| tree.position(node_of[lane]));
        for &found in self.foresight.found() {
            let Some(end) = tree.end(self.foresight.end(found)) else { continue };
            let node = node_of[found.tag];
            let link = tree.link_of(node, found.choice);
            tree.set_child(link, node, Some(end));
        }
        self.see_ends(tree);
        nodes().for_each(|one| self.prover.update(tree, one.node));
    }

    fn see_ends(&mut self, tree: &mut Tree<Score>) {
        for &found in self.foresight.found() {
            self.prover.see(tree, self.foresight.end(found));
        }
    }

    /// Sets the moves that descents have chosen. Roles without a choice have
    /// theirs set already: it is the only legal one.
    fn choose(&mut self, tree: &Tree<Score>, ways: &Ways, descents: &[Pending]) {
        self.choosing.fill(0);
        let idle = self.refused | self.settled;
        let lanes = || (0..LANES).zip(descents).filter(|(lane, _)| idle >> lane & 1 == 0);
        for (lane, descent) in lanes() {
            for (role, _) in ways.moves(tree, descent.place.step) {
                self.choosing[role] |= 1 << lane;
            }
        }
        for (role, &lanes) in self.choosing.iter().enumerate() {
            self.lanes.clear_moves(role, lanes);
        }
        for (lane, descent) in lanes() {
            for (role, number) in ways.moves(tree, descent.place.step) {
                self.lanes.set_move(lane, role, number);
            }
        }
    }

    /// Finds the successors that are in the tree. One after the other, with nothing in
    /// between: so the processor waits for the memory of several at once.
    fn find_known(&mut self, tree: &Tree<Score>, count: usize, idle: u64) {
        self.hashes.clear();
        // A game that always is in the same state has positions without words.
        let positions = || (0..count).map(|lane| &self.positions[lane * self.words..][..self.words]);
        self.hashes.extend(positions().map(hash));
        self.known.clear();
        for (lane, (position, &hash)) in positions().zip(&self.hashes).enumerate() {
            let is_idle = idle >> lane & 1 == 1;
            let known = if is_idle { None } else { tree.find(hash, position) };
            self.known.push(known.unwrap_or(NONE));
        }
    }

    /// Finds the ends among the moves of new successors, where that is often worth it; else
    /// they are looked at when they get their edges, as most never do.
    fn foresee(&mut self, tree: &mut Tree<Score>, count: usize, idle: u64) {
        self.foreseen.clear();
        self.foreseen_settled = 0;
        // Who has nothing to win is done without any end.
        let has_idler = tree.widest().iter().any(|bounds| bounds.is_exact());
        self.worth_a_look = if has_idler { u64::MAX } else { 0 };
        if !self.prover.is_on() {
            return;
        }
        for _ in 0..count {
            self.foreseen.extend_from_slice(tree.widest());
        }
        if !self.harvest.is_due() {
            self.worth_a_look = u64::MAX;
            return;
        }
        let is_new = |lane: &usize| idle >> lane & 1 == 0 && self.known[*lane] == NONE;
        let asked = (0..count).filter(is_new).fold(0_u64, |lanes, lane| lanes | 1 << lane);
        let (positions, words) = (&self.positions, self.words);
        self.foresight.look_at(&mut self.lanes, asked, |lane| &positions[lane * words..][..words]);
        self.see_ends(tree);
        let with_ends = self.judge(tree);
        self.harvest.note(asked.count_ones(), with_ends);
    }

    /// What follows from the ends among the moves of new successors. Returns how many have
    /// some.
    fn judge(&mut self, tree: &Tree<Score>) -> u32 {
        let mut with_ends = 0;
        for ends in self.foresight.found().chunk_by(|one, other| one.tag == other.tag) {
            let lane = ends[0].tag;
            self.worth_a_look |= 1 << lane;
            let mover = self.foresight.mover(lane);
            self.children.clear(self.roles);
            match mover {
                Some(mover) => {
                    gather(&mut self.children, ends, &self.foresight);
                    // What all others lead to is not known.
                    if self.lanes.count(lane, mover) as usize > ends.len() {
                        self.children.push(tree.widest(), false);
                    }
                }
                None => {
                    self.lanes.legal(lane, &mut self.legal);
                    gather_joints(&mut self.children, tree, joints(&self.legal.counts), ends, &self.foresight);
                }
            }
            let bounds = &mut self.foreseen[lane * self.roles..][..self.roles];
            let counts = &self.legal.counts;
            if self.prover.foresee(counts, mover, &mut self.children, bounds) {
                self.foreseen_settled |= 1 << lane;
            }
            with_ends += 1;
        }
        with_ends
    }

    /// Adds the successor of a descent to the tree, unless it is there.
    pub(crate) fn settle(
        &mut self,
        tree: &mut Tree<Score>,
        lane: usize,
        descent: &Pending,
        playouts: u32,
    ) -> Found {
        let (Some(ends), Some(link)) = (self.ends, descent.link) else {
            let is_settled = self.settled >> lane & 1 == 1;
            return if is_settled { Found::Settled } else { Found::Full };
        };
        let parent = descent.place.node;
        if let Some(end) = ends.of(lane, &self.lanes, &mut self.goals) {
            score_end(end, self.roles, playouts, &mut self.scores);
            let child = tree.end(end);
            self.prover.see(tree, end);
            self.link(tree, parent, link, child);
            return Found::End;
        }
        let position = &self.positions[lane * self.words..][..self.words];
        // One that was not there may have come by a descent before this one.
        let known = Some(self.known[lane]).filter(|&known| known != NONE);
        if let Some(child) = known.or_else(|| tree.find(self.hashes[lane], position)) {
            exclude_double(tree, parent, link, child);
            self.link(tree, parent, link, Some(child));
            return Found::Known(child);
        }
        let child = tree.add(self.hashes[lane], position, tree.node(parent).depth + 1);
        if let Some(child) = child {
            self.note_foreseen(tree, lane, child);
        }
        self.link(tree, parent, link, child);
        match self.foreseen_settled >> lane & 1 {
            0 => Found::Leaf,
            _ => {
                let bounds = &self.foreseen[lane * self.roles..][..self.roles];
                score_bounds(bounds, playouts, &mut self.scores);
                Found::End
            }
        }
    }

    /// Notes where a descent's choice leads, and what follows from that.
    fn link(&mut self, tree: &mut Tree<Score>, parent: u32, link: Link, child: Option<u32>) {
        tree.set_child(link, parent, child);
        let is_news = |child| tree.node(child).is_settled || tree.bounds(child) != tree.widest();
        if child.is_some_and(is_news) {
            self.prover.update(tree, parent);
        }
    }

    fn note_foreseen(&self, tree: &mut Tree<Score>, lane: usize, child: u32) {
        if self.prover.is_on() {
            let bounds = &self.foreseen[lane * self.roles..][..self.roles];
            tree.bounds_mut(child).copy_from_slice(bounds);
            let is_settled = self.foreseen_settled >> lane & 1 == 1;
            tree.nodes[child as usize].is_settled = is_settled;
            tree.set_worth_a_look(child, self.worth_a_look >> lane & 1 == 1);
        }
    }

    /// The successor of a descent.
    pub(crate) fn position(&self, lane: usize) -> &[u32] {
        &self.positions[lane * self.words..][..self.words]
    }

    /// The scores of playouts from the end that was just settled.
    pub(crate) fn scores(&self) -> &[u64] {
        &self.scores
    }
}

/// Leaves a move out that leads where another one does: whoever chooses shall not learn
/// about the same position twice.
fn exclude_double(tree: &mut Tree<Score>, node: u32, link: Link, child: u32) {
    let Link::Turn { slot, .. } = link else { return };
    let edges = tree.node(node).turn_edges();
    // Another one that is left out says nothing: somebody must go there.
    let leads_there = |other: &Edge<Score>| other.child == child && !is_excluded(other);
    if tree.edges[edges].iter().any(leads_there) {
        let edge = tree.edge_of(node, slot);
        exclude(&mut tree.edges[edge]);
    }
}

/// What some moves of a position lead to: ends.
fn gather(children: &mut Children, ends: &[FoundEnd], foresight: &Foresight) {
    for &found in ends {
        children.push_end(foresight.end(found));
    }
}

/// What all joint moves of a position lead to: some ends, and nothing that is known.
fn gather_joints(
    children: &mut Children,
    tree: &Tree<Score>,
    count: usize,
    ends: &[FoundEnd],
    foresight: &Foresight,
) {
    let mut ends = ends.iter().peekable();
    for choice in 0..count {
        match ends.next_if(|found| found.choice == choice) {
            Some(&found) => children.push_end(foresight.end(found)),
            None => children.push(tree.widest(), false),
        }
    }
}

/// The goals that some playouts from an end reach. Without goals nobody scores.
fn score_end(end: End<'_>, roles: usize, playouts: u32, scores: &mut Vec<u64>) {
    scores.clear();
    if let End::Goals(goals) = end {
        scores.extend(goals.iter().map(|&goal| u64::from(goal) * u64::from(playouts)));
    }
    scores.resize(roles, 0);
}

/// The same of a position of which all is known.
pub(crate) fn score_bounds(bounds: &[Bounds], playouts: u32, scores: &mut Vec<u64>) {
    scores.clear();
    let score = |bounds: &Bounds| (bounds.middle() * f64::from(playouts)).round() as u64;
    scores.extend(bounds.iter().map(score));
}
