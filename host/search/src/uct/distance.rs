//! How far away the end is that is proven, and which move of the root goes there at the right
//! pace: who has won hurries, and who has lost delays.
//!
//! Plies are counted when somebody asks, over positions that share what is proven of the
//! root: those for whom it is good take the move with the fewest, the others may take any.
//! Positions may lead back to each other: all begin as unknown, and numbers that come from
//! ends become smaller until none changes. So who follows them is nearer with each move, and
//! cannot go round.

use std::cmp::{Ordering, Reverse};
use std::collections::HashMap;

use rustc_hash::FxHashMap;

use super::formula::Score;
use super::proof::{MOST_JOINTS, for_each_joint, joints};
use super::summary::is_known;
use crate::tree::{Bounds, Kind, Link, PENDING, Tree};

const ROOT: u32 = 0;

/// Positions that are looked at: beyond them nothing is known.
const MOST_NODES: usize = 1 << 17;

/// Of an end that nobody knows.
const UNKNOWN: u32 = u32::MAX;

/// The move to play where it is proven that who has the choice at the root wins or loses, as
/// far as the tree shows how. Who is alone has a line to the end instead.
pub(crate) fn move_to_play(tree: &Tree<Score>) -> Option<u32> {
    let root = tree.node(ROOT);
    if tree.roles() < 2 || root.kind != Kind::Turn {
        return None;
    }
    let role = usize::from(root.mover);
    let claim = Claim::of_root(tree, role)?;
    let distances = Distances::new(tree, claim);
    let sure = tree.bounds(ROOT)[role].low;
    let child = |edge: usize| tree.edges[edge].child;
    let is_as_good =
        |edge: &usize| child(*edge) < PENDING && tree.bounds(child(*edge))[role].low >= sure;
    let moves = root.turn_edges().filter(is_as_good);
    let moves = moves.filter_map(|edge| Some((distances.of(child(edge))?, edge)));
    let visits = |edge: usize| tree.moves[edge].visits;
    let chosen = match claim.is_won {
        true => moves.min_by_key(|&(plies, edge)| (plies, Reverse(visits(edge)))),
        false => moves.max_by_key(|&(plies, edge)| (plies, visits(edge))),
    };
    chosen.map(|(_, edge)| tree.moves[edge].number)
}

/// What is proven: that a role gets as many points at least, or at most.
#[derive(Clone, Copy, Debug)]
struct Claim {
    role: usize,
    points: u16,
    is_won: bool,
}

impl Claim {
    /// Nothing where the goal is not known, or neither good nor bad.
    fn of_root(tree: &Tree<Score>, role: usize) -> Option<Self> {
        let (bounds, widest) = (tree.bounds(ROOT)[role], tree.widest()[role]);
        let has = |points, is_won| Some(Self { role, points, is_won });
        match bounds.middle().total_cmp(&widest.middle()) {
            _ if !is_known(bounds) => None,
            Ordering::Greater => has(bounds.low, true),
            Ordering::Less => has(bounds.high, false),
            Ordering::Equal => None,
        }
    }

    fn holds(self, bounds: &[Bounds]) -> bool {
        let Bounds { low, high } = bounds[self.role];
        if self.is_won { low >= self.points } else { high <= self.points }
    }

    /// Whether a role wants what is proven.
    fn is_wanted_by(self, role: usize) -> bool {
        (role == self.role) == self.is_won
    }
}

/// Plies from positions to the end that is proven.
struct Distances<'a> {
    tree: &'a Tree<Score>,
    claim: Claim,
    /// Positions of which it is proven, those that lead to others first.
    nodes: Vec<u32>,
    /// Where they are in the list.
    places: FxHashMap<u32, usize>,
    plies: Vec<u32>,
}

impl<'a> Distances<'a> {
    fn new(tree: &'a Tree<Score>, claim: Claim) -> Self {
        let (nodes, places) = (Vec::new(), HashMap::default());
        let mut distances = Self { tree, claim, nodes, places, plies: Vec::new() };
        distances.gather();
        while distances.tighten() {}
        distances
    }

