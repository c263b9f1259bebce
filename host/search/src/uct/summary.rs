//! What the tree says about the root, in the words of a report.

use std::cmp::Reverse;
use std::hash::Hasher;
use std::ops::Range;
use std::time::Duration;

use fnv::FnvHasher;
use ruche_playouts::lanes::LegalMoves;

use super::expansion::Expander;
use super::formula::{Score, is_excluded};
use super::line::Lines;
use crate::report::{MoveReport, Progress, RoleReport};
use crate::tree::{Bounds, Kind, Link, Move, PENDING, POINTS, Tree};

const ROOT: u32 = 0;

/// Joint moves of a line at most: nobody reads more, and games may go round.
const LINE_LENGTH: usize = 64;

/// Moves of a role whose lines are followed. Each takes a look at all moves of the root
/// and of what comes behind it: lines of all moves would take longer than the search.
const LINES: usize = 16;

/// For each role its moves at the root: the one to play first, then the most visited.
pub(crate) fn roles(
    tree: &Tree<Score>,
    expander: &mut Expander,
    legal: &LegalMoves,
    shares: Option<Vec<Vec<f64>>>,
    first: Option<u32>,
) -> Vec<RoleReport> {
    if !tree.node(ROOT).kind.goes_on() {
        return vec![RoleReport::default(); tree.roles()];
    }
    let mut of_role = |role: usize| {
        let shares = shares.as_ref().map(|shares| shares[role].as_slice());
        let moves = moves(tree, expander, legal, role, shares, first);
        RoleReport { moves, proven: proven(tree, ROOT, role) }
    };
    (0..tree.roles()).map(&mut of_role).collect()
}

fn moves(
    tree: &Tree<Score>,
    expander: &mut Expander,
    legal: &LegalMoves,
    role: usize,
    shares: Option<&[f64]>,
    first: Option<u32>,
) -> Vec<MoveReport> {
    let Some(edges) = edges_of(tree, ROOT, role) else {
        return vec![forced(tree, expander, legal, role)];
    };
    let best = best_of(tree, role, edges.clone(), shares, first);
    let mut order: Vec<usize> = edges.clone().collect();
    order.sort_by_key(|&edge| (Some(edge) != best, rank(&tree.moves[edge], edge)));
    let mut moves: Vec<MoveReport> = Vec::with_capacity(order.len());
    for (place, edge) in order.into_iter().enumerate() {
        let Move { number, visits, sum } = tree.moves[edge];
        let line = match place < LINES {
            true => line(tree, expander, Some((role, edge))),
            false => moves[0]
                .line
                .first()
                .map(|joint| with_move(joint, role, number))
                .into_iter()
                .collect(),
        };
        moves.push(MoveReport {
            number,
            visits: visits.into(),
            sum,
            mean: mean(sum, visits),
            proven: proven(tree, tree.edges[edge].child, role),
            share: shares.map(|shares| shares[edge - edges.start]),
            line,
        });
    }
    moves
}

/// The goal of a role in a node if everybody plays well, where that is proven; to a
/// hundredth where roles mix their moves.
fn proven(tree: &Tree<Score>, node: u32, role: usize) -> Option<f64> {
    if node >= PENDING {
        return None;
    }
    let bounds = tree.bounds(node)[role];
    let is_proven = is_known(bounds) && tree.node(node).kind.is_sound();
    is_proven.then(|| (bounds.middle() * 100.0).round() / 100.0)
}

/// Whether bounds are as close to each other as they ever come.
pub(super) fn is_known(bounds: Bounds) -> bool {
    bounds.high - bounds.low <= MOST_ROUNDED
}

/// Points by which bounds may be apart for what is proven, since the values of mixed
/// strategies are rounded in each ply.
const MOST_ROUNDED: u16 = POINTS / 32;

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
        proven: proven(tree, ROOT, role),
        share: None,
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

