//! The positions of one part, and what leads from one to another, whoever is to move.

use super::oracle::{Case, Oracle, all_known};
use super::turns::Turns;
use crate::netlist::Wire;
use rustc_hash::FxHashMap;

/// Positions of one part.
const MOST_STATES: usize = 1 << 17;

pub(crate) struct Part<'f> {
    pub(crate) fluents: &'f [usize],
    pub(crate) states: Vec<Vec<bool>>,
    /// For each state those that a move leads to, ascending; the same in all turns.
    pub(crate) options: Vec<Vec<usize>>,
    number: usize,
    numbers: FxHashMap<Vec<bool>, usize>,
}

/// A move in a turn and a state.
struct Try {
    state: usize,
    turn: usize,
    number: usize,
}

impl<'f> Part<'f> {
    /// All states that can be reached, if their moves and successors depend on nothing but
    /// them and the turn, and both roles have the same.
    pub(crate) fn enumerate(
        oracle: &mut Oracle<'_>,
        turns: &Turns<'_>,
        number: usize,
        fluents: &'f [usize],
    ) -> Option<Self> {
        let mut part = Part {
            fluents,
            states: Vec::new(),
            options: Vec::new(),
            number,
            numbers: FxHashMap::default(),
        };
        part.place(fluents.iter().map(|&fluent| oracle.netlist.initial[fluent]).collect());
        while part.options.len() < part.states.len() {
            part.expand(oracle, turns)?;
            (part.states.len() <= MOST_STATES).then_some(())?;
        }
        Some(part)
    }

    /// States without a move.
    pub(crate) fn ends(&self) -> Vec<usize> {
        (0..self.states.len()).filter(|&state| self.options[state].is_empty()).collect()
    }

    /// What is known in a turn and a state of this part.
    pub(crate) fn case(&self, turns: &Turns<'_>, turn: usize, state: usize) -> Case {
        turns.case(turn).with(self.fluents, &self.states[state])
    }

    fn place(&mut self, state: Vec<bool>) -> usize {
        let next = self.states.len();
        let place = *self.numbers.entry(state.clone()).or_insert(next);
        if place == next {
            self.states.push(state);
        }
        place
    }

    /// Finds out where the moves of all states lead that were not looked at.
    fn expand(&mut self, oracle: &mut Oracle<'_>, turns: &Turns<'_>) -> Option<()> {
        let (first, end) = (self.options.len(), self.states.len());
        let mut tries = Vec::new();
        for turn in 0..turns.turns.len() {
            tries.extend(self.legal(oracle, turns, turn, first..end)?);
        }
        let mut options = vec![vec![Vec::new(); turns.turns.len()]; end - first];
        let successors = self.successors(oracle, turns, &tries)?;
        for (tried, successor) in tries.iter().zip(successors) {
            let place = self.place(successor);
            options[tried.state - first][tried.turn].push(place);
        }
        for of_turns in &mut options {
            of_turns.iter_mut().for_each(|places| {
                places.sort_unstable();
                places.dedup();
            });
            if of_turns.iter().any(|places| *places != of_turns[0]) {
                return None;
            }
        }
        self.options.extend(options.into_iter().map(|mut of_turns| of_turns.swap_remove(0)));
        Some(())
    }

    /// The legal moves of this part in some states; whether a move is legal must be sure.
    fn legal(
        &self,
        oracle: &mut Oracle<'_>,
        turns: &Turns<'_>,
        turn: usize,
        states: std::ops::Range<usize>,
    ) -> Option<Vec<Try>> {
        let moves = turns.moves_of(turn, self.number);
        let wires: Vec<Wire> = moves.iter().map(|&number| oracle.netlist.legal[number]).collect();
        let cases: Vec<Case> = states.clone().map(|state| self.case(turns, turn, state)).collect();
        let mut tries = Vec::new();
        for (state, known) in states.zip(oracle.ask(&wires, &cases)?) {
            let legal = all_known(&known)?.into_iter().zip(&moves).filter(|(legal, _)| *legal);
            tries.extend(legal.map(|(_, &number)| Try { state, turn, number }));
        }
        Some(tries)
    }

    fn successors(
        &self,
        oracle: &mut Oracle<'_>,
        turns: &Turns<'_>,
        tries: &[Try],
    ) -> Option<Vec<Vec<bool>>> {
        let next: Vec<Wire> =
            self.fluents.iter().map(|&fluent| oracle.netlist.next[fluent]).collect();
        let case = |tried: &Try| {
            let joint = [tried.number, turns.turns[tried.turn].wait];
            self.case(turns, tried.turn, tried.state).playing(joint)
        };
        let cases: Vec<Case> = tries.iter().map(case).collect();
        oracle.ask(&next, &cases)?.iter().map(|values| all_known(values)).collect()
    }
}
