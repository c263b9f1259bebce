//! Nodes, edges and positions, in flat vectors that refer to each other by
//! 32-bit indices.
//!
//! Statistics stand on edges, so that a position which several moves lead to
//! tells each of them apart. A node has edges only once a descent has gone
//! through it: most nodes never see one, and edges are what takes memory.
//!
//! ```text
//! nodes      hash, count, kind ── first ─▶ edges    score, count, child
//!                                          moves    number, count, sum of goals
//! positions  words of node 0, 1, …                    │
//! goals      of nodes where the game is over          │
//! joints     node, moves of all roles ─▶ child, where several roles choose
//! ```
//!
//! Which formula chooses among edges is no business of the storage: it keeps with every
//! edge whatever the formula wants to look at, its score `S`.

mod memory;
mod reroot;
mod table;

use std::hash::BuildHasher;
use std::ops::Range;

use memory::Account;
use ruche_playouts::lanes::{End, LegalMoves};
use rustc_hash::FxBuildHasher;
use table::Table;

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
    /// How many edges; of simultaneous moves, where its spans begin.
    count: u32,
    /// Plies from the root, on the way by which it was found.
    pub(crate) depth: u32,
    /// Who chooses where only one role does.
    pub(crate) mover: u16,
    pub(crate) kind: Kind,
}

impl Node {
    /// One for tests of what depends on nothing else.
    #[cfg(test)]
    pub(crate) fn with_hash(hash: u64, started: u32) -> Self {
        let (first, count, depth, mover) = (0, 0, 0, 0);
        Self { hash, started, first, count, depth, mover, kind: Kind::Leaf }
    }

    /// The edges of the role that has a choice.
    pub(crate) fn turn_edges(&self) -> Range<usize> {
        self.first as usize..self.first as usize + self.count as usize
    }
}

const _: () = assert!(size_of::<Node>() <= 64);
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
    /// In an edge.
    Edge(u32),
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
    positions: Vec<u32>,
    /// Goals of nodes where the game is over, one for each role.
    goals: Vec<u16>,
    /// For each node with simultaneous moves where the edges of each role begin,
    /// counted from its first edge, and where they end.
    spans: Vec<u32>,
    /// Children of joint moves.
    joints: Vec<Joint>,
    /// The edges of each joint move, one for each role.
    joint_edges: Vec<u32>,
    by_position: Table,
    by_joint: Table,
    account: Account,
    /// Of an edge that nobody has tried.
    new_score: S,
    /// Playouts through the root, and for each role the sum of its goals over them, since
    /// it is the root.
    pub(crate) playouts: u32,
    pub(crate) totals: Vec<u64>,
    roles: usize,
    /// Words of a position.
    words: usize,
}

/// Where a joint move leads.
#[derive(Clone, Copy, Debug)]
struct Joint {
    hash: u64,
    child: u32,
}

/// What a tree is for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape<S> {
    pub(crate) roles: usize,
    /// Words of a position.
    pub(crate) words: usize,
    /// Bytes that it may take.
    pub(crate) memory: u64,
    /// The score of an edge that nobody has tried.
    pub(crate) new_score: S,
}

impl<S: Copy> Tree<S> {
    pub(crate) fn new(shape: &Shape<S>) -> Self {
        let Shape { roles, words, memory, new_score } = *shape;
        Self {
            nodes: Vec::new(),
            edges: Vec::new(),
            moves: Vec::new(),
            positions: Vec::new(),
            goals: Vec::new(),
            spans: Vec::new(),
            joints: Vec::new(),
            joint_edges: Vec::new(),
            by_position: Table::default(),
            by_joint: Table::default(),
            account: Account::new(memory),
            new_score,
            playouts: 0,
            totals: vec![0; roles],
            roles,
            words,
        }
    }

    pub(crate) fn roles(&self) -> usize {
        self.roles
    }

