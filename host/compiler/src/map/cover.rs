//! Gates → cells. A gate that only one other gate reads needs no slot: its reader
//! computes it on the way, as long as the whole has at most four inputs. Which
//! gates to join that way is a small dynamic program over the trees that such
//! gates form.

mod expression;

use crate::circuit::signal::Signal as AnySignal;
use crate::index::IndexVec;
use crate::optimise::gates::{GateId, Gates, Kind, Value};
use expression::Part;
use ruche_shared::image::Expression;

type Signal = AnySignal<Value>;

/// Inputs of the largest cell.
pub(crate) const MOST_INPUTS: usize = 4;

/// What an input costs: its operand word and its slot are loaded.
const INPUT: u32 = 2;
/// What a cell costs besides: an operand word, a store, and its share of a loop.
const CELL: u32 = 3;
const NEVER: u32 = u32::MAX / 4;

/// A cell: ANDs with complements on the edges.
///
/// ```text
///   a b         a b  c        a b  c  d        a b    c d
///    AND        AND ╱         AND ╱  ╱         AND    AND
///               0╲ ╱          0╲ ╱  ╱          0╲    ╱1      0, 1: complements of
///               AND           AND  ╱             AND              inner edges
///                             1╲  ╱
///                             AND
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tree {
    inputs: [Signal; MOST_INPUTS],
    count: usize,
    complements: [bool; 2],
    /// The last of the four.
    is_balanced: bool,
}

/// The cells of a circuit.
pub(crate) struct Cover {
    /// By gate; nothing for a gate that is inside another one's cell.
    trees: IndexVec<GateId, Option<Tree>>,
}

impl Cover {
    /// Chooses the cells of all gates.
    pub(crate) fn of(gates: &Gates) -> Self {
        let plan = Plan::of(gates);
        let mut trees: IndexVec<GateId, Option<Tree>> = IndexVec::filled(None, gates.count());
        let mut inside = IndexVec::filled(false, gates.count());
        for gate in gates.operands.ids().rev() {
            if !inside[gate] {
                trees[gate] = Some(plan.tree(gate, &mut inside));
            }
        }
        Cover { trees }
    }

    /// The cell that ends with a gate; `None` if the gate is inside another one.
    pub(crate) fn tree(&self, gate: GateId) -> Option<&Tree> {
        self.trees[gate].as_ref()
    }

    /// All cells and the gates that they end with.
    pub(crate) fn cells(&self) -> impl Iterator<Item = (GateId, &Tree)> {
        self.trees.enumerate().filter_map(|(gate, tree)| Some((gate, tree.as_ref()?)))
    }
}

/// The cheapest cells with two, three and four inputs that end with each gate.
struct Plan<'g> {
    gates: &'g Gates,
    /// How many read each node.
    readers: IndexVec<Value, u32>,
    choices: IndexVec<GateId, [Choice; MOST_INPUTS + 1]>,
}

#[derive(Clone, Copy)]
struct Choice {
    cost: u32,
    /// Inputs that the cell takes from the side of each operand.
    sizes: [usize; 2],
}

impl<'g> Plan<'g> {
    fn of(gates: &'g Gates) -> Self {
        let choices = IndexVec::new();
        let mut plan = Plan { gates, readers: count_readers(gates), choices };
        for gate in gates.operands.ids() {
            let choices = plan.choices_of(gate);
            plan.choices.push(choices);
        }
        plan
    }

    fn choices_of(&self, gate: GateId) -> [Choice; MOST_INPUTS + 1] {
        let mut choices = [Choice { cost: NEVER, sizes: [1; 2] }; MOST_INPUTS + 1];
        let [left, right] = self.gates.operands[gate].map(|operand| self.costs(operand, gate));
        for size in 2..=MOST_INPUTS {
            for part in 1..size {
                let cost = left[part] + right[size - part];
                if cost < choices[size].cost {
                    choices[size] = Choice { cost, sizes: [part, size - part] };
                }
            }
        }
        choices
    }

    /// What an operand costs its reader, by the number of inputs that it brings.
    fn costs(&self, operand: Signal, reader: GateId) -> [u32; MOST_INPUTS] {
        let mut costs = [NEVER; MOST_INPUTS];
        costs[1] = INPUT;
        if let Some(gate) = self.only_read_by(operand, reader) {
            let choices = &self.choices[gate];
            (2..MOST_INPUTS).for_each(|size| costs[size] = choices[size].cost);
            costs[1] += CELL + choices[self.best_size(gate)].cost;
        }
        costs
    }

    /// The gate of an operand that nothing but `reader` reads. A block repeats
    /// its gates in every round: what comes from outside stays outside.
    fn only_read_by(&self, operand: Signal, reader: GateId) -> Option<GateId> {
        let Kind::Gate(gate) = self.gates.kind(operand.node()) else { return None };
        let is_in_same_block = self.gates.block_of[gate] == self.gates.block_of[reader];
        (self.readers[operand.node()] == 1 && is_in_same_block).then_some(gate)
    }

