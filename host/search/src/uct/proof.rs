//! What is proven: between which bounds each role's goal lies if everybody plays well.
//!
//! | who plays how | where one role chooses | its own bounds | those of the others |
//! |---|---|---|---|
//! | opposed: two roles whose goals have always added up to the same | max of what its moves lead to | max | min: what the other can hold it to |
//! | selfish: everybody else | as above | max | those of the moves that it may take: not of a move which is never better than another |
//!
//! Where roles choose at the same time, each is sure of the best of its moves against the
//! worst of the others', and of what a mix of moves is good for once all ends are known.
//!
//! Who is alone can do again what a playout did: there the goal of a playout is a bound of
//! where it began.
//!
//! Bounds come from ends and nothing else, and go up to all parents at once. They only ever
//! become tighter, so that ways which go round prove nothing. A node of which all moves are
//! settled or not worth a look is settled: nobody goes there again.

use ruche_playouts::lanes::End;

use super::formula::{Score, exclude, include};
use crate::matrix;
use crate::tree::{Bounds, Kind, NONE, PENDING, POINTS, Tree};

/// Positions with more joint moves are not looked at as a whole.
pub(crate) const MOST_JOINTS: usize = 512;

/// Who wants what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Play {
    /// What one wins the other loses.
    Opposed,
    /// Everybody wants as much as possible.
    Selfish,
}

/// Proves bounds.
#[derive(Debug)]
pub(crate) struct Prover {
    /// Whether moves are left out by what is proven.
    is_on: bool,
    /// Whether anything is proven. In games for one the best goal below each node is wanted
    /// in any case.
    is_bounded: bool,
    play: Play,
    /// What the goals of all ends have added up to so far.
    sum: Option<u32>,
    /// Nodes to look at again.
    queue: Vec<u32>,
    /// Bounds of what moves lead to, and whether it is settled.
    children: Children,
    /// Memory for the bounds that follow from them.
    found: Vec<Bounds>,
    /// A node whose bounds contradict each other.
    contradiction: Option<u32>,
}

/// What the moves of a position lead to.
#[derive(Debug, Default)]
pub(crate) struct Children {
    pub(crate) roles: usize,
    /// For each move those of each role.
    pub(crate) bounds: Vec<Bounds>,
    pub(crate) settled: Vec<bool>,
}

impl Children {
    pub(crate) fn clear(&mut self, roles: usize) {
        self.roles = roles;
        self.bounds.clear();
        self.settled.clear();
    }

    pub(crate) fn push(&mut self, bounds: &[Bounds], is_settled: bool) {
        self.bounds.extend_from_slice(bounds);
        self.settled.push(is_settled);
    }

    /// Without goals nobody has anything.
    pub(crate) fn push_end(&mut self, end: End<'_>) {
        let goals = if let End::Goals(goals) = end { goals } else { &[] };
        let goals = goals.iter().copied().chain(core::iter::repeat(0));
        self.bounds.extend(goals.take(self.roles).map(Bounds::exact));
        self.settled.push(true);
    }

    fn of(&self, index: usize, role: usize) -> Bounds {
        self.bounds[index * self.roles + role]
    }

    fn of_role(&self, role: usize) -> impl Iterator<Item = Bounds> + Clone {
        self.bounds[role..].iter().step_by(self.roles).copied()
    }
}

impl Prover {
    /// Proves where goals can be bounded, and leaves out moves by that if somebody wants it.
    pub(crate) fn new(roles: usize, can_bound: bool, proves: bool) -> Self {
        Self {
            is_on: can_bound && proves,
            is_bounded: can_bound && (proves || roles == 1),
            play: if roles <= 2 { Play::Opposed } else { Play::Selfish },
            sum: None,
            queue: Vec::new(),
            children: Children::default(),
            found: Vec::new(),
            contradiction: None,
        }
    }

    pub(crate) fn is_on(&self) -> bool {
        self.is_on
    }

    /// A node whose bounds contradict each other, which never happens.
    pub(crate) fn contradiction(&self) -> Option<u32> {
        self.contradiction
    }

    /// An end was found. If it shows that roles are not opposed, what was proven of that is
    /// forgotten. Goals of one role have nothing to add up to.
    pub(crate) fn see(&mut self, tree: &mut Tree<Score>, end: End<'_>) {
        if self.play == Play::Selfish || tree.roles() < 2 {
            return;
        }
        let goals = if let End::Goals(goals) = end { goals } else { &[] };
        let sum = goals.iter().map(|&goal| u32::from(goal)).sum();
        if *self.sum.get_or_insert(sum) != sum {
            self.play = Play::Selfish;
            self.start_again(tree);
        }
    }

