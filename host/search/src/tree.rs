//! Nodes, edges and positions, in flat vectors that refer to each other by
//! 32-bit indices.
//!
//! Statistics stand on edges, so that a position which several moves lead to
//! tells each of them apart. A node has edges only once a descent has gone
//! through it: most nodes never see one, and edges are what takes memory.
//!
//! ```text
//! nodes      hash, count, kind ── first ─▶ edges    score, count, child
//!                    │     │               moves    number, count, sum of goals
//!                    │     └─ untried ───▶ rest     number, what is expected of it
//!                    └─ parents ─▶ links   nodes whose moves lead here
//! positions  words of node 0, 1, …
//! bounds     of each role in node 0, 1, …
//! goals      of nodes where the game is over
//! witnesses  of node 0, 1, …: the best playout from there, in games for one
//! joints     node, moves of all roles ─▶ child, count, sums, where several roles choose
//! ```
//!
//! Ends with the same goals are one node, however many positions they have: there is
//! nothing else to know of them.
//!
//! Which formula chooses among edges is no business of the storage: it keeps with every
//! edge whatever the formula wants to look at, its score `S`.

mod bounds;
mod joints;
mod memory;
mod parents;
mod reroot;
mod table;
mod untried;
mod witness;

use std::hash::BuildHasher;
use std::ops::Range;

pub(crate) use bounds::{Bounds, POINTS};
use joints::Joint;
use memory::Account;
use parents::ParentLink;
use ruche_playouts::lanes::{End, LegalMoves};
use rustc_hash::FxBuildHasher;
use table::Table;
pub(crate) use untried::{Expected, Packing};
use untried::{FREE_LISTS, Untried};
pub(crate) use witness::Witness;

/// No child yet.
pub(crate) const NONE: u32 = u32::MAX;
/// A child that is being computed.
pub(crate) const PENDING: u32 = u32::MAX - 1;
/// Indices end before these.
const LAST_INDEX: usize = PENDING as usize - 1;

/// What is known of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The game goes on; the moves are not in the tree.
    Leaf,
    /// The moves are being computed.
    Expanding,
    /// At most one role has a choice: the edges are its moves, with children.
    Turn,
    /// Several roles choose at the same time: the edges are the moves of all
    /// roles, children are found by joint moves.
    Simultaneous,
    /// The game is over, with a goal for each role.
    Over,
    /// The game is over without sound goals, or a role has no legal move.
    Unscored,
}

impl Kind {
    /// Whether its moves are in the tree.
    pub(crate) fn has_edges(self) -> bool {
        matches!(self, Kind::Turn | Kind::Simultaneous)
    }

    /// Whether it has goals, or may come to some.
    pub(crate) fn is_sound(self) -> bool {
        self != Kind::Unscored
    }

    /// Whether the game goes on.
    pub(crate) fn goes_on(self) -> bool {
        !matches!(self, Kind::Over | Kind::Unscored)
    }
}

/// A position in the tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) hash: u64,
    /// Visits of its edges, the virtual ones of playouts under way included.
    pub(crate) started: u32,
    /// The first edge, or where the goals begin.
    first: u32,
    /// How many edges; of simultaneous moves, where its spans begin; of a leaf, whether
    /// its moves are worth a look when it gets its edges.
    count: u32,
    /// The first of the moves of a single role that have no edge yet, and how many.
    untried: u32,
    left: u32,
    /// Plies from the root, on the way by which it was found.
    pub(crate) depth: u32,
    /// The first link from a node whose moves lead here.
    parents: u32,
    /// Who chooses where only one role does.
    pub(crate) mover: u16,
    pub(crate) kind: Kind,
    /// Whether nothing is left to find out about it.
    pub(crate) is_settled: bool,
}

impl Node {
    fn new(hash: u64, depth: u32, kind: Kind) -> Self {
        Self {
            hash,
            started: 0,
            first: 0,
            count: 0,
            untried: 0,
            left: 0,
            depth,
            parents: NONE,
            mover: 0,
            kind,
            is_settled: false,
        }
    }

