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
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::Hasher;
use std::ops::Not;

/// A node or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Signal(u32);

impl Signal {
    /// Always true.
    pub const TRUE: Signal = Signal(0);
    /// Always false.
    pub const FALSE: Signal = Signal(1);

    /// The signal of a node, not negated.
    pub fn of(node: u32) -> Signal {
        Signal(node << 1)
    }

    /// The node.
    pub fn node(self) -> u32 {
        self.0 >> 1
    }

    /// Whether the node is negated.
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// Negated if `negate` is set.
    pub fn negate_if(self, negate: bool) -> Signal {
        Signal(self.0 ^ u32::from(negate))
    }

    /// Whether it is one of the two constants.
    pub fn is_constant(self) -> bool {
        self.0 < 2
    }
}

impl Not for Signal {
    type Output = Signal;
    fn not(self) -> Signal {
        Signal(self.0 ^ 1)
    }
}

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Node {
    /// The constant true.
    Constant,
    /// A fluent of the state.
    Fluent(u32),
    /// A move: the role plays it in this step.
    Does(u32),
    /// All operands hold; the range into the operand list.
    And(u32, u32),
    /// A variable inside a fixpoint block.
    Variable {
        /// The block.
        block: u32,
        /// Its number there.
        number: u32,
    },
    /// The least-fixpoint value of a variable of a block.
    Fixpoint {
        /// The block.
        block: u32,
        /// Its number there.
        number: u32,
    },
}

/// Atoms that depend on each other in a circle: the variables start false and
/// grow by their definitions until nothing changes.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Node of the first variable; the others follow.
    pub first_variable: u32,
    /// What each variable grows by.
    pub definitions: Vec<Signal>,
    /// Node of the first result; the others follow.
    pub first_result: u32,
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
pub struct Network {
    nodes: Vec<Node>,
    operands: Vec<Signal>,
    unique: HashTable<u32>,
    fluents: u32,
    style: Style,
    /// The moves and what is known of them.
    pub moves: Moves,
    /// The fixpoint blocks.
    pub blocks: Vec<Block>,
}

/// What a circuit computes.
#[derive(Clone, Debug)]
pub struct Outputs {
    /// For each move whether it is legal.
    pub legal: Vec<Signal>,
    /// Whether the game has ended.
    pub terminal: Signal,
    /// Role, goal value, and whether the role has it.
    pub goals: Vec<(u32, u32, Signal)>,
    /// For each fluent whether it holds in the next state.
    pub next: Vec<Signal>,
}

impl Network {
    /// A circuit with inputs only.
    pub fn new(fluents: u32, moves_of_roles: &[u32], style: Style) -> Self {
        let moves = Moves::new(1 + fluents, moves_of_roles);
        let mut nodes = vec![Node::Constant];
        nodes.extend((0..fluents).map(Node::Fluent));
        nodes.extend((0..moves.count()).map(Node::Does));
        let (operands, unique, blocks) = (Vec::new(), HashTable::new(), Vec::new());
        Network { nodes, operands, unique, fluents, style, moves, blocks }
    }

    /// Number of nodes.
    pub fn count(&self) -> usize {
        self.nodes.len()
    }

    /// Number of fluents.
    pub fn fluents(&self) -> u32 {
        self.fluents
    }

    /// How sums of moves are built.
    pub fn style(&self) -> Style {
        self.style
    }

    /// What a node is.
    pub fn node(&self, node: u32) -> Node {
        self.nodes[node as usize]
    }

    /// The input of a fluent.
    pub fn fluent(&self, fluent: u32) -> Signal {
        Signal::of(1 + fluent)
    }

    /// The input of a move.
    pub fn does(&self, number: u32) -> Signal {
        Signal::of(self.moves.first_node() + number)
    }

    /// The operands of an AND; nothing for other nodes.
    pub fn operands(&self, node: u32) -> &[Signal] {
        match self.nodes[node as usize] {
            Node::And(start, end) => &self.operands[start as usize..end as usize],
            _ => &[],
        }
    }