    fn best_size(&self, gate: GateId) -> usize {
        (2..=MOST_INPUTS).min_by_key(|&size| self.choices[gate][size].cost).unwrap_or(2)
    }

    fn tree(&self, gate: GateId, inside: &mut IndexVec<GateId, bool>) -> Tree {
        let mut tree = Tree::default();
        self.grow(&mut tree, gate, self.best_size(gate), inside);
        tree
    }

    /// Adds the inputs of a gate of which the cell takes `size`, the longer side
    /// first.
    fn grow(
        &self,
        tree: &mut Tree,
        gate: GateId,
        size: usize,
        inside: &mut IndexVec<GateId, bool>,
    ) {
        let Choice { sizes, .. } = self.choices[gate][size];
        let [left, right] = self.gates.operands[gate];
        let mut sides = [(left, sizes[0]), (right, sizes[1])];
        sides.sort_by_key(|(_, size)| std::cmp::Reverse(*size));
        tree.is_balanced |= sides[1].1 > 1;
        for (operand, size) in sides {
            match self.gates.kind(operand.node()) {
                Kind::Gate(inner) if size > 1 => {
                    inside[inner] = true;
                    self.grow(tree, inner, size, inside);
                    tree.complement(operand.is_negated());
                }
                _ => tree.push(operand),
            }
        }
    }
}

/// Operands, outputs and definitions that name each node.
fn count_readers(gates: &Gates) -> IndexVec<Value, u32> {
    let mut readers = IndexVec::filled(0, gates.nodes());
    let operands = gates.operands.iter().flatten().copied();
    let definitions = gates.blocks.iter().flat_map(|block| block.definitions.iter().copied());
    for signal in operands.chain(definitions).chain(gates.outputs.signals()) {
        readers[signal.node()] += 1;
    }
    readers
}

impl Default for Tree {
    fn default() -> Self {
        let inputs = [Signal::TRUE; MOST_INPUTS];
        Tree { inputs, count: 0, complements: [false; 2], is_balanced: false }
    }
}

impl Tree {
    fn push(&mut self, input: Signal) {
        self.inputs[self.count] = input;
        self.count += 1;
    }

    /// Notes the complement of the inner edge that was just completed: the first
    /// is that of the first two inputs.
    fn complement(&mut self, is_negated: bool) {
        let is_first = self.count == 2;
        self.complements[usize::from(!is_first)] = is_negated;
    }

    /// What the cell reads.
    pub(crate) fn inputs(&self) -> &[Signal] {
        &self.inputs[..self.count]
    }

    /// Two-input gates that the cell replaces.
    pub(crate) fn gates(&self) -> usize {
        self.count - 1
    }

    /// The expression of the cell, or of its complement if `flip` is set, for
    /// inputs of which some are there as complements only; and in which order it
    /// takes the inputs.
    pub(crate) fn expression(
        &self,
        negated: [bool; MOST_INPUTS],
        flip: bool,
    ) -> (Expression, [usize; MOST_INPUTS]) {
        let input = |place: usize| Part::Input { place, negated: negated[place] };
        let and = Part::and;
        let pair = and(input(0), input(1), self.count > 2 && self.complements[0]);
        let whole = match self.count {
            2 => pair,
            3 => and(pair, input(2), false),
            _ if self.is_balanced => and(pair, and(input(2), input(3), self.complements[1]), false),
            _ => and(and(pair, input(2), self.complements[1]), input(3), false),
        };
        whole.complement_if(flip).express()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trees() -> impl Iterator<Item = Tree> {
        let shapes = [(2, false), (3, false), (4, false), (4, true)];
        shapes.into_iter().flat_map(|(count, is_balanced)| {
            [[false, false], [false, true], [true, false], [true, true]].map(|complements| Tree {
                count,
                complements,
                is_balanced,
                ..Tree::default()
            })
        })
    }

    /// The value of the ANDs as they are drawn.
    fn value(tree: &Tree, inputs: [bool; 4]) -> bool {
        let [a, b, c, d] = inputs;
        let pair = (a && b) != tree.complements[0];
        match tree.count {
            2 => a && b,
            3 => pair && c,
            _ if tree.is_balanced => pair && ((c && d) != tree.complements[1]),
            _ => ((pair && c) != tree.complements[1]) && d,
        }
    }

    fn bits(number: usize) -> [bool; 4] {
        [0, 1, 2, 3].map(|bit| number >> bit & 1 == 1)
    }

    #[test]
    fn expressions_compute_what_is_drawn_for_all_polarities() {
        for tree in trees() {
            for (negated, flip) in (0..16).flat_map(|n| [(bits(n), false), (bits(n), true)]) {
                let (expression, order) = tree.expression(negated, flip);
                assert_eq!(expression.inputs(), tree.count);
                assert_eq!(Expression::of_number(expression.number()), Some(expression));
                for stored in (0..16).map(bits) {
                    let inputs = [0, 1, 2, 3].map(|i| stored[i] != negated[i]);
                    let found = expression.evaluate(|input| stored[order[input]]);
                    assert_eq!(found, value(&tree, inputs) != flip, "{tree:?} {expression:?}");
                }
            }
        }
    }
}
