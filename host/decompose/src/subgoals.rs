//! Conditions that have to do with winning: the smallest signals in the goals that decide
//! something by themselves.
//!
//! Each signal is held on either value while nothing else is known. If then a role surely
//! has its best goal, or surely not; or it has a goal above the least; or it cannot have
//! the least any more: the signal is a sub-goal. Signals that read a sub-goal are not
//! looked at: what is won by winning two games is not one game.

use crate::cones::Walker;
use crate::lanes::{LANES, Word};
use crate::netlist::{Goal, Netlist, Program, Wire};
use crate::three_valued::{Force, Known, Simulation};
use rustc_hash::FxHashMap;

/// Gates that may be evaluated.
const MOST_GATES: usize = 25_000_000;

/// The fluents of each smallest sub-goal; none if there is too much to look at.
pub(crate) fn subgoals(netlist: &Netlist) -> Vec<Vec<usize>> {
    let mut search = Search::new(netlist);
    let runs = search.order.len() / (LANES / 2) + 1;
    if runs.saturating_mul(search.order.len()) > MOST_GATES {
        return Vec::new();
    }
    search.run();
    let mut walker = Walker::new(netlist);
    let wires = search.found.iter().map(|&node| Wire { node: node as u32, negated: false });
    wires.map(|wire| walker.cone([wire]).fluents).collect()
}

struct Search<'n> {
    netlist: &'n Netlist,
    program: Program,
    simulation: Simulation<'n>,
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
    fn new(netlist: &'n Netlist) -> Self {
        let program = netlist.program(netlist.goals.iter().map(|goal| goal.holds));
        let order = netlist.needed(netlist.goals.iter().map(|goal| goal.holds));
        let mut simulation = Simulation::new(netlist);
        simulation.run(&program, &FxHashMap::default());
        let is_open = |goal: &&Goal| {
            let known = simulation.get(goal.holds);
            known.must.is_none() && !known.may.is_none()
        };
        let open: Vec<Goal> = netlist.goals.iter().filter(is_open).copied().collect();
        let role = |role| open.iter().filter(move |goal| goal.role == role);
        let roles = 0..netlist.roles.len();
        let best = roles.clone().filter_map(|r| role(r).max_by_key(|g| g.value)).copied();
        let best: Vec<Goal> = best.collect();
        let least = roles.filter_map(|r| role(r).min_by_key(|g| g.value)).copied();
        let least: Vec<Goal> = least.filter(|goal| goal.value == 0).collect();
        let others = open.iter().filter(|goal| goal.value > 0).copied().collect();
        Search {
            netlist,
            program,
            simulation,
            order,
            reads: vec![false; netlist.nodes()],
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
                self.reads[node] = self.netlist.inputs(node).iter().any(|w| self.reads[w.index()]);
                if !self.reads[node] && !self.netlist.is_variable(node) {
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
        self.simulation.forget(1..=self.netlist.fluents);
        for (&node, &force) in forces.iter().filter(|(node, _)| **node <= self.netlist.fluents) {
            self.simulation.set(node, Known::UNKNOWN.forced(force));
        }
        self.simulation.run(&self.program, &forces);
        let decided = self.decided();
        for (place, &node) in batch.iter().enumerate() {
            let decides = decided.get(2 * place) || decided.get(2 * place + 1);
            // What reads one of the same batch is judged there already.
            let reads = self.netlist.inputs(node).iter().any(|wire| self.reads[wire.index()]);
            self.reads[node] = reads || decides;
            if decides && !reads {
                self.found.push(node);
            }
        }
    }

    /// Lanes in which something is decided.
    fn decided(&self) -> Word {
        let simulation = &self.simulation;
        let mut decided = Word::NONE;
        for goal in &self.best {
            decided = decided.or(simulation.get(goal.holds).may.not());
        }
        for goal in &self.least {
            decided = decided.or(simulation.get(goal.holds).may.not());
        }
        for goal in &self.others {
            decided = decided.or(simulation.get(goal.holds).must);
        }
        decided
    }
}
