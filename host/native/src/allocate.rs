//! Registers for values: whatever is used furthest in the future leaves first.

use crate::graph::{Graph, Node};
use crate::machine::{Instruction, Memory, Operand, Register};
use crate::polarity::{Operation, Polarity, Recipe};
use crate::schedule::Task;
use crate::tape::Literal;

/// Never used again.
const NEVER: u32 = u32::MAX;

/// Where values may go that do not fit in registers.
#[derive(Debug, Default)]
pub(crate) struct Spill {
    /// The caller's slots that hold nothing of worth, the best last.
    free_slots: Vec<u32>,
    /// Words on the stack that are free again.
    free_frame: Vec<u32>,
    /// Words that the stack frame has so far.
    pub(crate) frame: u32,
}

impl Spill {
    pub(crate) fn new(mut free_slots: Vec<u32>) -> Self {
        free_slots.reverse();
        Self { free_slots, ..Self::default() }
    }

    fn take(&mut self) -> Memory {
        if let Some(slot) = self.free_slots.pop() {
            return Memory::Slot(slot);
        }
        Memory::Frame(self.free_frame.pop().unwrap_or_else(|| {
            self.frame += 1;
            self.frame - 1
        }))
    }

    fn give_back(&mut self, memory: Memory) {
        match memory {
            Memory::Slot(slot) => self.free_slots.push(slot),
            Memory::Frame(word) => self.free_frame.push(word),
        }
    }
}

/// Turns an order into instructions for a machine with `registers` registers.
pub(crate) fn allocate(
    graph: &Graph,
    polarity: &Polarity,
    tasks: &[Task],
    registers: usize,
    spill: &mut Spill,
) -> Vec<Instruction> {
    let mut allocator = Allocator::new(graph, polarity, tasks, registers, spill);
    for (time, task) in (0..).zip(tasks) {
        allocator.time = time;
        allocator.task(*task);
    }
    allocator.instructions
}

/// The times at which each node is read, latest first.
struct Uses {
    ends: Vec<u32>,
    starts: Vec<u32>,
    times: Vec<u32>,
}

impl Uses {
    fn of(graph: &Graph, tasks: &[Task]) -> Self {
        let counts = graph.use_counts();
        let mut starts = Vec::with_capacity(counts.len());
        let mut total = 0;
        for count in counts {
            starts.push(total);
            total += count;
        }
        let mut uses = Self { ends: starts.clone(), starts, times: vec![0; total as usize] };
        for (time, task) in tasks.iter().enumerate().rev() {
            uses.note(graph, *task, time as u32);
        }
        uses
    }

    fn note(&mut self, graph: &Graph, task: Task, time: u32) {
        let mut note = |node: usize| {
            self.times[self.ends[node] as usize] = time;
            self.ends[node] += 1;
        };
        match task {
            Task::Compute(node) => {
                graph.nodes[node as usize].operands().for_each(|operand| note(operand.value()));
            }
            Task::Store(output) => note(graph.outputs[output as usize].value.value()),
            Task::Test => graph.grown.iter().for_each(|grown| note(grown.value())),
            Task::Save(_) | Task::Boundary => {}
        }
    }

    fn next(&self, node: usize) -> u32 {
        let (start, end) = (self.starts[node], self.ends[node]);
        if start == end { NEVER } else { self.times[end as usize - 1] }
    }

    fn left(&self, node: usize) -> u32 {
        self.ends[node] - self.starts[node]
    }

    fn take(&mut self, node: usize) {
        self.ends[node] -= 1;
    }
}

struct Allocator<'a> {
    graph: &'a Graph,
    polarity: &'a Polarity,
    uses: Uses,
    /// The node in each register.
    held: Vec<Option<usize>>,
    register_of: Vec<Option<Register>>,
    memory_of: Vec<Option<Memory>>,
    /// Whether the memory of a node is from `spill`.
    is_spilled: Vec<bool>,
    spill: &'a mut Spill,
    time: u32,
    instructions: Vec<Instruction>,
}

impl<'a> Allocator<'a> {
    fn new(
        graph: &'a Graph,
        polarity: &'a Polarity,
        tasks: &[Task],
        registers: usize,
        spill: &'a mut Spill,
    ) -> Self {
        let home = |node: &Node| match *node {
            Node::Input(slot) => Some(Memory::Slot(slot)),
            _ => None,
        };
        Self {
            graph,
            polarity,
            uses: Uses::of(graph, tasks),
            held: vec![None; registers],
            register_of: vec![None; graph.nodes.len()],
            memory_of: graph.nodes.iter().map(home).collect(),
            is_spilled: vec![false; graph.nodes.len()],
            spill,
            time: 0,
            instructions: Vec::with_capacity(2 * tasks.len()),
        }
    }

    fn task(&mut self, task: Task) {
        match task {
            Task::Compute(node) => self.compute(node as usize),
            Task::Store(output) => self.store(output as usize),
            Task::Save(node) => self.save(node as usize),
            Task::Test => self.test(),
            Task::Boundary => self.boundary(),
        }
    }

    fn compute(&mut self, node: usize) {
        let Some(recipe) = self.polarity.recipe(self.graph, node) else { return };
        let (left, right) = self.operands(recipe);
        self.release_register(recipe.left);
        self.release_register(recipe.right);
        let to = self.register(None);
        let operation = recipe.operation;
        self.instructions.push(Instruction::Binary { operation, to, left, right });
        // Not earlier: what leaves a register for the target must not go where
        // an operand still is.
        self.release_memory(recipe.left);
        self.release_memory(recipe.right);
        if recipe.complement {
            self.instructions.push(Instruction::Not { to, from: to });
        }
        self.hold(to, node);
    }