    fn start_again(&mut self, tree: &mut Tree<Score>) {
        let widest = tree.widest().to_vec();
        for node in 0..tree.nodes.len() as u32 {
            if tree.node(node).kind.goes_on() {
                tree.bounds_mut(node).copy_from_slice(&widest);
                tree.nodes[node as usize].is_settled = false;
                if tree.node(node).kind == Kind::Turn {
                    let untried = tree.untried_score();
                    let edges = tree.node(node).turn_edges();
                    edges.for_each(|edge| include(&mut tree.edges[edge], untried));
                }
            }
        }
        for node in (0..tree.nodes.len() as u32).rev() {
            self.update(tree, node);
        }
    }

    /// In a part of a tree moves may have been left out whose successors are not there any
    /// more: one may go there again.
    pub(crate) fn reopen(&self, tree: &mut Tree<Score>) {
        let untried = tree.untried_score();
        for node in 0..tree.nodes.len() as u32 {
            if tree.node(node).kind == Kind::Turn {
                let edges = &mut tree.edges[tree.nodes[node as usize].turn_edges()];
                let forgotten = edges.iter_mut().filter(|edge| edge.child == NONE);
                forgotten.for_each(|edge| include(edge, untried));
            }
        }
    }

    /// What a node's moves lead to has changed: finds out what follows for it and for all
    /// who lead to it.
    pub(crate) fn update(&mut self, tree: &mut Tree<Score>, node: u32) {
        if !self.is_bounded {
            return;
        }
        self.queue.push(node);
        while let Some(node) = self.queue.pop() {
            if tree.node(node).is_settled || !self.look_at(tree, node) {
                continue;
            }
            self.queue.extend(tree.parents(node));
        }
    }

    /// A playout from a node of a game for one has reached a goal, and who is alone can do
    /// it again: notes that, and what follows for all who lead there.
    pub(crate) fn raise(&mut self, tree: &mut Tree<Score>, node: u32, goal: u16) {
        let points = Bounds::exact(goal).low;
        let bounds = &mut tree.bounds_mut(node)[0];
        if !self.is_bounded || points <= bounds.low {
            return;
        }
        bounds.low = points;
        if points > bounds.high {
            self.contradiction.get_or_insert(node);
        }
        let is_exact = bounds.is_exact();
        match tree.node(node).kind.has_edges() {
            true => self.update(tree, node),
            false => tree.nodes[node as usize].is_settled |= self.is_on && is_exact,
        }
        let parents: Vec<u32> = tree.parents(node).collect();
        for parent in parents {
            if is_exact || tree.bounds(parent)[0].low < points {
                self.update(tree, parent);
            }
        }
    }

    /// Looks at a node again. Returns whether there are news.
    fn look_at(&mut self, tree: &mut Tree<Score>, node: u32) -> bool {
        match tree.node(node).kind {
            Kind::Turn => self.look_at_turn(tree, node),
            Kind::Simultaneous => self.look_at_joints(tree, node),
            _ => false,
        }
    }

    fn look_at_turn(&mut self, tree: &mut Tree<Score>, node: u32) -> bool {
        let place = *tree.node(node);
        let (mover, edges) = (usize::from(place.mover), place.turn_edges());
        self.children.clear(tree.roles());
        for edge in edges.clone() {
            push_child(&mut self.children, tree, tree.edges[edge].child);
        }
        // What nobody has tried may be anything, however many moves there are.
        let has_untried = tree.has_untried(node);
        if has_untried {
            self.children.push(tree.widest(), false);
        }
        let mut bounds = core::mem::take(&mut self.found);
        bounds.clear();
        bounds.extend_from_slice(tree.widest());
        self.of_turn(mover, &mut bounds);
        let mut is_settled = true;
        let low = tree.bounds(node)[mover].and(bounds[mover]).low;
        for (index, edge) in edges.enumerate() {
            let is_known = self.children.settled[index] || self.is_useless(index, mover, low);
            match self.is_on && is_known {
                true => exclude(&mut tree.edges[edge]),
                false => is_settled = false,
            }
        }
        if has_untried {
            let is_useless = self.is_on && self.is_useless(place.turn_edges().len(), mover, low);
            is_settled &= is_useless;
            if is_useless && self.play == Play::Selfish {
                tree.forget_untried(node);
            }
        }
        let are_news = self.tighten(tree, node, &bounds, is_settled);
        self.found = bounds;
        are_news
    }

