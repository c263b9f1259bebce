//! The logic circuit of a game: hash-consed AND nodes of any number of operands
//! with negation on the edges. An OR is a negated AND of negations.
//!
//! Nodes are numbered so that operands come before their users:
//!
//! ```text
//!   0          constant: node 0 is true
//!   1 ..       fluents of the state
//!   .. ..      moves (`does` inputs), grouped by role
//!   .. ..      ANDs, fixpoint variables and fixpoint results
//! ```

use super::onehot::Moves;
use super::signal::{BlockId, FluentId, MoveId, NodeId, Outputs, Signal};
use crate::index::{Id, IndexVec, Span, first};
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Node {
    /// The constant true.
    Constant,
    /// A fluent of the state.
    Fluent(FluentId),
    /// A move: the role plays it in this step.
    Does(MoveId),
    /// All operands hold; the range into the operand list.
    And(u32, u32),
    /// A variable inside a fixpoint block.
    Variable {
        /// The block.
        block: BlockId,
        /// Its number there.
        number: u32,
    },
    /// The least-fixpoint value of a variable of a block.
    Fixpoint {
        /// The block.
        block: BlockId,
        /// Its number there.
        number: u32,
    },
}

/// Atoms that depend on each other in a circle: the variables start false and
/// grow by their definitions until nothing changes.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// The nodes of the variables.
    pub(crate) variables: Span<NodeId>,
    /// What each variable grows by.
    pub(crate) definitions: Vec<Signal>,
    /// The nodes of the results; none while the block is open.
    pub(crate) results: Span<NodeId>,
}

/// What becomes of a sum of moves that is used in another sum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// It is spelled out: best where rules name moves that do *not* touch
    /// something.
    Moves,
    /// It stays a node: best where the same partial sums recur.
    Sums,
}

/// A circuit under construction.
pub(crate) struct Network {
    nodes: IndexVec<NodeId, Node>,
    operands: Vec<Signal>,
    unique: HashTable<NodeId>,
    fluents: usize,
    style: Style,
    /// Operands that may still be looked at to make the circuit smaller.
    effort_left: usize,
    /// The moves and what is known of them.
    pub(crate) moves: Moves,
    /// The fixpoint blocks.
    pub(crate) blocks: IndexVec<BlockId, Block>,
}

impl Network {
    /// A circuit with inputs only.
    pub(crate) fn new(fluents: usize, moves_of_roles: &[usize], style: Style) -> Self {
        let moves = Moves::new(NodeId::new(1 + fluents), moves_of_roles);
        let mut nodes = IndexVec::from(vec![Node::Constant]);
        nodes.extend(first(fluents).map(Node::Fluent));
        nodes.extend(moves.all().iter().map(Node::Does));
        Network {
            nodes,
            operands: Vec::new(),
            unique: HashTable::new(),
            fluents,
            style,
            effort_left: MOST_EFFORT,
            moves,
            blocks: IndexVec::new(),
        }
    }

    /// Number of nodes.
    pub(crate) fn count(&self) -> usize {
        self.nodes.len()
    }

    /// All nodes.
    pub(crate) fn ids(
        &self,
    ) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + use<> {
        self.nodes.ids()
    }

    /// Number of fluents.
    pub(crate) fn fluents(&self) -> usize {
        self.fluents
    }

    /// How sums of moves are built.
    pub(crate) fn style(&self) -> Style {
        self.style
    }

    /// What a node is.
    pub(crate) fn node(&self, node: NodeId) -> Node {
        self.nodes[node]
    }

    /// The input of a fluent.
    pub(crate) fn fluent(&self, fluent: FluentId) -> Signal {
        Signal::of(NodeId::new(1 + fluent.index()))
    }

    /// The input of a move.
    pub(crate) fn does(&self, played: MoveId) -> Signal {
        Signal::of(self.moves.node_of(played))
    }

    /// The operands of an AND; nothing for other nodes.
    pub(crate) fn operands(&self, node: NodeId) -> &[Signal] {
        match self.nodes[node] {
            Node::And(start, end) => &self.operands[start as usize..end as usize],
            _ => &[],
        }
    }

    /// Whether so many more operands may be looked at to make the circuit smaller.
    /// What is not is right all the same.
    pub(crate) fn may_spend(&mut self, operands: usize) -> bool {
        let left = self.effort_left.checked_sub(operands);
        self.effort_left = left.unwrap_or(0);
        left.is_some()
    }

