//! The circuit of a game as one list of gates, evaluated in lanes.

use crate::lanes::Word;
use ruche_compiler::{BlockId, FluentId, GameCircuit, Id, MoveId, NodeId, NodeKind, Signal};

/// A circuit, by plain numbers: node 0 is true, then fluents, then moves, then the rest.
pub(crate) struct Netlist {
    pub(crate) fluents: usize,
    pub(crate) moves: usize,
    /// Where the operands of each node start.
    starts: Vec<u32>,
    operands: Vec<Wire>,
    kinds: Vec<Kind>,
    blocks: Vec<Block>,
    pub(crate) legal: Vec<Wire>,
    pub(crate) next: Vec<Wire>,
    pub(crate) terminal: Wire,
    pub(crate) goals: Vec<Goal>,
    pub(crate) initial: Vec<bool>,
    /// The moves of each role, as ranges.
    pub(crate) roles: Vec<std::ops::Range<usize>>,
}

/// A node or its negation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Wire {
    pub(crate) node: u32,
    pub(crate) negated: bool,
}

impl Wire {
    fn of(signal: Signal) -> Self {
        Wire { node: signal.node().index() as u32, negated: signal.is_negated() }
    }

    /// The wire of a fluent.
    pub(crate) fn of_fluent(netlist: &Netlist, fluent: usize) -> Self {
        Wire { node: netlist.fluent(fluent) as u32, negated: false }
    }

    pub(crate) fn index(self) -> usize {
        self.node as usize
    }

    /// Its value if it is one of the two constants.
    pub(crate) fn constant(self) -> Option<bool> {
        self.is_constant().then_some(!self.negated)
    }

    pub(crate) fn is_constant(self) -> bool {
        self.node == 0
    }
}

/// A goal value of a role.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    pub(crate) role: usize,
    pub(crate) value: u16,
    pub(crate) holds: Wire,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// Set from outside.
    Input,
    And,
    Variable(u32),
    Fixpoint(u32),
}

/// Atoms that depend on each other: what each variable grows by, and the nodes.
#[derive(Default)]
struct Block {
    variables: Vec<u32>,
    definitions: Vec<Wire>,
    results: Vec<u32>,
    /// The first result.
    first: Wire,
}

impl Netlist {
    pub(crate) fn of(circuit: &GameCircuit) -> Self {
        let mut netlist = Netlist {
            fluents: circuit.fluents().len(),
            moves: circuit.moves().len(),
            starts: vec![0],
            operands: Vec::new(),
            kinds: Vec::new(),
            blocks: blocks(circuit),
            legal: circuit.moves().map(|number| Wire::of(circuit.legal(number))).collect(),
            next: circuit.fluents().map(|fluent| Wire::of(circuit.next(fluent))).collect(),
            terminal: Wire::of(circuit.terminal()),
            goals: goals(circuit),
            initial: circuit.fluents().map(|fluent| circuit.is_initial(fluent)).collect(),
            roles: roles(circuit),
        };
        circuit.nodes().for_each(|node| netlist.add(node, circuit.node(node)));
        netlist
    }

    fn add(&mut self, node: NodeId, kind: NodeKind<'_>) {
        let node = node.index() as u32;
        let kind = match kind {
            NodeKind::Constant | NodeKind::Fluent(_) | NodeKind::Does(_) => Kind::Input,
            NodeKind::And(operands) => {
                self.operands.extend(operands.iter().map(|&signal| Wire::of(signal)));
                Kind::And
            }
            NodeKind::Variable { block, .. } => {
                self.blocks[block.index()].variables.push(node);
                Kind::Variable(block.index() as u32)
            }
            NodeKind::Fixpoint { block, .. } => {
                let Block { results, first, .. } = &mut self.blocks[block.index()];
                results.push(node);
                *first = Wire { node: results[0], negated: false };
                Kind::Fixpoint(block.index() as u32)
            }
        };
        self.kinds.push(kind);
        self.starts.push(self.operands.len() as u32);
    }