    /// Gets at least one operand into a register, for `NotAnd` the left one.
    fn operands(&mut self, recipe: Recipe) -> (Register, Operand) {
        let Recipe { operation, left, right, .. } = recipe;
        let (first, second) = if operation == Operation::NotAnd || !self.is_better(right, left) {
            (left, right)
        } else {
            (right, left)
        };
        let register = self.load(first, Some(second));
        if self.register_of[second].is_none() && self.is_worth_loading(second) {
            self.load(second, Some(first));
        }
        let operand = match (self.register_of[second], self.memory_of[second]) {
            (Some(register), _) => Operand::Register(register),
            (None, Some(memory)) => Operand::Memory(memory),
            (None, None) => Operand::Register(self.load(second, Some(first))),
        };
        (register, operand)
    }

    /// Whether `one` should rather be in a register than `other`.
    fn is_better(&self, one: usize, other: usize) -> bool {
        match (self.register_of[one], self.register_of[other]) {
            (Some(_), None) => true,
            (None, None) => self.second_use(one) < self.second_use(other),
            _ => false,
        }
    }

    /// When a node is used after the use that is at hand.
    fn second_use(&self, node: usize) -> u32 {
        match self.uses.left(node) {
            0 | 1 => NEVER,
            _ => self.uses.times[self.uses.ends[node] as usize - 2],
        }
    }

    /// Whether an operand from memory is used again so soon that it should stay.
    fn is_worth_loading(&self, node: usize) -> bool {
        self.second_use(node).saturating_sub(self.time) < SOON
    }

    /// The register of a node, loaded if need be.
    fn load(&mut self, node: usize, keep: Option<usize>) -> Register {
        if let Some(register) = self.register_of[node] {
            return register;
        }
        let to = self.register(keep);
        self.instructions.push(match self.memory_of[node] {
            Some(from) => Instruction::Load { to, from },
            None => Instruction::Zero { to },
        });
        self.hold(to, node);
        to
    }

    fn hold(&mut self, register: Register, node: usize) {
        if self.uses.next(node) != NEVER {
            self.held[register as usize] = Some(node);
            self.register_of[node] = Some(register);
        }
    }

    /// A free register; whatever is used last leaves one, but not `keep`.
    fn register(&mut self, keep: Option<usize>) -> Register {
        if let Some(free) = self.held.iter().position(Option::is_none) {
            return free as Register;
        }
        let candidates =
            (0..).zip(&self.held).filter_map(|(register, held)| Some((register, (*held)?)));
        let leaving = candidates
            .filter(|&(_, node)| Some(node) != keep)
            .max_by_key(|&(_, node)| self.distance(node))
            .map_or(0, |(register, _)| register);
        self.evict(leaving);
        leaving
    }

    /// How far away the next use is. Nodes that are in memory go more easily.
    fn distance(&self, node: usize) -> u32 {
        let distance = self.uses.next(node).saturating_sub(self.time);
        if self.memory_of[node].is_some() { distance.saturating_mul(CLEAN) } else { distance }
    }

    fn evict(&mut self, register: Register) {
        let Some(node) = self.held[register as usize].take() else { return };
        self.register_of[node] = None;
        if self.memory_of[node].is_none() && self.graph.nodes[node] != Node::False {
            let to = self.spill.take();
            self.instructions.push(Instruction::Store { to, from: register });
            self.memory_of[node] = Some(to);
            self.is_spilled[node] = true;
        }
    }

    /// Counts a use; after the last one the register is free.
    fn release_register(&mut self, node: usize) {
        self.uses.take(node);
        if self.uses.next(node) == NEVER
            && let Some(register) = self.register_of[node].take()
        {
            self.held[register as usize] = None;
        }
    }

    /// After the last use a spilled node needs no memory either.
    fn release_memory(&mut self, node: usize) {
        if self.uses.next(node) == NEVER {
            self.forget_memory(node);
        }
    }

    fn forget_memory(&mut self, node: usize) {
        if let Some(memory) = self.memory_of[node].take().filter(|_| self.is_spilled[node]) {
            self.spill.give_back(memory);
            self.is_spilled[node] = false;
        }
    }

    fn store(&mut self, output: usize) {
        let output = self.graph.outputs[output];
        let node = output.value.value();
        let from = self.in_register(output.value);
        let to = Memory::Slot(output.slot);
        self.instructions.push(Instruction::Store { to, from });
        let is_copy = !self.polarity.differs(output.value);
        self.release_register(node);
        self.release_memory(node);
        if is_copy && self.uses.next(node) != NEVER && self.graph.nodes[node] != Node::False {
            self.forget_memory(node);
            self.memory_of[node] = Some(to);
        }
    }

    /// A register with a literal, as a result must be.
    fn in_register(&mut self, literal: Literal) -> Register {
        let node = literal.value();
        let from = self.load(node, None);
        if !self.polarity.differs(literal) {
            return from;
        }
        let to = self.register(Some(node));
        self.instructions.push(Instruction::Not { to, from });
        to
    }

    /// Makes a node independent of the slot that it came from.
    fn save(&mut self, node: usize) {
        self.load(node, None);
        self.memory_of[node] = None;
    }

    /// Leaves nothing in registers.
    fn boundary(&mut self) {
        (0..self.held.len()).for_each(|register| self.evict(register as Register));
        self.instructions.push(Instruction::Boundary);
    }

    fn test(&mut self) {
        let Some(grown) = self.graph.grown else { return };
        let word = self.in_register(grown);
        self.instructions.push(Instruction::Test { word });
    }
}

/// An operand that is used again after less than so many tasks is loaded into a
/// register, which costs an instruction but no second access to memory.
const SOON: u32 = 12;

/// How much further away a node must be used to be spilled instead of one that
/// is in memory anyway.
const CLEAN: u32 = 4;
