//! Fluents that never change and moves that are never legal, found by running
//! the circuit from the initial state with three values: false, true, unknown. A
//! fluent that could change becomes unknown, until nothing changes any more;
//! what is still constant then is so in every reachable state.
//!
//! Values only ever go from known to unknown, so that each edge of the circuit
//! is followed once.

use crate::circuit::network::{Network, Node, Outputs, Signal};
use crate::graph::Graph;
use crate::optimise::rebuild::Input;

/// What the inputs of a circuit can be.
pub struct Constants {
    /// For each fluent its constant value, `None` if it changes.
    pub fluents: Vec<Option<bool>>,
    /// For each move whether it can ever be legal.
    pub moves: Vec<bool>,
}

impl Constants {
    /// The constants of a game.
    pub fn of(network: &Network, outputs: &Outputs, initial: &[bool]) -> Self {
        Simulation::new(network, outputs, initial).run()
    }

    /// Numbers for the inputs that are left: fluents, moves, and how many moves
    /// each role has.
    pub fn renumber(&self, network: &Network) -> (Vec<Input>, Vec<Option<u32>>, Vec<u32>) {
        let mut fluent = 0;
        let fluents = self.fluents.iter().map(|constant| match constant {
            Some(value) => Input::Constant(*value),
            None => {
                fluent += 1;
                Input::Fluent { fluent: fluent - 1, negated: false }
            }
        });
        let fluents = fluents.collect();
        let mut number = 0;
        let moves = self.moves.iter().map(|possible| {
            number += u32::from(*possible);
            possible.then(|| number - 1)
        });
        let moves = moves.collect();
        let possible = |m: &u32| self.moves[*m as usize];
        let of_role = |role| network.moves.of_role(role).filter(possible).count() as u32;
        let counts = (0..network.moves.roles()).map(of_role).collect();
        (fluents, moves, counts)
    }
}

/// False, true or unknown.
type Value = Option<bool>;

/// Operands of an AND that are not true.
#[derive(Clone, Copy, Default)]
struct Tally {
    known_false: u32,
    unknown: u32,
}

impl Tally {
    fn value(self) -> Value {
        match self {
            Tally { known_false: 1.., .. } => Some(false),
            Tally { unknown: 1.., .. } => None,
            _ => Some(true),
        }
    }

    fn count(&mut self, operand: Value) {
        self.known_false += u32::from(operand == Some(false));
        self.unknown += u32::from(operand.is_none());
    }
}

struct Simulation<'c> {
    network: &'c Network,
    outputs: &'c Outputs,
    values: Vec<Value>,
    tallies: Vec<Tally>,
    /// Who reads a node: ANDs and fixpoint results.
    users: Graph,
    /// Fluents that a node is the next value of, and moves that it makes legal,
    /// numbered behind each other.
    roots: Graph,
    constants: Constants,
    /// Nodes that became unknown and whose users do not know yet.
    open: Vec<u32>,
}

impl<'c> Simulation<'c> {
    fn new(network: &'c Network, outputs: &'c Outputs, initial: &[bool]) -> Self {
        let count = network.count();
        let mut edges = Vec::new();
        for node in 0..count as u32 {
            edges.extend(network.operands(node).iter().map(|s| (s.node(), node)));
        }
        for block in &network.blocks {
            let results = block.first_result..;
            edges.extend(block.definitions.iter().zip(results).map(|(s, r)| (s.node(), r)));
        }
        let next_and_legal = outputs.next.iter().chain(&outputs.legal);
        let roots: Vec<_> = next_and_legal.zip(0..).map(|(s, root)| (s.node(), root)).collect();
        Simulation {
            network,
            outputs,
            values: vec![None; count],
            tallies: vec![Tally::default(); count],
            users: Graph::from_edges(count, &edges),
            roots: Graph::from_edges(count, &roots),
            constants: Constants {
                fluents: initial.iter().map(|&v| Some(v)).collect(),
                moves: vec![false; outputs.legal.len()],
            },
            open: Vec::new(),
        }
    }

    fn run(mut self) -> Constants {
        for node in 0..self.network.count() as u32 {
            self.values[node as usize] = self.evaluate(node);
        }
        for root in 0..(self.outputs.next.len() + self.outputs.legal.len()) as u32 {
            self.check(root);
        }
        while let Some(node) = self.open.pop() {
            self.spread(node);
        }
        self.constants
    }

    fn evaluate(&mut self, node: u32) -> Value {
        match self.network.node(node) {
            Node::Constant => Some(true),
            Node::Fluent(fluent) => self.constants.fluents[fluent as usize],
            Node::Does(_) => Some(false),
            Node::And(..) => {
                let mut tally = Tally::default();
                self.network.operands(node).iter().for_each(|&s| tally.count(self.value(s)));
                self.tallies[node as usize] = tally;
                tally.value()
            }
            Node::Variable { .. } => None,
            // What is known of a definition holds whatever its variables are.
            Node::Fixpoint { block, number } => {
                self.value(self.network.blocks[block as usize].definitions[number as usize])
            }
        }
    }

    fn value(&self, signal: Signal) -> Value {
        self.values[signal.node() as usize].map(|v| v != signal.is_negated())
    }

    /// Weakens a fluent whose next value is not its constant, or a move that can
    /// be legal.
    fn check(&mut self, root: u32) {
        let fluents = self.outputs.next.len();
        let root = root as usize;
        if let Some(&next) = self.outputs.next.get(root) {
            let constant = self.constants.fluents[root];
            if constant.is_some() && constant != self.value(next) {
                self.constants.fluents[root] = None;
                self.forget(self.network.fluent(root as u32).node());
            }
        } else if !self.constants.moves[root - fluents] {
            let number = root - fluents;
            if self.value(self.outputs.legal[number]) != Some(false) {
                self.constants.moves[number] = true;
                self.forget(self.network.does(number as u32).node());
            }
        }
    }

    fn forget(&mut self, node: u32) {
        self.open.push(node);
    }

    /// Tells the users of a node that it is unknown now.
    fn spread(&mut self, node: u32) {
        let Some(was) = self.values[node as usize].take() else { return };
        for position in 0..self.users.targets(node).len() {
            let user = self.users.targets(node)[position];
            if self.becomes_unknown(user, node, was) {
                self.forget(user);
            }
        }
        for position in 0..self.roots.targets(node).len() {
            self.check(self.roots.targets(node)[position]);
        }
    }

    fn becomes_unknown(&mut self, user: u32, operand: u32, was: bool) -> bool {
        let Node::And(..) = self.network.node(user) else { return true };
        let operands = self.network.operands(user);
        let positive = operands.binary_search(&Signal::of(operand)).is_ok();
        let tally = &mut self.tallies[user as usize];
        tally.known_false -= u32::from(was != positive);
        tally.unknown += 1;
        tally.value().is_none() && self.values[user as usize].is_some()
    }
}
