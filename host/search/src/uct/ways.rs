//! The ways of a batch from the root down to its leaves.
//!
//! Most ways begin alike: what several have in common is one step, so that results go up
//! each step once, however many leaves it leads to.
//!
//! ```text
//! steps  before ─▶ the step that led to its node
//!        node, choice ─▶ the edge; in `moves` the edges of all roles, where several choose
//! ```

use super::formula::{Formula, Score, add_virtual_loss, take_back_virtual_loss};
use crate::tree::{Kind, Link, NONE, Tree};

/// The ways of a batch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ways {
    steps: Vec<Step>,
    /// The edges of choices of several roles, and after those of each the joint move.
    moves: Vec<u32>,
}

/// A choice on the way, whose counts were raised.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// The step that led to its node, or [`NONE`].
    before: u32,
    node: u32,
    /// The slot of the edge of the only role that chooses; of several, where theirs begin.
    choice: u32,
    is_joint: bool,
}

impl Step {
    /// The edge of the only role that chooses.
    #[inline]
    fn edge(&self, tree: &Tree<Score>) -> usize {
        tree.edge_of(self.node, self.choice)
    }
}

/// Where some descents stand that have come the same way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The last step, [`NONE`] at the root.
    pub(crate) step: u32,
    pub(crate) node: u32,
    /// How many descents.
    pub(crate) visits: u32,
    /// Plies so far.
    pub(crate) plies: u32,
    /// The depth of nodes that were found after the one before: only through others can a
    /// way come back to where it was.
    pub(crate) deeper: u32,
    pub(crate) has_turned: bool,
}

impl Place {
    /// At the root.
    pub(crate) fn root(visits: u32) -> Self {
        Self { step: NONE, node: 0, visits, plies: 0, deeper: 0, has_turned: false }
    }

    /// Where a step leads from here.
    pub(crate) fn after(self, tree: &Tree<Score>, step: u32, child: u32, visits: u32) -> Self {
        let (plies, deeper) = (self.plies + 1, tree.node(self.node).depth + 1);
        Self { step, node: child, visits, plies, deeper, ..self }
    }

    /// The same without the way: what comes is of no concern to who is above.
    pub(crate) fn detached(self) -> Self {
        Self { step: NONE, ..self }
    }
}

/// A leaf that is played from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leaf {
    /// The last step, [`NONE`] at the root.
    pub(crate) step: u32,
    /// Its node, [`NONE`] if there was no memory for it.
    pub(crate) node: u32,
}

