//! Which fluents and moves an output can depend on: the inputs of its cone.

use crate::lanes::{LANES, Word};
use crate::netlist::{Netlist, Wire};

/// The inputs of a cone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cone {
    pub(crate) fluents: Vec<usize>,
    pub(crate) moves: Vec<usize>,
}

/// Walks cones; knows which nodes it has seen.
pub(crate) struct Walker<'n> {
    netlist: &'n Netlist,
    seen: Vec<u32>,
    walk: u32,
    open: Vec<u32>,
}

impl<'n> Walker<'n> {
    pub(crate) fn new(netlist: &'n Netlist) -> Self {
        Walker { netlist, seen: vec![0; netlist.nodes()], walk: 0, open: Vec::new() }
    }

    /// The nodes of a cone, sorted.
    pub(crate) fn nodes(&mut self, roots: impl IntoIterator<Item = Wire>) -> Vec<usize> {
        self.at_most(usize::MAX, roots).unwrap_or_default()
    }

    /// The nodes of a cone, sorted; nothing if there are more than that.
    pub(crate) fn at_most(
        &mut self,
        most: usize,
        roots: impl IntoIterator<Item = Wire>,
    ) -> Option<Vec<usize>> {
        let mut nodes = Vec::new();
        self.walk(roots, |node| {
            nodes.push(node);
            nodes.len() <= most
        });
        nodes.sort_unstable();
        (nodes.len() <= most).then_some(nodes)
    }

    /// The inputs of a cone, sorted.
    pub(crate) fn cone(&mut self, roots: impl IntoIterator<Item = Wire>) -> Cone {
        let (netlist, mut cone) = (self.netlist, Cone::default());
        self.walk(roots, |node| {
            cone.note(netlist, node);
            true
        });
        cone.fluents.sort_unstable();
        cone.moves.sort_unstable();
        cone
    }

    /// Walks as long as it is told to go on.
    fn walk(&mut self, roots: impl IntoIterator<Item = Wire>, mut note: impl FnMut(usize) -> bool) {
        self.walk += 1;
        self.open.clear();
        roots.into_iter().for_each(|wire| self.visit(wire));
        while let Some(node) = self.open.pop() {
            if !note(node as usize) {
                return;
            }
            let netlist = self.netlist;
            netlist.inputs(node as usize).iter().for_each(|&wire| self.visit(wire));
        }
    }

    fn visit(&mut self, wire: Wire) {
        let seen = &mut self.seen[wire.index()];
        if *seen != self.walk {
            *seen = self.walk;
            self.open.push(wire.node);
        }
    }
}

impl Cone {
    /// Notes the inputs of some lanes; says how many.
    fn note_all(&mut self, netlist: &Netlist, inputs: &[usize], lanes: Word) -> usize {
        lanes.lanes().for_each(|lane| self.note(netlist, inputs[lane]));
        lanes.count() as usize
    }

    fn note(&mut self, netlist: &Netlist, node: usize) {
        if (1..=netlist.fluents).contains(&node) {
            self.fluents.push(node - 1);
        } else if node > netlist.fluents && node <= netlist.fluents + netlist.moves {
            self.moves.push(node - 1 - netlist.fluents);
        }
    }
}

/// The cones of all outputs.
#[derive(Clone)]
pub(crate) struct Cones {
    /// Of the next value of each fluent.
    pub(crate) next: Vec<Cone>,
    /// Of the legality of each move.
    pub(crate) legal: Vec<Cone>,
    /// Of the end.
    pub(crate) terminal: Cone,
    /// Of all goals of each role.
    pub(crate) goals: Vec<Cone>,
    /// Conditions that are not looked into.
    pub(crate) closed: Vec<usize>,
    /// What is behind them.
    pub(crate) behind: Vec<Cone>,
}

impl Cones {
    /// Whether a fluent does nothing but keep a closed condition.
    pub(crate) fn keeps(&self, netlist: &Netlist, fluent: usize) -> bool {
        self.closed.contains(&netlist.next[fluent].index())
    }

    /// For each fluent whether the end, a goal or the start of another game reads it.
    pub(crate) fn ends(&self, fluents: usize) -> Vec<bool> {
        let mut ends = vec![false; fluents];
        for cone in self.goals.iter().chain(&self.behind).chain([&self.terminal]) {
            cone.fluents.iter().for_each(|&fluent| ends[fluent] = true);
        }
        ends
    }

    /// The cones without what is behind some conditions: for ends and goals they are open,
    /// and for what keeps one of them. Nothing if there is too much to look at.
    pub(crate) fn of(netlist: &Netlist, closed: Vec<usize>) -> Option<Self> {
        let (next, legal) = outputs(netlist, &closed)?;
        let mut walker = Walker::new(netlist);
        let terminal = walker.cone([netlist.terminal]);
        let goals = (0..netlist.roles.len()).map(|role| {
            let own = netlist.goals.iter().filter(|goal| goal.role == role);
            walker.cone(own.map(|goal| goal.holds))
        });
        let goals = goals.collect();
        let wire = |&node: &usize| Wire { node: node as u32, negated: false };
        let behind = closed.iter().map(|node| walker.cone([wire(node)])).collect();
        Some(Cones { closed, behind, next, legal, terminal, goals })
    }
}

