//! What a decomposition says.

use crate::decomposition::Found;
use crate::effects::Evidence;
use crate::netlist::{Netlist, fluent_name, move_name};
use crate::partition::{Nature, Partition};
use crate::score::{self, Shape};
use crate::usefulness;
use ruche_compiler::{GameCircuit, Id, RoleId};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

/// The games inside a game.
#[derive(Clone, Debug)]
pub struct Decomposition {
    /// The parts: first those that are played, then those that go by themselves.
    pub subgames: Vec<Subgame>,
    /// How those that are played are put together.
    pub composition: Composition,
    /// What the score makes of those that are played.
    pub score: Shape,
    /// What acts on what, by the numbers of the parts.
    pub links: Vec<Link>,
    /// Moves that were never legal in a state that was seen; none of them if no games were
    /// played.
    pub unplayed: Vec<String>,
    /// States in which moves were compared.
    pub states: usize,
    /// Seconds of each step.
    pub seconds: Vec<(&'static str, f64)>,
}

/// A game inside a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subgame {
    /// What it is.
    pub kind: Kind,
    /// Whether it bears on the end, the score, or the start of one that does.
    pub useful: bool,
    /// Whether the end of the game reads it.
    pub terminal: bool,
    /// Roles whose goals read it.
    pub roles: Vec<String>,
    /// The parts that must be over before it starts.
    pub after: Vec<usize>,
    /// Its fluents.
    pub fluents: Vec<String>,
    /// Moves that change it, with their roles.
    pub moves: Vec<String>,
    /// If some of them change other parts as well: moves that are the same move here.
    pub meta_moves: Vec<Vec<String>>,
    /// How it is known that nothing else belongs to it.
    pub proof: Proof,
}

/// What a part of a game is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Moves decide on it.
    Play,
    /// It goes by itself, and does not come round.
    Stepper,
    /// It goes round by itself: whose turn it is.
    Control,
}

impl Kind {
    /// What it is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Play => "play",
            Kind::Stepper => "stepper",
            Kind::Control => "control",
        }
    }
}

/// How a separation is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Proof {
    /// By the rules, for all states.
    Proved,
    /// Nothing else was seen.
    Seen {
        /// In so many states.
        states: usize,
    },
}

/// How parts are put together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Composition {
    /// There is at most one that is played.
    Single,
    /// A move changes one of them.
    Asynchronous,
    /// A move changes several of them.
    Synchronous,
    /// One starts when another ends.
    Serial,
}

impl Composition {
    /// What it is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Composition::Single => "single",
            Composition::Asynchronous => "asynchronous",
            Composition::Synchronous => "synchronous",
            Composition::Serial => "serial",
        }
    }
}

/// One part acts on another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// Which acts.
    pub from: usize,
    /// On which.
    pub to: usize,
    /// How.
    pub kind: LinkKind,
}

/// How a part acts on another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkKind {
    /// Whether moves of the other one are legal.
    Allows,
    /// When the other one starts.
    Starts,
}

/// How many parts there are: all that are played, the useless ones among them, all that go
/// by themselves, the useless ones among these.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Those that depend on actions.
    pub ad: usize,
    /// Useless ones among them.
    pub uad: usize,
    /// Those that are independent of actions.
    pub ai: usize,
    /// Useless ones among them.
    pub uai: usize,
}

impl Decomposition {
    /// How many parts there are of each sort.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for part in &self.subgames {
            let (all, useless) = match part.kind {
                Kind::Play => (&mut counts.ad, &mut counts.uad),
                _ => (&mut counts.ai, &mut counts.uai),
            };
            *all += 1;
            *useless += usize::from(!part.useful);
        }
        counts
    }
}

/// What was found, and the groups that the rules prove.
pub(crate) struct Parts {
    pub(crate) found: Found,
    pub(crate) proved: Option<Partition>,
}

