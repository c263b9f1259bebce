//! Fluents that never change and moves that are never legal, found by running
//! the circuit from the initial state with three values: false, true, unknown. A
//! fluent that could change becomes unknown, until nothing changes any more;
//! what is still constant then is so in every reachable state.
//!
//! Values only ever go from known to unknown, so that each edge of the circuit
//! is followed once.

use crate::circuit::network::{Network, Node};
use crate::circuit::signal::{FluentId, MoveId, NodeId, Outputs, Signal};
use crate::graph::Graph;
use crate::index::{Id, IndexVec, define_index, first};
use crate::optimise::rebuild::{Input, Inputs};

/// What the inputs of a circuit can be.
pub(crate) struct Constants {
    /// For each fluent its constant value, `None` if it changes.
    pub(crate) fluents: IndexVec<FluentId, Option<bool>>,
    /// For each move whether it can ever be legal.
    pub(crate) moves: IndexVec<MoveId, bool>,
}

impl Constants {
    /// The constants of a game.
    pub(crate) fn of(
        network: &Network,
        outputs: &Outputs,
        initial: &IndexVec<FluentId, bool>,
    ) -> Self {
        Simulation::new(network, outputs, initial).run()
    }

    /// Numbers for the inputs that are left.
    pub(crate) fn renumber(&self, network: &Network) -> Inputs {
        let mut numbers = first(self.fluents.len());
        let fluents = self.fluents.iter().map(|constant| match constant {
            Some(value) => Input::Constant(*value),
            None => {
                let fluent = numbers.next().expect("as many numbers as fluents");
                Input::Fluent { fluent, negated: false }
            }
        });
        let fluents = fluents.collect();
        let mut numbers = first(self.moves.len());
        let new_number = |possible: &bool| possible.then(|| numbers.next()).flatten();
        let moves = self.moves.iter().map(new_number).collect();
        let possible = |&number: &MoveId| self.moves[number];
        let of_role = |role| network.moves.of_role(role).iter().filter(possible).count();
        Inputs { fluents, moves, moves_of_roles: network.moves.roles().map(of_role).collect() }
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

define_index! {
    /// An output that weakens an input: the next value of a fluent or, numbered
    /// behind them, the legality of a move.
    struct RootId;
}

struct Simulation<'c> {
    network: &'c Network,
    outputs: &'c Outputs,
    values: IndexVec<NodeId, Value>,
    tallies: IndexVec<NodeId, Tally>,
    /// Who reads a node: ANDs and fixpoint results.
    users: Graph<NodeId>,
    /// Fluents that a node is the next value of, and moves that it makes legal.
    roots: Graph<NodeId, RootId>,
    constants: Constants,
    /// Nodes that became unknown and whose users do not know yet.
    open: Vec<NodeId>,
}

impl<'c> Simulation<'c> {
    fn new(network: &'c Network, outputs: &'c Outputs, initial: &IndexVec<FluentId, bool>) -> Self {
        let count = network.count();
        let mut edges = Vec::new();
        for node in network.ids() {
            edges.extend(network.operands(node).iter().map(|s| (s.node(), node)));
        }
        for block in &network.blocks {
            let results = block.results.iter();
            edges.extend(block.definitions.iter().zip(results).map(|(s, r)| (s.node(), r)));
        }
        let next_and_legal = outputs.next.iter().chain(&outputs.legal);
        let roots: Vec<_> =
            next_and_legal.enumerate().map(|(root, s)| (s.node(), RootId::new(root))).collect();
        Simulation {
            network,
            outputs,
            values: IndexVec::filled(None, count),
            tallies: IndexVec::filled(Tally::default(), count),
            users: Graph::from_edges(count, &edges),
            roots: Graph::from_edges(count, &roots),
            constants: Constants {
                fluents: initial.iter().map(|&v| Some(v)).collect(),
                moves: IndexVec::filled(false, outputs.legal.len()),
            },
            open: Vec::new(),
        }
    }

    fn run(mut self) -> Constants {
        for node in self.network.ids() {
            self.values[node] = self.evaluate(node);
        }
        for root in first(self.outputs.next.len() + self.outputs.legal.len()) {
            self.check(root);
        }
        while let Some(node) = self.open.pop() {
            self.spread(node);
        }
        self.constants
    }

    fn evaluate(&mut self, node: NodeId) -> Value {
        match self.network.node(node) {
            Node::Constant => Some(true),
            Node::Fluent(fluent) => self.constants.fluents[fluent],
            Node::Does(_) => Some(false),
            Node::And(..) => {
                let mut tally = Tally::default();
                self.network.operands(node).iter().for_each(|&s| tally.count(self.value(s)));
                self.tallies[node] = tally;
                tally.value()
            }
            Node::Variable { .. } => None,
            // What is known of a definition holds whatever its variables are.
            Node::Fixpoint { block, number } => {
                self.value(self.network.blocks[block].definitions[number as usize])
            }
        }
    }

    fn value(&self, signal: Signal) -> Value {
        self.values[signal.node()].map(|v| v != signal.is_negated())
    }

    /// Weakens a fluent whose next value is not its constant, or a move that can
    /// be legal.
    fn check(&mut self, root: RootId) {
        match root.index().checked_sub(self.outputs.next.len()) {
            None => self.check_fluent(FluentId::new(root.index())),
            Some(number) => self.check_move(MoveId::new(number)),
        }
    }

    fn check_fluent(&mut self, fluent: FluentId) {
        let constant = self.constants.fluents[fluent];
        if constant.is_some() && constant != self.value(self.outputs.next[fluent]) {
            self.constants.fluents[fluent] = None;
            self.open.push(self.network.fluent(fluent).node());
        }
    }

    fn check_move(&mut self, number: MoveId) {
        let is_new = !self.constants.moves[number];
        if is_new && self.value(self.outputs.legal[number]) != Some(false) {
            self.constants.moves[number] = true;
            self.open.push(self.network.does(number).node());
        }
    }

    /// Tells the users of a node that it is unknown now.
    fn spread(&mut self, node: NodeId) {
        let Some(was) = self.values[node].take() else { return };
        for position in 0..self.users.targets(node).len() {
            let user = self.users.targets(node)[position];
            if self.becomes_unknown(user, node, was) {
                self.open.push(user);
            }
        }
        for position in 0..self.roots.targets(node).len() {
            self.check(self.roots.targets(node)[position]);
        }
    }

    fn becomes_unknown(&mut self, user: NodeId, operand: NodeId, was: bool) -> bool {
        let Node::And(..) = self.network.node(user) else { return true };
        let operands = self.network.operands(user);
        let positive = operands.binary_search(&Signal::of(operand)).is_ok();
        let tally = &mut self.tallies[user];
        tally.known_false -= u32::from(was != positive);
        tally.unknown += 1;
        tally.value().is_none() && self.values[user].is_some()
    }
}
