//! Which moves can change a fluent at all, whatever the state is and the others do: with
//! the move played and the rest unknown, either the fluent surely stays as it is, or not.
//! That it stays is proved.

use crate::cones::{Cones, Walker};
use crate::lanes::{LANES, Word};
use crate::netlist::{Netlist, Program};
use crate::three_valued::{Known, Simulation};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use std::rc::Rc;

/// What is known when a move is played.
#[derive(Clone, Debug, Default)]
pub(crate) struct Case {
    /// Values of fluents.
    pub(crate) turn: Vec<(usize, bool)>,
    /// Moves of other roles that are surely played, or surely not, in ascending order.
    pub(crate) others: Vec<(usize, bool)>,
}

/// For each wanted fluent the moves that are not proved to leave it as it is, in one of
/// their cases.
pub(crate) fn potential_effects(
    netlist: &Netlist,
    cones: &Cones,
    wanted: &[bool],
    cases: &[Vec<Rc<Case>>],
) -> Vec<Vec<usize>> {
    let asked = wanted.iter().filter(|&&is_wanted| is_wanted).count();
    let most = (MOST_WORK / asked.max(1)).max(LEAST_WORK);
    let mut search = Search {
        netlist,
        cases,
        simulation: Simulation::new(netlist),
        walker: Walker::new(netlist),
        most,
    };
    let potential_effects = |fluent: usize| match wanted[fluent] {
        true => search.potential_effects(fluent, &cones.next[fluent].moves),
        false => Vec::new(),
    };
    (0..netlist.fluents).map(potential_effects).collect()
}

/// Pairs of fluents and moves beyond which nobody should ask.
pub(crate) const MOST_PAIRS: usize = 20_000_000;

/// Gates and inputs that may be looked at for all fluents together. Each has an equal share,
/// so that the order of fluents does not matter; where it is too small, all moves of the roles
/// in the cone have to do.
const MOST_WORK: usize = 12_000_000;

/// The smallest share.
const LEAST_WORK: usize = 2_000;

struct Search<'n> {
    netlist: &'n Netlist,
    cases: &'n [Vec<Rc<Case>>],
    simulation: Simulation<'n>,
    walker: Walker<'n>,
    /// Gates and inputs that may be looked at for a fluent.
    most: usize,
}

/// A lane: a move in a case.
type Lane<'c> = (usize, &'c Rc<Case>);

impl<'n> Search<'n> {
    /// Moves outside of the cone are all alike to it: in each case one of each role stands
    /// for them.
    fn potential_effects(&mut self, fluent: usize, cone: &[usize]) -> Vec<usize> {
        let netlist = self.netlist;
        let is_outside = |number: &usize| cone.binary_search(number).is_err();
        let concerned = |own: &&Range<usize>| cone.iter().any(|number| own.contains(number));
        let outside = netlist.roles.iter().filter(concerned);
        let outside: Vec<Range<usize>> = outside.cloned().collect();
        let mut tested = cone.to_vec();
        for own in &outside {
            tested.extend(self.spokesmen(own.clone().filter(is_outside)));
        }
        let Some(mut potential_effects) = self.moves(fluent, &tested) else {
            return outside.into_iter().flatten().collect();
        };
        for own in outside {
            if own.clone().any(|number| is_outside(&number) && potential_effects.contains(&number))
            {
                potential_effects.extend(own.filter(|number| is_outside(number)));
            }
        }
        let mut potential_effects: Vec<usize> = potential_effects.into_iter().collect();
        potential_effects.retain(|&number| !self.cases[number].is_empty());
        potential_effects.sort_unstable();
        potential_effects
    }

