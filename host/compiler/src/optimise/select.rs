//! One-hot selection. Let `d` be the moves of a role, of which exactly one is
//! played. Many next values are sums `Σ d·c` over the moves `S` that lead to
//! them: "some move to this cell is played, and the piece that it moves is a
//! rook". If several such sums agree on the condition of each move, then with
//! `G = Σ d·c` over all their moves each of them is `(Σ d over S) · G`: the one
//! move that is played decides. `G` ("the piece that moves is a rook") is built
//! once, and the sums of moves are the same for every kind of piece. Chess-like
//! games shrink to a fraction.

use crate::circuit::network::{Network, Node};
use crate::circuit::signal::{NodeId, Outputs, RoleId, Signal};
use crate::index::{IndexVec, define_index};
use rustc_hash::{FxHashMap, FxHashSet};

/// Sums of fewer products are not worth it.
const FEWEST_PRODUCTS: usize = 3;

define_index! {
    /// An interned condition.
    struct ConditionId;
    /// A sum that could be selected.
    struct SumId;
    /// Sums that agree.
    struct ClusterId;
    /// Sums that agree, and for which one common sum is worth it.
    pub(crate) struct GroupId;
}

/// What to build differently.
#[derive(Default)]
pub(crate) struct Selection {
    /// Products of each group's common sum; the first operand is the move.
    pub(crate) groups: IndexVec<GroupId, Vec<Vec<Signal>>>,
    /// What to use in AND nodes instead of some of their operands.
    pub(crate) uses: FxHashMap<NodeId, Vec<Use>>,
}

/// The part of a node that a group's sum replaces.
pub(crate) struct Use {
    /// The group.
    pub(crate) group: GroupId,
    /// The moves that are summed.
    pub(crate) moves: Vec<Signal>,
    /// Operands of the node that fall away.
    pub(crate) replaced: FxHashSet<Signal>,
}

impl Selection {
    /// Finds the sums of a circuit that are worth it.
    pub(crate) fn of(network: &Network, outputs: &Outputs) -> Self {
        let mut finder = Finder::new(network, outputs);
        let sums = finder.sums();
        let groups = cluster(&sums);
        finder.select(sums, groups)
    }
}

/// The products of a node that have a move of one role.
struct Sum {
    node: NodeId,
    role: RoleId,
    /// Sorted by move.
    products: Vec<Product>,
    replaced: FxHashSet<Signal>,
}

/// A product in a node: `operand` is its negation there.
struct Term {
    role: RoleId,
    played: Signal,
    operand: Signal,
    condition: Vec<Signal>,
}

#[derive(Clone, Copy)]
struct Product {
    played: Signal,
    condition: ConditionId,
}

struct Finder<'c> {
    network: &'c Network,
    uses: IndexVec<NodeId, u32>,
    /// Whether a node depends on moves or on fixpoint variables. Conditions must
    /// not: then no condition can contain a sum, and the groups no circle.
    changing: IndexVec<NodeId, bool>,
    conditions: IndexVec<ConditionId, Vec<Signal>>,
    ids: FxHashMap<Vec<Signal>, ConditionId>,
}

impl<'c> Finder<'c> {
    fn new(network: &'c Network, outputs: &Outputs) -> Self {
        let mut changing = IndexVec::filled(false, network.count());
        for node in network.ids() {
            changing[node] = match network.node(node) {
                Node::Does(_) | Node::Variable { .. } | Node::Fixpoint { .. } => true,
                _ => network.operands(node).iter().any(|s| changing[s.node()]),
            };
        }
        let uses = network.count_uses(outputs);
        Finder { network, uses, changing, conditions: IndexVec::new(), ids: FxHashMap::default() }
    }

    fn sums(&mut self) -> IndexVec<SumId, Sum> {
        let mut sums = IndexVec::new();
        for node in self.network.ids() {
            if self.uses[node] > 0 {
                self.sums_of(node, &mut sums);
            }
        }
        sums
    }

