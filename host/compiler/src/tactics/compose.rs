//! Signals in other states: what a circuit says of the state after a move, said of the state
//! before it.

use crate::circuit::GameCircuit;
use crate::circuit::network::{Network, Node};
use crate::circuit::signal::{FluentId, MoveId, NodeId, Signal};
use crate::index::{Id, IndexVec};
use rustc_hash::FxHashMap;

/// What each fluent is; nothing if nobody needs it, or it cannot be said without fixpoints.
pub(super) type State = IndexVec<FluentId, Option<Signal>>;

/// It takes too much work.
#[derive(Debug)]
pub(super) struct Effort;

/// Operands that may be looked at: some seconds' worth.
const MOST_EFFORT: usize = 30_000_000;

/// Nodes that may be added.
const MOST_NODES: usize = 400_000;

/// Conditions of which all together may be remote.
const MANY: usize = 10;

/// What is less likely is remote.
const REMOTE: f64 = 1e-3;

/// Operands of a group.
const GROUP: usize = 4;

pub(super) struct Composer<'c> {
    pub(super) circuit: &'c mut GameCircuit,
    /// Nodes that depend on moves, of those that were there at first.
    has_moves: IndexVec<NodeId, bool>,
    /// What holds in the state before the move.
    given: FxHashMap<NodeId, bool>,
    chances: Chances,
    effort_left: usize,
    most_nodes: usize,
}

/// The inputs of a composition.
struct Inputs<'a> {
    state: &'a State,
    /// The moves that are played, if moves matter.
    played: Option<(MoveId, &'a [MoveId])>,
}

impl<'c> Composer<'c> {
    /// `chances` has for each fluent how often it holds.
    pub(super) fn new(circuit: &'c mut GameCircuit, chances: IndexVec<FluentId, f64>) -> Self {
        let has_moves = with_moves(circuit);
        let most_nodes = circuit.network.count() + MOST_NODES;
        let given = FxHashMap::default();
        let chances = Chances { fluents: chances, nodes: IndexVec::new() };
        Self { circuit, has_moves, given, chances, effort_left: MOST_EFFORT, most_nodes }
    }

    /// The game goes on before the move: whatever would have ended it does not hold.
    pub(super) fn assume_not_over(&mut self) {
        let mut open = vec![!self.circuit.terminal()];
        while let Some(signal) = open.pop() {
            let is_known = self.given.insert(signal.node(), !signal.is_negated()).is_some();
            if !is_known && !signal.is_negated() {
                open.extend(self.circuit.network.operands(signal.node()));
            }
        }
    }

    /// The state after a move, as far as `roots` depend on it.
    pub(super) fn next(
        &mut self,
        state: &State,
        number: MoveId,
        waiting: &[MoveId],
        roots: &[Signal],
    ) -> Result<State, Effort> {
        let inputs = Inputs { state, played: Some((number, waiting)) };
        let mut memory = FxHashMap::default();
        let mut next = IndexVec::filled(None, state.len());
        for fluent in self.support(roots)? {
            let signal = self.circuit.next(fluent);
            next[fluent] = self.compose(signal, &inputs, &mut memory)?;
        }
        Ok(next)
    }

    /// A signal in another state; nothing if that cannot be said without fixpoints.
    pub(super) fn after(
        &mut self,
        signal: Signal,
        state: &State,
    ) -> Result<Option<Signal>, Effort> {
        self.compose(signal, &Inputs { state, played: None }, &mut FxHashMap::default())
    }

    /// All hold, given what holds before the move.
    pub(super) fn and(&mut self, signals: Vec<Signal>) -> Signal {
        let signals = signals.into_iter().map(|signal| self.simplified(signal)).collect();
        let signal = self.circuit.network.and(signals);
        self.simplified(signal)
    }

    /// Whether so many things would have to come together that it hardly ever happens, such
    /// as an empty board. Gates for it would be wasted.
    fn is_remote(&mut self, signals: &[Signal]) -> bool {
        let open = signals.iter().filter(|signal| !signal.is_constant());
        open.clone().count() >= MANY && {
            let chances: f64 =
                open.map(|signal| self.chances.of(&self.circuit.network, *signal)).product();
            chances < REMOTE
        }
    }

    /// A long conjunction in groups by place: those in which another state changes nothing
    /// are the same nodes for all states.
    fn and_in_groups(&mut self, mut signals: Vec<Signal>) -> Signal {
        while signals.len() > GROUP {
            let groups = signals.chunks(GROUP).map(<[Signal]>::to_vec).collect::<Vec<_>>();
            signals = groups.into_iter().map(|group| self.and(group)).collect();
        }
        self.and(signals)
    }

    fn simplified(&self, signal: Signal) -> Signal {
        match self.given.get(&signal.node()) {
            Some(&value) => Signal::TRUE.negate_if(value == signal.is_negated()),
            None => signal,
        }
    }

