//! What follows from what is known of a state, whatever the rest of it is.

use crate::net::{Net, Program, Wire};
use crate::rails::{Known, Rails};
use crate::word::LANES;

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
    pub(crate) net: &'n Net,
    rails: Rails<'n>,
    /// Fluents that never change, with their values.
    held: Vec<(usize, bool)>,
    left: usize,
}

impl<'n> Oracle<'n> {
    pub(crate) fn new(net: &'n Net) -> Self {
        Oracle { net, rails: Rails::new(net), held: Vec::new(), left: MOST_WORK }
    }

    /// For each case what is known of some signals; nothing if it is too much work.
    pub(crate) fn ask(&mut self, wires: &[Wire], cases: &[Case]) -> Option<Vec<Values>> {
        let program = self.net.program(wires.iter().copied());
        let inputs = self.net.fluents + self.net.moves;
        let cost = 2 * program.gates() + inputs + LANES * wires.len();
        self.left = self.left.checked_sub(cost * cases.len().div_ceil(LANES))?;
        let answers = cases.chunks(LANES).flat_map(|cases| self.lanes(&program, wires, cases));
        Some(answers.collect())
    }

    fn lanes(&mut self, program: &Program, wires: &[Wire], cases: &[Case]) -> Vec<Values> {
        let net = self.net;
        let last = net.fluents + net.moves;
        self.rails.forget(1..=last);
        for &(fluent, value) in &self.held {
            self.rails.set(net.fluent(fluent), Known::fixed(value));
        }
        if cases.iter().all(|case| case.joint.is_some()) {
            (0..net.moves).for_each(|m| self.rails.set(net.does(m), Known::fixed(false)));
        }
        for (lane, case) in cases.iter().enumerate() {
            for &(fluent, value) in &case.fluents {
                self.rails.set_lane(net.fluent(fluent), lane, value);
            }
            for number in case.joint.into_iter().flatten() {
                self.rails.set_lane(net.does(number), lane, true);
            }
        }
        self.rails.run(program, &Default::default());
        let known = |wire: &Wire, lane: usize| {
            let Known { may, must } = self.rails.get(*wire);
            (may.get(lane) == must.get(lane)).then(|| must.get(lane))
        };
        let of_lane = |lane| wires.iter().map(|wire| known(wire, lane)).collect();
        (0..cases.len()).map(of_lane).collect()
    }

    /// Finds the fluents beside these that keep their initial values whatever happens, and
    /// counts them as known from now on.
    pub(crate) fn hold_what_stays(&mut self, varying: &rustc_hash::FxHashSet<usize>) -> Option<()> {
        let net = self.net;
        let initial = |fluent: usize| (fluent, net.initial[fluent]);
        self.held = (0..net.fluents).filter(|f| !varying.contains(f)).map(initial).collect();
        loop {
            let next: Vec<Wire> = self.held.iter().map(|&(fluent, _)| net.next[fluent]).collect();
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