    /// The sums of a node, one for each role that has moves there.
    fn sums_of(&mut self, node: NodeId, sums: &mut IndexVec<SumId, Sum>) {
        if self.network.operands(node).len() < FEWEST_PRODUCTS {
            return;
        }
        let terms = self.terms(node);
        for role in terms.chunk_by(|a, b| a.role == b.role) {
            // A move with several products is left out, and what stands in one
            // product with it.
            let several = role.chunk_by(|a, b| a.played == b.played).filter(|p| p.len() > 1);
            let left_out: FxHashSet<_> = several.flatten().map(|t| t.operand).collect();
            let single: Vec<_> = role.iter().filter(|t| !left_out.contains(&t.operand)).collect();
            if single.len() >= FEWEST_PRODUCTS {
                let replaced = single.iter().map(|t| t.operand).collect();
                let product = |t: &&Term| Product {
                    played: t.played,
                    condition: self.intern(t.condition.clone()),
                };
                let products = single.iter().map(product).collect();
                sums.push(Sum { node, role: role[0].role, products, replaced });
            }
        }
    }

    /// The products of a node with a move, by role and move.
    fn terms(&self, node: NodeId) -> Vec<Term> {
        let mut terms = Vec::new();
        for &operand in self.network.operands(node).iter().filter(|s| s.is_negated()) {
            let inner = self.network.operands(operand.node());
            let mut candidates = inner.iter().map(|&s| (s, self.moves_of(s)));
            let Some((signal, moves)) = candidates.find(|(_, m)| !m.is_empty()) else {
                continue;
            };
            let condition: Vec<_> = inner.iter().copied().filter(|&s| s != signal).collect();
            if condition.iter().any(|s| self.changing[s.node()]) {
                continue;
            }
            for played in moves {
                let (role, condition) = (self.role(played), condition.clone());
                terms.push(Term { role, played, operand, condition });
            }
        }
        // Moves are numbered by role.
        terms.sort_by_key(|t| t.played);
        terms
    }

    /// The moves of a signal that is a move, or a sum of moves of one role.
    fn moves_of(&self, signal: Signal) -> Vec<Signal> {
        if !signal.is_negated() && matches!(self.network.node(signal.node()), Node::Does(_)) {
            return vec![signal];
        }
        let sum = self.network.excluded_moves(signal.node()).filter(|_| signal.is_negated());
        let moves: Vec<_> = sum.unwrap_or_default().iter().map(|&s| !s).collect();
        let same = |pair: &[Signal]| self.role(pair[0]) == self.role(pair[1]);
        if moves.windows(2).all(same) { moves } else { Vec::new() }
    }

    fn role(&self, played: Signal) -> RoleId {
        match self.network.node(played.node()) {
            Node::Does(number) => self.network.moves.role_of(number),
            other => unreachable!("a move is played: {other:?}"),
        }
    }

    fn intern(&mut self, condition: Vec<Signal>) -> ConditionId {
        let next = self.conditions.next();
        let id = *self.ids.entry(condition.clone()).or_insert(next);
        if id == next {
            self.conditions.push(condition);
        }
        id
    }

    fn select(self, sums: IndexVec<SumId, Sum>, clusters: IndexVec<ClusterId, Group>) -> Selection {
        let worth = worth(&sums, &clusters);
        let mut selection = Selection::default();
        for (cluster, members) in clusters.enumerate().filter(|(cluster, _)| worth[*cluster]) {
            let group = selection.groups.push(self.products(&clusters[cluster]));
            for &sum in &members.sums {
                let sum = &sums[sum];
                let moves = sum.products.iter().map(|p| p.played).collect();
                let used = Use { group, moves, replaced: sum.replaced.clone() };
                selection.uses.entry(sum.node).or_default().push(used);
            }
        }
        selection
    }

    fn products(&self, group: &Group) -> Vec<Vec<Signal>> {
        let mut products: Vec<_> = group.condition_of.iter().collect();
        products.sort_unstable();
        let product = |(&played, &condition): (&Signal, &ConditionId)| {
            let mut operands = vec![played];
            operands.extend(&self.conditions[condition]);
            operands
        };
        products.into_iter().map(product).collect()
    }
}

