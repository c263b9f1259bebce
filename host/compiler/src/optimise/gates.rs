//! Circuit → two-input gates. Common pairs are extracted first; what is left of
//! an operand list becomes a tree that joins the shallowest operands first, so
//! that strata stay few.

use crate::circuit::network::{Block, Network, Node};
use crate::circuit::signal::{FluentId, MoveId, NodeId, Outputs, RoleId, Signal};
use crate::index::{Id, IndexVec, Span, define_index, first};
use crate::optimise::pairs::{self, ListId, Lists};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

define_index! {
    /// A value: a node of the gates, or one that the scheduler adds.
    pub(crate) struct Value;
    /// A two-input gate.
    pub(crate) struct GateId;
    /// A fixpoint block over gates.
    pub(crate) struct FixpointId;
    /// A node before operand lists are cut: inputs, variables and results have
    /// their final numbers, behind them are the lists.
    pub(crate) struct Draft;
}

/// A fixpoint block over gates.
#[derive(Clone, Debug)]
pub(crate) struct Fixpoint<N = Value> {
    /// The nodes of the variables.
    pub(crate) variables: Span<Value>,
    /// The nodes of the results.
    pub(crate) results: Span<Value>,
    /// What each variable grows by.
    pub(crate) definitions: Vec<Signal<N>>,
}

/// What a node of a [`Gates`] is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// The constant true.
    Constant,
    /// A fluent.
    Fluent(FluentId),
    /// A move.
    Does(MoveId),
    /// A variable of a block.
    Variable(FixpointId),
    /// A result of a block.
    Result(FixpointId),
    /// A gate.
    Gate(GateId),
}

/// The circuit as two-input ANDs with negation on the edges.
pub(crate) struct Gates {
    kinds: IndexVec<Value, Kind>,
    /// Operands of each gate; the gates are in topological order, and those of
    /// a block stand before the users of its results.
    pub(crate) operands: IndexVec<GateId, [Signal<Value>; 2]>,
    /// The fixpoint blocks.
    pub(crate) blocks: IndexVec<FixpointId, Fixpoint>,
    /// The block that a gate belongs to.
    pub(crate) block_of: IndexVec<GateId, Option<FixpointId>>,
    /// What is computed.
    pub(crate) outputs: Outputs<Value>,
    /// The moves of each role.
    pub(crate) moves_of_roles: IndexVec<RoleId, Span<MoveId>>,
}

impl Gates {
    /// Decomposes a circuit.
    pub(crate) fn of(network: &Network, outputs: &Outputs) -> Self {
        Decomposer::new(network, outputs).run(outputs)
    }

    /// Number of gates.
    pub(crate) fn count(&self) -> usize {
        self.operands.len()
    }

    /// What a node is.
    pub(crate) fn kind(&self, node: Value) -> Kind {
        match self.kinds.get(node) {
            Some(kind) => *kind,
            None => Kind::Gate(GateId::new(node.index() - self.kinds.len())),
        }
    }

    /// The node of a gate.
    pub(crate) fn node_of(&self, gate: GateId) -> Value {
        self.kinds.next().plus(gate.index())
    }

    /// Number of nodes of all kinds.
    pub(crate) fn nodes(&self) -> usize {
        self.kinds.len() + self.operands.len()
    }

    /// Number of fluents.
    pub(crate) fn fluents(&self) -> usize {
        self.outputs.next.len()
    }

    /// Number of moves.
    pub(crate) fn moves(&self) -> usize {
        self.outputs.legal.len()
    }
}

/// Where a node stands for the order of joining: operands outside any block
/// first, so that they are not computed again in every round, then by depth.
type Rank = (bool, u32);

struct Decomposer {
    lists: Lists,
    kinds: IndexVec<Value, Kind>,
    /// For each node of the network its draft.
    drafts: IndexVec<NodeId, Signal<Draft>>,
    blocks: IndexVec<FixpointId, Fixpoint<Draft>>,
    /// For each list its final signal.
    done: IndexVec<ListId, Option<Signal<Value>>>,
    operands: IndexVec<GateId, [Signal<Value>; 2]>,
    block_of: IndexVec<GateId, Option<FixpointId>>,
    moves_of_roles: IndexVec<RoleId, Span<MoveId>>,
    unique: FxHashMap<[Signal<Value>; 2], Signal<Value>>,
    ranks: IndexVec<Value, Rank>,
}

