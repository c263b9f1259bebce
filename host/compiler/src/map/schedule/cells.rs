//! Cells: what the kernel will execute, still with values instead of slots. Here
//! is decided which polarity a slot holds, so that negations cost nothing.

use super::{Signal, Slot, fluent_slot, move_slot};
use crate::index::{IndexVec, first};
use crate::map::cover::{Cover, MOST_INPUTS, Tree};
use crate::optimise::gates::{GateId, Gates, Kind, Value};
use ruche_shared::image::Opcode;

/// Where a value lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Home {
    /// Any free slot.
    Temporary,
    /// A fluent's or move's slot.
    Slot(Slot),
}

/// One operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cell {
    /// What it does.
    pub(crate) opcode: Opcode,
    /// The value that it makes.
    pub(crate) value: Value,
    /// What it reads; as many as the opcode says.
    pub(crate) inputs: [Value; MOST_INPUTS],
}

impl Cell {
    /// The values that it reads.
    pub(crate) fn reads(&self) -> &[Value] {
        &self.inputs[..self.opcode.operands() - 1]
    }
}

/// Makes cells and keeps track of polarities and homes.
pub(super) struct CellMaker<'g> {
    gates: &'g Gates,
    homes: IndexVec<Value, Home>,
    /// Whether a slot holds the negation of its node; `None` while nobody has
    /// asked for a polarity.
    inverted: IndexVec<Value, Option<bool>>,
    /// How many more cells read a node as it is than negated.
    preference: IndexVec<Value, i32>,
}

impl<'g> CellMaker<'g> {
    pub(super) fn new(gates: &'g Gates, cover: &'g Cover) -> Self {
        let mut maker = CellMaker {
            gates,
            preference: preferences(gates, cover),
            homes: IndexVec::filled(Home::Temporary, gates.nodes()),
            inverted: IndexVec::filled(None, gates.nodes()),
        };
        for node in first(gates.nodes()) {
            let (home, inverted) = match gates.kind(node) {
                Kind::Fluent(fluent) => (Home::Slot(fluent_slot(fluent)), Some(false)),
                Kind::Does(number) => (Home::Slot(move_slot(gates, number)), Some(false)),
                Kind::Variable(_) | Kind::Result(..) => (Home::Temporary, Some(false)),
                Kind::Constant | Kind::Gate(_) => (Home::Temporary, None),
            };
            maker.homes[node] = home;
            maker.inverted[node] = inverted;
        }
        maker
    }

    /// Asks that the slot of the signal's node holds the signal itself; false if
    /// it cannot (a constant, or the other polarity is taken).
    pub(super) fn claim(&mut self, signal: Signal) -> bool {
        if signal.is_constant() {
            return false;
        }
        let inverted = &mut self.inverted[signal.node()];
        *inverted.get_or_insert(signal.is_negated()) == signal.is_negated()
    }

    pub(super) fn is_temporary(&self, node: Value) -> bool {
        self.homes[node] == Home::Temporary
    }

    pub(super) fn set_home(&mut self, node: Value, slot: Slot) {
        self.homes[node] = Home::Slot(slot);
    }

    fn new_value(&mut self, home: Home) -> Value {
        self.homes.push(home)
    }

    /// Whether the slot of the signal's node holds the signal's negation; fixes
    /// the polarity if nobody has claimed one.
    fn is_inverted(&mut self, signal: Signal) -> bool {
        self.polarity(signal.node()) != signal.is_negated()
    }

    /// Whether a slot holds the negation of its node: what most readers prefer,
    /// if nobody has claimed a polarity.
    fn polarity(&mut self, node: Value) -> bool {
        let prefers_negation = self.preference[node] < 0;
        *self.inverted[node].get_or_insert(prefers_negation)
    }

    /// A cell that copies or negates a signal, or sets a constant.
    pub(super) fn buffer(&mut self, signal: Signal, home: Home) -> Cell {
        let opcode = match signal {
            Signal::TRUE => Opcode::One,
            Signal::FALSE => Opcode::Zero,
            _ if self.is_inverted(signal) => Opcode::Not,
            _ => Opcode::Copy,
        };
        Cell { opcode, value: self.new_value(home), inputs: [signal.node(); MOST_INPUTS] }
    }

    /// A cell that copies a value to a fixed slot.
    pub(super) fn copy_of(&mut self, value: Value, slot: Slot) -> Cell {
        let copy = self.new_value(Home::Slot(slot));
        Cell { opcode: Opcode::Copy, value: copy, inputs: [value; MOST_INPUTS] }
    }

    /// The cell that ends with a gate.
    pub(super) fn gate(&mut self, gate: GateId, tree: &Tree) -> Cell {
        let node = self.gates.node_of(gate);
        let inverted = self.polarity(node);
        let mut negated = [false; MOST_INPUTS];
        for (negated, &input) in negated.iter_mut().zip(tree.inputs()) {
            *negated = self.is_inverted(input);
        }
        let (expression, order) = tree.expression(negated, inverted);
        let input = |place: usize| tree.inputs().get(place).map_or(node, |input| input.node());
        Cell { opcode: Opcode::Gate(expression), value: node, inputs: order.map(input) }
    }

    /// The homes of all values, and the variable of each block result.
    pub(super) fn finish(self) -> (IndexVec<Value, Home>, IndexVec<Value, Option<Value>>) {
        let mut variable_of = IndexVec::filled(None, self.homes.len());
        for block in &self.gates.blocks {
            for (result, variable) in block.results.iter().zip(block.variables.iter()) {
                variable_of[result] = Some(variable);
            }
        }
        (self.homes, variable_of)
    }
}

fn preferences(gates: &Gates, cover: &Cover) -> IndexVec<Value, i32> {
    let mut preferences = IndexVec::filled(0, gates.nodes());
    for input in cover.cells().flat_map(|(_, tree)| tree.inputs()) {
        preferences[input.node()] += if input.is_negated() { -1 } else { 1 };
    }
    preferences
}