    fn of(&self, node: u32) -> Option<u32> {
        let plies = self.plies[*self.places.get(&node)?];
        (plies != UNKNOWN).then_some(plies)
    }

    fn gather(&mut self) {
        self.add(ROOT);
        let mut next = 0;
        while let Some(&node) = self.nodes.get(next) {
            match self.tree.node(node).kind {
                Kind::Turn => {
                    let edges = self.tree.node(node).turn_edges();
                    edges.for_each(|edge| self.add(self.tree.edges[edge].child));
                }
                Kind::Simultaneous if self.has_few_joints(node) => {
                    let tree = self.tree;
                    for_each_joint(tree, node, |edges| self.add(joint_child(tree, node, edges)));
                }
                _ => {}
            }
            next += 1;
        }
        self.plies = vec![UNKNOWN; self.nodes.len()];
    }

    fn add(&mut self, node: u32) {
        if self.nodes.len() < MOST_NODES && self.shares(node) && !self.places.contains_key(&node) {
            self.places.insert(node, self.nodes.len());
            self.nodes.push(node);
        }
    }

    /// Whether the same is proven there.
    fn shares(&self, node: u32) -> bool {
        node < PENDING && self.claim.holds(self.tree.bounds(node))
    }

    fn has_few_joints(&self, node: u32) -> bool {
        joints(&self.tree.counts(node)) <= MOST_JOINTS
    }

    /// Counts once more. Returns whether anything has changed.
    fn tighten(&mut self) -> bool {
        let mut has_changed = false;
        for place in (0..self.nodes.len()).rev() {
            let plies = self.count(self.nodes[place]);
            has_changed |= plies < self.plies[place];
            self.plies[place] = plies.min(self.plies[place]);
        }
        has_changed
    }

    fn count(&self, node: u32) -> u32 {
        match self.tree.node(node).kind {
            Kind::Over | Kind::Unscored => 0,
            // What is known of it are the ends among its moves.
            Kind::Leaf | Kind::Expanding => 1,
            Kind::Turn => self.count_turn(node).saturating_add(1),
            Kind::Simultaneous => self.count_joints(node).saturating_add(1),
        }
    }

    /// Moves after which it is not proven are not taken by those who play well.
    fn count_turn(&self, node: u32) -> u32 {
        let place = self.tree.node(node);
        let children = place.turn_edges().map(|edge| self.tree.edges[edge].child);
        let plies = children.filter(|&child| self.shares(child)).map(|child| self.known(child));
        let counted = match self.claim.is_wanted_by(place.mover.into()) {
            true => plies.min(),
            false => plies.max().filter(|_| !self.tree.has_untried(node)),
        };
        counted.unwrap_or(UNKNOWN)
    }

    /// The best of what those can do together who want it, against the worst of the others.
    fn count_joints(&self, node: u32) -> u32 {
        if !self.has_few_joints(node) {
            return UNKNOWN;
        }
        let mut worst: FxHashMap<Vec<u32>, u32> = HashMap::default();
        for_each_joint(self.tree, node, |edges| {
            let wanted = |role: &usize| self.claim.is_wanted_by(*role);
            let part = (0..edges.len()).filter(wanted).map(|role| edges[role]).collect();
            let child = joint_child(self.tree, node, edges);
            let plies = if self.shares(child) { self.known(child) } else { UNKNOWN };
            let worst = worst.entry(part).or_insert(0);
            *worst = plies.max(*worst);
        });
        worst.into_values().min().unwrap_or(UNKNOWN)
    }

    fn known(&self, node: u32) -> u32 {
        self.of(node).unwrap_or(UNKNOWN)
    }
}

