//! New nodes: the successors that up to 64 descents ask for, computed together.
//!
//! ```text
//! load where descents stand ─ legal ─▶ new edges ─ choose ─ next ─▶ successors
//! successors ─ legal ─▶ over? goals ─▶ nodes, or known ones
//! ```

use ruche_game::Game;
use ruche_playouts::Lanes;
use ruche_playouts::lanes::{End, Ends, LANES, LegalMoves};
use ruche_shared::position::position_words;

use super::choice::Choice;
use super::descent::Descent;
use super::formula::{Formula, Score, first_move};
use crate::tree::{Kind, NONE, Tree};
use crate::zobrist::Zobrist;

/// What a descent has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// A position to play from.
    Leaf,
    /// The end of the game.
    End,
    /// A node that was there already: the descent goes on from it.
    Known(u32),
    /// No memory for the moves of where it stands: that is played from again.
    Full,
}

/// Computes successors.
#[derive(Debug)]
pub(crate) struct Expander {
    lanes: Lanes,
    zobrist: Zobrist,
    roles: usize,
    words: usize,
    ends: Option<Ends>,
    /// The successors.
    positions: Vec<u32>,
    /// Lanes whose node got no edges.
    refused: u64,
    /// For each role the lanes in which it chooses.
    choosing: Vec<u64>,
    legal: LegalMoves,
    choice: Choice,
    goals: Vec<u16>,
    scores: Vec<u64>,
}

impl Expander {
    pub(crate) fn new(game: &Game) -> Self {
        let image = game.image();
        Self {
            lanes: Lanes::new(game),
            zobrist: Zobrist::new(image.fluents()),
            roles: image.roles(),
            words: position_words(image.fluents()),
            ends: None,
            positions: Vec::new(),
            refused: 0,
            choosing: vec![0; image.roles()],
            legal: LegalMoves::default(),
            choice: Choice::default(),
            goals: Vec::new(),
            scores: Vec::new(),
        }
    }

    /// Puts the root into an empty tree, with its edges if the game goes on.
    /// Returns whether there was memory for it.
    pub(crate) fn plant(&mut self, tree: &mut Tree<Score>, position: &[u32]) -> bool {
        self.lanes.load(core::iter::once(position));
        self.lanes.run_legal();
        self.lanes.survey_moves();
        self.lanes.legal(0, &mut self.legal);
        let ends = self.lanes.survey_ends(1);
        let end = ends.of(0, &self.lanes, &mut self.goals);
        let goes_on = end.is_none();
        let root = tree.add(self.zobrist.hash(position), position, 0, end);
        root.is_some_and(|root| !goes_on || tree.expand(root, &self.legal, first_move))
    }

    /// The hash of a position.
    pub(crate) fn hash(&self, position: &[u32]) -> u64 {
        self.zobrist.hash(position)
    }

    /// The legal moves of a position.
    pub(crate) fn legal_moves(&mut self, position: &[u32]) -> &LegalMoves {
        self.lanes.load(core::iter::once(position));
        self.lanes.run_legal();
        self.lanes.survey_moves();
        self.lanes.legal(0, &mut self.legal);
        &self.legal
    }

    /// Computes the successors of up to 64 descents. After this each of them is
    /// [settled](Self::settle), in order.
    pub(crate) fn expand(
        &mut self,
        tree: &mut Tree<Score>,
        formula: &Formula,
        descents: &mut [Descent],
        playouts: u32,
    ) {
        debug_assert!(descents.len() <= LANES, "there is a lane for each descent");
        self.lanes.load(descents.iter().map(|descent| tree.position(descent.node)));
        self.lanes.run_legal();
        self.add_edges(tree, formula, descents, playouts);
        self.choose(tree, descents);
        self.lanes.run_next();
        self.lanes.store(&mut self.positions, descents.len());
        self.lanes.run_legal();
        let used = u64::MAX.checked_shr((LANES - descents.len()) as u32).unwrap_or(0);
        self.ends = Some(self.lanes.survey_ends(used));
    }

    /// Gives edges to the nodes that descents are the first to go through.
    fn add_edges(
        &mut self,
        tree: &mut Tree<Score>,
        formula: &Formula,
        descents: &mut [Descent],
        playouts: u32,
    ) {
        self.refused = 0;
        if descents.iter().any(|descent| descent.link.is_none()) {
            self.lanes.survey_moves();
        }
        for (lane, descent) in descents.iter_mut().enumerate() {
            if descent.link.is_none() {
                self.lanes.legal(lane, &mut self.legal);
                if tree.expand(descent.node, &self.legal, first_move) {
                    let link = self.choice.make(tree, formula, descent.node);
                    self.choice.take(tree, descent, link, playouts);
                } else {
                    tree.nodes[descent.node as usize].kind = Kind::Leaf;
                    self.refused |= 1 << lane;
                }
            }
        }
    }

    /// Sets the moves that descents have chosen. Roles without a choice have
    /// theirs set already: it is the only legal one.
    fn choose(&mut self, tree: &Tree<Score>, descents: &[Descent]) {
        self.choosing.fill(0);
        let lanes = || (0..LANES).zip(descents).filter(|(lane, _)| self.refused >> lane & 1 == 0);
        for (lane, descent) in lanes() {
            for (role, _) in descent.last_choice(tree) {
                self.choosing[role] |= 1 << lane;
            }
        }
        for (role, &lanes) in self.choosing.iter().enumerate() {
            self.lanes.clear_moves(role, lanes);
        }
        for (lane, descent) in lanes() {
            for (role, number) in descent.last_choice(tree) {
                self.lanes.set_move(lane, role, number);
            }
        }
    }

    /// Adds the successor of a descent to the tree, unless it is there.
    pub(crate) fn settle(
        &mut self,
        tree: &mut Tree<Score>,
        lane: usize,
        descent: &Descent,
    ) -> Found {
        let (Some(ends), Some(link)) = (self.ends, descent.link) else { return Found::Full };
        if self.refused >> lane & 1 == 1 {
            return Found::Full;
        }
        let position = &self.positions[lane * self.words..][..self.words];
        let parent = tree.node(descent.node);
        let depth = parent.depth + 1;
        let hash = self.zobrist.successor(parent.hash, tree.position(descent.node), position);
        if let Some(child) = tree.find(hash, position) {
            tree.set_child(link, child);
            return Found::Known(child);
        }
        let end = ends.of(lane, &self.lanes, &mut self.goals);
        let child = tree.add(hash, position, depth, end);
        tree.set_child(link, child.unwrap_or(NONE));
        match end {
            None => Found::Leaf,
            Some(End::Goals(_)) => Found::End,
            Some(End::Unscored) => {
                self.goals.clear();
                Found::End
            }
        }
    }

    /// The successor of a descent.
    pub(crate) fn position(&self, lane: usize) -> &[u32] {
        &self.positions[lane * self.words..][..self.words]
    }

    /// The scores of playouts from the end that was just settled.
    pub(crate) fn scores(&mut self, playouts: u32) -> &[u64] {
        scale(&self.goals, self.roles, playouts, &mut self.scores);
        &self.scores
    }
}

/// Goals that are reached by some playouts. Without goals nobody scores.
pub(crate) fn scale(goals: &[u16], roles: usize, playouts: u32, scores: &mut Vec<u64>) {
    scores.clear();
    scores.extend(goals.iter().map(|&goal| u64::from(goal) * u64::from(playouts)));
    scores.resize(roles, 0);
}
