//! Which parts bear on the end or the score.
//!
//! A part is useful if the end, a goal or the start of another part reads it. What is played
//! elsewhere is a pass, and passes are useless as a rule. But where all moves of a role in the
//! useful parts end the game at once without its best goal, the role wins by not making them,
//! so that the parts in which it can move instead are what the game is about: queens are
//! placed to put off the move that gives up.

use crate::cones::Cones;
use crate::net::{Goal, Net};
use crate::rails::{Known, Rails};
use crate::word::LANES;
use rustc_hash::FxHashMap;

/// For each part, given by its fluents, whether it is useful; `changed` tells which parts that
/// are played a move changes.
pub(crate) fn useful(
    net: &Net,
    cones: &Cones,
    parts: &[Vec<usize>],
    changed: &[Vec<usize>],
) -> Vec<bool> {
    let ends = cones.ends(net.fluents);
    let bears = |part: &Vec<usize>| part.iter().any(|&fluent| ends[fluent]);
    let mut useful: Vec<bool> = parts.iter().map(bears).collect();
    for role in 0..net.roles.len() {
        let moves = net.roles[role].clone().filter(|&number| !changed[number].is_empty());
        let acts = |&number: &usize| changed[number].iter().any(|&part| useful[part]);
        let (acting, elsewhere): (Vec<usize>, Vec<usize>) = moves.partition(acts);
        if !acting.is_empty() && !elsewhere.is_empty() && all_lose(net, role, &acting) {
            elsewhere.iter().flat_map(|&number| &changed[number]).for_each(|&p| useful[p] = true);
        }
    }
    useful
}

/// Whether each of these moves ends the game without the best goal of its role, whatever the
/// state is and the others do.
fn all_lose(net: &Net, role: usize, moves: &[usize]) -> bool {
    let own = net.goals.iter().filter(|goal| goal.role == role);
    let Some(best) = own.max_by_key(|goal| goal.value) else { return false };
    moves.chunks(LANES).all(|some| lose(net, role, best, some))
}

fn lose(net: &Net, role: usize, best: &Goal, moves: &[usize]) -> bool {
    let mut now = Rails::new(net);
    for number in net.roles[role].clone() {
        now.set(net.does(number), Known::fixed(false));
    }
    for (lane, &number) in moves.iter().enumerate() {
        now.set_lane(net.does(number), lane, true);
    }
    now.run(&net.program(net.next.iter().copied()), &FxHashMap::default());
    let mut then = Rails::new(net);
    for (fluent, &next) in net.next.iter().enumerate() {
        then.set(net.fluent(fluent), now.get(next));
    }
    then.run(&net.program([net.terminal, best.holds]), &FxHashMap::default());
    let (over, won) = (then.get(net.terminal).must, then.get(best.holds).may);
    (0..moves.len()).all(|lane| over.get(lane) && !won.get(lane))
}
