//! Which fluents belong together.
//!
//! A fluent is *play* if a choice decides on it, or if it reads one that is: then it moves
//! by itself, but not alone. The rest is *independent*: it goes its way whatever anybody does.
//! Play is linked by what a move changes together, by what a fluent and the legality of a
//! move read, and by conditions of the score; what is independent by what it reads. That play
//! reads it links nothing: this is how a turn or a counter acts on a game without being part
//! of it.

use crate::cones::Cones;
use crate::effects::Evidence;
use crate::netlist::{Netlist, Wire};
use crate::potential_effects::{self, Case};
use crate::union_find::DisjointSets;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What a fluent is to the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Nature {
    /// It never changes.
    Fixed,
    /// It holds at the start, and after the first step never again.
    Spent,
    /// A move decides on it.
    Chosen,
    /// No move decides on it, but it reads what moves decide on.
    Carried,
    /// It goes its way by itself.
    Independent,
}

impl Nature {
    pub(crate) fn is_play(self) -> bool {
        matches!(self, Nature::Chosen | Nature::Carried | Nature::Spent)
    }
}

/// Fluents in groups.
#[derive(Clone)]
pub(crate) struct Partition {
    pub(crate) groups: DisjointSets,
    pub(crate) natures: Vec<Nature>,
}

/// Finds the groups.
pub(crate) fn partition(
    netlist: &Netlist,
    cones: &Cones,
    evidence: &Evidence,
    subgoals: &[Vec<usize>],
) -> Partition {
    let mut builder = Builder::new(netlist, cones, evidence);
    builder.draw_in_premises();
    builder.settle_spent();
    builder.link_readers();
    builder.draw_in_neighbours();
    builder.link_moves();
    builder.link_subgoals(subgoals);
    builder.check_outcomes();
    builder.link_independents();
    Partition { groups: builder.groups, natures: builder.natures }
}

/// What each fluent is to the game.
pub(crate) fn natures(netlist: &Netlist, cones: &Cones, chosen: &[bool]) -> Vec<Nature> {
    let nature = |fluent: usize| {
        let (next, own) = (netlist.next[fluent], Wire::of_fluent(netlist, fluent));
        if next == own || next.constant() == Some(netlist.initial[fluent]) {
            Nature::Fixed
        } else if next.is_constant() {
            Nature::Spent
        } else if chosen[fluent] || !cones.next[fluent].moves.is_empty() {
            Nature::Chosen
        } else {
            Nature::Independent
        }
    };
    let mut natures: Vec<Nature> = (0..netlist.fluents).map(nature).collect();
    carry(cones, &mut natures);
    natures
}

/// What reads play is play.
fn carry(cones: &Cones, natures: &mut [Nature]) {
    let mut readers = vec![Vec::new(); natures.len()];
    for fluent in (0..natures.len()).filter(|&fluent| natures[fluent] == Nature::Independent) {
        cones.next[fluent].fluents.iter().for_each(|&premise| readers[premise].push(fluent));
    }
    let mut open: Vec<usize> =
        (0..natures.len()).filter(|&fluent| natures[fluent] == Nature::Chosen).collect();
    while let Some(premise) = open.pop() {
        for fluent in std::mem::take(&mut readers[premise]) {
            if natures[fluent] == Nature::Independent {
                natures[fluent] = Nature::Carried;
                open.push(fluent);
            }
        }
    }
}

/// DisjointSets of what goes by itself.
pub(crate) fn independents(netlist: &Netlist, cones: &Cones, natures: &[Nature]) -> DisjointSets {
    let mut independents = DisjointSets::alone(netlist.fluents);
    let is_independent = |fluent: &usize| natures[*fluent] == Nature::Independent;
    for fluent in (0..netlist.fluents).filter(is_independent) {
        let premises = cones.next[fluent].fluents.iter().copied().filter(is_independent);
        premises.for_each(|premise| {
            independents.link(fluent, premise);
        });
    }
    independents
}

