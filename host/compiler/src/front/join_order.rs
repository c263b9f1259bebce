//! Greedy join orders by estimated fan-out; shared by the splitter, which wants
//! the cost, and by the planner, which wants the order.

use crate::front::domains::Estimates;
use crate::front::program::{Literal, VariableId};
use crate::graph::Graph;
use crate::index::{Id, IndexVec, define_index};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

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
    let mut queue = Queue::new(candidates, variables);
    let mut order = Vec::with_capacity(candidates.len());
    let (mut rows, mut cost) = (1.0f64, 0.0f64);
    while let Some(next) = first.filter(|_| order.is_empty()).or_else(|| queue.pop()) {
        rows *= candidates[next].fan_out(&queue.bound);
        cost += rows;
        queue.take(next);
        order.push(next);
    }
    (order, cost)
}

/// How good a literal is as the next one: the smallest fan-out first; among equals
/// one that shares a bound variable, so that cross products come last.
#[derive(Clone, Copy, PartialEq)]
struct Rank {
    fan_out: f64,
    is_unlinked: bool,
    candidate: usize,
}

impl Eq for Rank {}

impl PartialOrd for Rank {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rank {
    fn cmp(&self, other: &Self) -> Ordering {
        let fan_out = self.fan_out.total_cmp(&other.fan_out);
        let rest = (self.is_unlinked, self.candidate).cmp(&(other.is_unlinked, other.candidate));
        fan_out.then(rest)
    }
}

/// The literals that are left. A rank changes only when a variable of its literal
/// is bound: the literal is queued again then, and the older rank left behind.
struct Queue<'c> {
    candidates: &'c [Candidate],
    bound: IndexVec<VariableId, bool>,
    /// Where each variable stands.
    places: Graph<VariableId, Place>,
    /// How often each literal was queued; nothing if it is taken.
    queued: Vec<Option<u32>>,
    heap: BinaryHeap<Reverse<(Rank, u32)>>,
}

define_index! {
    /// A literal among the candidates.
    struct Place;
}

impl<'c> Queue<'c> {
    fn new(candidates: &'c [Candidate], variables: usize) -> Self {
        let mut edges = Vec::new();
        for (place, candidate) in candidates.iter().enumerate() {
            edges.extend(candidate.variables.iter().map(|&(v, _)| (v, Place::new(place))));
        }
        let mut queue = Queue {
            candidates,
            bound: IndexVec::filled(false, variables),
            places: Graph::from_edges(variables, &edges),
            queued: vec![Some(0); candidates.len()],
            heap: BinaryHeap::with_capacity(candidates.len()),
        };
        (0..candidates.len()).for_each(|candidate| queue.push(candidate));
        queue
    }

    fn push(&mut self, candidate: usize) {
        let Some(times) = &mut self.queued[candidate] else { return };
        *times += 1;
        let rank = Rank {
            fan_out: self.candidates[candidate].fan_out(&self.bound),
            is_unlinked: !self.candidates[candidate].is_linked(&self.bound),
            candidate,
        };
        self.heap.push(Reverse((rank, *times)));
    }

    fn pop(&mut self) -> Option<usize> {
        loop {
            let Reverse((rank, times)) = self.heap.pop()?;
            if self.queued[rank.candidate] == Some(times) {
                return Some(rank.candidate);
            }
        }
    }

    /// Binds the variables of a literal that comes next.
    fn take(&mut self, next: usize) {
        self.queued[next] = None;
        let is_new = |&&(v, _): &&(VariableId, f64)| !self.bound[v];
        let new: Vec<_> = self.candidates[next].variables.iter().filter(is_new).collect();
        new.iter().for_each(|(v, _)| self.bound[*v] = true);
        let touched = new.iter().flat_map(|(v, _)| self.places.targets(*v));
        let mut touched: Vec<_> = touched.copied().collect();
        touched.sort_unstable();
        touched.dedup();
        touched.into_iter().for_each(|place| self.push(place.index()));
    }
}