    /// Whether a move is never better than another.
    fn is_useless(&self, index: usize, mover: usize, low: u16) -> bool {
        let child = self.children.of(index, mover);
        match self.play {
            Play::Opposed => child.high <= low,
            // The others may care.
            Play::Selfish => child.high < low || (child.high == low && child.low < low),
        }
    }

    /// The bounds of a position in which one role chooses, from those of its moves.
    fn of_turn(&self, mover: usize, bounds: &mut [Bounds]) {
        let children = &self.children;
        let own = children.of_role(mover).reduce(Bounds::max).unwrap_or(bounds[mover]);
        for (role, bounds) in bounds.iter_mut().enumerate() {
            *bounds = match self.play {
                _ if role == mover => own,
                Play::Opposed => children.of_role(role).reduce(Bounds::min).unwrap_or(own),
                Play::Selfish => {
                    let may_be = |&index: &usize| !self.is_useless(index, mover, own.low);
                    let moves = (0..children.settled.len()).filter(may_be);
                    let of = |index| children.of(index, role);
                    moves.map(of).reduce(Bounds::or).unwrap_or(own)
                }
            };
        }
    }

    fn look_at_joints(&mut self, tree: &mut Tree<Score>, node: u32) -> bool {
        let counts = tree.counts(node);
        if joints(&counts) > MOST_JOINTS {
            return false;
        }
        self.gather_joints(tree, node);
        let mut bounds = tree.widest().to_vec();
        self.of_joints(&counts, &mut bounds);
        tree.note_settled_joints(node);
        let is_settled = self.children.settled.iter().all(|is_settled| *is_settled);
        self.tighten(tree, node, &bounds, is_settled)
    }

    fn gather_joints(&mut self, tree: &Tree<Score>, node: u32) {
        self.children.clear(tree.roles());
        for_each_joint(tree, node, |edges| {
            let link = tree.known_joint(node, edges).map(crate::tree::Link::Joint);
            let child = link.map_or(PENDING, |link| tree.child(link));
            push_child(&mut self.children, tree, child);
        });
    }

    /// The bounds of a position in which several roles choose. The first role's moves
    /// change fastest.
    fn of_joints(&self, counts: &[u32], bounds: &mut [Bounds]) {
        let is_opposed = self.play == Play::Opposed && counts.len() == 2;
        let is_known = self.children.settled.iter().all(|is_settled| *is_settled);
        for (role, bounds) in bounds.iter_mut().enumerate() {
            let own = |index| move_of(counts, role, index);
            let low = self.best_of_worst(role, counts[role], own);
            let high = match is_opposed {
                true => self.worst_of_best(role, counts[1 - role], |index| {
                    move_of(counts, 1 - role, index)
                }),
                false => self.children.of_role(role).map(|bounds| bounds.high).max().unwrap_or(0),
            };
            *bounds = bounds.and(Bounds { low, high });
            if is_opposed && is_known {
                *bounds = bounds.and(self.by_mixing(role, counts));
            }
        }
    }

    /// What a role is sure of by its best move.
    fn best_of_worst(&self, role: usize, count: u32, own: impl Fn(usize) -> usize) -> u16 {
        let mut worst = vec![u16::MAX; count as usize];
        for (index, bounds) in self.children.of_role(role).enumerate() {
            let worst = &mut worst[own(index)];
            *worst = bounds.low.min(*worst);
        }
        worst.into_iter().max().unwrap_or(0)
    }

    /// What the other can hold a role to by its best move.
    fn worst_of_best(&self, role: usize, count: u32, other: impl Fn(usize) -> usize) -> u16 {
        let mut best = vec![0; count as usize];
        for (index, bounds) in self.children.of_role(role).enumerate() {
            let best = &mut best[other(index)];
            *best = bounds.high.max(*best);
        }
        best.into_iter().min().unwrap_or(u16::MAX)
    }

    /// What one of two opponents is sure of by mixing its moves, and can be held to.
    fn by_mixing(&self, role: usize, counts: &[u32]) -> Bounds {
        let solve = |of: fn(Bounds) -> u16| {
            matrix::solve(&self.matrix(role, counts, of), counts[1 - role] as usize)
        };
        let is_known = self.children.of_role(role).all(Bounds::is_exact);
        let one = solve(|bounds| bounds.low);
        let other = if is_known { one.clone() } else { solve(|bounds| bounds.high) };
        // What is rounded is rounded so that it stays true.
        let low = (one.low - ROUNDING).floor().max(0.0) as u16;
        Bounds { low, high: (other.high + ROUNDING).ceil() as u16 }
    }

