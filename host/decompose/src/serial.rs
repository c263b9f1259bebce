//! Games that are played one after the other: a condition that all moves with an effect ask
//! for, some that it holds and the others that it does not, and that never turns back.
//!
//! That it parts the moves is proved: with the condition held on a value and nothing else
//! known, the moves of the other side are illegal. That it never turns back is proved if a
//! fluent keeps it, and else seen.

use crate::cones::{Readers, Walker};
use crate::lanes::{LANES, Word};
use crate::netlist::{Netlist, Wire};
use crate::playouts::{self, Effort};
use crate::three_valued::{Force, Known, Simulation};
use rustc_hash::FxHashMap;

/// A condition that ends one game and starts another.
#[derive(Clone, Debug)]
pub(crate) struct Pivot {
    pub(crate) node: usize,
    /// Moves before it, and behind it.
    pub(crate) before: Vec<usize>,
    pub(crate) behind: Vec<usize>,
}

/// All such conditions for the moves that have an effect.
/// One that is not proved to stay may be seen to stay, if there is an effort for it.
pub(crate) fn pivots(netlist: &Netlist, effective: &[usize], effort: Option<Effort>) -> Vec<Pivot> {
    let mut pivots = Vec::new();
    let mut open = vec![effective.to_vec()];
    while let Some(moves) = open.pop() {
        if pivots.len() < MOST_PIVOTS
            && let Some(pivot) = pivot(netlist, &moves, effort)
        {
            open.extend([pivot.before.clone(), pivot.behind.clone()]);
            pivots.push(pivot);
        }
    }
    pivots
}

/// More games in a row than anybody has seen.
const MOST_PIVOTS: usize = 16;

fn pivot(netlist: &Netlist, moves: &[usize], effort: Option<Effort>) -> Option<Pivot> {
    let candidates = common_conditions(netlist, moves);
    let mut parting = Vec::new();
    for some in candidates.chunks(LANES / 2) {
        parting.extend(parting_conditions(netlist, moves, some));
    }
    for pivot in &parting {
        for negated in [false, true] {
            if is_kept(netlist, Wire { node: pivot.node as u32, negated }) {
                return Some(if negated { pivot.clone().turned() } else { pivot.clone() });
            }
        }
    }
    let effort = effort.filter(|_| !parting.is_empty())?;
    let nodes: Vec<usize> = parting.iter().map(|pivot| pivot.node).collect();
    let turns = playouts::watch(netlist, &nodes, effort);
    let one_way = parting.into_iter().zip(turns).find(|(_, turns)| turns.rises != turns.falls);
    one_way.map(|(pivot, turns)| if turns.falls { pivot.turned() } else { pivot })
}

/// Whether a fluent keeps a condition for ever: it becomes true with it, and makes it true.
fn is_kept(netlist: &Netlist, wire: Wire) -> bool {
    let program = netlist.program([wire]);
    let mut keepers = (0..netlist.fluents).filter(|&fluent| netlist.next[fluent] == wire);
    keepers.any(|fluent| {
        let mut simulation = Simulation::new(netlist);
        simulation.set(netlist.fluent(fluent), Known::fixed(true));
        simulation.run(&program, &FxHashMap::default());
        !simulation.get(wire).must.is_none()
    })
}

impl Pivot {
    fn turned(self) -> Self {
        Pivot { node: self.node, before: self.behind, behind: self.before }
    }
}

/// Conditions that the legality of every move reads: those of the first one that the others
/// read as well.
fn common_conditions(netlist: &Netlist, moves: &[usize]) -> Vec<usize> {
    let [first, rest @ ..] = moves else { return Vec::new() };
    if rest.is_empty() {
        return Vec::new();
    }
    let mut conditions = Walker::new(netlist).nodes([netlist.legal[*first]]);
    conditions.retain(|&node| node > 0 && !netlist.is_variable(node));
    let mut common = Vec::new();
    let mut readers = Readers::new(netlist, &[], MOST_READ);
    for some in conditions.chunks(LANES) {
        if readers.find(some).is_none() {
            return Vec::new();
        }
        let read = rest.iter().map(|&number| readers.get(netlist.legal[number]));
        let by_all = read.fold(Word::ALL, Word::and);
        let is_common = |&(lane, _): &(usize, &usize)| by_all.get(lane);
        common.extend(some.iter().enumerate().filter(is_common).map(|(_, &node)| node));
    }
    common
}

/// Operands that may be read to find them.
const MOST_READ: usize = 200_000_000;

fn parting_conditions(netlist: &Netlist, moves: &[usize], candidates: &[usize]) -> Vec<Pivot> {
    let program = netlist.program(moves.iter().map(|&number| netlist.legal[number]));
    let mut simulation = Simulation::new(netlist);
    let mut forces: FxHashMap<usize, Force> = FxHashMap::default();
    for (place, &node) in candidates.iter().enumerate() {
        let force = forces.entry(node).or_default();
        force.on.set(2 * place, true);
        force.off.set(2 * place + 1, true);
        if node <= netlist.fluents {
            simulation.set(node, Known::UNKNOWN.forced(*force));
        }
    }
    simulation.run(&program, &forces);
    let legal: Vec<Known> =
        moves.iter().map(|&number| simulation.get(netlist.legal[number])).collect();
    let parted = |(place, &node): (usize, &usize)| {
        let mut pivot = Pivot { node, before: Vec::new(), behind: Vec::new() };
        for (legal, &number) in legal.iter().zip(moves) {
            match (legal.may.get(2 * place), legal.may.get(2 * place + 1)) {
                (true, false) => pivot.behind.push(number),
                (false, true) => pivot.before.push(number),
                _ => return None,
            }
        }
        (!pivot.before.is_empty() && !pivot.behind.is_empty()).then_some(pivot)
    };
    candidates.iter().enumerate().filter_map(parted).collect()
}