    /// Bytes that the tree takes.
    pub(crate) fn bytes(&self) -> u64 {
        self.account.bytes()
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

    /// Adds a node for a position that has none, if there is memory. Goals come
    /// with positions where the game is over.
    pub(crate) fn add(
        &mut self,
        hash: u64,
        position: &[u32],
        depth: u32,
        end: Option<End<'_>>,
    ) -> Option<u32> {
        let goals = if let Some(End::Goals(goals)) = end { goals } else { &[] };
        let account = &mut self.account;
        let has_room = self.nodes.len().max(self.goals.len()) < LAST_INDEX
            && account.reserve(&mut self.nodes, 1)
            && account.reserve(&mut self.positions, self.words)
            && account.reserve(&mut self.goals, goals.len())
            && account.reserve_table(&mut self.by_position, |node| self.nodes[node as usize].hash);
        if !has_room {
            account.close();
            return None;
        }
        let kind = end.map_or(Kind::Leaf, kind_of);
        let first = self.goals.len() as u32;
        let node = self.nodes.len() as u32;
        self.goals.extend_from_slice(goals);
        self.positions.extend_from_slice(position);
        let (started, count, mover) = (0, 0, 0);
        self.nodes.push(Node { hash, started, first, count, depth, mover, kind });
        self.by_position.insert(hash, node);
        Some(node)
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
        let spans = if mover.is_none() { self.roles + 1 } else { 0 };
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
        // Several roles try theirs in an order of their own.
        let start = mover.map_or(0, |_| start(self.node(node).hash, moves.len()));
        let order = moves[start..].iter().chain(&moves[..start]);
        self.moves.extend(order.map(|&number| Move { number, visits: 0, sum: 0 }));
        let new = Edge { score: self.new_score, started: 0, child: NONE };
        self.edges.resize(self.moves.len(), new);
        let count = match mover {
            Some(_) => moves.len() as u32,
            None => self.add_spans(&legal.counts),
        };
        let kind = if mover.is_some() { Kind::Turn } else { Kind::Simultaneous };
        let place = &mut self.nodes[node as usize];
        *place = Node { first, count, kind, mover: mover.unwrap_or(0) as u16, ..*place };
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
        start
    }

    /// How the game is over in a node, if it is.
    fn end(&self, node: u32) -> Option<End<'_>> {
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
    fn counts(&self, node: u32) -> Vec<u32> {
        (0..self.roles).map(|role| self.role_edges(node, role).len() as u32).collect()
    }

    /// The edges of a role that chooses at the same time as others.
    pub(crate) fn role_edges(&self, node: u32, role: usize) -> Range<usize> {
        let node = self.node(node);
        let spans = &self.spans[node.count as usize + role..][..2];
        (node.first + spans[0]) as usize..(node.first + spans[1]) as usize
    }

    /// Where a joint move is noted. It is added if it is new and there is memory.
    pub(crate) fn joint(&mut self, edges: &[u32]) -> Link {
        let hash = joint_hash(edges);
        if let Some(joint) = self.find_joint(hash, edges) {
            return Link::Joint(joint);
        }
        let account = &mut self.account;
        let has_room = self.joints.len() < LAST_INDEX
            && account.reserve(&mut self.joints, 1)
            && account.reserve(&mut self.joint_edges, edges.len())
            && account.reserve_table(&mut self.by_joint, |joint| self.joints[joint as usize].hash);
        if !has_room {
            account.close();
            return Link::Nowhere;
        }
        let joint = self.joints.len() as u32;
        self.joints.push(Joint { hash, child: NONE });
        self.joint_edges.extend_from_slice(edges);
        self.by_joint.insert(hash, joint);
        Link::Joint(joint)
    }

    /// Where a joint move leads, if that is known.
    pub(crate) fn joint_child(&self, edges: &[u32]) -> Option<u32> {
        let joint = self.find_joint(joint_hash(edges), edges)?;
        Some(self.child(Link::Joint(joint)))
    }

    fn find_joint(&self, hash: u64, edges: &[u32]) -> Option<u32> {
        self.by_joint.find(hash, |joint| {
            self.joints[joint as usize].hash == hash
                && &self.joint_edges[joint as usize * self.roles..][..self.roles] == edges
        })
    }

    /// The child that is noted there: a node, [`NONE`] or [`PENDING`].
    pub(crate) fn child(&self, link: Link) -> u32 {
        match link {
            Link::Edge(edge) => self.edges[edge as usize].child,
            Link::Joint(joint) => self.joints[joint as usize].child,
            Link::Nowhere => NONE,
        }
    }

    /// Notes a child.
    pub(crate) fn set_child(&mut self, link: Link, child: u32) {
        match link {
            Link::Edge(edge) => self.edges[edge as usize].child = child,
            Link::Joint(joint) => self.joints[joint as usize].child = child,
            Link::Nowhere => {}
        }
    }
}

fn kind_of(end: End<'_>) -> Kind {
    match end {
        End::Goals(_) => Kind::Over,
        End::Unscored => Kind::Unscored,
    }
}

/// Edges are unique in the tree, so that they name their node, too.
fn joint_hash(edges: &[u32]) -> u64 {
    FxBuildHasher.hash_one(edges)
}
