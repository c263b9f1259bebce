//! The order in which values are computed and stored.
//!
//! Registers are few, so a value should be used soon after it was computed:
//! each result is computed from its leaves up, the operand that needs more
//! registers first. A slot that is both read and written is stored once its
//! last reader is done.

use rustc_hash::FxHashMap;

use crate::graph::{Graph, Node};
use crate::users::Users;

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Computes a node.
    Compute(u32),
    /// Stores an output.
    Store(u32),
    /// Saves an input from its slot, which is about to be overwritten.
    Save(u32),
    /// Looks whether anything has grown.
    Test,
    /// Ends a chunk: see [`in_chunks`].
    Boundary,
}

/// An order of everything that a graph demands.
pub(crate) fn schedule(graph: &Graph) -> Vec<Task> {
    let mut scheduler = Scheduler::new(graph);
    for output in 0..graph.outputs.len() {
        scheduler.compute(graph.outputs[output].value.value());
        scheduler.store_if_ready(output);
    }
    scheduler.break_circles();
    if let Some(grown) = graph.grown {
        scheduler.compute(grown.value());
        scheduler.tasks.push(Task::Test);
    }
    scheduler.tasks
}

/// The same tasks with a boundary after every `length` of them.
pub(crate) fn in_chunks(tasks: &[Task], length: usize) -> Vec<Task> {
    let chunks: Vec<_> = tasks.chunks(length).collect();
    chunks.join(&Task::Boundary)
}

struct Scheduler<'a> {
    graph: &'a Graph,
    tasks: Vec<Task>,
    is_computed: Vec<bool>,
    is_stored: Vec<bool>,
    uses_left: Vec<u32>,
    needs: Vec<u8>,
    users: Users,
    /// The outputs of each node.
    by_value: FxHashMap<u32, Vec<u32>>,
    /// The output that overwrites an input node, and the other way round.
    overwritten_by: FxHashMap<u32, u32>,
    overwrites: FxHashMap<u32, u32>,
}

impl<'a> Scheduler<'a> {
    fn new(graph: &'a Graph) -> Self {
        let mut scheduler = Self {
            graph,
            tasks: Vec::with_capacity(graph.nodes.len() + graph.outputs.len()),
            is_computed: graph.nodes.iter().map(|node| node.operands().next().is_none()).collect(),
            is_stored: vec![false; graph.outputs.len()],
            uses_left: graph.use_counts(),
            needs: needs(graph),
            users: Users::of(graph),
            by_value: FxHashMap::default(),
            overwritten_by: FxHashMap::default(),
            overwrites: FxHashMap::default(),
        };
        scheduler.note_outputs();
        scheduler
    }

    fn note_outputs(&mut self) {
        let inputs: FxHashMap<u32, u32> = (0..)
            .zip(&self.graph.nodes)
            .filter_map(|(node, content)| match *content {
                Node::Input(slot) => Some((slot, node)),
                _ => None,
            })
            .collect();
        for (number, output) in (0..).zip(&self.graph.outputs) {
            self.by_value.entry(output.value.value() as u32).or_default().push(number);
            if let Some(&input) = inputs.get(&output.slot) {
                self.overwritten_by.insert(input, number);
                self.overwrites.insert(number, input);
            }
        }
    }

    /// Computes a node and whatever it needs that is not there yet.
    fn compute(&mut self, node: usize) {
        let mut waiting = vec![node];
        while let Some(&node) = waiting.last() {
            let missing = self.missing_operand(node);
            match missing {
                Some(operand) if !self.is_computed[node] => waiting.push(operand),
                _ => {
                    waiting.pop();
                    self.compute_alone(node);
                    self.compute_readers(node);
                }
            }
        }
    }

    /// The operand to compute next, the one that needs more registers first.
    fn missing_operand(&self, node: usize) -> Option<usize> {
        let operands = self.graph.nodes[node].operands().map(|operand| operand.value());
        operands.filter(|&it| !self.is_computed[it]).max_by_key(|&it| self.needs[it])
    }

    fn compute_alone(&mut self, node: usize) {
        if self.is_computed[node] {
            return;
        }
        self.is_computed[node] = true;
        self.tasks.push(Task::Compute(node as u32));
        for operand in self.graph.nodes[node].operands() {
            self.note_use(operand.value());
        }
        self.store_outputs_of(node);
    }

    /// Computes what can be computed from a node, as long as it is in a register
    /// and no more registers are needed for it.
    fn compute_readers(&mut self, node: usize) {
        let mut fresh = vec![node];
        while let Some(node) = fresh.pop() {
            for index in 0..self.users.readers(node).len() {
                let reader = self.users.readers(node)[index] as usize;
                if !self.is_computed[reader] && self.is_free(reader, node) {
                    self.compute_alone(reader);
                    fresh.push(reader);
                }
            }
        }
    }

    /// Whether a reader of `node` takes no register: it is only stored, or it
    /// is the last to read the node.
    fn is_free(&self, reader: usize, node: usize) -> bool {
        let is_only_stored = self.users.readers(reader).is_empty();
        self.missing_operand(reader).is_none() && (is_only_stored || self.uses_left[node] == 1)
    }

    fn store_outputs_of(&mut self, node: usize) {
        for output in self.by_value.remove(&(node as u32)).unwrap_or_default() {
            self.store_if_ready(output as usize);
        }
    }

    /// Counts a use; the last one of an input makes room in its slot.
    fn note_use(&mut self, node: usize) {
        self.uses_left[node] -= 1;
        if self.uses_left[node] == 0
            && let Some(&output) = self.overwritten_by.get(&(node as u32))
        {
            self.store_if_ready(output as usize);
        }
    }

    fn store_if_ready(&mut self, output: usize) {
        let value = self.graph.outputs[output].value.value();
        if !self.is_stored[output] && self.is_computed[value] && !self.is_blocked(output) {
            self.is_stored[output] = true;
            self.tasks.push(Task::Store(output as u32));
            self.note_use(value);
        }
    }

    /// Whether something else still reads the slot.
    fn is_blocked(&self, output: usize) -> bool {
        let own_value = self.graph.outputs[output].value.value() as u32;
        self.overwrites.get(&(output as u32)).is_some_and(|&input| {
            // `slot = !slot` reads what it overwrites itself.
            self.uses_left[input as usize] > u32::from(own_value == input)
        })
    }

    /// Stores that wait for each other: saving one input sets them free.
    fn break_circles(&mut self) {
        for output in 0..self.graph.outputs.len() {
            if self.is_stored[output] {
                continue;
            }
            if let Some(input) = self.overwrites.remove(&(output as u32)) {
                self.overwritten_by.remove(&input);
                self.tasks.push(Task::Save(input));
            }
            self.store_if_ready(output);
        }
    }
}

/// How many registers each node needs if nothing is shared.
fn needs(graph: &Graph) -> Vec<u8> {
    let mut needs: Vec<u8> = Vec::with_capacity(graph.nodes.len());
    for node in &graph.nodes {
        let need = node.operands().map(|operand| needs[operand.value()]).reduce(|left, right| {
            if left == right { left.saturating_add(1) } else { left.max(right) }
        });
        needs.push(need.unwrap_or(0));
    }
    needs
}