    /// The conjunction of the signals.
    pub(crate) fn and(&mut self, mut signals: Vec<Signal>) -> Signal {
        if !self.simplify(&mut signals) {
            return Signal::FALSE;
        }
        match signals.as_slice() {
            [] => Signal::TRUE,
            [only] => *only,
            _ => self.unique(&signals),
        }
    }

    /// The disjunction of the signals.
    pub(crate) fn or(&mut self, mut signals: Vec<Signal>) -> Signal {
        signals.iter_mut().for_each(|s| *s = !*s);
        !self.and(signals)
    }

    /// Brings the operands of an AND into normal form; false if it is false.
    fn simplify(&mut self, signals: &mut Vec<Signal>) -> bool {
        if self.style == Style::Moves {
            self.spell_out_moves(signals);
        }
        loop {
            if !sort_unique(signals) || !self.one_hot(signals) {
                return false;
            }
            if !self.may_spend(signals.len()) {
                return true;
            }
            match self.absorb(signals) {
                Absorbed::Nothing => return true,
                Absorbed::False => return false,
                Absorbed::Something => {}
            }
        }
    }

    /// Uses the operands of an AND inside each other: with `x` given, `!(x & y)`
    /// is `!y` and `!(!x & y)` is true; with `x & y` given, `x` says nothing new.
    fn absorb(&mut self, signals: &mut Vec<Signal>) -> Absorbed {
        for position in 0..signals.len() {
            let signal = signals[position];
            let inner = self.operands(signal.node());
            if inner.is_empty() || inner.len() > MOST_ABSORBED {
                continue;
            }
            let known = |s: &Signal| signals.binary_search(s).is_ok();
            if inner.iter().any(|&s| known(&!s)) {
                if !signal.is_negated() {
                    return Absorbed::False;
                }
                signals[position] = Signal::TRUE;
                return Absorbed::Something;
            }
            if inner.iter().any(known) {
                let inner = inner.to_vec();
                self.absorb_known(signals, position, &inner);
                return Absorbed::Something;
            }
        }
        Absorbed::Nothing
    }

    /// Operand `position` has `inner` operands of which some stand in `signals`.
    fn absorb_known(&mut self, signals: &mut Vec<Signal>, position: usize, inner: &[Signal]) {
        if signals[position].is_negated() {
            let unknown = |s: &&Signal| signals.binary_search(s).is_err();
            let rest: Vec<_> = inner.iter().filter(unknown).copied().collect();
            signals[position] = !self.and(rest);
        } else {
            signals.retain(|s| inner.binary_search(s).is_err());
        }
    }

    pub(super) fn unique(&mut self, signals: &[Signal]) -> Signal {
        let hash = hash(signals);
        let same = |&node: &NodeId| self.operands(node) == signals;
        if let Some(&node) = self.unique.find(hash, same) {
            return Signal::of(node);
        }
        let start = self.operands.len() as u32;
        self.operands.extend_from_slice(signals);
        let node = self.push(Node::And(start, self.operands.len() as u32));
        let (nodes, operands) = (&self.nodes, &self.operands);
        self.unique.insert_unique(hash, node, |&node| match nodes[node] {
            Node::And(start, end) => self::hash(&operands[start as usize..end as usize]),
            _ => unreachable!("only ANDs are hashed"),
        });
        Signal::of(node)
    }

    fn push(&mut self, node: Node) -> NodeId {
        self.nodes.push(node)
    }

    /// How often each node is used by live nodes and outputs; zero means dead.
    /// A block lives if one of its results does.
    pub(crate) fn count_uses(&self, outputs: &Outputs) -> IndexVec<NodeId, u32> {
        let mut uses = IndexVec::filled(0, self.nodes.len());
        let mut block_lives = IndexVec::filled(false, self.blocks.len());
        outputs.signals().for_each(|s| uses[s.node()] += 1);
        for node in self.nodes.ids().rev() {
            if uses[node] == 0 {
                continue;
            }
            let operands = match self.nodes[node] {
                Node::And(start, end) => &self.operands[start as usize..end as usize],
                Node::Fixpoint { block, .. } if !block_lives[block] => {
                    block_lives[block] = true;
                    &self.blocks[block].definitions
                }
                _ => continue,
            };
            operands.iter().for_each(|s| uses[s.node()] += 1);
        }
        uses
    }