    fn compose(
        &mut self,
        root: Signal,
        inputs: &Inputs<'_>,
        memory: &mut FxHashMap<NodeId, Option<Signal>>,
    ) -> Result<Option<Signal>, Effort> {
        let mut open = vec![(root.node(), false)];
        while let Some((node, is_ready)) = open.pop() {
            if memory.contains_key(&node) {
                continue;
            }
            if !is_ready && let Node::And(..) = self.circuit.network.node(node) {
                let operands = self.circuit.network.operands(node);
                self.effort_left = self.effort_left.checked_sub(operands.len()).ok_or(Effort)?;
                open.push((node, true));
                open.extend(operands.iter().map(|signal| (signal.node(), false)));
                continue;
            }
            let found = self.composed(node, inputs, memory);
            memory.insert(node, found);
        }
        if self.circuit.network.count() > self.most_nodes {
            return Err(Effort);
        }
        Ok(memory[&root.node()].map(|signal| signal.negate_if(root.is_negated())))
    }

    /// A node whose operands are in the memory.
    fn composed(
        &mut self,
        node: NodeId,
        inputs: &Inputs<'_>,
        memory: &FxHashMap<NodeId, Option<Signal>>,
    ) -> Option<Signal> {
        match self.circuit.network.node(node) {
            Node::Constant => Some(Signal::TRUE),
            Node::Fluent(fluent) => inputs.state[fluent],
            Node::Does(number) => {
                let (chosen, waiting) = inputs.played?;
                let is_played = number == chosen || waiting.contains(&number);
                Some(Signal::TRUE.negate_if(!is_played))
            }
            Node::And(..) => {
                let operands = self.circuit.network.operands(node);
                let of = |signal: &Signal| {
                    memory[&signal.node()].map(|found| found.negate_if(signal.is_negated()))
                };
                let composed: Vec<Signal> = operands.iter().map(of).collect::<Option<_>>()?;
                Some(match composed == operands {
                    true => self.simplified(Signal::of(node)),
                    false if self.is_remote(&composed) => Signal::FALSE,
                    false => self.and_in_groups(composed),
                })
            }
            // The state before the move has its fixpoints; of another one they are unknown.
            Node::Fixpoint { .. } => {
                let is_before = inputs.played.is_some() && !self.has_moves[node];
                is_before.then(|| Signal::of(node))
            }
            Node::Variable { .. } => None,
        }
    }

    /// The fluents that signals depend on.
    fn support(&mut self, roots: &[Signal]) -> Result<Vec<FluentId>, Effort> {
        let mut seen: FxHashMap<NodeId, ()> = FxHashMap::default();
        let mut open: Vec<NodeId> = roots.iter().map(|signal| signal.node()).collect();
        let mut fluents = Vec::new();
        while let Some(node) = open.pop() {
            if seen.insert(node, ()).is_some() {
                continue;
            }
            self.effort_left = self.effort_left.checked_sub(1).ok_or(Effort)?;
            if let Node::Fluent(fluent) = self.circuit.network.node(node) {
                fluents.push(fluent);
            }
            open.extend(self.circuit.network.operands(node).iter().map(|signal| signal.node()));
        }
        fluents.sort_unstable();
        Ok(fluents)
    }
}

/// How likely signals are, as if fluents did not depend on each other.
struct Chances {
    fluents: IndexVec<FluentId, f64>,
    /// Of the nodes that there were when somebody asked last.
    nodes: IndexVec<NodeId, f64>,
}

impl Chances {
    fn of(&mut self, network: &Network, signal: Signal) -> f64 {
        while self.nodes.len() <= signal.node().index() {
            let node = self.nodes.next();
            let chance = match network.node(node) {
                Node::Constant => 1.0,
                Node::Fluent(fluent) => self.fluents[fluent],
                Node::And(..) => {
                    let operands = network.operands(node).iter();
                    operands.map(|&operand| self.known(operand)).product()
                }
                Node::Does(_) | Node::Variable { .. } | Node::Fixpoint { .. } => 0.5,
            };
            self.nodes.push(chance);
        }
        self.known(signal)
    }

    fn known(&self, signal: Signal) -> f64 {
        let chance = self.nodes[signal.node()];
        if signal.is_negated() { 1.0 - chance } else { chance }
    }
}

/// Which nodes depend on moves.
fn with_moves(circuit: &GameCircuit) -> IndexVec<NodeId, bool> {
    let network = &circuit.network;
    let mut has_moves = IndexVec::filled(false, network.count());
    let mut blocks = vec![false; network.blocks.len()];
    for node in network.ids() {
        has_moves[node] = match network.node(node) {
            Node::Does(_) => true,
            Node::And(..) => network.operands(node).iter().any(|signal| has_moves[signal.node()]),
            Node::Fixpoint { block, .. } => {
                let known = &mut blocks[block.index()];
                let definitions = &network.blocks[block].definitions;
                *known = *known || definitions.iter().any(|signal| has_moves[signal.node()]);
                *known
            }
            _ => false,
        };
    }
    has_moves
}