    /// Some of these moves that have all cases that any of them has.
    fn spokesmen(&self, moves: impl Iterator<Item = usize>) -> Vec<usize> {
        let mut most: Vec<usize> = Vec::new();
        let mut turns: Vec<&[(usize, bool)]> = Vec::new();
        for number in moves {
            let own = self.cases[number].iter().map(|case| case.turn.as_slice());
            let new: Vec<_> = own.filter(|turn| !turns.contains(turn)).collect();
            if !new.is_empty() {
                turns.extend(new);
                most.push(number);
            }
        }
        most
    }

    /// Those of the tested moves that may change a fluent; nothing if it is too much work.
    fn moves(&mut self, fluent: usize, tested: &[usize]) -> Option<FxHashSet<usize>> {
        let cases = self.cases;
        let of_move = |&number: &usize| cases[number].iter().map(move |case| (number, case));
        let mut lanes: Vec<Lane<'n>> = tested.iter().flat_map(of_move).collect();
        lanes.sort_by_key(|&(number, case)| (Rc::as_ptr(case), self.netlist.role_of(number)));
        let runs = lanes.len().div_ceil(LANES);
        let nodes = self.walker.at_most(self.most / runs.max(1), [self.netlist.next[fluent]])?;
        let inputs =
            nodes.partition_point(|&node| node <= self.netlist.fluents + self.netlist.moves);
        let inputs = nodes[..inputs].to_vec();
        let program = self.netlist.program_of(nodes);
        let mut potential_effects = FxHashSet::default();
        for lanes in lanes.chunks(LANES) {
            inputs.iter().for_each(|&node| self.simulation.set(node, Known::UNKNOWN));
            self.play(lanes, &inputs);
            let stays = self.stays(fluent, &program);
            let moved = lanes.iter().enumerate().filter(|&(lane, _)| !stays.get(lane));
            potential_effects.extend(moved.map(|(_, &(number, _))| number));
        }
        Some(potential_effects)
    }

    /// Lanes in which a fluent surely stays as it is.
    fn stays(&mut self, fluent: usize, program: &Program) -> Word {
        let netlist = self.netlist;
        let mut stays = Word::ALL;
        for before in [false, true] {
            self.simulation.set(netlist.fluent(fluent), Known::fixed(before));
            self.simulation.run(program, &FxHashMap::default());
            let next = self.simulation.get(netlist.next[fluent]);
            stays = stays.and(if before { next.must } else { next.may.not() });
        }
        stays
    }

    /// A move in each lane: its role plays no other one. Only inputs that are looked at are
    /// set.
    fn play(&mut self, lanes: &[Lane<'n>], inputs: &[usize]) {
        let netlist = self.netlist;
        let first_move = inputs.partition_point(|&node| node <= netlist.fluents);
        let mut start = 0;
        for group in lanes.chunk_by(|one, other| are_alike(netlist, one, other)) {
            let end = start + group.len();
            let own = Word::first(end).and(Word::first(start).not());
            let (number, case) = group[0];
            for &(fluent, holds) in &case.turn {
                self.simulation.set_lanes(netlist.fluent(fluent), own, holds);
            }
            let role = netlist.roles[netlist.role_of(number)].clone();
            for &node in &inputs[first_move..] {
                let other = node - netlist.does(0);
                if role.contains(&other) {
                    self.simulation.set_lanes(node, own, false);
                } else if let Some(plays) = case.plays(other) {
                    self.simulation.set_lanes(node, own, plays);
                }
            }
            for (lane, &(number, _)) in (start..).zip(group) {
                self.simulation.set_lane(netlist.does(number), lane, true);
            }
            start = end;
        }
    }
}

impl Case {
    /// Whether a move of another role is played, if it is known.
    fn plays(&self, number: usize) -> Option<bool> {
        let place = self.others.binary_search_by_key(&number, |&(other, _)| other).ok()?;
        Some(self.others[place].1)
    }
}

fn are_alike(netlist: &Netlist, one: &Lane<'_>, other: &Lane<'_>) -> bool {
    Rc::ptr_eq(one.1, other.1) && netlist.role_of(one.0) == netlist.role_of(other.0)
}