    /// Opens a fixpoint block of `count` variables; its definitions follow with
    /// [`GameCircuit::close_block`].
    pub(crate) fn open_block(&mut self, count: usize) -> BlockId {
        let first_variable = self.nodes.next();
        let variables = Span::new(first_variable, count);
        let results = Span::new(first_variable, 0);
        let block = self.blocks.push(Block { variables, definitions: Vec::new(), results });
        self.nodes.extend((0..count as u32).map(|number| Node::Variable { block, number }));
        block
    }

    /// Gives the definitions of a block; returns its results.
    pub(crate) fn close_block(&mut self, block: BlockId, definitions: Vec<Signal>) -> Span<NodeId> {
        let results = Span::new(self.nodes.next(), definitions.len());
        let numbers = 0..definitions.len() as u32;
        self.nodes.extend(numbers.map(|number| Node::Fixpoint { block, number }));
        self.blocks[block].definitions = definitions;
        self.blocks[block].results = results;
        results
    }
}

/// Operands that are looked at to make a circuit smaller, before it stays as it is.
/// Seven times what any known game needs.
const MOST_EFFORT: usize = 200_000_000;

/// Longer operand lists are not searched for what their users know already.
const MOST_ABSORBED: usize = 24;

enum Absorbed {
    Nothing,
    Something,
    False,
}

/// Sorts, drops duplicates and true; false if the conjunction is false.
pub(super) fn sort_unique(signals: &mut Vec<Signal>) -> bool {
    signals.sort_unstable();
    signals.dedup();
    if signals.first() == Some(&Signal::TRUE) {
        signals.remove(0);
    }
    if signals.first() == Some(&Signal::FALSE) {
        return false;
    }
    signals.windows(2).all(|pair| pair[0] != !pair[1])
}

fn hash(signals: &[Signal]) -> u64 {
    let mut hasher = FxHasher::default();
    signals.iter().for_each(|s| hasher.write_u32(s.code()));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network() -> (Network, [Signal; 3]) {
        let network = Network::new(3, &[1], Style::Moves);
        let inputs = [0, 1, 2].map(|f| network.fluent(FluentId::new(f)));
        (network, inputs)
    }

    #[test]
    fn equal_conjunctions_are_one_node() {
        let (mut network, [x, y, _]) = network();
        assert_eq!(network.and(vec![x, y]), network.and(vec![y, x, y]));
    }

    #[test]
    fn contradictions_and_constants_fold() {
        let (mut network, [x, y, _]) = network();
        assert_eq!(network.and(vec![x, !x, y]), Signal::FALSE);
        assert_eq!(network.and(vec![x, Signal::TRUE]), x);
        assert_eq!(network.or(vec![x, Signal::TRUE]), Signal::TRUE);
        assert_eq!(network.and(vec![]), Signal::TRUE);
        assert_eq!(network.or(vec![]), Signal::FALSE);
    }

    #[test]
    fn operands_are_absorbed() {
        let (mut network, [x, y, z]) = network();
        let both = network.and(vec![x, y]);
        assert_eq!(network.or(vec![x, both]), x, "x + xy = x");
        assert_eq!(network.and(vec![x, both]), both, "x·xy = xy");
        let sum = network.or(vec![!x, y]);
        let product = network.and(vec![x, y]);
        assert_eq!(network.and(vec![x, sum]), product, "x·(!x + y) = xy");
        let other = network.or(vec![x, z]);
        assert_eq!(network.and(vec![x, other]), x, "x·(x + z) = x");
    }

    #[test]
    fn a_block_lives_if_one_of_its_results_is_used() {
        let (mut network, [x, y, _]) = network();
        let block = network.open_block(2);
        let first = Signal::of(network.blocks[block].variables.start);
        let grows = network.or(vec![x, first]);
        let results = network.close_block(block, vec![y, grows]);
        let outputs = |terminal| Outputs {
            legal: IndexVec::new(),
            terminal,
            goals: vec![],
            next: IndexVec::new(),
        };
        let second = Signal::of(results.start.plus(1));
        assert!(network.count_uses(&outputs(second))[grows.node()] > 0);
        assert_eq!(network.count_uses(&outputs(x))[grows.node()], 0);
    }
}
