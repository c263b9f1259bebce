//! Copies the live part of a circuit into a new one, with some inputs replaced
//! and single-use ANDs merged into their users. Building it anew folds whatever
//! the replacements make constant.

use crate::circuit::network::{Network, Node};
use crate::circuit::signal::{BlockId, FluentId, MoveId, NodeId, Outputs, Signal};
use crate::index::IndexVec;
use crate::optimise::factor::factor;
use crate::optimise::select::{GroupId, Selection, Use};

/// How the inputs of the new circuit relate to those of the old one.
pub(crate) struct Inputs {
    /// For each old fluent a constant, or a new fluent.
    pub(crate) fluents: IndexVec<FluentId, Input>,
    /// For each old move its new number; `None` if it is never legal.
    pub(crate) moves: IndexVec<MoveId, Option<MoveId>>,
    /// New number of moves per role.
    pub(crate) moves_of_roles: Vec<usize>,
}

impl Inputs {
    /// The old fluents that are left, by their new numbers.
    pub(crate) fn kept(&self) -> IndexVec<FluentId, FluentId> {
        let is_kept = |&(_, input): &(FluentId, &Input)| matches!(input, Input::Fluent { .. });
        self.fluents.enumerate().filter(is_kept).map(|(fluent, _)| fluent).collect()
    }
}

/// What becomes of a fluent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Input {
    /// It never changes.
    Constant(bool),
    /// It is this fluent of the new circuit, or its negation.
    Fluent {
        /// The new fluent.
        fluent: FluentId,
        /// Whether it is its negation.
        negated: bool,
    },
}

/// The new circuit and its outputs: legality for each new move, next values for
/// each new fluent (taken from the old fluent in `next_from`).
pub(crate) fn rebuild(
    old: &Network,
    outputs: &Outputs,
    inputs: &Inputs,
    next_from: &IndexVec<FluentId, FluentId>,
    selection: Selection,
) -> (Network, Outputs) {
    let mut copier = Copier::new(old, outputs, inputs, selection);
    let goals = outputs.goals.iter().map(|goal| goal.holds);
    copier.copy(outputs.legal.iter().copied().chain(goals).chain([outputs.terminal]));
    let mut legal = IndexVec::filled(Signal::FALSE, copier.new.moves.count());
    for (number, &signal) in outputs.legal.enumerate() {
        if let Some(new) = inputs.moves[number] {
            legal[new] = copier.signal(signal);
        }
    }
    for (number, &signal) in legal.enumerate() {
        copier.new.set_legal(number, signal);
    }
    copier.copy(next_from.iter().map(|&f| outputs.next[f]));
    let goals = outputs.goals.iter().map(|goal| goal.map(|s| copier.signal(s)));
    let goals: Vec<_> = goals.filter(|goal| goal.holds != Signal::FALSE).collect();
    let terminal = copier.signal(outputs.terminal);
    let next = next_from.iter().map(|&f| {
        let value = copier.signal(outputs.next[f]);
        match inputs.fluents[f] {
            Input::Fluent { negated, .. } => value.negate_if(negated),
            Input::Constant(_) => value,
        }
    });
    let outputs = Outputs { legal, terminal, goals, next: next.collect() };
    (copier.new, outputs)
}

struct Copier<'o> {
    old: &'o Network,
    new: Network,
    /// Users of each old node.
    uses: IndexVec<NodeId, u32>,
    /// The copy of each old node.
    copies: IndexVec<NodeId, Option<Signal>>,
    blocks: IndexVec<BlockId, Option<BlockId>>,
    selection: Selection,
    /// The common sums of the selection that are built.
    selected: IndexVec<GroupId, Option<Signal>>,
}

impl<'o> Copier<'o> {
    fn new(old: &'o Network, outputs: &Outputs, inputs: &Inputs, selection: Selection) -> Self {
        let new = Network::new(inputs.kept().len(), &inputs.moves_of_roles, old.style());
        let mut copies = IndexVec::filled(None, old.count());
        for node in old.ids() {
            copies[node] = match old.node(node) {
                Node::Constant => Some(Signal::TRUE),
                Node::Fluent(fluent) => Some(match inputs.fluents[fluent] {
                    Input::Constant(value) => Signal::TRUE.negate_if(!value),
                    Input::Fluent { fluent, negated } => new.fluent(fluent).negate_if(negated),
                }),
                Node::Does(number) => {
                    Some(inputs.moves[number].map_or(Signal::FALSE, |m| new.does(m)))
                }
                _ => continue,
            };
        }
        let uses = old.count_uses(outputs);
        let blocks = IndexVec::filled(None, old.blocks.len());
        let selected = IndexVec::filled(None, selection.groups.len());
        Copier { old, new, uses, copies, blocks, selection, selected }
    }