fn joint_child(tree: &Tree<Score>, node: u32, edges: &[u32]) -> u32 {
    tree.known_joint(node, edges).map_or(PENDING, |joint| tree.child(Link::Joint(joint)))
}

#[cfg(test)]
mod tests {
    use ruche_playouts::lanes::{End, LegalMoves};

    use super::*;
    use crate::tree::{NewScores, POINTS, Packing, Shape};

    /// Who moves in a position, and to which of the positions.
    type Place = (usize, &'static [u32]);

    /// The end of a game that the first role has won.
    const END: Place = (0, &[]);

    /// A tree in which the first role wins everywhere; the first position is its root.
    fn won(places: &[Place]) -> Tree<Score> {
        let widest = vec![Bounds { low: 0, high: 100 * POINTS }; 2];
        let scores = NewScores { turn: Score::untried(0.0, 1), joint: Score::NO_REGRET };
        let packing = Packing::new(4);
        let shape = Shape { widest, words: 1, packing, memory: 1 << 20, scores };
        let mut tree = Tree::new(shape);
        for (number, (_, moves)) in (0..).zip(places) {
            let node = match moves.is_empty() {
                true => tree.end(End::Goals(&[100, 0])),
                false => tree.add(number.into(), &[number], 0),
            };
            assert_eq!(node, Some(number), "there is one end at most");
            tree.bounds_mut(number)
                .copy_from_slice(&[Bounds::exact(100), Bounds::exact(0)]);
        }
        for (node, (mover, moves)) in (0..).zip(places).filter(|(_, (_, moves))| !moves.is_empty()) {
            let mut legal = LegalMoves { numbers: Vec::new(), counts: vec![1; 2] };
            legal.counts[*mover] = moves.len() as u32;
            let before = u32::from(*mover == 1);
            legal.numbers.extend((0..before).chain(0..moves.len() as u32).chain(before..1));
            assert!(tree.expand(node, &legal, |_, _| 0) && tree.try_all(node));
            for (slot, child) in (0..).zip(*moves) {
                tree.set_child(Link::Turn { node, slot }, node, Some(*child));
            }
        }
        tree
    }

    fn visit(tree: &mut Tree<Score>, number: usize) {
        let edge = tree.node(ROOT).turn_edges().start + number;
        tree.moves[edge].visits = 1000;
    }

    #[test]
    fn who_has_won_takes_the_shortest_way_whatever_the_other_does() {
        // The first move leads to an end at once or in five plies, the second in three.
        let places = [(0, &[1, 4][..]), (1, &[2, 6]), (0, &[3, 3]), (1, &[5, 5]), (1, &[6, 5])];
        let mut tree = won(&[&places[..], &[(0, &[6, 6]), END]].concat());
        visit(&mut tree, 0);
        assert_eq!(move_to_play(&tree), Some(1));
    }

    #[test]
    fn who_has_won_does_not_go_round() {
        let mut tree = won(&[(0, &[1, 2]), (1, &[0, 0]), (1, &[3, 0]), (0, &[1, 4]), END]);
        visit(&mut tree, 0);
        assert_eq!(move_to_play(&tree), None, "the other leads back for ever");
        let mut tree = won(&[(0, &[1, 2]), (1, &[0, 0]), (1, &[3, 3]), (0, &[1, 4]), END]);
        visit(&mut tree, 0);
        assert_eq!(move_to_play(&tree), Some(1));
    }

    #[test]
    fn who_has_lost_takes_the_longest_way() {
        let mut tree = won(&[(1, &[1, 2]), (0, &[4, 4]), (0, &[3, 3]), (1, &[1, 1]), END]);
        visit(&mut tree, 0);
        assert_eq!(move_to_play(&tree), Some(1));
    }

    #[test]
    fn what_is_not_proven_says_nothing() {
        let mut tree = won(&[(0, &[1, 1]), END]);
        tree.bounds_mut(ROOT)[0].high += POINTS;
        assert_eq!(move_to_play(&tree), None);
    }
}
