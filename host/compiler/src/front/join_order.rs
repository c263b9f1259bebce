//! Greedy join orders by estimated fan-out; shared by the splitter, which wants
//! the cost, and by the planner, which wants the order.

use crate::front::domains::Estimates;
use crate::front::program::{Literal, VariableId};
use crate::index::IndexVec;

/// What the order needs to know of a literal.
pub(crate) struct Candidate {
    size: f64,
    variables: Vec<(VariableId, f64)>,
}

impl Candidate {
    /// The estimates for one literal.
    pub(crate) fn of(literal: &Literal, estimates: &Estimates) -> Self {
        Candidate { size: estimates.size(literal), variables: estimates.variable_sizes(literal) }
    }

    fn fan_out(&self, bound: &IndexVec<VariableId, bool>) -> f64 {
        let bound_values: f64 =
            self.variables.iter().filter(|(v, _)| bound[*v]).map(|(_, size)| size).product();
        self.size / bound_values
    }

    fn bind(&self, bound: &mut IndexVec<VariableId, bool>) {
        self.variables.iter().for_each(|(v, _)| bound[*v] = true);
    }

    fn is_linked(&self, bound: &IndexVec<VariableId, bool>) -> bool {
        self.variables.iter().any(|(v, _)| bound[*v])
    }
}

/// The order in which to join, starting with `first` if given, and the number
/// of rows that the join is expected to look at.
pub(crate) fn greedy(
    candidates: &[Candidate],
    first: Option<usize>,
    variables: usize,
) -> (Vec<usize>, f64) {
    let mut bound = IndexVec::filled(false, variables);
    let mut left: Vec<usize> = (0..candidates.len()).collect();
    let mut order = Vec::with_capacity(left.len());
    let (mut rows, mut cost) = (1.0f64, 0.0f64);
    while !left.is_empty() {
        let next = match first {
            Some(first) if order.is_empty() => first,
            _ => cheapest(candidates, &left, &bound),
        };
        left.retain(|&l| l != next);
        rows *= candidates[next].fan_out(&bound);
        cost += rows;
        candidates[next].bind(&mut bound);
        order.push(next);
    }
    (order, cost)
}

/// The literal with the smallest fan-out; among equals one that shares a bound
/// variable, so that cross products come last.
fn cheapest(candidates: &[Candidate], left: &[usize], bound: &IndexVec<VariableId, bool>) -> usize {
    let key = |&l: &usize| {
        let candidate = &candidates[l];
        (candidate.fan_out(bound), !candidate.is_linked(bound))
    };
    let best = left.iter().min_by(|a, b| {
        let ((x, p), (y, q)) = (key(a), key(b));
        x.total_cmp(&y).then(p.cmp(&q))
    });
    *best.expect("some literal is left")
}