/// Sums over moves of one role that agree on the condition of every move. Moves
/// of different roles are played together: they cannot share a group.
struct Group {
    role: RoleId,
    condition_of: FxHashMap<Signal, ConditionId>,
    sums: Vec<SumId>,
}

impl Group {
    fn agrees(&self, sum: &Sum) -> bool {
        let same = |p: &Product| self.condition_of.get(&p.played).is_none_or(|c| *c == p.condition);
        self.role == sum.role && sum.products.iter().all(same)
    }

    /// The moves of each condition.
    fn moves_by_condition(&self) -> Vec<Vec<Signal>> {
        let mut moves: FxHashMap<ConditionId, Vec<Signal>> = FxHashMap::default();
        for (&played, &condition) in &self.condition_of {
            moves.entry(condition).or_default().push(played);
        }
        let mut moves: Vec<_> = moves.into_values().collect();
        moves.iter_mut().for_each(|m| m.sort_unstable());
        moves
    }
}

/// Puts each sum into the group with which it shares most conditions.
fn cluster(sums: &IndexVec<SumId, Sum>) -> IndexVec<ClusterId, Group> {
    let mut order: Vec<SumId> = sums.ids().collect();
    order.sort_by_key(|&s| std::cmp::Reverse(sums[s].products.len()));
    let mut groups: IndexVec<ClusterId, Group> = IndexVec::new();
    let mut groups_with: FxHashMap<ConditionId, Vec<ClusterId>> = FxHashMap::default();
    for number in order {
        let sum = &sums[number];
        let conditions: FxHashSet<_> = sum.products.iter().map(|p| p.condition).collect();
        let mut shared: FxHashMap<ClusterId, usize> = FxHashMap::default();
        for condition in &conditions {
            for &group in groups_with.get(condition).map_or(&[][..], Vec::as_slice) {
                *shared.entry(group).or_default() += 1;
            }
        }
        let fitting = shared.into_iter().filter(|(group, _)| groups[*group].agrees(sum));
        let best = fitting.max_by_key(|&(group, count)| (count, std::cmp::Reverse(group)));
        let group = best.map_or(groups.next(), |(group, _)| group);
        if group == groups.next() {
            let condition_of = FxHashMap::default();
            groups.push(Group { role: sum.role, condition_of, sums: Vec::new() });
        }
        groups[group].sums.push(number);
        for product in &sum.products {
            groups[group].condition_of.insert(product.played, product.condition);
        }
        for condition in conditions {
            let with = groups_with.entry(condition).or_default();
            if !with.contains(&group) {
                with.push(group);
            }
        }
    }
    groups
}

/// Whether each group saves gates. A sum of moves that several groups need is
/// paid for in equal shares.
fn worth(
    sums: &IndexVec<SumId, Sum>,
    groups: &IndexVec<ClusterId, Group>,
) -> IndexVec<ClusterId, bool> {
    let mut users: FxHashMap<Vec<Signal>, f64> = FxHashMap::default();
    let sets = |group: &Group| {
        let mut sets = group.moves_by_condition();
        let moves = |&s: &SumId| sums[s].products.iter().map(|p| p.played).collect::<Vec<_>>();
        sets.extend(group.sums.iter().map(moves));
        sets
    };
    for set in groups.iter().flat_map(sets) {
        *users.entry(set).or_insert(0.0) += 1.0;
    }
    let saves = |group: &Group| {
        let distinct = |sum: &Sum| {
            let conditions: FxHashSet<_> = sum.products.iter().map(|p| p.condition).collect();
            conditions.len()
        };
        let before: usize =
            group.sums.iter().map(|&s| sums[s].products.len() + distinct(&sums[s])).sum();
        let own = 2 * group.moves_by_condition().len() + group.sums.len();
        let shared: f64 = sets(group).iter().map(|s| (s.len() as f64 - 1.0) / users[s]).sum();
        own as f64 + shared < before as f64
    };
    groups.iter().map(|group| group.sums.len() > 1 && saves(group)).collect()
}