    /// The edges of the role that has a choice: those moves that were tried, or are known
    /// to end the game; at the root all.
    pub(crate) fn turn_edges(&self) -> Range<usize> {
        self.first as usize..self.first as usize + self.count as usize
    }
}

const _: () = assert!(size_of::<Node>() <= 40);
const _: () = assert!(size_of::<Edge<u64>>() + size_of::<Move>() <= 32);

/// A move of one role in one position: what a descent looks at and changes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge<S> {
    /// What the formula says of it.
    pub(crate) score: S,
    /// Visits, the virtual ones of playouts under way included.
    pub(crate) started: u32,
    /// Where it leads, unless other roles have a say in that.
    pub(crate) child: u32,
}

/// The same move: what is known of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Move {
    /// Its number among those of its role.
    pub(crate) number: u32,
    /// Playouts that are over.
    pub(crate) visits: u32,
    /// The sum of the role's goals.
    pub(crate) sum: u64,
}

/// Where it is noted which child a choice leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    /// In an edge of a node, by its place: edges move when there are more of them.
    Turn { node: u32, slot: u32 },
    /// In a joint move.
    Joint(u32),
    /// Nowhere: there is no memory left.
    Nowhere,
}

/// The tree.
#[derive(Debug)]
pub(crate) struct Tree<S> {
    pub(crate) nodes: Vec<Node>,
    pub(crate) edges: Vec<Edge<S>>,
    /// Of each edge, apart from it: choices look at all edges of a node and need none
    /// of this.
    pub(crate) moves: Vec<Move>,
    /// Moves of a single role that have no edges yet; of each node the next one first.
    untried: Vec<Untried>,
    packing: Packing,
    /// Places of edges that others may take, by their number.
    free: [u32; FREE_LISTS],
    /// Moves of all nodes, with edges or without.
    pub(crate) move_count: u64,
    positions: Vec<u32>,
    /// What each role can be sure of in each node.
    bounds: Vec<Bounds>,
    /// Of a node of which nothing is proven, for each role.
    widest: Vec<Bounds>,
    links: Vec<ParentLink>,
    /// The best playout from each node, if there is but one role.
    witnesses: Vec<Witness>,
    /// Goals of nodes where the game is over, one for each role.
    goals: Vec<u16>,
    /// For each node with simultaneous moves where the edges of each role begin,
    /// counted from its first edge, and where they end; then where its joint moves are.
    spans: Vec<u32>,
    /// Where joint moves lead.
    joints: Vec<Joint>,
    /// For each joint move of some nodes where it is noted, or [`NONE`].
    boards: Vec<u32>,
    /// The edges of each joint move, one for each role.
    joint_edges: Vec<u32>,
    /// The sum of each role's goals over the playouts of each joint move.
    joint_sums: Vec<u64>,
    by_position: Table,
    by_goals: Table,
    by_joint: Table,
    account: Account,
    scores: NewScores<S>,
    /// Playouts through the root, and for each role the sum of its goals over them, since
    /// it is the root.
    pub(crate) playouts: u32,
    pub(crate) totals: Vec<u64>,
    roles: usize,
    /// Words of a position.
    words: usize,
}

/// Scores of edges that nobody has tried.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewScores<S> {
    /// Where one role chooses.
    pub(crate) turn: S,
    /// Where several do.
    pub(crate) joint: S,
}

/// What a tree is for.
#[derive(Clone, Debug)]
pub(crate) struct Shape<S> {
    /// Between which goals each role can end.
    pub(crate) widest: Vec<Bounds>,
    /// Words of a position.
    pub(crate) words: usize,
    pub(crate) packing: Packing,
    /// Bytes that it may take.
    pub(crate) memory: u64,
    pub(crate) scores: NewScores<S>,
}

