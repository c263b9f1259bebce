//! Two take turns: whatever is played, it is the other one's turn next, and who waits has
//! one move that changes nothing.

use super::oracle::{Case, Oracle, all_known};
use crate::netlist::Wire;

/// Longer cycles are no turns.
const MOST_TURNS: usize = 16;

/// A state of the fluents that say whose turn it is.
#[derive(Debug)]
pub(crate) struct Turn {
    pub(crate) mover: usize,
    /// The only move of the other role, which is always legal.
    pub(crate) wait: usize,
    /// Moves of the mover that are not surely illegal.
    pub(crate) moves: Vec<usize>,
}

pub(crate) struct Turns<'f> {
    pub(crate) fluents: &'f [usize],
    pub(crate) states: Vec<Vec<bool>>,
    pub(crate) turns: Vec<Turn>,
    /// The part that each move is believed to change, if any.
    owners: &'f [Option<usize>],
}

impl<'f> Turns<'f> {
    /// The turns from the initial state on, with all else unknown.
    pub(crate) fn find(
        oracle: &mut Oracle<'_>,
        fluents: &'f [usize],
        owners: &'f [Option<usize>],
    ) -> Option<Self> {
        let first = fluents.iter().map(|&fluent| oracle.netlist.initial[fluent]).collect();
        let mut found = Turns { fluents, states: vec![first], turns: Vec::new(), owners };
        let mut follows = Vec::new();
        while found.turns.len() < found.states.len() {
            let case = found.case(found.turns.len());
            let turn = turn(oracle, &case)?;
            if turn.moves.iter().any(|&number| owners[number].is_none()) {
                return None;
            }
            follows.push(found.follow(oracle, &case, &turn)?);
            found.turns.push(turn);
        }
        let alternates =
            |(turn, &next): (usize, &usize)| found.turns[turn].mover != found.turns[next].mover;
        follows.iter().enumerate().all(alternates).then_some(found)
    }

    /// What is known in a turn, of all that is not said otherwise.
    pub(crate) fn case(&self, turn: usize) -> Case {
        Case::default().with(self.fluents, &self.states[turn])
    }

    pub(crate) fn movers(&self) -> Vec<usize> {
        self.turns.iter().map(|turn| turn.mover).collect()
    }

    /// Moves of a part that may be legal in a turn.
    pub(crate) fn moves_of(&self, turn: usize, part: usize) -> Vec<usize> {
        let moves = self.turns[turn].moves.iter().copied();
        moves.filter(|&number| self.owners[number] == Some(part)).collect()
    }

    /// The turn after this one, whichever move is played.
    fn follow(&mut self, oracle: &mut Oracle<'_>, case: &Case, turn: &Turn) -> Option<usize> {
        let next: Vec<Wire> =
            self.fluents.iter().map(|&fluent| oracle.netlist.next[fluent]).collect();
        let joints = turn.moves.iter().map(|&number| case.clone().playing([number, turn.wait]));
        let answers = oracle.ask(&next, &joints.collect::<Vec<_>>())?;
        let (first, others) = answers.split_first()?;
        let state = all_known(first)?;
        if others.iter().any(|other| other != first) {
            return None;
        }
        let place = self.states.iter().position(|known| *known == state);
        let place = place.unwrap_or(self.states.len());
        if place == self.states.len() {
            self.states.push(state);
        }
        (place < MOST_TURNS).then_some(place)
    }
}

/// Who moves and who waits, if that is sure.
fn turn(oracle: &mut Oracle<'_>, case: &Case) -> Option<Turn> {
    let netlist = oracle.netlist;
    let legal = oracle.ask(&netlist.legal, std::slice::from_ref(case))?.pop()?;
    let possible = |role: usize| -> Vec<usize> {
        netlist.roles[role].clone().filter(|&number| legal[number] != Some(false)).collect()
    };
    let both = [possible(0), possible(1)];
    let waits = |role: usize| match both[role][..] {
        [only] if legal[only] == Some(true) => Some(only),
        _ => None,
    };
    let (mover, wait) = match [waits(0), waits(1)] {
        [None, Some(wait)] => (0, wait),
        [Some(wait), None] => (1, wait),
        _ => return None,
    };
    let [first, second] = both;
    Some(Turn { mover, wait, moves: if mover == 0 { first } else { second } })
}
