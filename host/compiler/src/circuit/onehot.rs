//! What is known of moves: each role plays exactly one legal move in a step.
//! Hence an OR over most moves of a role is the negation of the OR over the
//! others, and whatever a move's legality demands holds when it is played. This
//! is what makes the circuits of board games small: a frame rule "the piece
//! stays unless a move touches it" names the few moves that touch it.

use super::network::{Network, Signal};
use std::ops::Range;

/// Longer lists of consequences are cut: each is searched for every use of the
/// move.
const MOST_IMPLIED: usize = 64;

/// Longer sums of moves stay as they are when they are used in a larger sum.
const MOST_SPELLED_OUT: usize = 64;

/// The moves of all roles.
#[derive(Clone, Debug)]
pub struct Moves {
    first_node: u32,
    /// First move of each role, and the end.
    starts: Vec<u32>,
    role_of: Vec<u16>,
    /// Sorted signals that hold whenever the move is played.
    implied: Vec<Vec<Signal>>,
}

impl Moves {
    pub(super) fn new(first_node: u32, moves_of_roles: &[u32]) -> Self {
        let mut starts = vec![0];
        let mut role_of = Vec::new();
        for (role, &count) in moves_of_roles.iter().enumerate() {
            role_of.extend((0..count).map(|_| role as u16));
            starts.push(role_of.len() as u32);
        }
        let implied = vec![Vec::new(); role_of.len()];
        Moves { first_node, starts, role_of, implied }
    }

    /// Number of moves of all roles.
    pub fn count(&self) -> u32 {
        self.role_of.len() as u32
    }

    /// Number of roles.
    pub fn roles(&self) -> usize {
        self.starts.len() - 1
    }

    /// The moves of a role.
    pub fn of_role(&self, role: usize) -> Range<u32> {
        self.starts[role]..self.starts[role + 1]
    }

    /// The role of a move.
    pub fn role_of(&self, number: u32) -> usize {
        usize::from(self.role_of[number as usize])
    }

    pub(super) fn first_node(&self) -> u32 {
        self.first_node
    }

    /// The move of an input node.
    fn of_node(&self, node: u32) -> Option<u32> {
        node.checked_sub(self.first_node).filter(|&number| number < self.count())
    }
}

impl Network {
    /// Notes that a move is only played when `legal` holds.
    pub fn set_legal(&mut self, number: u32, legal: Signal) {
        let mut implied = Vec::new();
        let mut open = vec![legal];
        while let Some(signal) = open.pop() {
            if implied.len() >= MOST_IMPLIED {
                break;
            }
            implied.push(signal);
            if !signal.is_negated() {
                open.extend(self.operands(signal.node()));
            }
        }
        implied.sort_unstable();
        implied.dedup();
        self.moves.implied[number as usize] = implied;
    }

    /// The negated moves of a node that is the negation of a sum of moves.
    pub(crate) fn excluded_moves(&self, node: u32) -> Option<&[Signal]> {
        let operands = self.operands(node);
        let first = self.moves.first_node();
        let are_moves = first..first + self.moves.count();
        // Sorted: if the first and the last one are moves, all are.
        let ends = [operands.first()?, operands.last()?];
        let fits = ends.iter().all(|s| are_moves.contains(&s.node()));
        (fits && operands.iter().all(|s| s.is_negated())).then_some(operands)
    }

    /// Replaces negated sums of moves by the moves: only then is it seen when
    /// the operands exclude more than half of them.
    pub(super) fn spell_out_moves(&self, signals: &mut Vec<Signal>) {
        let mut position = 0;
        while position < signals.len() {
            let signal = signals[position];
            let excluded = self.excluded_moves(signal.node()).filter(|_| !signal.is_negated());
            match excluded {
                Some(excluded) if excluded.len() <= MOST_SPELLED_OUT => {
                    signals.swap_remove(position);
                    signals.extend_from_slice(excluded);
                }
                _ => position += 1,
            }
        }
    }