/// Inputs of all cones together: some hundred megabytes.
const MOST_INPUTS: usize = 60_000_000;

/// The cones of next values and of legality. As many inputs as a word has lanes go through
/// the gates at once, a lane for each: that is far less than a walk for each output.
fn outputs(netlist: &Netlist, closed: &[usize]) -> Option<(Vec<Cone>, Vec<Cone>)> {
    let mut next = vec![Cone::default(); netlist.fluents];
    let mut legal = vec![Cone::default(); netlist.moves];
    let inputs = netlist.fluents + netlist.moves;
    let mut left = MOST_INPUTS;
    let mut readers = Readers::new(netlist, closed, MOST_READ);
    for start in (1..=inputs).step_by(LANES) {
        let some: Vec<usize> = (start..=inputs).take(LANES).collect();
        readers.find(&some)?;
        for (cone, &wire) in next.iter_mut().zip(&netlist.next) {
            left = left.checked_sub(cone.note_all(netlist, &some, readers.inside(wire)))?;
        }
        for (cone, &wire) in legal.iter_mut().zip(&netlist.legal) {
            left = left.checked_sub(cone.note_all(netlist, &some, readers.get(wire)))?;
        }
    }
    Some((next, legal))
}

/// Operands that may be read for all cones: some seconds.
const MOST_READ: usize = 3_000_000_000;

/// For each node which of some others it reads, in lanes. Only gates that read one of them
/// are looked at.
pub(crate) struct Readers<'n> {
    netlist: &'n Netlist,
    /// Conditions that are not looked into.
    is_closed: Vec<bool>,
    /// Where the readers of each node start.
    starts: Vec<u32>,
    readers: Vec<u32>,
    /// The nodes that are looked for, in ascending order.
    some: Vec<usize>,
    reads: Vec<Word>,
    /// A bit for each node that must be looked at.
    open: Vec<u64>,
    seen: Vec<usize>,
    /// Operands that may be read.
    left: usize,
}

impl<'n> Readers<'n> {
    pub(crate) fn new(netlist: &'n Netlist, closed: &[usize], most: usize) -> Self {
        let (starts, readers) = fan_out(netlist);
        let mut is_closed = vec![false; netlist.nodes()];
        closed.iter().for_each(|&node| is_closed[node] = true);
        Readers {
            netlist,
            is_closed,
            starts,
            readers,
            some: Vec::new(),
            reads: vec![Word::NONE; netlist.nodes()],
            open: vec![0; netlist.nodes().div_ceil(64)],
            seen: Vec::new(),
            left: most,
        }
    }

    /// Looks for the readers of at most as many nodes as there are lanes, given in ascending
    /// order; nothing if that is too much work.
    pub(crate) fn find(&mut self, some: &[usize]) -> Option<()> {
        std::mem::take(&mut self.seen).into_iter().for_each(|node| self.reads[node] = Word::NONE);
        self.some = some.to_vec();
        some.iter().for_each(|&node| self.open[node / 64] |= 1 << (node % 64));
        for place in 0..self.open.len() {
            while self.open[place] != 0 {
                let node = place * 64 + self.open[place].trailing_zeros() as usize;
                self.open[place] &= self.open[place] - 1;
                self.look(node)?;
            }
        }
        Some(())
    }

    fn look(&mut self, node: usize) -> Option<()> {
        if self.is_closed[node] {
            return Some(());
        }
        let cost = self.netlist.direct_inputs(node).len() + self.readers_of(node).len();
        self.left = self.left.checked_sub(cost)?;
        self.reads[node] = self.inside_node(node);
        self.seen.push(node);
        for reader in self.starts[node]..self.starts[node + 1] {
            let reader = self.readers[reader as usize];
            self.open[reader as usize / 64] |= 1 << (reader % 64);
        }
        Some(())
    }

    fn readers_of(&self, node: usize) -> &[u32] {
        &self.readers[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// Which of them a signal reads, itself included.
    pub(crate) fn get(&self, wire: Wire) -> Word {
        self.reads[wire.index()]
    }

    /// Which of them a signal reads even if it is closed.
    fn inside(&self, wire: Wire) -> Word {
        match self.is_closed[wire.index()] {
            true => self.inside_node(wire.index()),
            false => self.get(wire),
        }
    }

    fn inside_node(&self, node: usize) -> Word {
        let inputs = self.netlist.direct_inputs(node).iter();
        let mut read = inputs.fold(Word::NONE, |all, wire| all.or(self.reads[wire.index()]));
        if let Ok(lane) = self.some.binary_search(&node) {
            read.set(lane, true);
        }
        read
    }
}

/// For each node where its readers start, and all readers.
fn fan_out(netlist: &Netlist) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0_u32; netlist.nodes() + 1];
    let wires = |node: usize| netlist.direct_inputs(node).iter().map(|wire| wire.index());
    (0..netlist.nodes()).flat_map(wires).for_each(|input| starts[input + 1] += 1);
    for node in 0..netlist.nodes() {
        starts[node + 1] += starts[node];
    }
    let mut ends = starts.clone();
    let mut readers = vec![0; starts[netlist.nodes()] as usize];
    for node in 0..netlist.nodes() {
        for input in wires(node) {
            readers[ends[input] as usize] = node as u32;
            ends[input] += 1;
        }
    }
    (starts, readers)
}
