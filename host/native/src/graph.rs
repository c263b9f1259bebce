//! The data flow of a straight piece of code: slots are only where values come
//! from and where they must end up.

use rustc_hash::FxHashMap;

use crate::flow::Slots;
use crate::tape::{Literal, Step, Tape};

/// A value of a graph. Operands come before whatever uses them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    /// False in all lanes: always the first node.
    False,
    /// What a slot holds at the start.
    Input(u32),
    /// Conjunction.
    And(Literal, Literal),
    /// Exclusive disjunction of two values that are not complements.
    Xor(Literal, Literal),
}

impl Node {
    /// The literals that it is computed from.
    pub(crate) fn operands(self) -> impl Iterator<Item = Literal> {
        let operands = match self {
            Node::False | Node::Input(_) => None,
            Node::And(left, right) | Node::Xor(left, right) => Some([left, right]),
        };
        operands.into_iter().flatten()
    }
}

/// A value that must be in a slot at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Output {
    pub(crate) slot: u32,
    pub(crate) value: Literal,
}

/// Values and what becomes of them.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
    /// Sorted by slot.
    pub(crate) outputs: Vec<Output>,
    /// The lanes in which a variable has grown, if any can.
    pub(crate) grown: Option<Literal>,
}

impl Graph {
    /// The graph of a tape after which just some slots matter.
    pub(crate) fn of(tape: &Tape, after: &Slots) -> Self {
        let mut builder = Builder::default();
        builder.node(Node::False);
        let mut values = Vec::with_capacity(tape.steps.len());
        for step in &tape.steps {
            values.push(builder.step(*step, &values));
        }
        builder.finish(after)
    }

    /// Everything that must be there at the end.
    pub(crate) fn results(&self) -> impl Iterator<Item = Literal> {
        self.outputs.iter().map(|output| output.value).chain(self.grown)
    }

    /// For each node, how many operands and results name it.
    pub(crate) fn use_counts(&self) -> Vec<u32> {
        let mut counts = vec![0; self.nodes.len()];
        let operands = self.nodes.iter().flat_map(|node| node.operands());
        operands.chain(self.results()).for_each(|literal| counts[literal.value()] += 1);
        counts
    }
}

#[derive(Default)]
struct Builder {
    graph: Graph,
    known: FxHashMap<Node, Literal>,
    /// What the slots that were read or written hold now.
    held: FxHashMap<u32, Literal>,
}

impl Builder {
    fn node(&mut self, node: Node) -> Literal {
        let nodes = &mut self.graph.nodes;
        *self.known.entry(node).or_insert_with(|| {
            nodes.push(node);
            Literal::positive(nodes.len() - 1)
        })
    }

    /// The value of a step; those without a value get some.
    fn step(&mut self, step: Step, values: &[Literal]) -> Literal {
        let of = |literal: Literal| values[literal.value()].complement_if(literal.is_complement());
        match step {
            Step::False => Literal::FALSE,
            Step::Read(slot) => self.read(slot),
            Step::And(left, right) => self.and(of(left), of(right)),
            Step::Xor(left, right) => self.xor(of(left), of(right)),
            Step::Write { slot, value } => self.write(slot, of(value)),
            Step::Grow { slot, value } => self.grow(slot, of(value)),
        }
    }

    fn read(&mut self, slot: u32) -> Literal {
        if let Some(&value) = self.held.get(&slot) {
            return value;
        }
        let input = self.node(Node::Input(slot));
        self.write(slot, input)
    }

    fn write(&mut self, slot: u32, value: Literal) -> Literal {
        self.held.insert(slot, value);
        value
    }

    fn grow(&mut self, slot: u32, value: Literal) -> Literal {
        let old = self.read(slot);
        let more = self.and(value, !old);
        let grown = self.graph.grown.unwrap_or(Literal::FALSE);
        self.graph.grown = Some(self.or(grown, more));
        let new = self.or(old, value);
        self.write(slot, new)
    }

    fn and(&mut self, left: Literal, right: Literal) -> Literal {
        let (left, right) = (left.min(right), left.max(right));
        if left == Literal::FALSE || left == !right {
            Literal::FALSE
        } else if left == Literal::TRUE || left == right {
            right
        } else {
            self.node(Node::And(left, right))
        }
    }

    fn or(&mut self, left: Literal, right: Literal) -> Literal {
        !self.and(!left, !right)
    }

    fn xor(&mut self, left: Literal, right: Literal) -> Literal {
        let complement = left.is_complement() != right.is_complement();
        let [left, right] = [left, right].map(|side| Literal::positive(side.value()));
        let value = match (left.min(right), left.max(right)) {
            (left, right) if left == right => Literal::FALSE,
            (Literal::FALSE, right) => right,
            (left, right) => self.node(Node::Xor(left, right)),
        };
        value.complement_if(complement)
    }

    fn finish(mut self, after: &Slots) -> Graph {
        let changed = |&(slot, value): &(u32, Literal)| {
            after.contains(slot) && self.known.get(&Node::Input(slot)) != Some(&value)
        };
        let held = self.held.iter().map(|(&slot, &value)| (slot, value)).filter(changed);
        self.graph.outputs = held.map(|(slot, value)| Output { slot, value }).collect();
        self.graph.outputs.sort_unstable_by_key(|output| output.slot);
        without_the_useless(&self.graph)
    }
}

/// The same graph without nodes that lead to no result.
fn without_the_useless(graph: &Graph) -> Graph {
    let mut is_used = vec![false; graph.nodes.len()];
    is_used[0] = true;
    graph.results().for_each(|literal| is_used[literal.value()] = true);
    for (node, content) in graph.nodes.iter().enumerate().rev() {
        if is_used[node] {
            content.operands().for_each(|operand| is_used[operand.value()] = true);
        }
    }
    renumbered(graph, &is_used)
}

fn renumbered(graph: &Graph, is_used: &[bool]) -> Graph {
    let mut numbers = vec![0; graph.nodes.len()];
    let mut nodes = Vec::new();
    let new = |literal: Literal, numbers: &[usize]| {
        Literal::positive(numbers[literal.value()]).complement_if(literal.is_complement())
    };
    for (node, content) in graph.nodes.iter().enumerate().filter(|(node, _)| is_used[*node]) {
        numbers[node] = nodes.len();
        nodes.push(match *content {
            Node::And(left, right) => Node::And(new(left, &numbers), new(right, &numbers)),
            Node::Xor(left, right) => Node::Xor(new(left, &numbers), new(right, &numbers)),
            other => other,
        });
    }
    let output = |output: &Output| Output { value: new(output.value, &numbers), ..*output };
    let outputs = graph.outputs.iter().map(output).collect();
    Graph { nodes, outputs, grown: graph.grown.map(|grown| new(grown, &numbers)) }
}
