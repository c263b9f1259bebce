//! Evaluation with unknown inputs: two bits for each signal, whether it may hold and
//! whether it must. What comes out holds whatever the unknown inputs are.

use crate::lanes::Word;
use crate::netlist::{Netlist, Program, Wire};
use rustc_hash::FxHashMap;
use std::ops::RangeInclusive;

/// What is known of a signal in each lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Known {
    pub(crate) may: Word,
    pub(crate) must: Word,
}

impl Known {
    pub(crate) const UNKNOWN: Self = Known { may: Word::ALL, must: Word::NONE };
    const TRUE: Self = Known { may: Word::ALL, must: Word::ALL };
    const FALSE: Self = Known { may: Word::NONE, must: Word::NONE };

    /// The same value in all lanes.
    pub(crate) fn fixed(value: bool) -> Self {
        if value { Self::TRUE } else { Self::FALSE }
    }

    fn negated(self) -> Self {
        Known { may: self.must.not(), must: self.may.not() }
    }

    fn and(self, other: Self) -> Self {
        Known { may: self.may.and(other.may), must: self.must.and(other.must) }
    }

    fn or(self, other: Self) -> Self {
        Known { may: self.may.or(other.may), must: self.must.or(other.must) }
    }

    /// Fixed to a value in some lanes.
    pub(crate) fn forced(self, force: Force) -> Self {
        let free = force.on.or(force.off).not();
        Known { may: self.may.and(free).or(force.on), must: self.must.and(free).or(force.on) }
    }
}

/// Lanes in which a signal is held on a value, whatever it is computed from.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Force {
    pub(crate) on: Word,
    pub(crate) off: Word,
}

/// What is known of all signals of a program.
pub(crate) struct Simulation<'n> {
    netlist: &'n Netlist,
    values: Vec<Known>,
}

impl<'n> Simulation<'n> {
    pub(crate) fn new(netlist: &'n Netlist) -> Self {
        let mut values = vec![Known::UNKNOWN; netlist.nodes()];
        values[0] = Known::TRUE;
        Simulation { netlist, values }
    }

    /// As [`new`](Self::new), in memory of another one of the same circuit: what is not set or
    /// evaluated again is as it was there.
    pub(crate) fn again(netlist: &'n Netlist, memory: Vec<Known>) -> Self {
        if memory.len() == netlist.nodes() {
            Simulation { netlist, values: memory }
        } else {
            Simulation::new(netlist)
        }
    }

    /// Its memory, for another one.
    pub(crate) fn into_memory(self) -> Vec<Known> {
        self.values
    }

    /// What is known of an input.
    pub(crate) fn set(&mut self, node: usize, known: Known) {
        self.values[node] = known;
    }

    /// What is known of an input in one lane.
    pub(crate) fn set_lane(&mut self, node: usize, lane: usize, value: bool) {
        self.values[node].may.set(lane, value);
        self.values[node].must.set(lane, value);
    }

    /// What is known of an input in some lanes.
    pub(crate) fn set_lanes(&mut self, node: usize, lanes: Word, value: bool) {
        let mut force = Force::default();
        *if value { &mut force.on } else { &mut force.off } = lanes;
        self.values[node] = self.values[node].forced(force);
    }

    /// Nothing is known of these inputs any more.
    pub(crate) fn forget(&mut self, nodes: RangeInclusive<usize>) {
        self.values[nodes].fill(Known::UNKNOWN);
    }

    pub(crate) fn get(&self, wire: Wire) -> Known {
        let known = self.values[wire.index()];
        if wire.negated { known.negated() } else { known }
    }

    /// Evaluates with some signals held.
    pub(crate) fn run(&mut self, program: &Program, forces: &FxHashMap<usize, Force>) {
        for (gates, block) in program.parts() {
            match block {
                None => self.gates(gates, forces),
                Some(block) => self.fixpoint(gates, block, forces),
            }
        }
    }

    fn gates(&mut self, gates: &[u32], forces: &FxHashMap<usize, Force>) {
        for &node in gates {
            let node = node as usize;
            let inputs = self.netlist.inputs(node).iter();
            let known = inputs.fold(Known::TRUE, |known, &wire| known.and(self.get(wire)));
            self.values[node] = forced(known, node, forces);
        }
    }

    fn fixpoint(&mut self, gates: &[u32], block: usize, forces: &FxHashMap<usize, Force>) {
        let (variables, definitions, results) = self.netlist.block(block);
        variables.iter().for_each(|&node| self.values[node as usize] = Known::FALSE);
        let mut grows = true;
        while grows {
            self.gates(gates, forces);
            grows = false;
            for (&node, &definition) in variables.iter().zip(definitions) {
                let before = self.values[node as usize];
                let after = before.or(self.get(definition));
                self.values[node as usize] = after;
                grows |= before != after;
            }
        }
        for (&result, &variable) in results.iter().zip(variables) {
            let known = self.values[variable as usize];
            self.values[result as usize] = forced(known, result as usize, forces);
        }
    }
}

fn forced(known: Known, node: usize, forces: &FxHashMap<usize, Force>) -> Known {
    forces.get(&node).map_or(known, |&force| known.forced(force))
}