    /// The conjunction of the signals.
    pub fn and(&mut self, mut signals: Vec<Signal>) -> Signal {
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
    pub fn or(&mut self, mut signals: Vec<Signal>) -> Signal {
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
        let same = |&node: &u32| self.operands(node) == signals;
        if let Some(&node) = self.unique.find(hash, same) {
            return Signal::of(node);
        }
        let start = self.operands.len() as u32;
        self.operands.extend_from_slice(signals);
        let node = self.push(Node::And(start, self.operands.len() as u32));
        let (nodes, operands) = (&self.nodes, &self.operands);
        self.unique.insert_unique(hash, node, |&node| match nodes[node as usize] {
            Node::And(start, end) => self::hash(&operands[start as usize..end as usize]),
            _ => unreachable!("only ANDs are hashed"),
        });
        Signal::of(node)
    }

    fn push(&mut self, node: Node) -> u32 {
        self.nodes.push(node);
        (self.nodes.len() - 1) as u32
    }

    /// How often each node is used by live nodes and outputs; zero means dead.
    /// A block lives if one of its results does.
    pub fn count_uses(&self, outputs: &Outputs) -> Vec<u32> {
        let mut uses = vec![0; self.nodes.len()];
        let mut block_lives = vec![false; self.blocks.len()];
        outputs.signals().for_each(|s| uses[s.node() as usize] += 1);
        for node in (0..self.nodes.len()).rev() {
            if uses[node] == 0 {
                continue;
            }
            let operands = match self.nodes[node] {
                Node::And(start, end) => &self.operands[start as usize..end as usize],
                Node::Fixpoint { block, .. } if !block_lives[block as usize] => {
                    block_lives[block as usize] = true;
                    &self.blocks[block as usize].definitions
                }
                _ => continue,
            };
            operands.iter().for_each(|s| uses[s.node() as usize] += 1);
        }
        uses
    }

    /// Opens a fixpoint block of `count` variables; its definitions follow with
    /// [`Circuit::close_block`].
    pub fn open_block(&mut self, count: u32) -> u32 {
        let block = self.blocks.len() as u32;
        let first_variable = self.nodes.len() as u32;
        self.blocks.push(Block { first_variable, ..Block::default() });
        (0..count).for_each(|number| {
            self.push(Node::Variable { block, number });
        });
        block
    }

    /// Gives the definitions of a block; returns the signals of its results.
    pub fn close_block(&mut self, block: u32, definitions: Vec<Signal>) -> Vec<Signal> {
        let count = definitions.len() as u32;
        let first_result = self.nodes.len() as u32;
        let block_data = &mut self.blocks[block as usize];
        block_data.definitions = definitions;
        block_data.first_result = first_result;
        (0..count).map(|number| Signal::of(self.push(Node::Fixpoint { block, number }))).collect()
    }
}

impl Outputs {
    /// All output signals.
    pub fn signals(&self) -> impl Iterator<Item = Signal> {
        let goals = self.goals.iter().map(|g| g.2);
        let rest = self.next.iter().copied().chain([self.terminal]);
        self.legal.iter().copied().chain(goals).chain(rest)
    }
}

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
    signals.iter().for_each(|s| hasher.write_u32(s.0));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network() -> (Network, [Signal; 3]) {
        let network = Network::new(3, &[1], Style::Moves);
        let inputs = [0, 1, 2].map(|f| network.fluent(f));
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
        let first = Signal::of(network.blocks[block as usize].first_variable);
        let grows = network.or(vec![x, first]);
        let results = network.close_block(block, vec![y, grows]);
        let outputs = |terminal| Outputs { legal: vec![], terminal, goals: vec![], next: vec![] };
        assert!(network.count_uses(&outputs(results[1]))[grows.node() as usize] > 0);
        assert_eq!(network.count_uses(&outputs(x))[grows.node() as usize], 0);
    }
}
