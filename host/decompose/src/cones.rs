//! Which fluents and moves an output can depend on: the inputs of its cone.

use crate::net::{Net, Wire};

/// The inputs of a cone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cone {
    pub(crate) fluents: Vec<usize>,
    pub(crate) moves: Vec<usize>,
}

/// Walks cones; knows which nodes it has seen.
pub(crate) struct Walker<'n> {
    net: &'n Net,
    seen: Vec<u32>,
    walk: u32,
    open: Vec<u32>,
    /// Conditions that are not looked into.
    closed: Vec<usize>,
    /// Nodes that were visited in all walks.
    visited: usize,
}

/// Nodes that the walks through all cones may visit.
const MOST_VISITED: usize = 150_000_000;

impl<'n> Walker<'n> {
    pub(crate) fn new(net: &'n Net) -> Self {
        Walker {
            net,
            seen: vec![0; net.nodes()],
            walk: 0,
            open: Vec::new(),
            closed: Vec::new(),
            visited: 0,
        }
    }

    /// The nodes of a cone, sorted.
    pub(crate) fn nodes(&mut self, roots: impl IntoIterator<Item = Wire>) -> Vec<usize> {
        let mut nodes = Vec::new();
        self.walk(roots, |node| nodes.push(node));
        nodes.sort_unstable();
        nodes
    }

    /// The inputs of a cone, sorted.
    pub(crate) fn cone(&mut self, roots: impl IntoIterator<Item = Wire>) -> Cone {
        let (net, mut cone) = (self.net, Cone::default());
        self.walk(roots, |node| cone.note(net, node));
        cone.fluents.sort_unstable();
        cone.moves.sort_unstable();
        cone
    }

    /// The cone of a signal with some conditions closed, unless it is one of them: what keeps
    /// a condition belongs to it.
    fn cone_behind(&mut self, root: Wire, closed: &[usize]) -> Cone {
        if !closed.contains(&root.index()) {
            self.closed = closed.to_vec();
        }
        let cone = self.cone([root]);
        self.closed.clear();
        cone
    }

    fn walk(&mut self, roots: impl IntoIterator<Item = Wire>, mut note: impl FnMut(usize)) {
        self.walk += 1;
        self.open.clear();
        if self.visited > MOST_VISITED {
            return;
        }
        roots.into_iter().for_each(|wire| self.visit(wire));
        while let Some(node) = self.open.pop() {
            self.visited += 1;
            note(node as usize);
            let net = self.net;
            net.inputs(node as usize).iter().for_each(|&wire| self.visit(wire));
        }
    }

    fn visit(&mut self, wire: Wire) {
        let seen = &mut self.seen[wire.index()];
        if *seen != self.walk && !self.closed.contains(&wire.index()) {
            *seen = self.walk;
            self.open.push(wire.node);
        }
    }
}

impl Cone {
    fn note(&mut self, net: &Net, node: usize) {
        if (1..=net.fluents).contains(&node) {
            self.fluents.push(node - 1);
        } else if node > net.fluents && node <= net.fluents + net.moves {
            self.moves.push(node - 1 - net.fluents);
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
    pub(crate) fn keeps(&self, net: &Net, fluent: usize) -> bool {
        self.closed.contains(&net.next[fluent].index())
    }

    /// For each fluent whether the end, a goal or the start of another game reads it.
    pub(crate) fn ends(&self, fluents: usize) -> Vec<bool> {
        let mut ends = vec![false; fluents];
        for cone in self.goals.iter().chain(&self.behind).chain([&self.terminal]) {
            cone.fluents.iter().for_each(|&fluent| ends[fluent] = true);
        }
        ends
    }

    /// The cones without what is behind some conditions: for ends and goals they are open.
    /// Nothing if there is too much to walk through.
    pub(crate) fn of(net: &Net, closed: Vec<usize>) -> Option<Self> {
        let mut walker = Walker::new(net);
        let goals = (0..net.roles.len()).map(|role| {
            let own = net.goals.iter().filter(|goal| goal.role == role);
            own.map(|goal| goal.holds).collect::<Vec<_>>()
        });
        let goals: Vec<_> = goals.collect();
        let terminal = walker.cone([net.terminal]);
        let goals = goals.into_iter().map(|goals| walker.cone(goals)).collect();
        let next: Vec<Cone> =
            net.next.iter().map(|&wire| walker.cone_behind(wire, &closed)).collect();
        let wire = |&node: &usize| Wire { node: node as u32, negated: false };
        let behind = closed.iter().map(|node| walker.cone([wire(node)])).collect();
        walker.closed.clone_from(&closed);
        let legal = net.legal.iter().map(|&wire| walker.cone([wire])).collect();
        let cones = Cones { closed, behind, next, legal, terminal, goals };
        (walker.visited <= MOST_VISITED).then_some(cones)
    }
}