/// The move to play: the first of the best line, or that with the largest share, where
/// there is such a thing.
fn best_of(
    tree: &Tree<Score>,
    role: usize,
    mut edges: Range<usize>,
    shares: Option<&[f64]>,
    first: Option<u32>,
) -> Option<usize> {
    if let Some(first) = first {
        return edges.find(|&edge| tree.moves[edge].number == first);
    }
    let Some(shares) = shares else { return best_edge(tree, role, edges) };
    let start = edges.start;
    // The first of equals.
    edges.rev().max_by(|&one, &other| shares[one - start].total_cmp(&shares[other - start]))
}

/// The move to play: the most visited of those that are open, unless another is proven to
/// be as good at least. Edges of roles that choose at the same time lead nowhere by
/// themselves, so that it is the most visited one of them.
fn best_edge(tree: &Tree<Score>, role: usize, edges: Range<usize>) -> Option<usize> {
    let is_open = |&edge: &usize| !is_excluded(&tree.edges[edge]);
    let by_rank = |&edge: &usize| rank(&tree.moves[edge], edge);
    let open = edges.clone().filter(is_open).min_by_key(by_rank);
    let proven = edges.min_by_key(|edge| (Reverse(low(tree, role, *edge)), by_rank(edge)))?;
    let is_better = |&open: &usize| {
        let Move { visits, sum, .. } = tree.moves[open];
        mean(sum, visits) > f64::from(low(tree, role, proven)) / f64::from(POINTS)
    };
    Some(open.filter(is_better).unwrap_or(proven))
}

/// What a role is sure of after a move.
fn low(tree: &Tree<Score>, role: usize, edge: usize) -> u16 {
    let child = tree.edges[edge].child;
    let bounds = if child < PENDING { tree.bounds(child) } else { tree.widest() };
    bounds[role].low
}

fn mean(sum: u64, visits: u32) -> f64 {
    if visits == 0 { 0.0 } else { sum as f64 / f64::from(visits) }
}

/// The move to play of each role at the root, if the game goes on.
pub(crate) fn best(
    tree: &Tree<Score>,
    legal: &LegalMoves,
    shares: Option<&[Vec<f64>]>,
    first: Option<u32>,
) -> Option<Vec<u32>> {
    let shares = |role: usize| shares.map(|shares| shares[role].as_slice());
    let number = |role| match edges_of(tree, ROOT, role) {
        Some(edges) => {
            best_of(tree, role, edges, shares(role), first).map(|edge| tree.moves[edge].number)
        }
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
    lines: &Lines,
) -> Progress {
    let first = lines.best().and_then(|line| line.moves.first().copied());
    let best_score = lines.best_score(tree);
    let visits = tree.playouts;
    let mean =
        |role| match edges_of(tree, ROOT, role).and_then(|edges| best_edge(tree, role, edges)) {
            Some(edge) => mean(tree.moves[edge].sum, tree.moves[edge].visits),
            None => mean(tree.totals[role], visits),
        };
    let means = (0..tree.roles()).map(mean).collect();
    let best = best(tree, legal, None, first).unwrap_or_default();
    Progress { playouts, time, best, means, best_score, report: None }
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
        _ => best_edge(tree, role, edges_of(tree, node, role)?).map(|edge| (role, edge)),
    };
    let edges: Vec<(usize, usize)> = (0..tree.roles()).filter_map(choose).collect();
    let is_known = |&(role, edge): &(usize, usize)| {
        let is_known = tree.moves[edge].visits > 0 || tree.edges[edge].child < PENDING;
        is_known || fixed.is_some_and(|fixed| fixed == (role, edge))
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
        return edges.first().map(|&(_, edge)| tree.edges[edge].child);
    }
    let joint: Vec<u32> = edges.iter().map(|&(_, edge)| edge as u32).collect();
    tree.known_joint(node, &joint).map(|joint| tree.child(Link::Joint(joint)))
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
