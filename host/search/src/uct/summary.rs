//! What the tree says about the root, in the words of a report.

use std::cmp::Reverse;
use std::hash::Hasher;
use std::ops::Range;
use std::time::Duration;

use fnv::FnvHasher;
use ruche_playouts::lanes::LegalMoves;

use super::expansion::Expander;
use super::formula::Score;
use crate::report::{MoveReport, Progress, RoleReport};
use crate::tree::{Kind, Link, Move, PENDING, Tree};

const ROOT: u32 = 0;

/// Joint moves of a line at most: nobody reads more, and games may go round.
const LINE_LENGTH: usize = 64;

/// Moves of a role whose lines are followed. Each takes a look at all moves of the root
/// and of what comes behind it: lines of all moves would take longer than the search.
const LINES: usize = 16;

/// For each role its moves at the root, the most visited first.
pub(crate) fn roles(
    tree: &Tree<Score>,
    expander: &mut Expander,
    legal: &LegalMoves,
) -> Vec<RoleReport> {
    if !tree.node(ROOT).kind.goes_on() {
        return vec![RoleReport::default(); tree.roles()];
    }
    (0..tree.roles()).map(|role| of_role(tree, expander, legal, role)).collect()
}

fn of_role(
    tree: &Tree<Score>,
    expander: &mut Expander,
    legal: &LegalMoves,
    role: usize,
) -> RoleReport {
    let Some(edges) = edges_of(tree, ROOT, role) else {
        return RoleReport { moves: vec![forced(tree, expander, legal, role)] };
    };
    let mut order: Vec<usize> = edges.collect();
    order.sort_by_key(|&edge| rank(&tree.moves[edge], edge));
    let mut moves: Vec<MoveReport> = Vec::with_capacity(order.len());
    for (place, edge) in order.into_iter().enumerate() {
        let Move { number, visits, sum } = tree.moves[edge];
        let line = match place < LINES {
            true => line(tree, expander, Some((role, edge))),
            false => moves[0].line.first().map(|joint| with_move(joint, role, number)).into_iter().collect(),
        };
        moves.push(MoveReport { number, visits: visits.into(), sum, mean: mean(sum, visits), line });
    }
    RoleReport { moves }
}

/// A joint move in which one role plays something else.
fn with_move(joint: &[u32], role: usize, number: u32) -> Vec<u32> {
    let mut joint = joint.to_vec();
    joint[role] = number;
    joint
}

/// The only move of a role that has no choice.
fn forced(
    tree: &Tree<Score>,
    expander: &mut Expander,
    legal: &LegalMoves,
    role: usize,
) -> MoveReport {
    let (visits, sum) = (tree.playouts, tree.totals[role]);
    MoveReport {
        number: legal.of(role).first().copied().unwrap_or(0),
        visits: visits.into(),
        sum,
        mean: mean(sum, visits),
        line: line(tree, expander, None),
    }
}

/// The edges of a role's moves, unless it has no choice.
fn edges_of(tree: &Tree<Score>, node: u32, role: usize) -> Option<Range<usize>> {
    let place = tree.node(node);
    match place.kind {
        Kind::Simultaneous => Some(tree.role_edges(node, role)),
        Kind::Turn if usize::from(place.mover) == role => Some(place.turn_edges()),
        _ => None,
    }
}

/// The more visits the better, then the better the goals.
fn rank(known: &Move, index: usize) -> (Reverse<u32>, Reverse<u64>, usize) {
    (Reverse(known.visits), Reverse(known.sum), index)
}

fn best_edge(tree: &Tree<Score>, edges: Range<usize>) -> Option<usize> {
    edges.min_by_key(|&edge| rank(&tree.moves[edge], edge))
}

fn mean(sum: u64, visits: u32) -> f64 {
    if visits == 0 { 0.0 } else { sum as f64 / f64::from(visits) }
}

/// The most visited move of each role at the root, if the game goes on.
pub(crate) fn best(tree: &Tree<Score>, legal: &LegalMoves) -> Option<Vec<u32>> {
    let number = |role| match edges_of(tree, ROOT, role) {
        Some(edges) => best_edge(tree, edges).map(|edge| tree.moves[edge].number),
        None => legal.of(role).first().copied(),
    };
    match tree.node(ROOT).kind.goes_on() {
        true => (0..tree.roles()).map(number).collect(),
        false => None,
    }
}