impl Parts {
    pub(crate) fn report(mut self, circuit: &GameCircuit, netlist: &Netlist) -> Decomposition {
        let groups = self.groups(netlist);
        let changed: Vec<Vec<usize>> =
            (0..netlist.moves).map(|number| groups.changed(&self.found.evidence, number)).collect();
        let useful = usefulness::useful(netlist, &self.found.cones, &groups.members, &changed);
        let found = &self.found;
        let reporter = Reporter { circuit, netlist, found, groups: &groups, changed, useful };
        let subgames: Vec<Subgame> = (0..groups.members.len())
            .map(|part| reporter.subgame(part, self.proved.as_mut()))
            .collect();
        Decomposition {
            composition: reporter.composition(&subgames),
            score: score::shape(netlist, &groups.play_of_fluents()),
            links: reporter.links(),
            unplayed: reporter.unplayed(),
            states: self.found.evidence.states,
            seconds: Vec::new(),
            subgames,
        }
    }

    /// The groups in which something happens, those that are played first.
    fn groups(&mut self, netlist: &Netlist) -> Groups {
        let Found { evidence, partition, .. } = &mut self.found;
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for fluent in (0..netlist.fluents).filter(|&f| partition.natures[f] != Nature::Fixed) {
            members.entry(partition.groups.find(fluent)).or_default().push(fluent);
        }
        let happens = |fluent: &usize| {
            let is_seen = evidence.changed[*fluent] || evidence.chosen[*fluent];
            is_seen && partition.natures[*fluent] != Nature::Spent
        };
        let is_play = |fluent: &usize| partition.natures[*fluent].is_play();
        let alive = members.into_values().filter(|members| members.iter().any(happens));
        let (play, rest): (Vec<_>, Vec<_>) = alive.partition(|members| members.iter().any(is_play));
        let played = play.len();
        let members: Vec<Vec<usize>> = play.into_iter().chain(rest).collect();
        let mut of_fluent = vec![None; netlist.fluents];
        for (part, members) in members.iter().enumerate() {
            members.iter().for_each(|&fluent| of_fluent[fluent] = Some(part));
        }
        Groups { members, played, of_fluent }
    }
}

/// Parts by number.
struct Groups {
    members: Vec<Vec<usize>>,
    /// How many of them are played.
    played: usize,
    of_fluent: Vec<Option<usize>>,
}

impl Groups {
    /// Parts that a move changes.
    fn changed(&self, evidence: &Evidence, number: usize) -> Vec<usize> {
        let effects = evidence.effects[number].iter();
        let parts: BTreeSet<usize> = effects.filter_map(|&fluent| self.of_fluent[fluent]).collect();
        parts.into_iter().collect()
    }

    fn play_of_fluents(&self) -> Vec<Option<usize>> {
        self.of_fluent.iter().map(|part| part.filter(|&part| part < self.played)).collect()
    }
}

struct Reporter<'a> {
    circuit: &'a GameCircuit,
    netlist: &'a Netlist,
    found: &'a Found,
    groups: &'a Groups,
    /// Parts that each move changes.
    changed: Vec<Vec<usize>>,
    /// For each part whether it bears on the end or the score.
    useful: Vec<bool>,
}

