//! Circuit → two-input gates. Common pairs are extracted first; what is left of
//! an operand list becomes a tree that joins the shallowest operands first, so
//! that strata stay few.

use crate::circuit::network::{Block, Network, Node, Outputs, Signal};
use crate::optimise::pairs;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A fixpoint block over gates.
#[derive(Clone, Debug)]
pub struct Fixpoint {
    /// Node of the first variable; the others follow, then the results.
    pub first_variable: u32,
    /// What each variable grows by.
    pub definitions: Vec<Signal>,
}

impl Fixpoint {
    /// Number of variables.
    pub fn count(&self) -> u32 {
        self.definitions.len() as u32
    }

    /// Node of the first result.
    pub fn first_result(&self) -> u32 {
        self.first_variable + self.count()
    }
}

/// What a node of a [`Gates`] is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The constant true.
    Constant,
    /// A fluent.
    Fluent(u32),
    /// A move.
    Does(u32),
    /// A variable of a block.
    Variable(u32),
    /// A result of a block, and its number there.
    Result(u32, u32),
    /// A gate.
    Gate(u32),
}

/// The circuit as two-input ANDs with negation on the edges.
pub struct Gates {
    kinds: Vec<Kind>,
    first_gate: u32,
    /// Operands of each gate; the gates are in topological order, and those of
    /// a block stand before the users of its results.
    pub operands: Vec<[Signal; 2]>,
    /// The fixpoint blocks.
    pub blocks: Vec<Fixpoint>,
    /// The block that a gate belongs to.
    pub block_of: Vec<Option<u32>>,
    /// What is computed.
    pub outputs: Outputs,
    /// Number of fluents.
    pub fluents: u32,
    /// First move of each role, and the end.
    pub move_starts: Vec<u32>,
}

impl Gates {
    /// Decomposes a circuit.
    pub fn of(network: &Network, outputs: &Outputs) -> Self {
        Decomposer::new(network, outputs).run(outputs)
    }

    /// What a node is.
    pub fn kind(&self, node: u32) -> Kind {
        match self.kinds.get(node as usize) {
            Some(kind) => *kind,
            None => Kind::Gate(node - self.first_gate),
        }
    }

    /// The node of a gate.
    pub fn node_of(&self, gate: u32) -> u32 {
        self.first_gate + gate
    }

    /// Number of nodes of all kinds.
    pub fn nodes(&self) -> usize {
        self.first_gate as usize + self.operands.len()
    }

    /// Number of moves.
    pub fn moves(&self) -> u32 {
        *self.move_starts.last().expect("starts end with the end")
    }
}

/// Where a node stands for the order of joining: operands outside any block
/// first, so that they are not computed again in every round, then by depth.
type Rank = (bool, u32);

struct Decomposer {
    lists: Vec<Vec<Signal>>,
    kinds: Vec<Kind>,
    /// For each old node its new signal (of lists, before they are cut).
    map: Vec<Signal>,
    /// For each list its final signal.
    done: Vec<Option<Signal>>,
    gates: Gates,
    unique: FxHashMap<[Signal; 2], Signal>,
    ranks: Vec<Rank>,
}

/// Numbers of a circuit's live nodes among the gates: inputs, then variables and
/// results of each block, then one operand list per AND.
struct Numbering<'c> {
    network: &'c Network,
    kinds: Vec<Kind>,
    /// For each old node its new signal.
    map: Vec<Signal>,
    blocks: Vec<Fixpoint>,
    /// The live ANDs.
    ands: Vec<u32>,
}