impl<S: Expected> Tree<S> {
    pub(crate) fn new(shape: Shape<S>) -> Self {
        let Shape { widest, words, packing, memory, scores } = shape;
        let roles = widest.len();
        Self {
            nodes: Vec::new(),
            edges: Vec::new(),
            moves: Vec::new(),
            untried: Vec::new(),
            packing,
            free: [NONE; FREE_LISTS],
            move_count: 0,
            positions: Vec::new(),
            bounds: Vec::new(),
            widest,
            links: Vec::new(),
            witnesses: Vec::new(),
            goals: Vec::new(),
            spans: Vec::new(),
            joints: Vec::new(),
            boards: Vec::new(),
            joint_edges: Vec::new(),
            joint_sums: Vec::new(),
            by_position: Table::default(),
            by_goals: Table::default(),
            by_joint: Table::default(),
            account: Account::new(memory),
            scores,
            playouts: 0,
            totals: vec![0; roles],
            roles,
            words,
        }
    }

    /// The score of a move that nobody has tried, where one role chooses.
    pub(crate) fn untried_score(&self) -> S {
        self.scores.turn
    }

    pub(crate) fn roles(&self) -> usize {
        self.roles
    }

    /// Bytes that the tree takes.
    pub(crate) fn bytes(&self) -> u64 {
        self.account.bytes()
    }

    /// From now on it may take that many.
    pub(crate) fn allow(&mut self, memory: u64) {
        self.account.allow(memory);
    }

    /// Whether nothing can be added any more.
    pub(crate) fn is_full(&self) -> bool {
        self.account.is_full()
    }

    pub(crate) fn node(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }

    pub(crate) fn position(&self, node: u32) -> &[u32] {
        &self.positions[node as usize * self.words..][..self.words]
    }

    /// Reads something of each piece of memory that a choice in a node looks at.
    #[inline]
    pub(crate) fn fetch_choice(&self, node: u32) -> u32 {
        const PER_LINE: usize = 4;
        let node = self.node(node);
        if node.kind != Kind::Turn {
            return 0;
        }
        let edges = self.edges[node.turn_edges()].iter().step_by(PER_LINE);
        edges.fold(self.first_untried(node), |all, edge| all ^ edge.started)
    }

    /// The goals of a node where the game is over; none if it is not, or without.
    pub(crate) fn goals(&self, node: u32) -> &[u16] {
        let node = self.node(node);
        match node.kind {
            Kind::Over => &self.goals[node.first as usize..][..self.roles],
            _ => &[],
        }
    }

    /// The node of a position.
    pub(crate) fn find(&self, hash: u64, position: &[u32]) -> Option<u32> {
        self.by_position
            .find(hash, |node| self.node(node).hash == hash && self.position(node) == position)
    }

    /// Adds a node for a position that has none and where the game goes on, if there is
    /// memory.
    pub(crate) fn add(&mut self, hash: u64, position: &[u32], depth: u32) -> Option<u32> {
        let account = &mut self.account;
        let has_room = account
            .reserve_table(&mut self.by_position, hashes(&self.nodes, Kind::goes_on))
            && self.has_room_for_node(0);
        if !has_room {
            self.account.close();
            return None;
        }
        let node = self.push_node(Node::new(hash, depth, Kind::Leaf));
        self.positions.extend_from_slice(position);
        self.by_position.insert(hash, node);
        Some(node)
    }

    /// The node of all ends with these goals, or without sound ones, if there is memory.
    pub(crate) fn end(&mut self, end: End<'_>) -> Option<u32> {
        let (goals, kind) = match end {
            End::Goals(goals) => (goals, Kind::Over),
            End::Unscored => (&[][..], Kind::Unscored),
        };
        let hash = FxBuildHasher.hash_one(goals);
        let is_it = |node| self.node(node).kind == kind && self.goals(node) == goals;
        if let Some(node) = self.by_goals.find(hash, is_it) {
            return Some(node);
        }
        let account = &mut self.account;
        let has_room = account
            .reserve_table(&mut self.by_goals, hashes(&self.nodes, |kind| !kind.goes_on()))
            && self.has_room_for_node(goals.len());
        if !has_room {
            self.account.close();
            return None;
        }
        let first = self.goals.len() as u32;
        let node = self.push_node(Node { first, is_settled: true, ..Node::new(hash, 0, kind) });
        self.positions.resize(self.nodes.len() * self.words, 0);
        self.goals.extend_from_slice(goals);
        let bounds = &mut self.bounds[node as usize * self.roles..];
        let goals = goals.iter().copied().chain(core::iter::repeat(0));
        bounds.iter_mut().zip(goals).for_each(|(bounds, goal)| *bounds = Bounds::exact(goal));
        self.by_goals.insert(hash, node);
        Some(node)
    }