/// Numbers of a network's live nodes among the gates: inputs, then variables and
/// results of each block, then one operand list per AND.
struct Numbering<'c> {
    network: &'c Network,
    kinds: IndexVec<Value, Kind>,
    drafts: IndexVec<NodeId, Signal<Draft>>,
    /// The live blocks, and where their variables and results are now.
    blocks: IndexVec<FixpointId, (&'c Block, Span<Value>, Span<Value>)>,
    /// The live ANDs.
    ands: Vec<NodeId>,
}

impl<'c> Numbering<'c> {
    fn new(network: &'c Network, outputs: &Outputs) -> Self {
        let uses = network.count_uses(outputs);
        let is_live_and = |n: &NodeId| uses[*n] > 0 && matches!(network.node(*n), Node::And(..));
        let mut kinds = IndexVec::from(vec![Kind::Constant]);
        kinds.extend(first(network.fluents()).map(Kind::Fluent));
        kinds.extend(network.moves.all().iter().map(Kind::Does));
        let mut numbering = Numbering {
            network,
            kinds,
            // The inputs keep their numbers.
            drafts: first(network.count()).map(Signal::of).collect(),
            blocks: IndexVec::new(),
            ands: network.ids().filter(is_live_and).collect(),
        };
        let lives = |block: &&Block| block.results.iter().any(|n| uses[n] > 0);
        network.blocks.iter().filter(lives).for_each(|block| numbering.add_block(block));
        let lists = Draft::new(numbering.kinds.len());
        for (list, &node) in numbering.ands.iter().enumerate() {
            numbering.drafts[node] = Signal::of(lists.plus(list));
        }
        numbering
    }

    fn add_block(&mut self, block: &'c Block) {
        let count = block.definitions.len();
        let variables = Span::new(self.kinds.next(), count);
        let results = Span::new(variables.end, count);
        let number = self.blocks.push((block, variables, results));
        for (old, new) in [(block.variables, variables), (block.results, results)] {
            for (old, new) in old.iter().zip(new.iter()) {
                self.drafts[old] = Signal::of(Draft::new(new.index()));
            }
        }
        self.kinds.extend(std::iter::repeat_n(Kind::Variable(number), count));
        self.kinds.extend(std::iter::repeat_n(Kind::Result(number), count));
    }

    fn drafts(&self, signals: &[Signal]) -> Vec<Signal<Draft>> {
        let draft = |s: &Signal| self.drafts[s.node()].negate_if(s.is_negated());
        signals.iter().map(draft).collect()
    }

    fn lists(&self) -> Lists {
        let lists = self.ands.iter().map(|&node| self.drafts(self.network.operands(node)));
        Lists { first: Draft::new(self.kinds.len()), operands: lists.collect() }
    }

    fn blocks(&self) -> IndexVec<FixpointId, Fixpoint<Draft>> {
        let block = |&(block, variables, results): &(&Block, Span<Value>, Span<Value>)| {
            let definitions = self.drafts(&block.definitions);
            Fixpoint { variables, results, definitions }
        };
        self.blocks.iter().map(block).collect()
    }
}

impl Decomposer {
    fn new(network: &Network, outputs: &Outputs) -> Self {
        let numbering = Numbering::new(network, outputs);
        let mut lists = numbering.lists();
        pairs::extract(&mut lists);
        let moves = &network.moves;
        let ranks = numbering.kinds.iter().map(|k| (matches!(k, Kind::Variable(_)), 0)).collect();
        Decomposer {
            done: IndexVec::filled(None, lists.operands.len()),
            lists,
            blocks: numbering.blocks(),
            kinds: numbering.kinds,
            drafts: numbering.drafts,
            operands: IndexVec::new(),
            block_of: IndexVec::new(),
            moves_of_roles: moves.roles().map(|role| moves.of_role(role)).collect(),
            unique: FxHashMap::default(),
            ranks,
        }
    }