    /// What a role gets, its own moves as rows.
    fn matrix(&self, role: usize, counts: &[u32], of: impl Fn(Bounds) -> u16) -> Vec<f64> {
        let [rows, columns] = [counts[role] as usize, counts[1 - role] as usize];
        let first = counts[0] as usize;
        let entry = |row, column| {
            let index = if role == 0 { row + first * column } else { column + first * row };
            f64::from(of(self.children.of(index, role)))
        };
        (0..rows)
            .flat_map(|row| (0..columns).map(move |column| (row, column)))
            .map(|(row, column)| entry(row, column))
            .collect()
    }

    /// Notes bounds that were found. Returns whether they are news.
    fn tighten(
        &mut self,
        tree: &mut Tree<Score>,
        node: u32,
        found: &[Bounds],
        is_settled: bool,
    ) -> bool {
        let mut are_news = is_settled;
        for (bounds, found) in tree.bounds_mut(node).iter_mut().zip(found) {
            let both = bounds.and(*found);
            are_news |= both != *bounds;
            *bounds = both;
            if both.low > both.high {
                self.contradiction.get_or_insert(node);
            }
        }
        tree.nodes[node as usize].is_settled = is_settled;
        are_news
    }

    /// The bounds of a position that is not in the tree, from those of its moves, and
    /// whether it is settled by them.
    pub(crate) fn foresee(
        &mut self,
        counts: &[u32],
        mover: Option<usize>,
        children: &mut Children,
        bounds: &mut [Bounds],
    ) -> bool {
        core::mem::swap(&mut self.children, children);
        match mover {
            Some(mover) => self.of_turn(mover, bounds),
            None => self.of_joints(counts, bounds),
        }
        let is_settled = match mover {
            Some(mover) => (0..self.children.settled.len()).all(|index| {
                self.children.settled[index] || self.is_useless(index, mover, bounds[mover].low)
            }),
            None => self.children.settled.iter().all(|is_settled| *is_settled),
        };
        core::mem::swap(&mut self.children, children);
        is_settled
    }

    /// An equilibrium of the root where two opponents choose at the same time and all is
    /// proven: the share of each move of both.
    pub(crate) fn equilibrium(&mut self, tree: &Tree<Score>, node: u32) -> Option<Vec<Vec<f64>>> {
        let counts = tree.counts(node);
        if self.play != Play::Opposed || counts.len() != 2 || !tree.node(node).is_settled {
            return None;
        }
        self.gather_joints(tree, node);
        let middle = |bounds: Bounds| u16::midpoint(bounds.low, bounds.high);
        let found = matrix::solve(&self.matrix(0, &counts, middle), counts[1] as usize);
        Some(vec![found.rows, found.columns])
    }
}

/// Far above what doubles are wrong by, far below a point.
const ROUNDING: f64 = 1e-6;

const _: () = assert!(POINTS as f64 * ROUNDING < 1e-2);

fn push_child(children: &mut Children, tree: &Tree<Score>, child: u32) {
    match child < PENDING {
        true => children.push(tree.bounds(child), tree.node(child).is_settled),
        false => children.push(tree.widest(), false),
    }
}

/// Which of its moves a role plays in a joint move.
pub(crate) fn move_of(counts: &[u32], role: usize, index: usize) -> usize {
    index / joints(&counts[..role]) % counts[role] as usize
}

/// How many joint moves there are.
pub(crate) fn joints(counts: &[u32]) -> usize {
    counts.iter().fold(1, |product, &count| product.saturating_mul(count as usize))
}

/// Calls back with the edges of all joint moves; those of the first role change fastest.
pub(crate) fn for_each_joint(tree: &Tree<Score>, node: u32, mut each: impl FnMut(&[u32])) {
    let spans: Vec<_> = (0..tree.roles()).map(|role| tree.role_edges(node, role)).collect();
    let mut edges: Vec<u32> = spans.iter().map(|span| span.start as u32).collect();
    loop {
        each(&edges);
        let next = (0..edges.len()).find(|&role| (edges[role] as usize) + 1 < spans[role].end);
        let Some(role) = next else { return };
        edges[role] += 1;
        for (edge, span) in edges[..role].iter_mut().zip(&spans) {
            *edge = span.start as u32;
        }
    }
}
