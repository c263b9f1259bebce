//! The nodes of a circuit, of whatever stage, as text or as a drawing.

use super::EmitFormat;
use crate::Netlist;
use crate::circuit::signal::{FluentId, MoveId, Outputs, RoleId, Signal};
use crate::circuit::{GameCircuit, Names, NodeKind};
use crate::index::{Id, IndexVec, first};
use crate::optimise::Optimised;
use crate::optimise::gates::{Gates, Kind, Value};
use crate::optimise::rebuild::Input;
use std::io::{self, Write};

/// What there is to say about a circuit.
pub(crate) struct Listing {
    title: String,
    nodes: Vec<Entry>,
    outputs: Vec<(String, Wire)>,
    initial: Vec<String>,
}

struct Entry {
    node: usize,
    what: What,
    operands: Vec<Wire>,
}

enum What {
    Input(String),
    And,
    Variable(String),
    Fixpoint(String),
}

/// An operand: a node, or its negation.
#[derive(Clone, Copy)]
struct Wire {
    node: usize,
    is_negated: bool,
}

impl Wire {
    fn of<N: Id>(signal: Signal<N>) -> Self {
        Wire { node: signal.node().index(), is_negated: signal.is_negated() }
    }

    /// Node 0 is the constant.
    fn text(self) -> String {
        match (self.node, self.is_negated) {
            (0, is_negated) => (!is_negated).to_string(),
            (node, true) => format!("!n{node}"),
            (node, false) => format!("n{node}"),
        }
    }
}

fn wires<N: Id>(signals: &[Signal<N>]) -> Vec<Wire> {
    signals.iter().map(|&signal| Wire::of(signal)).collect()
}

impl GameCircuit {
    pub(crate) fn listing(&self) -> Listing {
        let labels = Labels::of(&self.names, self.names.fluents.clone(), |m| self.role_of(m));
        Listing {
            title: format!("circuit before optimisation, {} clauses", self.clauses()),
            nodes: self.nodes().skip(1).map(|node| self.entry(node, &labels)).collect(),
            outputs: labels.outputs(&self.outputs),
            initial: labels.initial(&self.initial),
        }
    }

    fn entry(&self, node: crate::NodeId, labels: &Labels) -> Entry {
        let (what, operands) = match self.node(node) {
            NodeKind::Constant => (What::Input("true".to_owned()), Vec::new()),
            NodeKind::Fluent(fluent) => (What::Input(labels.fluent(fluent)), Vec::new()),
            NodeKind::Does(number) => (What::Input(labels.does(number)), Vec::new()),
            NodeKind::And(operands) => (What::And, wires(operands)),
            NodeKind::Variable { block, number } => {
                (What::Variable(self.atoms(block)[number].clone()), Vec::new())
            }
            NodeKind::Fixpoint { block, number } => {
                let definition = self.definitions(block)[number];
                (What::Fixpoint(self.atoms(block)[number].clone()), vec![Wire::of(definition)])
            }
        };
        Entry { node: node.index(), what, operands }
    }
}

impl Netlist {
    pub(crate) fn listing(&self) -> Listing {
        let labels = self.labels();
        let nodes = first::<Value>(self.gates.nodes()).skip(1);
        Listing {
            title: format!("{} two-input gates", self.gates()),
            nodes: nodes.map(|node| entry(&self.gates, node, &labels)).collect(),
            outputs: labels.outputs(&self.gates.outputs),
            initial: labels.initial(&self.optimised.initial),
        }
    }

    /// What the inputs of the gates are called.
    pub(super) fn labels(&self) -> Labels {
        let Netlist { gates, optimised } = self;
        let role_of = |number| {
            let mut roles = gates.moves_of_roles.enumerate();
            roles.find(|(_, moves)| moves.contains(number)).expect("a move has a role").0
        };
        Labels::of(&optimised.names, fluent_names(optimised, gates), role_of)
    }
}

/// The fluents that are left: several of the game may have become one.
fn fluent_names(optimised: &Optimised, gates: &Gates) -> IndexVec<FluentId, String> {
    let mut names = IndexVec::filled(String::new(), gates.fluents());
    for (name, input) in optimised.names.fluents.iter().zip(&optimised.fluents) {
        if let Input::Fluent { fluent, negated: false } = *input {
            names[fluent].clone_from(name);
        }
    }
    names
}

fn entry(gates: &Gates, node: Value, labels: &Labels) -> Entry {
    let (what, operands) = match gates.kind(node) {
        Kind::Constant => (What::Input("true".to_owned()), Vec::new()),
        Kind::Fluent(fluent) => (What::Input(labels.fluent(fluent)), Vec::new()),
        Kind::Does(number) => (What::Input(labels.does(number)), Vec::new()),
        Kind::Gate(gate) => (What::And, wires(&gates.operands[gate])),
        Kind::Variable(block) => (What::Variable(format!("block {}", block.index())), Vec::new()),
        Kind::Result(block) => {
            let results = gates.blocks[block].results;
            let number = node.index() - results.start.index();
            let definition = Wire::of(gates.blocks[block].definitions[number]);
            (What::Fixpoint(format!("block {}", block.index())), vec![definition])
        }
    };
    Entry { node: node.index(), what, operands }
}