    pub(crate) fn nodes(&self) -> usize {
        self.kinds.len()
    }

    /// What a node reads, with the results of a block one after the other: the first one
    /// stands for all that the block grows by, and the others read it.
    pub(crate) fn direct_inputs(&self, node: usize) -> &[Wire] {
        match self.kinds[node] {
            Kind::Fixpoint(block) => {
                let Block { definitions, results, first, .. } = &self.blocks[block as usize];
                if results[0] as usize == node { definitions } else { std::slice::from_ref(first) }
            }
            _ => self.and_inputs(node),
        }
    }

    /// The node of a fluent.
    pub(crate) fn fluent(&self, fluent: usize) -> usize {
        1 + fluent
    }

    /// The node of a move.
    pub(crate) fn does(&self, number: usize) -> usize {
        1 + self.fluents + number
    }

    /// The role of a move.
    pub(crate) fn role_of(&self, number: usize) -> usize {
        self.roles.partition_point(|moves| moves.end <= number)
    }

    /// What a node is computed from: for a fixpoint all that its block grows by.
    pub(crate) fn inputs(&self, node: usize) -> &[Wire] {
        match self.kinds[node] {
            Kind::Fixpoint(block) => &self.blocks[block as usize].definitions,
            _ => self.and_inputs(node),
        }
    }