    fn signal(&self, signal: Signal) -> Signal {
        let copy = self.copies[signal.node()].expect("copied before it is used");
        copy.negate_if(signal.is_negated())
    }

    /// Copies everything that `roots` need, operands before users.
    fn copy(&mut self, roots: impl Iterator<Item = Signal>) {
        let mut open: Vec<(NodeId, bool)> = roots.map(|s| (s.node(), false)).collect();
        while let Some((node, ready)) = open.pop() {
            if self.copies[node].is_some() {
                continue;
            }
            if ready {
                let copy = self.copy_node(node);
                self.copies[node] = Some(copy);
                continue;
            }
            open.push((node, true));
            self.open_operands(node, &mut open);
        }
    }

    fn open_operands(&mut self, node: NodeId, open: &mut Vec<(NodeId, bool)>) {
        match self.old.node(node) {
            Node::And(..) => {
                open.extend(self.old.operands(node).iter().map(|s| (s.node(), false)));
                for used in self.selection.uses.get(&node).into_iter().flatten() {
                    let products = self.selection.groups[used.group].iter().flatten();
                    let missing = products.filter(|s| self.copies[s.node()].is_none());
                    open.extend(missing.map(|s| (s.node(), false)));
                }
            }
            Node::Fixpoint { block, .. } => {
                self.open_block(block);
                let definitions = &self.old.blocks[block].definitions;
                open.extend(definitions.iter().map(|s| (s.node(), false)));
            }
            _ => {}
        }
    }

    fn open_block(&mut self, block: BlockId) {
        if self.blocks[block].is_some() {
            return;
        }
        let old = self.old.blocks[block].variables;
        let new = self.new.open_block(old.len());
        self.blocks[block] = Some(new);
        for (old, new) in old.iter().zip(self.new.blocks[new].variables.iter()) {
            self.copies[old] = Some(Signal::of(new));
        }
    }

    fn copy_node(&mut self, node: NodeId) -> Signal {
        match self.old.node(node) {
            Node::And(..) => self.copy_and(node),
            Node::Fixpoint { block, .. } => {
                self.close_block(block);
                self.copies[node].expect("a closed block has its results")
            }
            other => unreachable!("inputs and variables are copied first: {other:?}"),
        }
    }

    /// The copy of an AND. ANDs that only this one uses are dissolved: their
    /// operands join it, or, where they are negated, are factored together.
    fn copy_and(&mut self, node: NodeId) -> Signal {
        let (mut operands, mut products) = (Vec::new(), Vec::new());
        let selected = self.selection.uses.remove(&node).unwrap_or_default();
        let is_left = |s: &&Signal| !selected.iter().any(|used| used.replaced.contains(s));
        for &signal in self.old.operands(node).iter().filter(is_left) {
            let copy = self.signal(signal);
            let inner = self.new.operands(copy.node());
            if inner.is_empty() || self.uses[signal.node()] > 1 {
                operands.push(copy);
            } else if copy.is_negated() {
                products.push(inner.to_vec());
            } else {
                operands.extend_from_slice(inner);
            }
        }
        for used in &selected {
            products.push(self.select(used));
        }
        let sum = factor(&mut self.new, products);
        match self.new.operands(sum.node()) {
            inner if sum.is_negated() && !inner.is_empty() => operands.extend_from_slice(inner),
            _ => operands.push(!sum),
        }
        self.new.and(operands)
    }

    /// The product of the moves of a use and the common sum of its group.
    fn select(&mut self, used: &Use) -> Vec<Signal> {
        let common = match self.selected[used.group] {
            Some(common) => common,
            None => self.common_sum(used.group),
        };
        let moves = used.moves.iter().map(|&s| self.signal(s)).collect();
        vec![self.new.or(moves), common]
    }

    fn common_sum(&mut self, group: GroupId) -> Signal {
        let products = std::mem::take(&mut self.selection.groups[group]);
        let copied = |p: &Vec<Signal>| p.iter().map(|&s| self.signal(s)).collect();
        let products = products.iter().map(copied).collect();
        let sum = factor(&mut self.new, products);
        self.selected[group] = Some(sum);
        sum
    }

    fn close_block(&mut self, block: BlockId) {
        let definitions = &self.old.blocks[block].definitions;
        let definitions: Vec<_> = definitions.iter().map(|&s| self.signal(s)).collect();
        let new = self.blocks[block].expect("opened before its results");
        let results = self.new.close_block(new, definitions);
        for (old, new) in self.old.blocks[block].results.iter().zip(results.iter()) {
            self.copies[old] = Some(Signal::of(new));
        }
    }
}
