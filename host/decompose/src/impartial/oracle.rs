//! What follows from what is known of a state, whatever the rest of it is.

use crate::lanes::LANES;
use crate::netlist::{Netlist, Program, Wire};
use crate::three_valued::{Known, Simulation};

/// Gates and inputs that may be looked at, 256 cases at a time: a fraction of a second.
const MOST_WORK: usize = 40_000_000;

/// A state of which something is known.
#[derive(Clone, Default, Debug)]
pub(crate) struct Case {
    /// Values of fluents; all others are unknown.
    pub(crate) fluents: Vec<(usize, bool)>,
    /// The only moves that are played, if it is known what is.
    pub(crate) joint: Option<[usize; 2]>,
}

impl Case {
    /// With the values of some more fluents.
    pub(crate) fn with(mut self, fluents: &[usize], values: &[bool]) -> Self {
        self.fluents.extend(fluents.iter().copied().zip(values.iter().copied()));
        self
    }

    /// With a joint move.
    pub(crate) fn playing(mut self, joint: [usize; 2]) -> Self {
        self.joint = Some(joint);
        self
    }
}

/// What a signal is in each case, as far as that is known.
pub(crate) type Values = Vec<Option<bool>>;

pub(crate) struct Oracle<'n> {
    pub(crate) netlist: &'n Netlist,
    simulation: Simulation<'n>,
    /// Fluents that never change, with their values.
    held: Vec<(usize, bool)>,
    left: usize,
}

impl<'n> Oracle<'n> {
    pub(crate) fn new(netlist: &'n Netlist) -> Self {
        Oracle { netlist, simulation: Simulation::new(netlist), held: Vec::new(), left: MOST_WORK }
    }

    /// For each case what is known of some signals; nothing if it is too much work.
    pub(crate) fn ask(&mut self, wires: &[Wire], cases: &[Case]) -> Option<Vec<Values>> {
        let program = self.netlist.program(wires.iter().copied());
        let inputs = self.netlist.fluents + self.netlist.moves;
        let cost = 2 * program.gates() + inputs + LANES * wires.len();
        self.left = self.left.checked_sub(cost * cases.len().div_ceil(LANES))?;
        let answers = cases.chunks(LANES).flat_map(|cases| self.lanes(&program, wires, cases));
        Some(answers.collect())
    }

    fn lanes(&mut self, program: &Program, wires: &[Wire], cases: &[Case]) -> Vec<Values> {
        let netlist = self.netlist;
        let last = netlist.fluents + netlist.moves;
        self.simulation.forget(1..=last);
        for &(fluent, value) in &self.held {
            self.simulation.set(netlist.fluent(fluent), Known::fixed(value));
        }
        if cases.iter().all(|case| case.joint.is_some()) {
            (0..netlist.moves)
                .for_each(|m| self.simulation.set(netlist.does(m), Known::fixed(false)));
        }
        for (lane, case) in cases.iter().enumerate() {
            for &(fluent, value) in &case.fluents {
                self.simulation.set_lane(netlist.fluent(fluent), lane, value);
            }
            for number in case.joint.into_iter().flatten() {
                self.simulation.set_lane(netlist.does(number), lane, true);
            }
        }
        self.simulation.run(program, &Default::default());
        let known = |wire: &Wire, lane: usize| {
            let Known { may, must } = self.simulation.get(*wire);
            (may.get(lane) == must.get(lane)).then(|| must.get(lane))
        };
        let of_lane = |lane| wires.iter().map(|wire| known(wire, lane)).collect();
        (0..cases.len()).map(of_lane).collect()
    }

    /// Finds the fluents beside these that keep their initial values whatever happens, and
    /// counts them as known from now on.
    pub(crate) fn hold_what_stays(&mut self, varying: &rustc_hash::FxHashSet<usize>) -> Option<()> {
        let netlist = self.netlist;
        let initial = |fluent: usize| (fluent, netlist.initial[fluent]);
        self.held = (0..netlist.fluents).filter(|f| !varying.contains(f)).map(initial).collect();
        loop {
            let next: Vec<Wire> =
                self.held.iter().map(|&(fluent, _)| netlist.next[fluent]).collect();
            let known = self.ask(&next, &[Case::default()])?.pop()?;
            let before = self.held.len();
            let mut known = known.into_iter();
            self.held.retain(|&(_, value)| known.next() == Some(Some(value)));
            if self.held.len() == before {
                return Some(());
            }
        }
    }
}

/// All values, if all are known.
pub(crate) fn all_known(values: &[Option<bool>]) -> Option<Vec<bool>> {
    values.iter().copied().collect()
}
