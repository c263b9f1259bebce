//! What must hold of all parts together: that moves of one leave the others alone, when the
//! game is over, and what it has brought then.

use super::oracle::{Case, Oracle};
use super::parts::Part;
use super::turns::Turns;
use crate::netlist::Wire;

/// Combinations of ends of all parts that are looked at.
const MOST_ENDS: usize = 1 << 12;

/// Every move of a part leaves each state of every other part as it is.
pub(crate) fn moves_leave_others_alone(
    oracle: &mut Oracle<'_>,
    turns: &Turns<'_>,
    parts: &[Part<'_>],
) -> Option<()> {
    for (number, part) in parts.iter().enumerate() {
        let next: Vec<Wire> =
            part.fluents.iter().map(|&fluent| oracle.netlist.next[fluent]).collect();
        for turn in 0..turns.turns.len() {
            let others = (0..parts.len()).filter(|&other| other != number);
            let moves: Vec<usize> = others.flat_map(|other| turns.moves_of(turn, other)).collect();
            for state in 0..part.states.len() {
                let case = part.case(turns, turn, state);
                let wait = turns.turns[turn].wait;
                let cases = moves.iter().map(|&played| case.clone().playing([played, wait]));
                let answers = oracle.ask(&next, &cases.collect::<Vec<_>>())?;
                let stays = |(known, &value): (&Option<bool>, &bool)| *known == Some(value);
                let stays = |known: &Vec<_>| known.iter().zip(&part.states[state]).all(stays);
                answers.iter().all(stays).then_some(())?;
            }
        }
    }
    Some(())
}

/// The game goes on while some part has a move, and is over when none has.
pub(crate) fn ends_without_moves(
    oracle: &mut Oracle<'_>,
    turns: &Turns<'_>,
    parts: &[Part<'_>],
) -> Option<()> {
    let terminal = [oracle.netlist.terminal];
    for part in parts {
        let goes_on = (0..part.states.len()).filter(|&state| !part.options[state].is_empty());
        let in_turns = |state| (0..turns.turns.len()).map(move |turn| (turn, state));
        let cases = goes_on.flat_map(in_turns).map(|(turn, state)| part.case(turns, turn, state));
        let answers = oracle.ask(&terminal, &cases.collect::<Vec<_>>())?;
        answers.iter().all(|known| known[0] == Some(false)).then_some(())?;
    }
    for turn in 0..turns.turns.len() {
        let answers = oracle.ask(&terminal, &ends(turns, parts, turn)?)?;
        answers.iter().all(|known| known[0] == Some(true)).then_some(())?;
    }
    Some(())
}

/// The goals of both roles at ends, by who would be to move: exactly one for each, and the
/// same at all ends.
pub(crate) fn goals_at_ends(
    oracle: &mut Oracle<'_>,
    turns: &Turns<'_>,
    parts: &[Part<'_>],
) -> Option<[[u16; 2]; 2]> {
    let wires: Vec<Wire> = oracle.netlist.goals.iter().map(|goal| goal.holds).collect();
    let mut found: [Option<[u16; 2]>; 2] = [None; 2];
    for (turn, about) in turns.turns.iter().enumerate() {
        for known in oracle.ask(&wires, &ends(turns, parts, turn)?)? {
            let goals = goals(oracle, &known)?;
            if found[about.mover].replace(goals).is_some_and(|before| before != goals) {
                return None;
            }
        }
    }
    let [first, second] = found;
    Some([first?, second?])
}

/// The one goal of each role.
fn goals(oracle: &Oracle<'_>, known: &[Option<bool>]) -> Option<[u16; 2]> {
    let mut goals = [None; 2];
    for (goal, holds) in oracle.netlist.goals.iter().zip(known) {
        if (*holds)? && goals[goal.role].replace(goal.value).is_some() {
            return None;
        }
    }
    let [first, second] = goals;
    Some([first?, second?])
}

/// All combinations of ends of all parts in a turn, if there are not too many.
fn ends(turns: &Turns<'_>, parts: &[Part<'_>], turn: usize) -> Option<Vec<Case>> {
    let mut cases = vec![turns.case(turn)];
    for part in parts {
        let ends = part.ends();
        (cases.len() * ends.len() <= MOST_ENDS).then_some(())?;
        let with = |case: &Case, &end: &usize| case.clone().with(part.fluents, &part.states[end]);
        cases = cases.iter().flat_map(|case| ends.iter().map(|end| with(case, end))).collect();
    }
    Some(cases)
}