/// What inputs and outputs are called, in GDL.
pub(super) struct Labels {
    roles: IndexVec<RoleId, String>,
    fluents: IndexVec<FluentId, String>,
    /// Role and move in one, as in `r (mark 1 1)`.
    moves: IndexVec<MoveId, String>,
}

impl Labels {
    pub(super) fn of(
        names: &Names,
        fluents: IndexVec<FluentId, String>,
        role_of: impl Fn(MoveId) -> RoleId,
    ) -> Self {
        let moves = names.moves.enumerate();
        let moves = moves.map(|(number, name)| format!("{} {name}", names.roles[role_of(number)]));
        Labels { roles: names.roles.clone(), fluents, moves: moves.collect() }
    }

    pub(super) fn fluent(&self, fluent: FluentId) -> String {
        format!("(true {})", self.fluents[fluent])
    }

    pub(super) fn does(&self, number: MoveId) -> String {
        format!("(does {})", self.moves[number])
    }

    pub(super) fn legal(&self, number: MoveId) -> String {
        format!("(legal {})", self.moves[number])
    }

    pub(super) fn goal(&self, role: RoleId, value: u16) -> String {
        format!("(goal {} {value})", self.roles[role])
    }

    fn outputs<N: Id>(&self, outputs: &Outputs<N>) -> Vec<(String, Wire)> {
        let legal = outputs.legal.enumerate().map(|(number, &s)| (self.legal(number), s));
        let terminal = [("terminal".to_owned(), outputs.terminal)];
        let goals = outputs.goals.iter().map(|g| (self.goal(g.role, g.value), g.holds));
        let next = outputs.next.enumerate();
        let next = next.map(|(fluent, &s)| (format!("(next {})", self.fluents[fluent]), s));
        let all = legal.chain(terminal).chain(goals).chain(next);
        all.map(|(name, signal)| (name, Wire::of(signal))).collect()
    }

    fn initial(&self, initial: &IndexVec<FluentId, bool>) -> Vec<String> {
        let initial = initial.enumerate().filter(|(_, is_initial)| **is_initial);
        initial.map(|(fluent, _)| format!("(init {})", self.fluents[fluent])).collect()
    }
}

impl Listing {
    pub(crate) fn write(&self, format: EmitFormat, out: &mut dyn Write) -> io::Result<()> {
        match format {
            EmitFormat::Text => self.text(out),
            EmitFormat::Dot => self.dot(out),
        }
    }

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "; {}", self.title)?;
        self.initial.iter().try_for_each(|fact| writeln!(out, "{fact}"))?;
        for entry in &self.nodes {
            writeln!(out, "n{} = {}", entry.node, entry.text())?;
        }
        for (name, wire) in &self.outputs {
            writeln!(out, "{name} = {}", wire.text())?;
        }
        Ok(())
    }

    fn dot(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "// {}\ndigraph circuit {{\n  rankdir=LR;", self.title)?;
        writeln!(out, "  n0 [shape=box, label=\"true\"];")?;
        for entry in &self.nodes {
            let (shape, label) = entry.shape();
            writeln!(out, "  n{} [shape={shape}, label={}];", entry.node, quoted(&label))?;
            let target = format!("n{}", entry.node);
            entry.operands.iter().try_for_each(|wire| write_edge(out, *wire, &target))?;
        }
        for (number, (name, wire)) in self.outputs.iter().enumerate() {
            let target = format!("o{number}");
            writeln!(out, "  {target} [shape=plaintext, label={}];", quoted(name))?;
            write_edge(out, *wire, &target)?;
        }
        writeln!(out, "}}")
    }
}

impl Entry {
    fn text(&self) -> String {
        let operands: Vec<_> = self.operands.iter().map(|wire| wire.text()).collect();
        match &self.what {
            What::Input(name) => name.clone(),
            What::And => operands.join(" & "),
            What::Variable(atom) => format!("variable of {atom}"),
            What::Fixpoint(atom) => format!("fixpoint of {atom} growing by {}", operands.concat()),
        }
    }

    fn shape(&self) -> (&'static str, String) {
        match &self.what {
            What::Input(name) => ("box", name.clone()),
            What::And => ("circle", "&".to_owned()),
            What::Variable(atom) => ("diamond", atom.clone()),
            What::Fixpoint(atom) => ("doublecircle", atom.clone()),
        }
    }
}

/// An edge; a dot at its end negates.
fn write_edge(out: &mut dyn Write, wire: Wire, target: &str) -> io::Result<()> {
    let end = if wire.is_negated { "dot" } else { "normal" };
    writeln!(out, "  n{} -> {target} [arrowhead={end}];", wire.node)
}

/// A string of Graphviz.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