    /// Notes of a new leaf whether its moves are worth a look when it gets its edges.
    pub(crate) fn set_worth_a_look(&mut self, leaf: u32, is_worth: bool) {
        self.nodes[leaf as usize].count = is_worth.into();
    }

    /// Whether the moves of a node are worth a look once it has its edges.
    pub(crate) fn is_worth_a_look(&self, leaf: u32) -> bool {
        self.node(leaf).count > 0
    }

    fn has_room_for_node(&mut self, goals: usize) -> bool {
        let account = &mut self.account;
        self.nodes.len().max(self.goals.len()) < LAST_INDEX
            && account.reserve(&mut self.nodes, 1)
            && account.reserve(&mut self.positions, self.words)
            && account.reserve(&mut self.bounds, self.roles)
            && account.reserve(&mut self.witnesses, usize::from(self.roles == 1))
            && account.reserve(&mut self.goals, goals)
    }

    /// Adds a node of which nothing is proven; its position is added next.
    fn push_node(&mut self, node: Node) -> u32 {
        self.nodes.push(node);
        self.bounds.extend_from_slice(&self.widest);
        if self.roles == 1 {
            self.witnesses.push(Witness::NONE);
        }
        self.nodes.len() as u32 - 1
    }

    /// Gives a node its edges, if there is memory. Where one role chooses, its moves are
    /// tried from the `start`th on.
    pub(crate) fn expand(
        &mut self,
        node: u32,
        legal: &LegalMoves,
        start: impl Fn(u64, usize) -> usize,
    ) -> bool {
        let mover = legal.mover();
        let moves = mover.map_or(&legal.numbers[..], |mover| legal.of(mover));
        let spans = if mover.is_none() { self.roles + 1 + joints::ENTRIES } else { 0 };
        if let Some(mover) = mover {
            let start = start(self.node(node).hash, moves.len());
            return self.expand_turn(node, mover, &moves[start..], &moves[..start]);
        }
        let has_room = self.moves.len() + moves.len() < LAST_INDEX
            && self.spans.len() < LAST_INDEX
            && self.account.reserve(&mut self.edges, moves.len())
            && self.account.reserve(&mut self.moves, moves.len())
            && self.account.reserve(&mut self.spans, spans);
        if !has_room {
            self.account.close();
            return false;
        }
        let first = self.moves.len() as u32;
        self.moves.extend(moves.iter().map(|&number| Move { number, visits: 0, sum: 0 }));
        let score = self.scores.joint;
        self.edges.resize(self.moves.len(), Edge { score, started: 0, child: NONE });
        let count = self.add_spans(&legal.counts);
        self.move_count += moves.len() as u64;
        let place = &mut self.nodes[node as usize];
        *place = Node { first, count, kind: Kind::Simultaneous, ..*place };
        true
    }

    fn add_spans(&mut self, counts: &[u32]) -> u32 {
        let start = self.spans.len() as u32;
        let mut end = 0;
        self.spans.push(end);
        self.spans.extend(counts.iter().map(|count| {
            end += count;
            end
        }));
        self.spans.extend([NONE; joints::ENTRIES]);
        start
    }

    /// Where a move is noted of a node that has just got its moves: the number of the
    /// mover's move, or where several roles choose which joint move, those of the first role
    /// change fastest.
    pub(crate) fn link_of(&mut self, node: u32, choice: usize) -> Link {
        if self.node(node).kind == Kind::Turn {
            let index = self.untried_numbers(node).position(|number| number as usize == choice);
            let slot = index.and_then(|index| self.try_move(node, index));
            return slot.map_or(Link::Nowhere, |slot| Link::Turn { node, slot });
        }
        let mut rest = choice;
        let edge = |role| {
            let edges = self.role_edges(node, role);
            let edge = edges.start + rest % edges.len();
            rest /= edges.len();
            edge as u32
        };
        let edges: Vec<u32> = (0..self.roles).map(edge).collect();
        self.joint(node, &edges)
    }