    #[inline]
    fn and_inputs(&self, node: usize) -> &[Wire] {
        &self.operands[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// Whether a node is a variable inside of a block.
    pub(crate) fn is_variable(&self, node: usize) -> bool {
        matches!(self.kinds[node], Kind::Variable(_))
    }

    /// Variables, definitions and results of a block.
    pub(crate) fn block(&self, block: usize) -> (&[u32], &[Wire], &[u32]) {
        let Block { variables, definitions, results, .. } = &self.blocks[block];
        (variables, definitions, results)
    }

    /// The nodes that some outputs need, in the order of evaluation.
    pub(crate) fn program(&self, outputs: impl IntoIterator<Item = Wire>) -> Program {
        self.program_of(self.needed(outputs))
    }

    /// The nodes that some outputs need, inputs first, without the constant.
    pub(crate) fn needed(&self, outputs: impl IntoIterator<Item = Wire>) -> Vec<usize> {
        let needed = self.cone(outputs);
        (1..self.nodes()).filter(|&node| needed[node]).collect()
    }

    fn cone(&self, outputs: impl IntoIterator<Item = Wire>) -> Vec<bool> {
        let mut needed = vec![false; self.nodes()];
        outputs.into_iter().for_each(|wire| needed[wire.index()] = true);
        for node in (0..self.nodes()).rev() {
            if needed[node] {
                self.need_inputs(node, &mut needed);
            }
        }
        needed
    }

    fn need_inputs(&self, node: usize, needed: &mut [bool]) {
        self.inputs(node).iter().for_each(|wire| needed[wire.index()] = true);
        if let Kind::Fixpoint(block) = self.kinds[node] {
            let block = &self.blocks[block as usize];
            let nodes = block.variables.iter().chain(&block.results);
            nodes.for_each(|&node| needed[node as usize] = true);
        }
    }

    /// Evaluates these nodes, which are all that some outputs need, in ascending order.
    pub(crate) fn program_of(&self, nodes: Vec<usize>) -> Program {
        let mut program = Program::default();
        let mut inside = None;
        for node in nodes {
            match self.kinds[node] {
                Kind::Input => {}
                Kind::And => program.order.push(node as u32),
                Kind::Variable(block) => {
                    if inside.is_none() {
                        program.close(None);
                        inside = Some(block);
                    }
                }
                Kind::Fixpoint(block) => {
                    if inside.take().is_some() {
                        program.close(Some(block as usize));
                    }
                }
            }
        }
        program.close(None);
        program
    }

    /// Evaluates a program in lanes; inputs and constant are set already.
    pub(crate) fn run(&self, program: &Program, values: &mut [Word]) {
        for (gates, block) in program.parts() {
            match block {
                None => self.gates(gates, values),
                Some(block) => self.fixpoint(gates, block, values),
            }
        }
    }

    fn gates(&self, gates: &[u32], values: &mut [Word]) {
        for &node in gates {
            let mut all = Word::ALL;
            for wire in self.and_inputs(node as usize) {
                all = all.and(read(values, *wire));
            }
            values[node as usize] = all;
        }
    }

    fn fixpoint(&self, gates: &[u32], block: usize, values: &mut [Word]) {
        let Block { variables, definitions, results, .. } = &self.blocks[block];
        variables.iter().for_each(|&node| values[node as usize] = Word::NONE);
        let mut grows = true;
        while grows {
            self.gates(gates, values);
            grows = false;
            for (&node, &definition) in variables.iter().zip(definitions) {
                let before = values[node as usize];
                let after = before.or(read(values, definition));
                values[node as usize] = after;
                grows |= before != after;
            }
        }
        for (&result, &variable) in results.iter().zip(variables) {
            values[result as usize] = values[variable as usize];
        }
    }

    /// Room for the values of all nodes, with the constant.
    pub(crate) fn values(&self) -> Vec<Word> {
        let mut values = vec![Word::NONE; self.nodes()];
        values[0] = Word::ALL;
        values
    }
}

/// The value of a wire.
#[inline]
pub(crate) fn read(values: &[Word], wire: Wire) -> Word {
    let value = values[wire.index()];
    if wire.negated { value.not() } else { value }
}

/// What is evaluated: gates in order, and where blocks of fixpoints end.
#[derive(Default)]
pub(crate) struct Program {
    order: Vec<u32>,
    parts: Vec<(usize, Option<usize>)>,
}

impl Program {
    fn close(&mut self, block: Option<usize>) {
        if block.is_some() || self.parts.last().map_or(0, |part| part.0) < self.order.len() {
            self.parts.push((self.order.len(), block));
        }
    }

    /// Gates in order; behind some of them the block that they define.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (&[u32], Option<usize>)> {
        let mut start = 0;
        self.parts.iter().map(move |&(end, block)| {
            let gates = &self.order[start..end];
            start = end;
            (gates, block)
        })
    }

    /// Gates that are evaluated.
    pub(crate) fn gates(&self) -> usize {
        self.order.len()
    }
}

fn blocks(circuit: &GameCircuit) -> Vec<Block> {
    let definitions = |block: BlockId| circuit.definitions(block).iter().copied();
    let wires = |block| definitions(block).map(Wire::of).collect();
    let block = |block| Block { definitions: wires(block), ..Block::default() };
    circuit.blocks().map(block).collect()
}

fn goals(circuit: &GameCircuit) -> Vec<Goal> {
    let goals = circuit.goals().iter();
    let goal = |goal: &ruche_compiler::GoalSignal| Goal {
        role: goal.role.index(),
        value: goal.value,
        holds: Wire::of(goal.holds),
    };
    goals.map(goal).collect()
}

fn roles(circuit: &GameCircuit) -> Vec<std::ops::Range<usize>> {
    let mut start = 0;
    let mut range = |count: usize| {
        let range = start..start + count;
        start = range.end;
        range
    };
    circuit.roles().map(|role| range(circuit.moves_of(role).len())).collect()
}

/// Names of fluents and moves, by number.
pub(crate) fn fluent_name(circuit: &GameCircuit, fluent: usize) -> &str {
    circuit.fluent_name(FluentId::new(fluent))
}

/// The name of a move, by number.
pub(crate) fn move_name(circuit: &GameCircuit, number: usize) -> &str {
    circuit.move_name(MoveId::new(number))
}
