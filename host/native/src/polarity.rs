//! Which values are kept as their complement.
//!
//! The machine has AND, OR, XOR and AND NOT; NAND, NOR and OR NOT would cost a
//! second instruction. But `nor(a, b)` is `or(a, b)`, kept as its complement:
//! whoever reads it uses the complement of what it would have used. Only
//! inputs and results have a polarity that is not ours to choose.

use crate::graph::{Graph, Node};
use crate::tape::Literal;
use crate::users::Users;

/// What an instruction does to the words that it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    And,
    Or,
    Xor,
    /// `!left & right`
    NotAnd,
}

/// For each node whether the complement is kept instead.
#[derive(Debug)]
pub(crate) struct Polarity(Vec<bool>);

/// How a node is computed from what is kept of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Recipe {
    pub(crate) operation: Operation,
    /// The nodes that are read.
    pub(crate) left: usize,
    pub(crate) right: usize,
    /// Whether the outcome must be complemented before it is kept.
    pub(crate) complement: bool,
}

impl Polarity {
    /// A choice that costs few complements.
    pub(crate) fn of(graph: &Graph) -> Self {
        let mut polarity = Self(vec![false; graph.nodes.len()]);
        for node in 0..graph.nodes.len() {
            polarity.0[node] = polarity.recipe(graph, node).is_some_and(|recipe| recipe.complement);
        }
        polarity.improve(graph);
        polarity
    }

    /// Whether a literal is the complement of what is kept.
    pub(crate) fn differs(&self, literal: Literal) -> bool {
        literal.is_complement() != self.0[literal.value()]
    }

    /// How a node is computed; `None` for those that are not.
    pub(crate) fn recipe(&self, graph: &Graph, node: usize) -> Option<Recipe> {
        let (operation, left, right) = match graph.nodes[node] {
            Node::False | Node::Input(_) => return None,
            Node::Xor(left, right) => (Operation::Xor, left, right),
            Node::And(left, right) => match (self.differs(left), self.differs(right)) {
                (false, false) => (Operation::And, left, right),
                (true, false) => (Operation::NotAnd, left, right),
                (false, true) => (Operation::NotAnd, right, left),
                (true, true) => (Operation::Or, left, right),
            },
        };
        let outcome_is_complement = match operation {
            Operation::And | Operation::NotAnd => false,
            Operation::Or => true,
            Operation::Xor => self.differs(left) != self.differs(right),
        };
        let complement = outcome_is_complement != self.0[node];
        Some(Recipe { operation, left: left.value(), right: right.value(), complement })
    }

    /// Turns nodes as long as that saves complements.
    fn improve(&mut self, graph: &Graph) {
        let users = Users::of(graph);
        for _ in 0..PASSES {
            let mut is_better = false;
            for node in (0..graph.nodes.len()).rev() {
                is_better |= self.turn_if_better(graph, &users, node);
            }
            if !is_better {
                break;
            }
        }
    }

    fn turn_if_better(&mut self, graph: &Graph, users: &Users, node: usize) -> bool {
        if matches!(graph.nodes[node], Node::False | Node::Input(_)) {
            return false;
        }
        let before = self.cost_around(graph, users, node);
        self.0[node] ^= true;
        let is_better = self.cost_around(graph, users, node) < before;
        self.0[node] ^= !is_better;
        is_better
    }

    fn cost_around(&self, graph: &Graph, users: &Users, node: usize) -> u32 {
        let results = users.results[node][usize::from(!self.0[node])];
        let readers = users.readers(node).iter().map(|&reader| self.cost(graph, reader as usize));
        self.cost(graph, node) + readers.sum::<u32>() + results * COMPLEMENT
    }

    /// What a node costs beyond one instruction.
    fn cost(&self, graph: &Graph, node: usize) -> u32 {
        let Some(recipe) = self.recipe(graph, node) else { return 0 };
        let is_input = |node: usize| matches!(graph.nodes[node], Node::Input(_));
        let is_loaded = recipe.operation == Operation::NotAnd
            && is_input(recipe.left)
            && !is_input(recipe.right);
        u32::from(recipe.complement) * COMPLEMENT + u32::from(is_loaded) * LOAD
    }
}

/// The cost of an instruction that complements.
const COMPLEMENT: u32 = 4;
/// The cost of an input that must be loaded, because the machine complements
/// registers only; now and then it is in a register anyway.
const LOAD: u32 = 3;

/// More passes find next to nothing.
const PASSES: usize = 4;