    fn run(mut self, outputs: &Outputs) -> Gates {
        for root in outputs.signals() {
            self.cut(self.draft(root));
        }
        let outputs = outputs.map(|signal| self.finished(self.draft(signal)));
        let finish = |block: &Fixpoint<Draft>| Fixpoint {
            variables: block.variables,
            results: block.results,
            definitions: block.definitions.iter().map(|&s| self.finished(s)).collect(),
        };
        Gates {
            blocks: self.blocks.iter().map(finish).collect(),
            outputs,
            kinds: self.kinds,
            operands: self.operands,
            block_of: self.block_of,
            moves_of_roles: self.moves_of_roles,
        }
    }

    fn draft(&self, signal: Signal) -> Signal<Draft> {
        self.drafts[signal.node()].negate_if(signal.is_negated())
    }

    fn finished(&self, signal: Signal<Draft>) -> Signal<Value> {
        let positive = match self.lists.list_of(signal.node()) {
            None => Signal::of(Value::new(signal.node().index())),
            Some(list) => self.done[list].expect("cut before"),
        };
        positive.negate_if(signal.is_negated())
    }

    /// Cuts the list of `root` and everything below it into gates.
    fn cut(&mut self, root: Signal<Draft>) {
        let mut open = vec![(root, false)];
        while let Some((signal, ready)) = open.pop() {
            let Some(list) = self.lists.list_of(signal.node()) else {
                if let Kind::Result(block) = self.kinds[self.finished(signal).node()] {
                    self.cut_block(block, signal, ready, &mut open);
                }
                continue;
            };
            if self.done[list].is_some() {
                continue;
            }
            if ready {
                self.cut_list(list);
            } else {
                open.push((signal, true));
                open.extend(self.lists.operands[list].iter().map(|&s| (s, false)));
            }
        }
    }

    fn cut_block(
        &mut self,
        block: FixpointId,
        result: Signal<Draft>,
        ready: bool,
        open: &mut Vec<(Signal<Draft>, bool)>,
    ) {
        let block = &self.blocks[block];
        // A finished block has ranks for its results.
        if self.ranks[block.results.start].1 > 0 {
            return;
        }
        if !ready {
            open.push((result, true));
            open.extend(block.definitions.iter().map(|&s| (s, false)));
            return;
        }
        let depth = block.definitions.iter().map(|&s| self.rank(self.finished(s)).1).max();
        let depth = depth.unwrap_or(0) + 1;
        self.ranks.span_mut(block.results).fill((false, depth));
    }

    fn rank(&self, signal: Signal<Value>) -> Rank {
        self.ranks[signal.node()]
    }

    /// Joins the two operands of lowest rank until one is left.
    fn cut_list(&mut self, list: ListId) {
        let operands = self.lists.operands[list].iter().map(|&s| self.finished(s));
        let mut heap: BinaryHeap<_> = operands.map(|s| Reverse((self.rank(s), s))).collect();
        let mut result = heap.pop().map_or(Signal::TRUE, |Reverse((_, s))| s);
        while let Some(Reverse((_, other))) = heap.pop() {
            let joined = if result == other { result } else { self.gate(result, other) };
            heap.push(Reverse((self.rank(joined), joined)));
            result = heap.pop().expect("just pushed").0.1;
        }
        self.done[list] = Some(result);
    }

    fn gate(&mut self, a: Signal<Value>, b: Signal<Value>) -> Signal<Value> {
        let key = if a < b { [a, b] } else { [b, a] };
        if let Some(&known) = self.unique.get(&key) {
            return known;
        }
        let block = self.block_of(a).or_else(|| self.block_of(b));
        let gate = self.operands.push(key);
        self.block_of.push(block);
        let (rank_a, rank_b) = (self.rank(a), self.rank(b));
        self.ranks.push((rank_a.0 || rank_b.0, rank_a.1.max(rank_b.1) + 1));
        let signal = Signal::of(self.kinds.next().plus(gate.index()));
        self.unique.insert(key, signal);
        signal
    }

    fn block_of(&self, signal: Signal<Value>) -> Option<FixpointId> {
        match self.kinds.get(signal.node()) {
            Some(Kind::Variable(block)) => Some(*block),
            Some(_) => None,
            None => self.block_of[GateId::new(signal.node().index() - self.kinds.len())],
        }
    }
}
