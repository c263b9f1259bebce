//! Conditions that have to do with winning: the smallest signals in the goals that decide
//! something by themselves.
//!
//! Each signal is held on either value while nothing else is known. If then a role surely
//! has its best goal, or surely not; or it has a goal above the least; or it cannot have
//! the least any more: the signal is a sub-goal. Signals that read a sub-goal are not
//! looked at: what is won by winning two games is not one game.

use crate::cones::Walker;
use crate::net::{Goal, Net, Program, Wire};
use crate::rails::{Force, Known, Rails};
use crate::word::{LANES, Word};
use rustc_hash::FxHashMap;

/// Gates that may be evaluated.
const MOST_GATES: usize = 25_000_000;

/// The fluents of each smallest sub-goal; none if there is too much to look at.
pub(crate) fn subgoals(net: &Net) -> Vec<Vec<usize>> {
    let mut search = Search::new(net);
    let runs = search.order.len() / (LANES / 2) + 1;
    if runs.saturating_mul(search.order.len()) > MOST_GATES {
        return Vec::new();
    }
    search.run();
    let mut walker = Walker::new(net);
    let wires = search.found.iter().map(|&node| Wire { node: node as u32, negated: false });
    wires.map(|wire| walker.cone([wire]).fluents).collect()
}

struct Search<'n> {
    net: &'n Net,
    program: Program,
    rails: Rails<'n>,
    /// Fluents and gates of the goals, inputs first.
    order: Vec<usize>,
    /// Whether a signal reads a sub-goal or is one.
    reads: Vec<bool>,
    found: Vec<usize>,
    best: Vec<Goal>,
    least: Vec<Goal>,
    others: Vec<Goal>,
}

impl<'n> Search<'n> {
    fn new(net: &'n Net) -> Self {
        let program = net.program(net.goals.iter().map(|goal| goal.holds));
        let order = net.needed(net.goals.iter().map(|goal| goal.holds));
        let mut rails = Rails::new(net);
        rails.run(&program, &FxHashMap::default());
        let is_open = |goal: &&Goal| {
            let known = rails.get(goal.holds);
            known.must.is_none() && !known.may.is_none()
        };
        let open: Vec<Goal> = net.goals.iter().filter(is_open).copied().collect();
        let role = |role| open.iter().filter(move |goal| goal.role == role);
        let roles = 0..net.roles.len();
        let best = roles.clone().filter_map(|r| role(r).max_by_key(|g| g.value)).copied();
        let best: Vec<Goal> = best.collect();
        let least = roles.filter_map(|r| role(r).min_by_key(|g| g.value)).copied();
        let least: Vec<Goal> = least.filter(|goal| goal.value == 0).collect();
        let others = open.iter().filter(|goal| goal.value > 0).copied().collect();
        Search {
            net,
            program,
            rails,
            order,
            reads: vec![false; net.nodes()],
            found: Vec::new(),
            best,
            least,
            others,
        }
    }

    fn run(&mut self) {
        let mut position = 0;
        while position < self.order.len() {
            let mut batch = Vec::new();
            while position < self.order.len() && batch.len() < LANES / 2 {
                let node = self.order[position];
                self.reads[node] = self.net.inputs(node).iter().any(|w| self.reads[w.index()]);
                if !self.reads[node] && !self.net.is_variable(node) {
                    batch.push(node);
                }
                position += 1;
            }
            self.judge(&batch);
        }
    }

    /// Holds each signal on both values.
    fn judge(&mut self, batch: &[usize]) {
        let mut forces: FxHashMap<usize, Force> = FxHashMap::default();
        for (place, &node) in batch.iter().enumerate() {
            let force = forces.entry(node).or_default();
            force.on.set(2 * place, true);
            force.off.set(2 * place + 1, true);
        }
        self.rails.forget(1..=self.net.fluents);
        for (&node, &force) in forces.iter().filter(|(node, _)| **node <= self.net.fluents) {
            self.rails.set(node, Known::UNKNOWN.forced(force));
        }
        self.rails.run(&self.program, &forces);
        let decided = self.decided();
        for (place, &node) in batch.iter().enumerate() {
            let decides = decided.get(2 * place) || decided.get(2 * place + 1);
            // What reads one of the same batch is judged there already.
            let reads = self.net.inputs(node).iter().any(|wire| self.reads[wire.index()]);
            self.reads[node] = reads || decides;
            if decides && !reads {
                self.found.push(node);
            }
        }
    }

    /// Lanes in which something is decided.
    fn decided(&self) -> Word {
        let rails = &self.rails;
        let mut decided = Word::NONE;
        for goal in &self.best {
            decided = decided.or(rails.get(goal.holds).may.not());
        }
        for goal in &self.least {
            decided = decided.or(rails.get(goal.holds).may.not());
        }
        for goal in &self.others {
            decided = decided.or(rails.get(goal.holds).must);
        }
        decided
    }
}
