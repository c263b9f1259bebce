//! The circuit before optimisation as AIGER 1.9, in its ASCII form: fluents are
//! latches with their initial value, moves are inputs, `legal`, `terminal` and `goal`
//! are outputs. That each role plays exactly one legal move, which the circuit makes
//! use of, is an invariant constraint for each role.
//!
//! An AIG has no circles: blocks are unrolled, a round for each of their atoms.

use super::EmitError;
use super::listing::Labels;
use crate::circuit::GameCircuit;
use crate::circuit::network::Node;
use crate::circuit::signal::{BlockId, NodeId, RoleId, Signal};
use crate::index::{IndexVec, Span};
use rustc_hash::FxHashMap;
use std::io::{self, Write};

/// Nodes that the rounds of a block may visit.
const MOST_UNROLLED: usize = 1_000_000;

/// A variable of the AIG, twice, plus one if it is negated. 0 is false.
type Literal = u32;

const FALSE: Literal = 0;
const TRUE: Literal = 1;

pub(super) fn write(circuit: &GameCircuit, out: &mut dyn Write) -> Result<(), EmitError> {
    let mut aig = Aig::of(circuit)?;
    let constraints: Vec<_> = circuit.roles().map(|role| aig.plays_one_move(role)).collect();
    Ok(Writer { circuit, aig: &aig, constraints }.write(out)?)
}

struct Aig<'c> {
    circuit: &'c GameCircuit,
    /// The literal of each node that is needed.
    literals: IndexVec<NodeId, Literal>,
    is_needed: IndexVec<NodeId, bool>,
    /// Variables in use; the ANDs have the last ones.
    variables: u32,
    ands: Vec<[Literal; 3]>,
    unique: FxHashMap<[Literal; 2], Literal>,
}

impl<'c> Aig<'c> {
    fn of(circuit: &'c GameCircuit) -> Result<Self, EmitError> {
        let uses = circuit.network.count_uses(&circuit.outputs);
        let mut aig = Aig {
            circuit,
            literals: IndexVec::filled(FALSE, uses.len()),
            is_needed: uses.iter().map(|&uses| uses > 0).collect(),
            variables: 0,
            ands: Vec::new(),
            unique: FxHashMap::default(),
        };
        aig.number_inputs();
        for node in circuit.nodes() {
            aig.translate(node)?;
        }
        Ok(aig)
    }

    /// Inputs come first, then latches.
    fn number_inputs(&mut self) {
        self.literals[Signal::<NodeId>::TRUE.node()] = TRUE;
        let moves = self.circuit.moves().map(|number| self.circuit.does(number));
        let fluents = self.circuit.fluents().map(|fluent| self.circuit.fluent(fluent));
        for signal in moves.chain(fluents) {
            self.literals[signal.node()] = self.new_variable();
        }
    }

    fn new_variable(&mut self) -> Literal {
        self.variables += 1;
        2 * self.variables
    }

    fn literal(&self, signal: Signal) -> Literal {
        self.literals[signal.node()] ^ Literal::from(signal.is_negated())
    }

    fn translate(&mut self, node: NodeId) -> Result<(), EmitError> {
        match self.circuit.network.node(node) {
            Node::And(..) if self.is_needed[node] => {
                self.translate_and(node);
            }
            // The first result stands for all: they follow each other.
            Node::Fixpoint { block, number: 0 } => self.unroll(block)?,
            _ => {}
        }
        Ok(())
    }

    fn translate_and(&mut self, node: NodeId) {
        let operands = self.circuit.network.operands(node).iter();
        let operands: Vec<_> = operands.map(|&signal| self.literal(signal)).collect();
        self.literals[node] = operands.into_iter().fold(TRUE, |all, one| self.and(all, one));
    }

    /// Repeats the nodes of a block until its atoms cannot grow any more. When the
    /// first result is met, they are translated once, with all variables false.
    fn unroll(&mut self, block: BlockId) -> Result<(), EmitError> {
        let data = &self.circuit.network.blocks[block];
        if !data.results.iter().any(|result| self.is_needed[result]) {
            return Ok(());
        }
        let body = Span { start: data.variables.end, end: data.results.start };
        if body.len().saturating_mul(data.definitions.len()) > MOST_UNROLLED {
            let atoms = self.circuit.atoms(block);
            return Err(EmitError::Circle { atom: atoms[0].clone(), count: atoms.len() });
        }
        for _ in 1..data.definitions.len() {
            self.grow(&data.definitions, data.variables);
            for node in body.iter() {
                self.translate(node)?;
            }
        }
        self.grow(&data.definitions, data.results);
        Ok(())
    }

    /// Gives the nodes what the definitions are now.
    fn grow(&mut self, definitions: &[Signal], nodes: Span<NodeId>) {
        let values: Vec<_> = definitions.iter().map(|&signal| self.literal(signal)).collect();
        for (node, value) in nodes.iter().zip(values) {
            self.literals[node] = value;
        }
    }

