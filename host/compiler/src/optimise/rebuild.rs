//! Copies the live part of a circuit into a new one, with some inputs replaced
//! and single-use ANDs merged into their users. Building it anew folds whatever
//! the replacements make constant.

use crate::circuit::network::{Network, Node, Outputs, Signal};
use crate::optimise::factor::factor;
use crate::optimise::select::{Selection, Use};

/// How the inputs of the new circuit relate to those of the old one.
pub struct Inputs<'i> {
    /// For each old fluent a constant, or a new fluent.
    pub fluents: &'i [Input],
    /// For each old move its new number; `None` if it is never legal.
    pub moves: &'i [Option<u32>],
    /// New number of fluents.
    pub fluent_count: u32,
    /// New number of moves per role.
    pub moves_of_roles: &'i [u32],
}

/// What becomes of a fluent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Input {
    /// It never changes.
    Constant(bool),
    /// It is this fluent of the new circuit, or its negation.
    Fluent {
        /// The new fluent.
        fluent: u32,
        /// Whether it is its negation.
        negated: bool,
    },
}

/// The new circuit and its outputs: legality for each new move, next values for
/// each new fluent (taken from the old fluent in `next_from`).
pub fn rebuild(
    old: &Network,
    outputs: &Outputs,
    inputs: &Inputs,
    next_from: &[u32],
    selection: Selection,
) -> (Network, Outputs) {
    let mut copier = Copier::new(old, outputs, inputs, selection);
    let goals = outputs.goals.iter().map(|g| g.2);
    copier.copy(outputs.legal.iter().copied().chain(goals).chain([outputs.terminal]));
    let mut legal = vec![Signal::FALSE; copier.new.moves.count() as usize];
    for (number, &signal) in outputs.legal.iter().enumerate() {
        if let Some(new) = inputs.moves[number] {
            legal[new as usize] = copier.signal(signal);
        }
    }
    for (number, &signal) in legal.iter().enumerate() {
        copier.new.set_legal(number as u32, signal);
    }
    copier.copy(next_from.iter().map(|&f| outputs.next[f as usize]));
    let goals = outputs.goals.iter().map(|&(r, v, s)| (r, v, copier.signal(s)));
    let goals: Vec<_> = goals.filter(|g| g.2 != Signal::FALSE).collect();
    let terminal = copier.signal(outputs.terminal);
    let next = next_from.iter().map(|&f| {
        let value = copier.signal(outputs.next[f as usize]);
        match inputs.fluents[f as usize] {
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
    uses: Vec<u32>,
    /// The copy of each old node.
    copies: Vec<Option<Signal>>,
    blocks: Vec<u32>,
    selection: Selection,
    /// The common sums of the selection that are built.
    selected: Vec<Option<Signal>>,
}

impl<'o> Copier<'o> {
    fn new(old: &'o Network, outputs: &Outputs, inputs: &Inputs, selection: Selection) -> Self {
        let new = Network::new(inputs.fluent_count, inputs.moves_of_roles, old.style());
        let mut copies = vec![None; old.count()];
        for node in 0..old.count() as u32 {
            copies[node as usize] = match old.node(node) {
                Node::Constant => Some(Signal::TRUE),
                Node::Fluent(fluent) => Some(match inputs.fluents[fluent as usize] {
                    Input::Constant(value) => Signal::TRUE.negate_if(!value),
                    Input::Fluent { fluent, negated } => new.fluent(fluent).negate_if(negated),
                }),
                Node::Does(number) => {
                    Some(inputs.moves[number as usize].map_or(Signal::FALSE, |m| new.does(m)))
                }
                _ => continue,
            };
        }
        let uses = old.count_uses(outputs);
        let blocks = vec![u32::MAX; old.blocks.len()];
        let selected = vec![None; selection.groups.len()];
        Copier { old, new, uses, copies, blocks, selection, selected }
    }

    fn signal(&self, signal: Signal) -> Signal {
        let copy = self.copies[signal.node() as usize].expect("copied before it is used");
        copy.negate_if(signal.is_negated())
    }

    /// Copies everything that `roots` need, operands before users.
    fn copy(&mut self, roots: impl Iterator<Item = Signal>) {
        let mut open: Vec<(u32, bool)> = roots.map(|s| (s.node(), false)).collect();
        while let Some((node, ready)) = open.pop() {
            if self.copies[node as usize].is_some() {
                continue;
            }
            if ready {
                let copy = self.copy_node(node);
                self.copies[node as usize] = Some(copy);
                continue;
            }
            open.push((node, true));
            self.open_operands(node, &mut open);
        }
    }

    fn open_operands(&mut self, node: u32, open: &mut Vec<(u32, bool)>) {
        match self.old.node(node) {
            Node::And(..) => {
                open.extend(self.old.operands(node).iter().map(|s| (s.node(), false)));
                for used in self.selection.uses.get(&node).into_iter().flatten() {
                    let products = self.selection.groups[used.group].iter().flatten();
                    let missing = products.filter(|s| self.copies[s.node() as usize].is_none());
                    open.extend(missing.map(|s| (s.node(), false)));
                }
            }
            Node::Fixpoint { block, .. } => {
                self.open_block(block);
                let definitions = &self.old.blocks[block as usize].definitions;
                open.extend(definitions.iter().map(|s| (s.node(), false)));
            }
            _ => {}
        }
    }

    fn open_block(&mut self, block: u32) {
        if self.blocks[block as usize] != u32::MAX {
            return;
        }
        let old = &self.old.blocks[block as usize];
        let count = old.definitions.len() as u32;
        let new = self.new.open_block(count);
        self.blocks[block as usize] = new;
        let first = self.new.blocks[new as usize].first_variable;
        for number in 0..count {
            self.copies[(old.first_variable + number) as usize] = Some(Signal::of(first + number));
        }
    }

    fn copy_node(&mut self, node: u32) -> Signal {
        match self.old.node(node) {
            Node::And(..) => self.copy_and(node),
            Node::Fixpoint { block, number } => {
                self.close_block(block);
                self.copies[node as usize]
                    .unwrap_or_else(|| unreachable!("block {block} has no result {number}"))
            }
            other => unreachable!("inputs and variables are copied first: {other:?}"),
        }
    }

    /// The copy of an AND. ANDs that only this one uses are dissolved: their
    /// operands join it, or, where they are negated, are factored together.
    fn copy_and(&mut self, node: u32) -> Signal {
        let (mut operands, mut products) = (Vec::new(), Vec::new());
        let selected = self.selection.uses.remove(&node).unwrap_or_default();
        let is_left = |s: &&Signal| !selected.iter().any(|used| used.replaced.contains(s));
        for &signal in self.old.operands(node).iter().filter(is_left) {
            let copy = self.signal(signal);
            let inner = self.new.operands(copy.node());
            if inner.is_empty() || self.uses[signal.node() as usize] > 1 {
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

    fn common_sum(&mut self, group: usize) -> Signal {
        let products = std::mem::take(&mut self.selection.groups[group]);
        let copied = |p: &Vec<Signal>| p.iter().map(|&s| self.signal(s)).collect();
        let products = products.iter().map(copied).collect();
        let sum = factor(&mut self.new, products);
        self.selected[group] = Some(sum);
        sum
    }

    fn close_block(&mut self, block: u32) {
        let definitions = &self.old.blocks[block as usize].definitions;
        let definitions: Vec<_> = definitions.iter().map(|&s| self.signal(s)).collect();
        let results = self.new.close_block(self.blocks[block as usize], definitions);
        let first = self.old.blocks[block as usize].first_result;
        for (number, result) in results.into_iter().enumerate() {
            self.copies[first as usize + number] = Some(result);
        }
    }
}
