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
    /// Moves of other roles that are surely played, or surely not.
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
    let mut search =
        Search { net, cases, rails: Rails::new(net), walker: Walker::new(net), left: MOST_WORK };
    let touching = |fluent: usize| match wanted[fluent] {
        true => search.touching(fluent, &cones.next[fluent].moves),
        false => Vec::new(),
    };
    (0..net.fluents).map(touching).collect()
}

/// Pairs of fluents and moves beyond which nobody should ask.
pub(crate) const MOST_PAIRS: usize = 20_000_000;

/// Gates and inputs that may be looked at; then all moves of the roles in the cone have to
/// do.
const MOST_WORK: usize = 8_000_000;

struct Search<'n> {
    net: &'n Net,
    cases: &'n [Vec<Rc<Case>>],
    rails: Rails<'n>,
    walker: Walker<'n>,
    left: usize,
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
        let program = self.net.program_of(self.walker.nodes([self.net.next[fluent]]));
        let run = 2 * program.gates() + 4 * self.net.moves + self.net.fluents;
        let cost = run * lanes.len().div_ceil(LANES);
        self.left = self.left.checked_sub(cost)?;
        let mut touching = FxHashSet::default();
        for lanes in lanes.chunks(LANES) {
            let stays = self.stays(fluent, &program, lanes);
            let moved = lanes.iter().enumerate().filter(|&(lane, _)| !stays.get(lane));
            touching.extend(moved.map(|(_, &(number, _))| number));
        }
        Some(touching)
    }

    /// Lanes in which a fluent surely stays as it is.
    fn stays(&mut self, fluent: usize, program: &Program, lanes: &[Lane<'n>]) -> Word {
        let net = self.net;
        self.rails.forget(1..=net.fluents + net.moves);
        self.play(lanes);
        let mut stays = Word::ALL;
        for before in [false, true] {
            self.rails.set(net.fluent(fluent), Known::fixed(before));
            self.rails.run(program, &FxHashMap::default());
            let next = self.rails.get(net.next[fluent]);
            stays = stays.and(if before { next.must } else { next.may.not() });
        }
        stays
    }

    /// A move in each lane: its role plays no other one.
    fn play(&mut self, lanes: &[Lane<'n>]) {
        let net = self.net;
        let mut start = 0;
        for group in lanes.chunk_by(|one, other| are_alike(net, one, other)) {
            let end = start + group.len();
            let own = Word::first(end).and(Word::first(start).not());
            let (number, case) = group[0];
            for other in net.roles[net.role_of(number)].clone() {
                self.rails.set_lanes(net.does(other), own, false);
            }
            for &(fluent, holds) in &case.turn {
                self.rails.set_lanes(net.fluent(fluent), own, holds);
            }
            for &(other, plays) in &case.others {
                self.rails.set_lanes(net.does(other), own, plays);
            }
            for (lane, &(number, _)) in (start..).zip(group) {
                self.rails.set_lane(net.does(number), lane, true);
            }
            start = end;
        }
    }
}

fn are_alike(net: &Net, one: &Lane<'_>, other: &Lane<'_>) -> bool {
    Rc::ptr_eq(one.1, other.1) && net.role_of(one.0) == net.role_of(other.0)
}