/// How far the search is.
pub(crate) fn progress(
    tree: &Tree<Score>,
    legal: &LegalMoves,
    playouts: u64,
    time: Duration,
) -> Progress {
    let visits = tree.playouts;
    let mean = |role| match edges_of(tree, ROOT, role).and_then(|edges| best_edge(tree, edges)) {
        Some(edge) => mean(tree.moves[edge].sum, tree.moves[edge].visits),
        None => mean(tree.totals[role], visits),
    };
    let means = (0..tree.roles()).map(mean).collect();
    Progress { playouts, time, best: best(tree, legal).unwrap_or_default(), means }
}

/// The joint moves that are expected from the root on, if a role takes an edge.
fn line(
    tree: &Tree<Score>,
    expander: &mut Expander,
    mut fixed: Option<(usize, usize)>,
) -> Vec<Vec<u32>> {
    let mut line = Vec::new();
    let mut node = Some(ROOT);
    while let Some(place) = node {
        let choice = choice(tree, place, fixed.take());
        let Some(edges) = choice.filter(|_| line.len() < LINE_LENGTH) else { break };
        line.push(joint_move(tree, expander, place, &edges));
        node = successor(tree, place, &edges).filter(|&child| child < PENDING);
    }
    line
}

/// For each role that chooses, its edge: the given one, else the most visited.
/// Nothing where nobody has been.
fn choice(
    tree: &Tree<Score>,
    node: u32,
    fixed: Option<(usize, usize)>,
) -> Option<Vec<(usize, usize)>> {
    let choose = |role| match fixed {
        Some((fixed, edge)) if fixed == role => Some((role, edge)),
        _ => best_edge(tree, edges_of(tree, node, role)?).map(|edge| (role, edge)),
    };
    let edges: Vec<(usize, usize)> = (0..tree.roles()).filter_map(choose).collect();
    let is_known = |&(role, edge): &(usize, usize)| {
        tree.moves[edge].visits > 0 || fixed.is_some_and(|fixed| fixed == (role, edge))
    };
    (!edges.is_empty() && edges.iter().all(is_known)).then_some(edges)
}

/// The numbers of all roles' moves.
fn joint_move(
    tree: &Tree<Score>,
    expander: &mut Expander,
    node: u32,
    edges: &[(usize, usize)],
) -> Vec<u32> {
    let mut numbers = vec![0; tree.roles()];
    // Where all roles choose, nobody has to be asked for an only move.
    if edges.len() < numbers.len() {
        let legal = expander.legal_moves(tree.position(node));
        let only = |role| legal.of(role).first().copied().unwrap_or(0);
        numbers = (0..tree.roles()).map(only).collect();
    }
    for &(role, edge) in edges {
        numbers[role] = tree.moves[edge].number;
    }
    numbers
}

fn successor(tree: &Tree<Score>, node: u32, edges: &[(usize, usize)]) -> Option<u32> {
    if tree.node(node).kind == Kind::Turn {
        return edges.first().map(|&(_, edge)| tree.child(Link::Edge(edge as u32)));
    }
    let joint: Vec<u32> = edges.iter().map(|&(_, edge)| edge as u32).collect();
    tree.joint_child(&joint)
}

/// A checksum over the moves, visits and sums of the root and the number of nodes.
pub(crate) fn signature(tree: &Tree<Score>) -> u64 {
    let mut hash = FnvHasher::default();
    let mut add = |number: u64| hash.write(&number.to_le_bytes());
    for role in 0..tree.roles() {
        for edge in edges_of(tree, ROOT, role).into_iter().flatten() {
            let Move { number, visits, sum } = tree.moves[edge];
            [role as u64, number.into(), visits.into(), sum].into_iter().for_each(&mut add);
        }
    }
    tree.totals.iter().copied().for_each(&mut add);
    add(tree.nodes.len() as u64);
    hash.finish()
}