impl<'c> Numbering<'c> {
    fn new(network: &'c Network, outputs: &Outputs) -> Self {
        let uses = network.count_uses(outputs);
        let is_live_and =
            |n: &u32| uses[*n as usize] > 0 && matches!(network.node(*n), Node::And(..));
        let mut kinds = vec![Kind::Constant];
        kinds.extend((0..network.fluents()).map(Kind::Fluent));
        kinds.extend((0..network.moves.count()).map(Kind::Does));
        let mut numbering = Numbering {
            network,
            kinds,
            map: (0..network.count() as u32).map(Signal::of).collect(),
            blocks: Vec::new(),
            ands: (0..network.count() as u32).filter(is_live_and).collect(),
        };
        let results =
            |block: &Block| block.first_result..block.first_result + block.definitions.len() as u32;
        let lives = |block: &&Block| results(block).any(|n| uses[n as usize] > 0);
        network.blocks.iter().filter(lives).for_each(|block| numbering.add_block(block));
        for (&node, gate) in numbering.ands.iter().zip(numbering.kinds.len() as u32..) {
            numbering.map[node as usize] = Signal::of(gate);
        }
        numbering
    }

    fn add_block(&mut self, block: &Block) {
        let (number, first_variable) = (self.blocks.len() as u32, self.kinds.len() as u32);
        let count = block.definitions.len() as u32;
        for n in 0..count {
            self.map[(block.first_variable + n) as usize] = Signal::of(first_variable + n);
            self.map[(block.first_result + n) as usize] = Signal::of(first_variable + count + n);
        }
        self.kinds.extend((0..count).map(|_| Kind::Variable(number)));
        self.kinds.extend((0..count).map(|n| Kind::Result(number, n)));
        self.blocks.push(Fixpoint { first_variable, definitions: block.definitions.clone() });
    }

    fn mapped(&self, signals: &[Signal]) -> Vec<Signal> {
        let mapped = |s: &Signal| self.map[s.node() as usize].negate_if(s.is_negated());
        signals.iter().map(mapped).collect()
    }

    fn lists(&self) -> Vec<Vec<Signal>> {
        self.ands.iter().map(|&node| self.mapped(self.network.operands(node))).collect()
    }

    fn blocks(&self) -> Vec<Fixpoint> {
        let mapped = |block: &Fixpoint| Fixpoint {
            first_variable: block.first_variable,
            definitions: self.mapped(&block.definitions),
        };
        self.blocks.iter().map(mapped).collect()
    }
}

impl Decomposer {
    fn new(network: &Network, outputs: &Outputs) -> Self {
        let numbering = Numbering::new(network, outputs);
        let first_gate = numbering.kinds.len() as u32;
        let mut lists = numbering.lists();
        pairs::extract(&mut lists, first_gate);
        let moves = &network.moves;
        let gates = Gates {
            kinds: Vec::new(),
            first_gate,
            operands: Vec::new(),
            blocks: numbering.blocks(),
            block_of: Vec::new(),
            outputs: outputs.clone(),
            fluents: network.fluents(),
            move_starts: (0..moves.roles())
                .map(|role| moves.of_role(role).start)
                .chain([moves.count()])
                .collect(),
        };
        let Numbering { kinds, map, .. } = numbering;
        let ranks = kinds.iter().map(|k| (matches!(k, Kind::Variable(_)), 0)).collect();
        let done = vec![None; lists.len()];
        Decomposer { lists, kinds, map, done, gates, unique: FxHashMap::default(), ranks }
    }

    fn run(mut self, outputs: &Outputs) -> Gates {
        let roots: Vec<_> = outputs.signals().map(|s| self.mapped(s)).collect();
        for root in roots {
            self.cut(root);
        }
        for block in 0..self.gates.blocks.len() {
            let definitions = std::mem::take(&mut self.gates.blocks[block].definitions);
            self.gates.blocks[block].definitions =
                definitions.into_iter().map(|s| self.finished(s)).collect();
        }
        let finish = |s: &Signal| self.finished(self.mapped(*s));
        let outputs = Outputs {
            legal: outputs.legal.iter().map(finish).collect(),
            terminal: finish(&outputs.terminal),
            goals: outputs.goals.iter().map(|(r, v, s)| (*r, *v, finish(s))).collect(),
            next: outputs.next.iter().map(finish).collect(),
        };
        Gates { kinds: self.kinds, outputs, ..self.gates }
    }

