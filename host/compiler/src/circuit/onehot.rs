//! What is known of moves: each role plays exactly one legal move in a step.
//! Hence an OR over most moves of a role is the negation of the OR over the
//! others, and whatever a move's legality demands holds when it is played. This
//! is what makes the circuits of board games small: a frame rule "the piece
//! stays unless a move touches it" names the few moves that touch it.

use super::network::Network;
use super::signal::{MoveId, NodeId, RoleId, Signal};
use crate::index::{Id, IndexVec, Span};
use std::ops::Range;

/// Longer lists of consequences are cut: each is searched for every use of the
/// move.
const MOST_IMPLIED: usize = 64;

/// Longer sums of moves stay as they are when they are used in a larger sum.
const MOST_SPELLED_OUT: usize = 64;

/// The moves of all roles.
#[derive(Clone, Debug)]
pub(crate) struct Moves {
    first_node: NodeId,
    of_role: IndexVec<RoleId, Span<MoveId>>,
    role_of: IndexVec<MoveId, RoleId>,
    /// Sorted signals that hold whenever the move is played.
    implied: IndexVec<MoveId, Vec<Signal>>,
}

impl Moves {
    pub(super) fn new(first_node: NodeId, moves_of_roles: &[usize]) -> Self {
        let mut of_role = IndexVec::new();
        let mut role_of = IndexVec::new();
        for &count in moves_of_roles {
            let role = of_role.push(Span::new(role_of.next(), count));
            role_of.extend(std::iter::repeat_n(role, count));
        }
        let implied = IndexVec::filled(Vec::new(), role_of.len());
        Moves { first_node, of_role, role_of, implied }
    }

    /// Number of moves of all roles.
    pub(crate) fn count(&self) -> usize {
        self.role_of.len()
    }

    /// All moves.
    pub(crate) fn all(&self) -> Span<MoveId> {
        Span::new(MoveId::new(0), self.count())
    }

    /// All roles.
    pub(crate) fn roles(&self) -> impl ExactSizeIterator<Item = RoleId> + use<> {
        self.of_role.ids()
    }

    /// The moves of a role.
    pub(crate) fn of_role(&self, role: RoleId) -> Span<MoveId> {
        self.of_role[role]
    }

    /// The role of a move.
    pub(crate) fn role_of(&self, played: MoveId) -> RoleId {
        self.role_of[played]
    }

    fn nodes(&self) -> Span<NodeId> {
        Span::new(self.first_node, self.count())
    }

    pub(super) fn node_of(&self, played: MoveId) -> NodeId {
        self.first_node.plus(played.index())
    }

    /// The move of an input node.
    fn of_node(&self, node: NodeId) -> Option<MoveId> {
        let nodes = self.nodes();
        nodes.contains(node).then(|| MoveId::new(node.index() - nodes.start.index()))
    }
}

impl Network {
    /// Notes that a move is only played when `legal` holds.
    pub(crate) fn set_legal(&mut self, played: MoveId, legal: Signal) {
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
        self.moves.implied[played] = implied;
    }

    /// The negated moves of a node that is the negation of a sum of moves.
    pub(crate) fn excluded_moves(&self, node: NodeId) -> Option<&[Signal]> {
        let operands = self.operands(node);
        let are_moves = self.moves.nodes();
        // Sorted: if the first and the last one are moves, all are.
        let ends = [operands.first()?, operands.last()?];
        let fits = ends.iter().all(|s| are_moves.contains(s.node()));
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

    fn move_of(&self, signal: Signal) -> MoveId {
        self.moves.of_node(signal.node()).expect("a move")
    }

    fn move_span(&self, signals: &[Signal]) -> Option<Range<usize>> {
        let moves = self.moves.nodes();
        let start = signals.partition_point(|s| s.node() < moves.start);
        let end = signals.partition_point(|s| s.node() < moves.end);
        (start < end).then_some(start..end)
    }

    /// The operands of one role: one positive makes the negative ones
    /// superfluous, many negative ones become the OR of the other moves.
    fn one_role(&mut self, role: RoleId, group: &[Signal], kept: &mut Vec<Signal>) -> bool {
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
        for other in all.iter() {
            if excluded.next_if_eq(&other).is_none() {
                others.push(!self.does(other));
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
    fn use_implied(&mut self, signals: &mut Vec<Signal>, played: &[Signal]) -> bool {
        for &signal in played.iter().filter(|s| !s.is_negated()) {
            if !self.may_spend(signals.len()) {
                return true;
            }
            let Some(played) = self.moves.of_node(signal.node()) else { continue };
            let implied = &self.moves.implied[played];
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
    use super::super::signal::FluentId;
    use super::*;

    fn does(network: &Network, number: usize) -> Signal {
        network.does(MoveId::new(number))
    }

    fn sum(network: &mut Network, moves: Range<usize>) -> Signal {
        let moves = moves.map(|number| does(network, number)).collect();
        network.or(moves)
    }

    /// Two fluents, and roles with six and two moves.
    fn network() -> Network {
        Network::new(2, &[6, 2], Style::Moves)
    }

    #[test]
    fn a_sum_over_most_moves_is_the_negation_of_the_others() {
        let mut network = network();
        assert_eq!(sum(&mut network, 0..5), !does(&network, 5));
        assert_eq!(sum(&mut network, 0..6), Signal::TRUE);
    }

    #[test]
    fn a_sum_over_few_moves_stays() {
        let mut network = network();
        let sum = sum(&mut network, 0..2);
        assert_eq!(network.operands(sum.node()).len(), 2);
    }

    #[test]
    fn two_moves_of_a_role_exclude_each_other() {
        let mut network = network();
        let (a, b, other) = (does(&network, 0), does(&network, 1), does(&network, 6));
        assert_eq!(network.and(vec![a, b]), Signal::FALSE);
        assert_eq!(network.and(vec![a, !b]), a);
        assert!(!network.and(vec![a, other]).is_constant());
    }

    #[test]
    fn a_move_implies_what_makes_it_legal() {
        let mut network = network();
        let [x, y] = [0, 1].map(|fluent| network.fluent(FluentId::new(fluent)));
        let a = does(&network, 0);
        let legal = network.and(vec![x, !y]);
        network.set_legal(MoveId::new(0), legal);
        assert_eq!(network.and(vec![a, x]), a);
        assert_eq!(network.and(vec![a, y]), Signal::FALSE);
    }

    #[test]
    fn sums_of_moves_are_spelled_out_in_larger_sums() {
        let mut network = network();
        let part = sum(&mut network, 0..3);
        let whole = vec![part, does(&network, 3), does(&network, 4)];
        assert_eq!(network.or(whole), !does(&network, 5));
    }
}