    fn and(&mut self, a: Literal, b: Literal) -> Literal {
        match (a.min(b), a.max(b)) {
            (FALSE, _) => FALSE,
            (TRUE, other) => other,
            (low, high) if low == high => low,
            (low, high) if low ^ 1 == high => FALSE,
            (low, high) => self.new_and(low, high),
        }
    }

    fn new_and(&mut self, low: Literal, high: Literal) -> Literal {
        if let Some(&known) = self.unique.get(&[low, high]) {
            return known;
        }
        let and = self.new_variable();
        self.ands.push([and, high, low]);
        self.unique.insert([low, high], and);
        and
    }

    fn or(&mut self, a: Literal, b: Literal) -> Literal {
        self.and(a ^ 1, b ^ 1) ^ 1
    }

    /// Whether a role plays exactly one move, and a legal one.
    fn plays_one_move(&mut self, role: RoleId) -> Literal {
        let (mut some, mut wrong) = (FALSE, FALSE);
        for number in self.circuit.moves_of(role) {
            let does = self.literal(self.circuit.does(number));
            let again = self.and(some, does);
            let illegal = self.and(does, self.literal(self.circuit.legal(number)) ^ 1);
            wrong = self.or(wrong, again);
            wrong = self.or(wrong, illegal);
            some = self.or(some, does);
        }
        self.and(some, wrong ^ 1)
    }
}

struct Writer<'a> {
    circuit: &'a GameCircuit,
    aig: &'a Aig<'a>,
    constraints: Vec<Literal>,
}

impl Writer<'_> {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let labels = Labels::of(&self.circuit.names, self.circuit.names.fluents.clone(), |m| {
            self.circuit.role_of(m)
        });
        let outputs = self.outputs(&labels);
        self.write_header(outputs.len(), out)?;
        self.write_inputs(out)?;
        outputs.iter().try_for_each(|(_, literal)| writeln!(out, "{literal}"))?;
        self.constraints.iter().try_for_each(|literal| writeln!(out, "{literal}"))?;
        for [and, high, low] in &self.aig.ands {
            writeln!(out, "{and} {high} {low}")?;
        }
        self.write_symbols(&labels, &outputs, out)?;
        writeln!(out, "c\nA game: each role plays exactly one legal move in a step.")
    }

    fn outputs(&self, labels: &Labels) -> Vec<(String, Literal)> {
        let circuit = self.circuit;
        let legal = circuit.moves().map(|number| (labels.legal(number), circuit.legal(number)));
        let terminal = [("terminal".to_owned(), circuit.terminal())];
        let goals = circuit.goals().iter();
        let goals = goals.map(|goal| (labels.goal(goal.role, goal.value), goal.holds));
        let all = legal.chain(terminal).chain(goals);
        all.map(|(name, signal)| (name, self.aig.literal(signal))).collect()
    }

    /// `aag M I L O A B C`: the most variable, inputs, latches, outputs, ANDs, bad
    /// states, constraints.
    fn write_header(&self, outputs: usize, out: &mut dyn Write) -> io::Result<()> {
        let (most, ands) = (self.aig.variables, self.aig.ands.len());
        let (inputs, latches) = (self.circuit.moves().len(), self.circuit.fluents().len());
        let constraints = self.constraints.len();
        writeln!(out, "aag {most} {inputs} {latches} {outputs} {ands} 0 {constraints}")
    }

    fn write_inputs(&self, out: &mut dyn Write) -> io::Result<()> {
        let circuit = self.circuit;
        for number in circuit.moves() {
            writeln!(out, "{}", self.aig.literal(circuit.does(number)))?;
        }
        for fluent in circuit.fluents() {
            let latch = self.aig.literal(circuit.fluent(fluent));
            let next = self.aig.literal(circuit.next(fluent));
            writeln!(out, "{latch} {next} {}", u8::from(circuit.is_initial(fluent)))?;
        }
        Ok(())
    }

    fn write_symbols(
        &self,
        labels: &Labels,
        outputs: &[(String, Literal)],
        out: &mut dyn Write,
    ) -> io::Result<()> {
        for (place, number) in self.circuit.moves().enumerate() {
            writeln!(out, "i{place} {}", labels.does(number))?;
        }
        for (place, fluent) in self.circuit.fluents().enumerate() {
            writeln!(out, "l{place} {}", labels.fluent(fluent))?;
        }
        for (place, (name, _)) in outputs.iter().enumerate() {
            writeln!(out, "o{place} {name}")?;
        }
        for (place, role) in self.circuit.roles().enumerate() {
            let role = self.circuit.role_name(role);
            writeln!(out, "c{place} (exactly one legal move of {role})")?;
        }
        Ok(())
    }
}