    fn mapped(&self, signal: Signal) -> Signal {
        self.map[signal.node() as usize].negate_if(signal.is_negated())
    }

    /// The list of a signal that is neither input, variable nor result.
    fn list_of(&self, signal: Signal) -> Option<usize> {
        signal.node().checked_sub(self.gates.first_gate).map(|list| list as usize)
    }

    fn finished(&self, signal: Signal) -> Signal {
        match self.list_of(signal) {
            None => signal,
            Some(list) => self.done[list].expect("cut before").negate_if(signal.is_negated()),
        }
    }

    /// Cuts the list of `root` and everything below it into gates.
    fn cut(&mut self, root: Signal) {
        let mut open = vec![(root, false)];
        while let Some((signal, ready)) = open.pop() {
            match (self.list_of(signal), self.kinds.get(signal.node() as usize).copied()) {
                (Some(list), _) if self.done[list].is_none() => {
                    if ready {
                        self.cut_list(list);
                    } else {
                        open.push((signal, true));
                        open.extend(self.lists[list].iter().map(|&s| (s, false)));
                    }
                }
                (None, Some(Kind::Result(block, _))) => {
                    self.cut_block(block, signal, ready, &mut open)
                }
                _ => {}
            }
        }
    }

    fn cut_block(
        &mut self,
        block: u32,
        result: Signal,
        ready: bool,
        open: &mut Vec<(Signal, bool)>,
    ) {
        let block = &self.gates.blocks[block as usize];
        // A finished block has ranks for its results.
        if self.ranks[block.first_result() as usize].1 > 0 {
            return;
        }
        if !ready {
            open.push((result, true));
            open.extend(block.definitions.iter().map(|&s| (s, false)));
            return;
        }
        let (first, count) = (block.first_result() as usize, block.count() as usize);
        let depth = block.definitions.iter().map(|&s| self.rank(self.finished(s)).1).max();
        let depth = depth.unwrap_or(0) + 1;
        self.ranks[first..first + count].fill((false, depth));
    }

    fn rank(&self, signal: Signal) -> Rank {
        self.ranks[signal.node() as usize]
    }

    /// Joins the two operands of lowest rank until one is left.
    fn cut_list(&mut self, list: usize) {
        let operands = self.lists[list].iter().map(|&s| self.finished(s));
        let mut heap: BinaryHeap<_> = operands.map(|s| Reverse((self.rank(s), s))).collect();
        let mut result = heap.pop().map_or(Signal::TRUE, |Reverse((_, s))| s);
        while let Some(Reverse((_, other))) = heap.pop() {
            let joined = if result == other { result } else { self.gate(result, other) };
            heap.push(Reverse((self.rank(joined), joined)));
            result = heap.pop().expect("just pushed").0.1;
        }
        self.done[list] = Some(result);
    }

    fn gate(&mut self, a: Signal, b: Signal) -> Signal {
        let key = if a < b { [a, b] } else { [b, a] };
        if let Some(&known) = self.unique.get(&key) {
            return known;
        }
        let gate = self.gates.operands.len() as u32;
        self.gates.operands.push(key);
        let block = self.block_of(a).or_else(|| self.block_of(b));
        self.gates.block_of.push(block);
        let (rank_a, rank_b) = (self.rank(a), self.rank(b));
        self.ranks.push((rank_a.0 || rank_b.0, rank_a.1.max(rank_b.1) + 1));
        let signal = Signal::of(self.gates.first_gate + gate);
        self.unique.insert(key, signal);
        signal
    }

    fn block_of(&self, signal: Signal) -> Option<u32> {
        match self.kinds.get(signal.node() as usize) {
            Some(Kind::Variable(block)) => Some(*block),
            Some(_) => None,
            None => self.gates.block_of[(signal.node() - self.gates.first_gate) as usize],
        }
    }
}