    /// Simplifies the moves among the (sorted) operands of an AND; false if the
    /// conjunction is false.
    pub(super) fn one_hot(&mut self, signals: &mut Vec<Signal>) -> bool {
        let Some(span) = self.move_span(signals) else { return true };
        let mut kept = Vec::new();
        let mut position = span.start;
        while position < span.end {
            let first = self.move_of(signals[position]);
            let role = self.moves.role_of(first);
            let same = |s: &&Signal| self.moves.role_of(self.move_of(**s)) == role;
            let end = position + signals[position..span.end].iter().take_while(same).count();
            if !self.one_role(role, &signals[position..end], &mut kept) {
                return false;
            }
            position = end;
        }
        let changed = kept != signals[span.clone()];
        if changed {
            signals.splice(span, kept.iter().copied());
        }
        self.use_implied(signals, &kept) && (!changed || super::network::sort_unique(signals))
    }

    fn move_of(&self, signal: Signal) -> u32 {
        self.moves.of_node(signal.node()).expect("a move")
    }

    fn move_span(&self, signals: &[Signal]) -> Option<Range<usize>> {
        let first = self.moves.first_node();
        let start = signals.partition_point(|s| s.node() < first);
        let end = signals.partition_point(|s| s.node() < first + self.moves.count());
        (start < end).then_some(start..end)
    }

    /// The operands of one role: one positive makes the negative ones
    /// superfluous, many negative ones become the OR of the other moves.
    fn one_role(&mut self, role: usize, group: &[Signal], kept: &mut Vec<Signal>) -> bool {
        let mut positive = group.iter().copied().filter(|s| !s.is_negated());
        if let Some(played) = positive.next() {
            kept.push(played);
            return positive.next().is_none();
        }
        let all = self.moves.of_role(role);
        if group.len() * 2 <= all.len() {
            kept.extend_from_slice(group);
            return true;
        }
        let mut excluded = group.iter().map(|s| self.move_of(*s)).peekable();
        let mut others = Vec::new();
        for number in all {
            if excluded.next_if_eq(&number).is_none() {
                others.push(!self.does(number));
            }
        }
        kept.push(match others.as_slice() {
            [] => return false,
            [only] => !*only,
            _ => !self.unique(&others),
        });
        true
    }

    /// Drops what the played moves imply; false if one of them contradicts.
    fn use_implied(&self, signals: &mut Vec<Signal>, played: &[Signal]) -> bool {
        for &signal in played.iter().filter(|s| !s.is_negated()) {
            let Some(number) = self.moves.of_node(signal.node()) else { continue };
            let implied = &self.moves.implied[number as usize];
            if implied.is_empty() {
                continue;
            }
            if signals.iter().any(|&s| implied.binary_search(&!s).is_ok()) {
                return false;
            }
            signals.retain(|s| implied.binary_search(s).is_err());
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::network::Style;
    use super::*;

    /// Two fluents, and roles with six and two moves.
    fn network() -> Network {
        Network::new(2, &[6, 2], Style::Moves)
    }

    #[test]
    fn a_sum_over_most_moves_is_the_negation_of_the_others() {
        let mut network = network();
        let most = (0..5).map(|m| network.does(m)).collect();
        assert_eq!(network.or(most), !network.does(5));
        let all = (0..6).map(|m| network.does(m)).collect();
        assert_eq!(network.or(all), Signal::TRUE);
    }

    #[test]
    fn a_sum_over_few_moves_stays() {
        let mut network = network();
        let few = vec![network.does(0), network.does(1)];
        let sum = network.or(few);
        assert_eq!(network.operands(sum.node()).len(), 2);
    }

    #[test]
    fn two_moves_of_a_role_exclude_each_other() {
        let mut network = network();
        let (a, b, other) = (network.does(0), network.does(1), network.does(6));
        assert_eq!(network.and(vec![a, b]), Signal::FALSE);
        assert_eq!(network.and(vec![a, !b]), a);
        assert!(!network.and(vec![a, other]).is_constant());
    }

    #[test]
    fn a_move_implies_what_makes_it_legal() {
        let mut network = network();
        let (x, y, a) = (network.fluent(0), network.fluent(1), network.does(0));
        let legal = network.and(vec![x, !y]);
        network.set_legal(0, legal);
        assert_eq!(network.and(vec![a, x]), a);
        assert_eq!(network.and(vec![a, y]), Signal::FALSE);
    }

    #[test]
    fn sums_of_moves_are_spelled_out_in_larger_sums() {
        let mut network = network();
        let part: Vec<_> = (0..3).map(|m| network.does(m)).collect();
        let part = network.or(part);
        let whole = vec![part, network.does(3), network.does(4)];
        assert_eq!(network.or(whole), !network.does(5));
    }
}