struct Builder<'a> {
    netlist: &'a Netlist,
    cones: &'a Cones,
    evidence: &'a Evidence,
    groups: DisjointSets,
    natures: Vec<Nature>,
}

impl<'a> Builder<'a> {
    fn new(netlist: &'a Netlist, cones: &'a Cones, evidence: &'a Evidence) -> Self {
        let natures = natures(netlist, cones, &evidence.chosen);
        Builder { netlist, cones, evidence, groups: evidence.groups.clone(), natures }
    }

    fn fluents(&self, wanted: impl Fn(Nature) -> bool) -> Vec<usize> {
        (0..self.netlist.fluents).filter(|&fluent| wanted(self.natures[fluent])).collect()
    }

    /// What the next value of a fluent reads besides itself.
    fn premises(&self, fluent: usize) -> impl Iterator<Item = usize> + use<'a> {
        self.cones.next[fluent].fluents.iter().copied().filter(move |&other| other != fluent)
    }

    /// What is carried by play and driven by what is independent makes both one: nobody can
    /// tell the next state of the one without the other.
    fn draw_in_premises(&mut self) {
        let mut open = self.fluents(|nature| nature == Nature::Carried);
        open.retain(|&fluent| !self.cones.keeps(self.netlist, fluent));
        while let Some(fluent) = open.pop() {
            for premise in self.premises(fluent).collect::<Vec<_>>() {
                if self.natures[premise] == Nature::Independent {
                    self.natures[premise] = Nature::Carried;
                    open.push(premise);
                }
                if self.natures[premise] == Nature::Carried {
                    self.groups.link(fluent, premise);
                }
            }
        }
    }

    /// What holds at the start only is where a counter begins, or else part of the play.
    fn settle_spent(&mut self) {
        for fluent in self.fluents(|nature| nature == Nature::Independent) {
            for premise in self.premises(fluent).collect::<Vec<_>>() {
                if self.natures[premise] == Nature::Spent {
                    self.natures[premise] = Nature::Independent;
                }
            }
        }
    }

    fn link_readers(&mut self) {
        for fluent in self.fluents(Nature::is_play) {
            let premises = &self.cones.next[fluent].fluents;
            let (natures, groups) = (&self.natures, &mut self.groups);
            let mut group = groups.find(fluent);
            for &premise in premises.iter().filter(|&&premise| natures[premise].is_play()) {
                if groups.find(premise) != group {
                    groups.link(fluent, premise);
                    group = groups.find(fluent);
                }
            }
        }
    }

    /// What is independent, stands beside every effect of a move, and is not about whether the
    /// move is legal, is part of what the move does.
    fn draw_in_neighbours(&mut self) {
        let mut independents = independents(self.netlist, self.cones, &self.natures);
        let tells_legality = self.about_legality(&mut independents);
        let beside = self.independents_beside(&mut independents, &tells_legality);
        for number in 0..self.netlist.moves {
            let effects = &self.evidence.effects[number];
            let Some((&first, rest)) = effects.split_first() else { continue };
            let mut common = beside[first].clone();
            rest.iter().for_each(|&effect| common.retain(|group| beside[effect].contains(group)));
            for group in common {
                self.join_independent(&mut independents, group, first);
            }
        }
        self.draw_in_cycles(&mut independents, &tells_legality);
    }

    /// For each fluent the independent groups that its next value reads, but for those that tell
    /// what is legal.
    fn independents_beside(
        &self,
        independents: &mut DisjointSets,
        tells_legality: &[bool],
    ) -> Vec<Vec<usize>> {
        let mut beside = vec![Vec::new(); self.netlist.fluents];
        for fluent in self.fluents(Nature::is_play) {
            let independent =
                self.premises(fluent).filter(|&p| self.natures[p] == Nature::Independent);
            let mut own: Vec<usize> =
                independent.map(|premise| independents.find(premise)).collect();
            own.sort_unstable();
            own.dedup();
            own.retain(|&group| !tells_legality[group]);
            beside[fluent] = own;
        }
        beside
    }

    /// What is independent and read by play, but neither a turn nor a counter that ends the
    /// game, is part of it.
    fn draw_in_cycles(&mut self, independents: &mut DisjointSets, tells_legality: &[bool]) {
        let independent = self.fluents(|nature| nature == Nature::Independent);
        let ends = self.cones.ends(self.netlist.fluents);
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        independent.iter().for_each(|&f| members.entry(independents.find(f)).or_default().push(f));
        let mut reader = vec![None; self.netlist.fluents];
        for fluent in self.fluents(|nature| nature == Nature::Chosen) {
            self.premises(fluent).for_each(|premise| reader[premise] = Some(fluent));
        }
        for (group, members) in members {
            let Some(reader) = members.iter().find_map(|&member| reader[member]) else { continue };
            let is_turn = members.len() <= self.netlist.roles.len() || !self.is_cycle(&members);
            let is_ending = members.iter().any(|&member| ends[member]);
            let is_apart = is_ending || (tells_legality[group] && is_turn);
            if !is_apart {
                self.join_independent(independents, group, reader);
            }
        }
    }

    /// Whether every fluent of a group is read by one of it.
    fn is_cycle(&self, members: &[usize]) -> bool {
        let read: FxHashSet<usize> = members.iter().flat_map(|&f| self.premises(f)).collect();
        members.iter().all(|member| read.contains(member))
    }

    fn about_legality(&self, independents: &mut DisjointSets) -> Vec<bool> {
        let mut about = vec![false; self.netlist.fluents];
        for cone in &self.cones.legal {
            cone.fluents.iter().for_each(|&fluent| about[independents.find(fluent)] = true);
        }
        about
    }

    fn join_independent(&mut self, independents: &mut DisjointSets, group: usize, effect: usize) {
        let mut joins = false;
        for fluent in self.fluents(|nature| nature == Nature::Independent) {
            if independents.find(fluent) == group {
                self.natures[fluent] = Nature::Carried;
                self.groups.link(fluent, effect);
                joins = true;
            }
        }
        if joins {
            self.link_readers();
        }
    }

    /// Links what a move changes, and what its legality reads.
    fn link_moves(&mut self) {
        let by_cone = self.effects_by_cone();
        let Some(by_cone) = by_cone else {
            let played = self.fluents(|nature| nature == Nature::Chosen);
            self.groups.link_all(played);
            return;
        };
        let mut grows = true;
        while grows {
            grows = false;
            let free = self.free_groups();
            for (number, by_cone) in by_cone.iter().enumerate() {
                grows |= self.link_move(number, by_cone, &free);
            }
        }
    }

    /// What a move may change that was never seen to depend on a choice; for moves that were
    /// never legal all that they may change. Nothing if that is too much to look at.
    fn effects_by_cone(&self) -> Option<Vec<Vec<usize>>> {
        let mut effects = vec![Vec::new(); self.netlist.moves];
        let is_unseen = |&number: &usize| !self.evidence.legal[number];
        let is_open = |fluent: usize| {
            self.natures[fluent] == Nature::Chosen
                && (!self.evidence.chosen[fluent]
                    || self.cones.next[fluent].moves.iter().any(is_unseen))
        };
        let wanted: Vec<bool> = (0..self.netlist.fluents).map(is_open).collect();
        let count = wanted.iter().filter(|&&is_wanted| is_wanted).count();
        if count.saturating_mul(self.netlist.moves) > potential_effects::MOST_PAIRS {
            return None;
        }
        let cases = vec![vec![Rc::new(Case::default())]; self.netlist.moves];
        let potential_effects =
            potential_effects::potential_effects(self.netlist, self.cones, &wanted, &cases);
        for (fluent, moves) in potential_effects.into_iter().enumerate() {
            for number in moves {
                if !self.evidence.chosen[fluent] || is_unseen(&number) {
                    effects[number].push(fluent);
                }
            }
        }
        Some(effects)
    }

    /// Pairs of groups of which both may change in any combination.
    fn free_groups(&mut self) -> FxHashSet<(usize, usize)> {
        let groups = &mut self.groups;
        let mut pair = |&(one, other): &(u32, u32)| {
            let (one, other) = (groups.find(one as usize), groups.find(other as usize));
            (one.min(other), one.max(other))
        };
        self.evidence.free.iter().map(&mut pair).collect()
    }

    fn link_move(
        &mut self,
        number: usize,
        by_cone: &[usize],
        free: &FxHashSet<(usize, usize)>,
    ) -> bool {
        let mut linked = self.groups.link_all(by_cone.iter().copied());
        let effects = self.evidence.effects[number].iter().chain(by_cone);
        let mut classes: Vec<usize> = effects.map(|&fluent| self.groups.find(fluent)).collect();
        classes.sort_unstable();
        classes.dedup();
        for place in 1..classes.len() {
            for before in 0..place {
                let pair = (classes[before], classes[place]);
                let is_forced = by_cone.first().is_some_and(|&fluent| {
                    let class = self.groups.find(fluent);
                    class == pair.0 || class == pair.1
                });
                if is_forced || !free.contains(&pair) {
                    linked |= self.groups.link(pair.0, pair.1);
                }
            }
        }
        self.link_legality(number, &mut classes) | linked
    }

    /// What legality reads belongs to what the move changes. Of a compound move nobody knows
    /// to which part, unless it is in one of them already.
    fn link_legality(&mut self, number: usize, classes: &mut Vec<usize>) -> bool {
        classes.iter_mut().for_each(|class| *class = self.groups.find(*class));
        classes.sort_unstable();
        classes.dedup();
        let mut linked = false;
        for &premise in &self.cones.legal[number].fluents {
            let class = self.groups.find(premise);
            if !self.natures[premise].is_play() || classes.contains(&class) {
                continue;
            }
            linked |= self.groups.link_all(classes.iter().copied().chain([class]));
            classes.iter_mut().for_each(|class| *class = self.groups.find(*class));
        }
        linked && !classes.is_empty()
    }

    /// DisjointSets must be free of each other in all that was seen, and not only two by two.
    fn check_outcomes(&mut self) {
        let mut grows = true;
        while grows {
            grows = false;
            for outcomes in &self.evidence.outcomes {
                grows |= outcomes.link_dependent(&mut self.groups);
            }
        }
    }

    /// Play that shares a condition of the score is one, and so is all play that has none of
    /// its own.
    fn link_subgoals(&mut self, subgoals: &[Vec<usize>]) {
        let scoring: Vec<usize> =
            self.cones.goals.iter().flat_map(|cone| &cone.fluents).copied().collect();
        let mut has_own = vec![false; self.netlist.fluents];
        for subgoal in subgoals {
            let play: Vec<usize> =
                subgoal.iter().copied().filter(|&fluent| self.natures[fluent].is_play()).collect();
            self.groups.link_all(play.iter().copied());
            play.first().inspect(|&&fluent| has_own[fluent] = true);
        }
        let owners: FxHashSet<usize> = (0..self.netlist.fluents)
            .filter(|&fluent| has_own[fluent])
            .map(|fluent| self.groups.find(fluent))
            .collect();
        let rest = scoring.into_iter().filter(|&fluent| self.natures[fluent].is_play());
        let rest: Vec<usize> =
            rest.filter(|&fluent| !owners.contains(&self.groups.find(fluent))).collect();
        self.groups.link_all(rest);
    }

    fn link_independents(&mut self) {
        for fluent in self.fluents(|nature| nature == Nature::Independent) {
            for premise in self.premises(fluent) {
                if self.natures[premise] == Nature::Independent {
                    self.groups.link(fluent, premise);
                }
            }
        }
    }
}
