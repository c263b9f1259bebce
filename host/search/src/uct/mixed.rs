//! How roles play at the root that choose at the same time: how often each move, what that
//! brings, and how much better one could do against it.

use super::formula::Score;
use super::proof::{MOST_JOINTS, Prover, for_each_joint, joints, move_of};
use crate::matrix::{column_values, row_values};
use crate::report::MixedReport;
use crate::tree::{Kind, Link, PENDING, Tree};

const ROOT: u32 = 0;

/// Rounds of regret matching where all goals are known.
const ROUNDS: usize = 1000;

/// For each role how often to play each of its moves: an equilibrium where that is proven,
/// what comes of regrets where all goals are known, else the mean of all strategies so far.
pub(crate) fn shares(tree: &Tree<Score>, prover: &mut Prover) -> Option<Vec<Vec<f64>>> {
    let root = tree.node(ROOT);
    if root.kind != Kind::Simultaneous {
        return None;
    }
    Some(match prover.equilibrium(tree, ROOT) {
        Some(equilibrium) => equilibrium,
        None if root.is_settled => matched(tree),
        None => (0..tree.roles()).map(|role| average(tree, role)).collect(),
    })
}

/// The mean of strategies by regrets against each other, the later the more.
fn matched(tree: &Tree<Score>) -> Vec<Vec<f64>> {
    let goals: Vec<Vec<f64>> = (0..tree.roles()).map(|role| goals(tree, role)).collect();
    let counts = tree.counts(ROOT);
    let mut regrets: Vec<Vec<f64>> =
        counts.iter().map(|&count| vec![0.0; count as usize]).collect();
    let mut sums = regrets.clone();
    for round in 0..ROUNDS {
        let strategies: Vec<Vec<f64>> = regrets.iter().map(|regrets| shares_of(regrets)).collect();
        for (role, regrets) in regrets.iter_mut().enumerate() {
            let values = values(&goals[role], &counts, &strategies, role);
            let value: f64 =
                values.iter().zip(&strategies[role]).map(|(value, share)| value * share).sum();
            for (index, regret) in regrets.iter_mut().enumerate() {
                *regret = (*regret + values[index] - value).max(0.0);
                sums[role][index] += round as f64 * strategies[role][index];
            }
        }
    }
    sums.iter().map(|sums| shares_of(sums)).collect()
}

/// What each move of a role brings if all others play their strategies.
fn values(goals: &[f64], counts: &[u32], strategies: &[Vec<f64>], role: usize) -> Vec<f64> {
    let mut values = vec![0.0; counts[role] as usize];
    for (index, goal) in goals.iter().enumerate() {
        let others = (0..counts.len()).filter(|&other| other != role);
        let chance: f64 =
            others.map(|other| strategies[other][move_of(counts, other, index)]).product();
        values[move_of(counts, role, index)] += chance * goal;
    }
    values
}

/// Weights as shares; all alike if there are none.
fn shares_of(weights: &[f64]) -> Vec<f64> {
    let total: f64 = weights.iter().sum();
    let even = 1.0 / weights.len() as f64;
    weights.iter().map(|weight| if total > 0.0 { weight / total } else { even }).collect()
}

fn average(tree: &Tree<Score>, role: usize) -> Vec<f64> {
    let edges = &tree.edges[tree.role_edges(ROOT, role)];
    let sums: Vec<f64> = edges.iter().map(|edge| f64::from(edge.score.uncertainty)).collect();
    shares_of(&sums)
}

/// What shares are worth where two roles have few enough joint moves.
pub(crate) fn report(tree: &Tree<Score>, shares: &[Vec<f64>]) -> Option<MixedReport> {
    let counts = tree.counts(ROOT);
    let (2, true) = (counts.len(), joints(&counts) <= MOST_JOINTS) else { return None };
    let [first, second] = [&shares[0], &shares[1]];
    // Rows are the second role's moves: those of the first change fastest.
    let [own, other] = [0, 1].map(|role| goals(tree, role));
    let value = |matrix: &[f64]| -> f64 {
        row_values(matrix, first).zip(second).map(|(value, share)| value * share).sum()
    };
    let values = vec![value(&own), value(&other)];
    let best = column_values(&own, second).fold(f64::NEG_INFINITY, f64::max);
    let best_other = row_values(&other, first).fold(f64::NEG_INFINITY, f64::max);
    let exploitability = (best - values[0]).max(0.0) + (best_other - values[1]).max(0.0);
    Some(MixedReport { values, exploitability })
}

/// A role's goal after each joint move, as far as is known.
fn goals(tree: &Tree<Score>, role: usize) -> Vec<f64> {
    let mut goals = Vec::new();
    for_each_joint(tree, ROOT, |edges| goals.push(goal(tree, role, edges)));
    goals
}

fn goal(tree: &Tree<Score>, role: usize, edges: &[u32]) -> f64 {
    let unknown = || tree.widest()[role].middle();
    let Some(joint) = tree.known_joint(ROOT, edges) else { return unknown() };
    let child = tree.child(Link::Joint(joint));
    if child < PENDING && tree.node(child).is_settled {
        return tree.bounds(child)[role].middle();
    }
    match tree.joint_statistics(joint) {
        (0, _) => unknown(),
        (visits, sums) => sums[role] as f64 / f64::from(visits),
    }
}