    /// How the game is over in a node, if it is.
    fn end_of(&self, node: u32) -> Option<End<'_>> {
        match self.node(node).kind {
            Kind::Over => Some(End::Goals(self.goals(node))),
            Kind::Unscored => Some(End::Unscored),
            _ => None,
        }
    }

    /// The edges of all roles that choose at the same time.
    fn all_edges(&self, node: u32) -> Range<usize> {
        self.role_edges(node, 0).start..self.role_edges(node, self.roles - 1).end
    }

    /// How many moves each of them has.
    pub(crate) fn counts(&self, node: u32) -> Vec<u32> {
        (0..self.roles).map(|role| self.role_edges(node, role).len() as u32).collect()
    }

    /// The edges of a role that chooses at the same time as others.
    pub(crate) fn role_edges(&self, node: u32, role: usize) -> Range<usize> {
        let node = self.node(node);
        let spans = &self.spans[node.count as usize + role..][..2];
        (node.first + spans[0]) as usize..(node.first + spans[1]) as usize
    }

    /// The child that is noted there: a node, [`NONE`] or [`PENDING`].
    pub(crate) fn child(&self, link: Link) -> u32 {
        match link {
            Link::Turn { node, slot } => self.edges[self.edge_of(node, slot)].child,
            Link::Joint(joint) => self.joints[joint as usize].child,
            Link::Nowhere => NONE,
        }
    }

    /// Notes that a choice in a node is being computed.
    pub(crate) fn set_pending(&mut self, link: Link) {
        self.note_child(link, PENDING);
    }

    /// Notes which child a choice in a node leads to, if any.
    pub(crate) fn set_child(&mut self, link: Link, parent: u32, child: Option<u32>) {
        self.note_child(link, child.unwrap_or(NONE));
        // Of ends everything is known: there will be nothing to tell anybody.
        if let Some(child) = child.filter(|&child| self.node(child).kind.goes_on()) {
            self.add_parent(parent, child);
        }
    }

    fn note_child(&mut self, link: Link, child: u32) {
        match link {
            Link::Turn { node, slot } => {
                let edge = self.edge_of(node, slot);
                self.edges[edge].child = child;
            }
            Link::Joint(joint) => self.joints[joint as usize].child = child,
            Link::Nowhere => {}
        }
    }

    /// What each role can be sure of in a node.
    pub(crate) fn bounds(&self, node: u32) -> &[Bounds] {
        &self.bounds[node as usize * self.roles..][..self.roles]
    }

    /// The same, to be tightened.
    pub(crate) fn bounds_mut(&mut self, node: u32) -> &mut [Bounds] {
        &mut self.bounds[node as usize * self.roles..][..self.roles]
    }

    /// The best playout from a node, if any is known.
    pub(crate) fn witness(&self, node: u32) -> Option<Witness> {
        self.witnesses.get(node as usize).copied().filter(|&witness| witness != Witness::NONE)
    }

    /// Notes a playout from a node of a game for one, if it is the best.
    pub(crate) fn note_witness(&mut self, node: u32, found: Witness) {
        let is_better = |known: Witness| found.best().goal > known.best().goal;
        if self.witness(node).is_none_or(is_better) {
            self.witnesses[node as usize] = found;
        }
    }

    /// What is known of a node of which nothing is proven.
    pub(crate) fn widest(&self) -> &[Bounds] {
        &self.widest
    }
}

/// The hashes and indices of nodes of some kinds.
fn hashes(nodes: &[Node], is_it: impl Fn(Kind) -> bool) -> impl Iterator<Item = (u64, u32)> {
    let nodes = nodes.iter().zip(0..).filter(move |(node, _)| is_it(node.kind));
    nodes.map(|(node, index)| (node.hash, index))
}