impl Ways {
    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.steps.clear();
        self.moves.clear();
    }

    fn push(&mut self, step: Step) -> u32 {
        self.steps.push(step);
        self.steps.len() as u32 - 1
    }

    /// A step by the move of the only role that chooses.
    #[inline]
    pub(crate) fn add_turn(&mut self, place: &Place, slot: u32) -> u32 {
        self.push(Step { before: place.step, node: place.node, choice: slot, is_joint: false })
    }

    /// A step by the moves of all roles.
    pub(crate) fn add_joint(&mut self, place: &Place, edges: &[u32], link: Link) -> u32 {
        let choice = self.moves.len() as u32;
        self.moves.extend_from_slice(edges);
        self.moves.push(if let Link::Joint(joint) = link { joint } else { NONE });
        self.push(Step { before: place.step, node: place.node, choice, is_joint: true })
    }

    /// The edges of a choice of several roles.
    fn joint_edges(&self, step: Step, roles: usize) -> &[u32] {
        &self.moves[step.choice as usize..][..roles]
    }

    /// The role and the number of each move of a step.
    pub(crate) fn moves(
        &self,
        tree: &Tree<Score>,
        step: u32,
    ) -> impl Iterator<Item = (usize, u32)> {
        let step = self.steps[step as usize];
        let number = |edge: usize| tree.moves[edge].number;
        let mover = usize::from(tree.node(step.node).mover);
        let turn = (!step.is_joint).then(|| (mover, number(step.edge(tree))));
        let edges = if step.is_joint { self.joint_edges(step, tree.roles()) } else { &[] };
        let joint = edges.iter().map(move |&edge| number(edge as usize)).enumerate();
        turn.into_iter().chain(joint)
    }

    /// The steps from the last one up to the root.
    fn upwards(&self, last: u32) -> impl Iterator<Item = Step> {
        let get = |index: u32| self.steps.get(index as usize).copied();
        core::iter::successors(get(last), move |step| get(step.before))
    }

    /// The numbers of all moves from the root on, where one role chose each.
    pub(crate) fn numbers(&self, tree: &Tree<Score>, last: u32) -> Vec<u32> {
        let turns = self.upwards(last).filter(|step| !step.is_joint);
        let mut numbers: Vec<u32> =
            turns.map(|step| tree.moves[step.edge(tree)].number).collect();
        numbers.reverse();
        numbers
    }

    /// The last move of a role where it chose alone.
    pub(crate) fn last_turn_of(&self, tree: &Tree<Score>, last: u32, role: u16) -> Option<usize> {
        let is_its = |step: &Step| !step.is_joint && tree.node(step.node).mover == role;
        self.upwards(last).find(is_its).map(|step| step.edge(tree))
    }

    /// Whether a way has come back to where it was, and would go round for ever.
    #[inline]
    pub(crate) fn goes_round(&self, tree: &Tree<Score>, place: &mut Place) -> bool {
        place.has_turned |= tree.node(place.node).depth < place.deeper;
        place.has_turned && self.upwards(place.step).any(|step| step.node == place.node)
    }

    /// Goes back by one ply if there one role chose, as if nobody had ever come here.
    /// Returns the edge that had led here if it did.
    pub(crate) fn go_back(
        &self,
        tree: &mut Tree<Score>,
        place: &mut Place,
        playouts: u32,
    ) -> Option<usize> {
        let last = self.steps.get(place.step as usize).filter(|step| !step.is_joint);
        let step = *last?;
        self.take_back(tree, step, place.visits * playouts);
        (place.node, place.step, place.deeper) = (step.node, step.before, 0);
        place.plies -= 1;
        Some(step.edge(tree))
    }

    /// Lowers the counts again that a step has raised.
    fn take_back(&self, tree: &mut Tree<Score>, step: Step, playouts: u32) {
        tree.nodes[step.node as usize].started -= playouts;
        if step.is_joint {
            for &edge in self.joint_edges(step, tree.roles()) {
                tree.edges[edge as usize].started -= playouts;
            }
        } else {
            let untried = tree.untried_score();
            let edge = step.edge(tree);
            take_back_virtual_loss(&mut tree.edges[edge], playouts, untried);
        }
    }

    /// Adds what playouts have brought that went a step.
    #[inline]
    fn back_up_step(
        &self,
        tree: &mut Tree<Score>,
        formula: &mut Formula,
        step: Step,
        playouts: u32,
        scores: &[u64],
    ) {
        if step.before == NONE && step.node == 0 {
            count_at_root(tree, playouts, scores);
        }
        if !step.is_joint {
            let role = usize::from(tree.node(step.node).mover);
            return formula.back_up(tree, step.edge(tree), role, playouts, scores[role]);
        }
        let edges = self.joint_edges(step, tree.roles());
        for (&edge, score) in edges.iter().zip(scores) {
            let known = &mut tree.moves[edge as usize];
            known.visits += playouts;
            known.sum += score;
        }
        let joint = self.moves[step.choice as usize + edges.len()];
        if joint != NONE {
            tree.back_up_joint(joint, playouts, scores);
        }
    }

    /// Adds what came of playouts behind the last step of a way.
    pub(crate) fn back_up_one(
        &self,
        tree: &mut Tree<Score>,
        formula: &mut Formula,
        last: u32,
        playouts: u32,
        scores: &[u64],
    ) {
        if last == NONE {
            count_at_root(tree, playouts, scores);
        }
        for step in self.upwards(last) {
            self.back_up_step(tree, formula, step, playouts, scores);
        }
    }

    /// Adds what came of the playouts of all leaves.
    pub(crate) fn back_up<'a>(
        &self,
        tree: &mut Tree<Score>,
        formula: &mut Formula,
        leaves: &[Leaf],
        playouts: u32,
        scores: impl Fn(usize) -> &'a [u64],
    ) {
        let roles = tree.roles();
        let mut sums = Sums::new(self.steps.len(), roles);
        for (index, leaf) in leaves.iter().enumerate() {
            match leaf.step {
                NONE => count_at_root(tree, playouts, scores(index)),
                step => sums.add(step, playouts, scores(index)),
            }
        }
        for (index, &step) in self.steps.iter().enumerate().rev() {
            let (playouts, scores) = sums.of(index);
            if playouts > 0 {
                self.back_up_step(tree, formula, step, playouts, scores);
                sums.pass_on(index, step.before);
            }
        }
    }

    /// Takes back what will never come.
    pub(crate) fn cancel(&self, tree: &mut Tree<Score>, leaves: &[Leaf], playouts: u32) {
        let mut sums = Sums::new(self.steps.len(), 0);
        let steps = leaves.iter().map(|leaf| leaf.step).filter(|&step| step != NONE);
        steps.for_each(|step| sums.add(step, playouts, &[]));
        for (index, &step) in self.steps.iter().enumerate().rev() {
            let (playouts, _) = sums.of(index);
            if playouts > 0 {
                self.take_back(tree, step, playouts);
                sums.pass_on(index, step.before);
            }
        }
    }
}

