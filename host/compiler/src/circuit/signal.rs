//! Signals, and what a circuit makes of them.

use crate::index::{Id, IndexVec, define_index};
use std::fmt;
use std::marker::PhantomData;
use std::ops::Not;

define_index! {
    /// A node of a circuit.
    pub struct NodeId;
    /// A fluent of the state.
    pub struct FluentId;
    /// A move of some role: the same action of two roles is two moves.
    pub struct MoveId;
    /// A role.
    pub struct RoleId;
    /// Atoms that depend on each other in a circle.
    pub struct BlockId;
}

/// A node or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Signal<N = NodeId> {
    code: u32,
    node: PhantomData<N>,
}

impl<N: Id> Signal<N> {
    /// Always true: node 0 of every circuit.
    pub const TRUE: Self = Signal { code: 0, node: PhantomData };
    /// Always false.
    pub const FALSE: Self = Signal { code: 1, node: PhantomData };

    /// The signal of a node, not negated.
    #[inline]
    pub fn of(node: N) -> Self {
        Signal { code: (node.index() as u32) << 1, node: PhantomData }
    }

    /// The node.
    #[inline]
    pub fn node(self) -> N {
        N::new((self.code >> 1) as usize)
    }

    /// Whether the node is negated.
    #[inline]
    pub fn is_negated(self) -> bool {
        self.code & 1 == 1
    }

    /// Negated if `negate` is set.
    #[inline]
    pub fn negate_if(self, negate: bool) -> Self {
        Signal { code: self.code ^ u32::from(negate), ..self }
    }

    /// Whether it is one of the two constants.
    #[inline]
    pub fn is_constant(self) -> bool {
        self.code < 2
    }

    /// A number for hashing: twice the node, plus one for its negation.
    #[inline]
    pub(crate) fn code(self) -> u32 {
        self.code
    }
}

impl<N: Id> Not for Signal<N> {
    type Output = Self;
    #[inline]
    fn not(self) -> Self {
        self.negate_if(true)
    }
}

impl<N> fmt::Debug for Signal<N> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}{}", if self.code & 1 == 1 { "!" } else { "" }, self.code >> 1)
    }
}

/// What a circuit computes.
#[derive(Clone, Debug)]
pub(crate) struct Outputs<N = NodeId> {
    /// For each move whether it is legal.
    pub(crate) legal: IndexVec<MoveId, Signal<N>>,
    /// Whether the game has ended.
    pub(crate) terminal: Signal<N>,
    /// The goals of all roles.
    pub(crate) goals: Vec<GoalSignal<N>>,
    /// For each fluent whether it holds in the next state.
    pub(crate) next: IndexVec<FluentId, Signal<N>>,
}

/// A goal value of a role.
#[derive(Clone, Copy, Debug)]
pub struct GoalSignal<N = NodeId> {
    /// Who.
    pub role: RoleId,
    /// How much.
    pub value: u16,
    /// Whether the role has it.
    pub holds: Signal<N>,
}

impl<N: Id> Outputs<N> {
    /// All output signals.
    pub(crate) fn signals(&self) -> impl Iterator<Item = Signal<N>> {
        let goals = self.goals.iter().map(|goal| goal.holds);
        let rest = self.next.iter().copied().chain([self.terminal]);
        self.legal.iter().copied().chain(goals).chain(rest)
    }

    /// The same outputs of another circuit.
    pub(crate) fn map<M>(&self, mut map: impl FnMut(Signal<N>) -> Signal<M>) -> Outputs<M> {
        Outputs {
            legal: self.legal.iter().map(|&signal| map(signal)).collect(),
            terminal: map(self.terminal),
            goals: self.goals.iter().map(|goal| goal.map(&mut map)).collect(),
            next: self.next.iter().map(|&signal| map(signal)).collect(),
        }
    }
}

impl<N: Copy> GoalSignal<N> {
    /// The same goal in another circuit.
    pub(crate) fn map<M>(&self, map: impl FnOnce(Signal<N>) -> Signal<M>) -> GoalSignal<M> {
        GoalSignal { role: self.role, value: self.value, holds: map(self.holds) }
    }
}
