//! By rules: what moves can change, proved from the circuit alone.
//!
//! A move is played with everything else unknown, in
//! [`potential_effects`](crate::potential_effects); what surely
//! stays as it is, is no effect of it. More is known than nothing: whose turn it is goes
//! round by itself, so that the few states of a turn can be listed, and in each of them many
//! moves are surely illegal. A move that is the only one of its role whenever it can be
//! legal decides on nothing. Moves that change several fluents link them: by rules alone
//! nobody takes a compound move apart.

use crate::cones::Cones;
use crate::effects::Evidence;
use crate::lanes::Word;
use crate::netlist::{Netlist, read};
use crate::partition::{Nature, independents, natures};
use crate::potential_effects::{self, Case};
use crate::three_valued::Simulation;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// What is known of moves by the rules.
pub(crate) fn look(netlist: &Netlist, cones: &Cones) -> Evidence {
    let natures = natures(netlist, cones, &vec![false; netlist.fluents]);
    let is_chosen = |fluent: &usize| natures[*fluent] == Nature::Chosen;
    let played: Vec<usize> = (0..netlist.fluents).filter(is_chosen).collect();
    if played.len().saturating_mul(netlist.moves) > potential_effects::MOST_PAIRS {
        return one_game(netlist, &natures, &played);
    }
    let turns = turns(netlist, cones, &natures);
    let cases = cases(netlist, &turns);
    let chosen: Vec<bool> = natures.iter().map(|&nature| nature == Nature::Chosen).collect();
    let potential_effects = potential_effects::potential_effects(netlist, cones, &chosen, &cases);
    let mut evidence = Evidence::none(netlist);
    evidence.legal.fill(true);
    for (fluent, moves) in potential_effects.into_iter().enumerate() {
        for number in moves {
            evidence.chosen[fluent] = true;
            evidence.effects[number].push(fluent);
        }
    }
    let happens = |(fluent, &nature): (usize, &Nature)| match nature {
        Nature::Fixed => false,
        Nature::Chosen => evidence.chosen[fluent],
        _ => true,
    };
    evidence.changed = natures.iter().enumerate().map(happens).collect();
    for effects in &evidence.effects {
        evidence.groups.link_all(effects.iter().copied());
    }
    evidence
}

/// Too much to look at: nothing is taken apart.
fn one_game(netlist: &Netlist, natures: &[Nature], played: &[usize]) -> Evidence {
    let mut evidence = Evidence::none(netlist);
    evidence.legal.fill(true);
    evidence.changed = natures.iter().map(|&nature| nature != Nature::Fixed).collect();
    played.iter().for_each(|&fluent| evidence.chosen[fluent] = true);
    evidence.groups.link_all(played.iter().copied());
    evidence
}

/// A state of the turn: the values of its fluents.
pub(crate) type Turn = Vec<(usize, bool)>;

/// More states of the turn are not told apart.
const MOST_TURNS: usize = 16;

/// A group of fluents that goes by itself is followed for so many steps.
const MOST_STEPS: usize = 2 * MOST_TURNS;

/// All states of what goes round by itself and tells what is legal.
fn turns(netlist: &Netlist, cones: &Cones, natures: &[Nature]) -> Vec<Turn> {
    let mut independents = independents(netlist, cones, natures);
    let mut read_by_legality: FxHashSet<usize> = FxHashSet::default();
    for fluent in cones.legal.iter().flat_map(|cone| &cone.fluents) {
        if natures[*fluent] == Nature::Independent {
            read_by_legality.insert(independents.find(*fluent));
        }
    }
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); netlist.fluents];
    for fluent in (0..netlist.fluents).filter(|&fluent| natures[fluent] == Nature::Independent) {
        members[independents.find(fluent)].push(fluent);
    }
    let mut groups: Vec<usize> = read_by_legality.into_iter().collect();
    groups.sort_unstable();
    let mut turns = vec![Turn::new()];
    for group in groups {
        let Some(states) = states(netlist, &members[group]) else { continue };
        if turns.len() * states.len() <= MOST_TURNS {
            let both = |turn: &Turn| {
                let extended = |state: &Turn| turn.iter().chain(state).copied().collect();
                states.iter().map(extended).collect::<Vec<Turn>>()
            };
            turns = turns.iter().flat_map(both).collect();
        }
    }
    turns
}

/// The states that a group of fluents goes through by itself, if it comes round soon.
fn states(netlist: &Netlist, members: &[usize]) -> Option<Vec<Turn>> {
    let program = netlist.program(members.iter().map(|&fluent| netlist.next[fluent]));
    let mut values = netlist.values();
    for (fluent, &holds) in netlist.initial.iter().enumerate() {
        values[netlist.fluent(fluent)] = Word::splat(holds);
    }
    let mut states: Vec<Turn> = Vec::new();
    for _ in 0..MOST_STEPS {
        let value = |&fluent: &usize| (fluent, values[netlist.fluent(fluent)].get(0));
        let state: Turn = members.iter().map(value).collect();
        if states.contains(&state) {
            return Some(states);
        }
        states.push(state);
        netlist.run(&program, &mut values);
        let next: Vec<Word> = members.iter().map(|&f| read(&values, netlist.next[f])).collect();
        for (&fluent, next) in members.iter().zip(next) {
            values[netlist.fluent(fluent)] = next;
        }
    }
    None
}

/// For each move the turns in which it may be legal and its role may have another one, with
/// what the other roles may play then.
fn cases(netlist: &Netlist, turns: &[Turn]) -> Vec<Vec<Rc<Case>>> {
    let mut simulation = Simulation::new(netlist);
    for (lane, turn) in turns.iter().enumerate() {
        for &(fluent, holds) in turn {
            simulation.set_lane(netlist.fluent(fluent), lane, holds);
        }
    }
    simulation.run(&netlist.program(netlist.legal.iter().copied()), &FxHashMap::default());
    let may: Vec<Word> = netlist.legal.iter().map(|&wire| simulation.get(wire).may).collect();
    let mut cases = vec![Vec::new(); netlist.moves];
    for (lane, turn) in turns.iter().enumerate() {
        let options: Vec<Vec<usize>> = netlist
            .roles
            .iter()
            .map(|own| own.clone().filter(|&number| may[number].get(lane)).collect())
            .collect();
        for (role, own) in options.iter().enumerate().filter(|(_, own)| own.len() > 1) {
            let case =
                Rc::new(Case { turn: turn.clone(), others: others(netlist, &options, role) });
            own.iter().for_each(|&number| cases[number].push(Rc::clone(&case)));
        }
    }
    cases
}

/// What is known of the moves of other roles: one that has a single move plays it.
fn others(netlist: &Netlist, options: &[Vec<usize>], role: usize) -> Vec<(usize, bool)> {
    let mut others = Vec::new();
    for (other, own) in options.iter().enumerate().filter(|&(other, _)| other != role) {
        for number in netlist.roles[other].clone() {
            match own.as_slice() {
                [only] => others.push((number, *only == number)),
                _ if own.binary_search(&number).is_err() => others.push((number, false)),
                _ => {}
            }
        }
    }
    others
}
