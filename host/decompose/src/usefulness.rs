//! Which parts bear on the end or the score.
//!
//! A part is useful if the end, a goal or the start of another part reads it. What is played
//! elsewhere is a pass, and passes are useless as a rule. But where all moves of a role in the
//! useful parts end the game at once without its best goal, the role wins by not making them,
//! so that the parts in which it can move instead are what the game is about: queens are
//! placed to put off the move that gives up.

use crate::cones::Cones;
use crate::lanes::LANES;
use crate::netlist::{Goal, Netlist};
use crate::three_valued::{Known, Simulation};
use rustc_hash::FxHashMap;

/// For each part, given by its fluents, whether it is useful; `changed` tells which parts that
/// are played a move changes.
pub(crate) fn useful(
    netlist: &Netlist,
    cones: &Cones,
    parts: &[Vec<usize>],
    changed: &[Vec<usize>],
) -> Vec<bool> {
    let ends = cones.ends(netlist.fluents);
    let bears = |part: &Vec<usize>| part.iter().any(|&fluent| ends[fluent]);
    let mut useful: Vec<bool> = parts.iter().map(bears).collect();
    for role in 0..netlist.roles.len() {
        let moves = netlist.roles[role].clone().filter(|&number| !changed[number].is_empty());
        let acts = |&number: &usize| changed[number].iter().any(|&part| useful[part]);
        let (acting, elsewhere): (Vec<usize>, Vec<usize>) = moves.partition(acts);
        if !acting.is_empty() && !elsewhere.is_empty() && all_lose(netlist, role, &acting) {
            elsewhere.iter().flat_map(|&number| &changed[number]).for_each(|&p| useful[p] = true);
        }
    }
    useful
}

/// Whether each of these moves ends the game without the best goal of its role, whatever the
/// state is and the others do.
fn all_lose(netlist: &Netlist, role: usize, moves: &[usize]) -> bool {
    let own = netlist.goals.iter().filter(|goal| goal.role == role);
    let Some(best) = own.max_by_key(|goal| goal.value) else { return false };
    moves.chunks(LANES).all(|some| lose(netlist, role, best, some))
}

fn lose(netlist: &Netlist, role: usize, best: &Goal, moves: &[usize]) -> bool {
    let mut now = Simulation::new(netlist);
    for number in netlist.roles[role].clone() {
        now.set(netlist.does(number), Known::fixed(false));
    }
    for (lane, &number) in moves.iter().enumerate() {
        now.set_lane(netlist.does(number), lane, true);
    }
    now.run(&netlist.program(netlist.next.iter().copied()), &FxHashMap::default());
    let mut then = Simulation::new(netlist);
    for (fluent, &next) in netlist.next.iter().enumerate() {
        then.set(netlist.fluent(fluent), now.get(next));
    }
    then.run(&netlist.program([netlist.terminal, best.holds]), &FxHashMap::default());
    let (over, won) = (then.get(netlist.terminal).must, then.get(best.holds).may);
    (0..moves.len()).all(|lane| over.get(lane) && !won.get(lane))
}