impl Reporter<'_> {
    fn subgame(&self, part: usize, proved: Option<&mut Partition>) -> Subgame {
        let members = &self.groups.members[part];
        let cones = &self.found.cones;
        let reads =
            |fluents: &[usize]| fluents.iter().any(|f| self.groups.of_fluent[*f] == Some(part));
        let roles = cones.goals.iter().enumerate().filter(|(_, cone)| reads(&cone.fluents));
        let moves = self.moves(part);
        Subgame {
            kind: self.kind(part),
            useful: self.useful[part],
            terminal: reads(&cones.terminal.fluents),
            roles: roles.map(|(role, _)| self.role(role)).collect(),
            after: self.after(part),
            fluents: members.iter().map(|&f| fluent_name(self.circuit, f).to_owned()).collect(),
            meta_moves: self.meta_moves(part, &moves),
            moves: moves.iter().map(|&number| self.text(number)).collect(),
            proof: self.proof(members, proved),
        }
    }

    fn role(&self, role: usize) -> String {
        self.circuit.role_name(RoleId::new(role)).to_owned()
    }

    fn text(&self, number: usize) -> String {
        let role = self.role(self.netlist.role_of(number));
        format!("{role} {}", move_name(self.circuit, number))
    }

    fn kind(&self, part: usize) -> Kind {
        let members = &self.groups.members[part];
        if part < self.groups.played {
            return Kind::Play;
        }
        let mut read: FxHashSet<usize> = FxHashSet::default();
        for &fluent in members {
            let premises = self.found.cones.next[fluent].fluents.iter().copied();
            read.extend(premises.filter(|&premise| premise != fluent || members.len() == 1));
        }
        match members.iter().all(|fluent| read.contains(fluent)) {
            true => Kind::Control,
            false => Kind::Stepper,
        }
    }

    fn moves(&self, part: usize) -> Vec<usize> {
        (0..self.netlist.moves).filter(|&number| self.changed[number].contains(&part)).collect()
    }

    /// Moves of a role with the same effects here and the same premises here.
    fn meta_moves(&self, part: usize, moves: &[usize]) -> Vec<Vec<String>> {
        if moves.iter().all(|&number| self.changed[number].len() < 2) {
            return Vec::new();
        }
        let here = |fluents: &[usize]| -> Vec<usize> {
            let is_here = |fluent: &&usize| self.groups.of_fluent[**fluent] == Some(part);
            fluents.iter().filter(is_here).copied().collect()
        };
        let mut alike: BTreeMap<_, Vec<String>> = BTreeMap::new();
        for &number in moves {
            let effects = here(&self.found.evidence.effects[number]);
            let premises = here(&self.found.cones.legal[number].fluents);
            let key = (self.netlist.role_of(number), effects, premises);
            alike.entry(key).or_default().push(self.text(number));
        }
        alike.into_values().collect()
    }

    /// Parts whose moves come before those of this one.
    fn after(&self, part: usize) -> Vec<usize> {
        let mut after = BTreeSet::new();
        for pivot in &self.found.pivots {
            let changed = |moves: &[usize]| -> BTreeSet<usize> {
                moves.iter().flat_map(|&number| &self.changed[number]).copied().collect()
            };
            let (before, behind) = (changed(&pivot.before), changed(&pivot.behind));
            if behind.contains(&part) && !before.contains(&part) {
                after.extend(before.difference(&behind));
            }
        }
        after.into_iter().collect()
    }

    /// Proved if nothing of it is in a group with something else by the rules.
    fn proof(&self, members: &[usize], proved: Option<&mut Partition>) -> Proof {
        let seen = Proof::Seen { states: self.found.evidence.states };
        let Some(Partition { groups, natures }) = proved else { return seen };
        let own: FxHashSet<usize> = members.iter().map(|&fluent| groups.find(fluent)).collect();
        let is_outside = |fluent: &usize| members.binary_search(fluent).is_err();
        let mut others = (0..self.netlist.fluents).filter(is_outside);
        let is_joined =
            others.any(|f| natures[f] != Nature::Fixed && own.contains(&groups.find(f)));
        if is_joined { seen } else { Proof::Proved }
    }

    fn composition(&self, subgames: &[Subgame]) -> Composition {
        if self.groups.played < 2 {
            Composition::Single
        } else if subgames.iter().any(|part| !part.after.is_empty()) {
            Composition::Serial
        } else if (0..self.netlist.moves).any(|number| self.changed[number].len() > 1) {
            Composition::Synchronous
        } else {
            Composition::Asynchronous
        }
    }

    fn links(&self) -> Vec<Link> {
        let mut links = BTreeSet::new();
        for number in 0..self.netlist.moves {
            let premises = &self.found.cones.legal[number].fluents;
            let from = premises.iter().filter_map(|&fluent| self.groups.of_fluent[fluent]);
            let from: BTreeSet<usize> = from.filter(|&part| part >= self.groups.played).collect();
            for &to in &self.changed[number] {
                links.extend(from.iter().map(|&from| (from, to)));
            }
        }
        let allows = links.into_iter().map(|(from, to)| Link { from, to, kind: LinkKind::Allows });
        let starts = (0..self.groups.played).flat_map(|to| {
            let from = self.after(to).into_iter();
            from.map(move |from| Link { from, to, kind: LinkKind::Starts })
        });
        allows.chain(starts).collect()
    }

    fn unplayed(&self) -> Vec<String> {
        if self.found.evidence.states == 0 {
            return Vec::new();
        }
        let is_unseen = |number: &usize| !self.found.evidence.legal[*number];
        (0..self.netlist.moves).filter(is_unseen).map(|number| self.text(number)).collect()
    }
}
