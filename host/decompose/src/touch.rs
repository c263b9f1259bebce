//! Which moves can change a fluent at all, whatever the state is and the others do: with
//! the move played and the rest unknown, either the fluent surely stays as it is, or not.
//! That it stays is proved.

use crate::cones::{Cones, Walker};
use crate::net::{Net, Program};
use crate::rails::{Known, Rails};
use crate::word::{LANES, Word};
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
pub(crate) fn touching(
    net: &Net,
    cones: &Cones,
    wanted: &[bool],
    cases: &[Vec<Rc<Case>>],
) -> Vec<Vec<usize>> {
    let asked = wanted.iter().filter(|&&is_wanted| is_wanted).count();
    let most = (MOST_WORK / asked.max(1)).max(LEAST_WORK);
    let mut search = Search { net, cases, rails: Rails::new(net), walker: Walker::new(net), most };
    let touching = |fluent: usize| match wanted[fluent] {
        true => search.touching(fluent, &cones.next[fluent].moves),
        false => Vec::new(),
    };
    (0..net.fluents).map(touching).collect()
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
    net: &'n Net,
    cases: &'n [Vec<Rc<Case>>],
    rails: Rails<'n>,
    walker: Walker<'n>,
    /// Gates and inputs that may be looked at for a fluent.
    most: usize,
}

/// A lane: a move in a case.
type Lane<'c> = (usize, &'c Rc<Case>);

impl<'n> Search<'n> {
    /// Moves outside of the cone are all alike to it: in each case one of each role stands
    /// for them.
    fn touching(&mut self, fluent: usize, cone: &[usize]) -> Vec<usize> {
        let net = self.net;
        let is_outside = |number: &usize| cone.binary_search(number).is_err();
        let concerned = |own: &&Range<usize>| cone.iter().any(|number| own.contains(number));
        let outside = net.roles.iter().filter(concerned);
        let outside: Vec<Range<usize>> = outside.cloned().collect();
        let mut tested = cone.to_vec();
        for own in &outside {
            tested.extend(self.spokesmen(own.clone().filter(is_outside)));
        }
        let Some(mut touching) = self.moves(fluent, &tested) else {
            return outside.into_iter().flatten().collect();
        };
        for own in outside {
            if own.clone().any(|number| is_outside(&number) && touching.contains(&number)) {
                touching.extend(own.filter(|number| is_outside(number)));
            }
        }
        let mut touching: Vec<usize> = touching.into_iter().collect();
        touching.retain(|&number| !self.cases[number].is_empty());
        touching.sort_unstable();
        touching
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
        lanes.sort_by_key(|&(number, case)| (Rc::as_ptr(case), self.net.role_of(number)));
        let runs = lanes.len().div_ceil(LANES);
        let nodes = self.walker.at_most(self.most / runs.max(1), [self.net.next[fluent]])?;
        let inputs = nodes.partition_point(|&node| node <= self.net.fluents + self.net.moves);
        let inputs = nodes[..inputs].to_vec();
        let program = self.net.program_of(nodes);
        let mut touching = FxHashSet::default();
        for lanes in lanes.chunks(LANES) {
            inputs.iter().for_each(|&node| self.rails.set(node, Known::UNKNOWN));
            self.play(lanes, &inputs);
            let stays = self.stays(fluent, &program);
            let moved = lanes.iter().enumerate().filter(|&(lane, _)| !stays.get(lane));
            touching.extend(moved.map(|(_, &(number, _))| number));
        }
        Some(touching)
    }

    /// Lanes in which a fluent surely stays as it is.
    fn stays(&mut self, fluent: usize, program: &Program) -> Word {
        let net = self.net;
        let mut stays = Word::ALL;
        for before in [false, true] {
            self.rails.set(net.fluent(fluent), Known::fixed(before));
            self.rails.run(program, &FxHashMap::default());
            let next = self.rails.get(net.next[fluent]);
            stays = stays.and(if before { next.must } else { next.may.not() });
        }
        stays
    }

    /// A move in each lane: its role plays no other one. Only inputs that are looked at are
    /// set.
    fn play(&mut self, lanes: &[Lane<'n>], inputs: &[usize]) {
        let net = self.net;
        let first_move = inputs.partition_point(|&node| node <= net.fluents);
        let mut start = 0;
        for group in lanes.chunk_by(|one, other| are_alike(net, one, other)) {
            let end = start + group.len();
            let own = Word::first(end).and(Word::first(start).not());
            let (number, case) = group[0];
            for &(fluent, holds) in &case.turn {
                self.rails.set_lanes(net.fluent(fluent), own, holds);
            }
            let role = net.roles[net.role_of(number)].clone();
            for &node in &inputs[first_move..] {
                let other = node - net.does(0);
                if role.contains(&other) {
                    self.rails.set_lanes(node, own, false);
                } else if let Some(plays) = case.plays(other) {
                    self.rails.set_lanes(node, own, plays);
                }
            }
            for (lane, &(number, _)) in (start..).zip(group) {
                self.rails.set_lane(net.does(number), lane, true);
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

fn are_alike(net: &Net, one: &Lane<'_>, other: &Lane<'_>) -> bool {
    Rc::ptr_eq(one.1, other.1) && net.role_of(one.0) == net.role_of(other.0)
}