/// Playouts are over that count for the root.
fn count_at_root(tree: &mut Tree<Score>, playouts: u32, scores: &[u64]) {
    tree.playouts += playouts;
    for (total, score) in tree.totals.iter_mut().zip(scores) {
        *total += score;
    }
}

/// Of each step the playouts behind it, and for each role the sum of their goals.
struct Sums {
    playouts: Vec<u32>,
    scores: Vec<u64>,
    roles: usize,
}

impl Sums {
    fn new(steps: usize, roles: usize) -> Self {
        Self { playouts: vec![0; steps], scores: vec![0; steps * roles], roles }
    }

    fn add(&mut self, step: u32, playouts: u32, scores: &[u64]) {
        self.playouts[step as usize] += playouts;
        let sums = &mut self.scores[step as usize * self.roles..][..self.roles];
        for (sum, score) in sums.iter_mut().zip(scores) {
            *sum += score;
        }
    }

    fn of(&self, step: usize) -> (u32, &[u64]) {
        (self.playouts[step], &self.scores[step * self.roles..][..self.roles])
    }

    /// What is behind a step is behind the one before, too.
    fn pass_on(&mut self, step: usize, before: u32) {
        if before == NONE {
            return;
        }
        self.playouts[before as usize] += self.playouts[step];
        for role in 0..self.roles {
            self.scores[before as usize * self.roles + role] += self.scores[step * self.roles + role];
        }
    }
}

/// From now on playouts are under way through a node and the move of the only role that
/// chooses.
#[inline]
pub(crate) fn raise_turn(tree: &mut Tree<Score>, node: u32, slot: u32, playouts: u32) {
    debug_assert_eq!(tree.node(node).kind, Kind::Turn, "one role chooses");
    tree.nodes[node as usize].started += playouts;
    let edge = tree.edge_of(node, slot);
    add_virtual_loss(&mut tree.edges[edge], playouts);
}

/// The same for the moves of all roles.
pub(crate) fn raise_joint(tree: &mut Tree<Score>, node: u32, edges: &[u32], playouts: u32) {
    tree.nodes[node as usize].started += playouts;
    for &edge in edges {
        tree.edges[edge as usize].started += playouts;
    }
}

#[cfg(test)]
mod tests {
    use ruche_game::Game;

    use super::super::choice::Choice;
    use super::super::expansion::Expander;
    use super::super::shape;
    use super::*;
    use crate::settings::SearchOptions;

    /// Chooses at the root and goes one ply.
    fn descend(ways: &mut Ways, tree: &mut Tree<Score>, formula: &Formula, playouts: u32) -> Leaf {
        let mut choice = Choice::default();
        let link = choice.make(tree, formula, 0);
        let step = choice.take(tree, ways, &Place::root(1), link, playouts);
        Leaf { step, node: NONE }
    }

    #[test]
    fn playouts_that_never_come_leave_no_trace() {
        for (name, prior) in [("tictactoe", 0.0), ("tictactoe", 2.0), ("blocker", 0.0)] {
            let game = Game::bundled(name).expect("a bundled game");
            let options = SearchOptions { prior, playouts_per_position: 4, ..Default::default() };
            let mut formula = Formula::new(game.image(), &options);
            let mut tree = Tree::new(shape(game.image(), &options));
            assert!(Expander::new(&game, false).plant(&mut tree, game.image().initial()));
            let mut ways = Ways::default();
            // Some moves are known, some are not, when others are under way and do not come.
            for _ in 0..5 {
                let scores = vec![100; game.roles()];
                let leaf = descend(&mut ways, &mut tree, &formula, 4);
                ways.back_up_one(&mut tree, &mut formula, leaf.step, 4, &scores);
            }
            let state =
                |tree: &Tree<Score>| format!("{:?} {:?} {}", tree.nodes, tree.edges, tree.playouts);
            let before = state(&tree);
            ways.clear();
            let leaves: Vec<Leaf> =
                (0..40).map(|_| descend(&mut ways, &mut tree, &formula, 4)).collect();
            assert_ne!(before, state(&tree));
            ways.cancel(&mut tree, &leaves, 4);
            assert_eq!(before, state(&tree), "{name}");
        }
    }
}
