//! A way from the root down to a leaf.

use super::formula::{Formula, Score, add_virtual_loss, take_back_virtual_loss};
use crate::tree::{Link, NONE, Tree};

/// A node or an edge on the way, whose counts a descent has raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// Of the node or the edge.
    index: u32,
    /// Whose move the edge is; [`NONE`] for nodes.
    role: u32,
}

impl Step {
    fn is_node(self) -> bool {
        self.role == NONE
    }
}

/// A descent: what it went through, and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Descent {
    steps: Vec<Step>,
    /// Where the edges of the last choice begin.
    choice: usize,
    /// Where it stands; while a successor is being computed, where that comes
    /// from.
    pub(crate) node: u32,
    /// Where the successor will be noted; `None` if there is no choice yet.
    pub(crate) link: Option<Link>,
    /// Plies so far.
    pub(crate) plies: u32,
    /// Whether it has moved to a node that was found no later than the one
    /// before: only then it can come back to where it was.
    has_turned: bool,
}

impl Descent {
    pub(crate) fn new() -> Self {
        Self { steps: Vec::new(), choice: 0, node: 0, link: None, plies: 0, has_turned: false }
    }

    /// Back to the root, with nothing on the way.
    pub(crate) fn restart(&mut self) {
        self.steps.clear();
        (self.choice, self.node, self.link) = (0, 0, None);
        (self.plies, self.has_turned) = (0, false);
    }

    /// Takes a move for each role that chooses: from now on playouts are under way there.
    pub(crate) fn take(
        &mut self,
        tree: &mut Tree<Score>,
        moves: impl Iterator<Item = (usize, u32)>,
        playouts: u32,
    ) {
        tree.nodes[self.node as usize].started += playouts;
        self.steps.push(Step { index: self.node, role: NONE });
        self.choice = self.steps.len();
        for (role, edge) in moves {
            add_virtual_loss(&mut tree.edges[edge as usize], playouts);
            self.steps.push(Step { index: edge, role: role as u32 });
        }
    }

    /// The role and the number of each move of the last choice.
    pub(crate) fn last_choice(&self, tree: &Tree<Score>) -> impl Iterator<Item = (usize, u32)> {
        let number = |step: &Step| tree.moves[step.index as usize].number;
        self.steps[self.choice..].iter().map(move |step| (step.role as usize, number(step)))
    }

    /// Moves on to a node of the tree. Returns whether it was not there before;
    /// else the descent ends there, since it would go round for ever.
    pub(crate) fn follow(&mut self, tree: &Tree<Score>, child: u32) -> bool {
        let parent = core::mem::replace(&mut self.node, child);
        self.plies += 1;
        self.has_turned |= tree.node(child).depth <= tree.node(parent).depth;
        !self.has_turned || !self.passes(child)
    }

    /// Whether the way leads through a node.
    fn passes(&self, node: u32) -> bool {
        self.steps.iter().any(|step| step.is_node() && step.index == node)
    }

    /// Adds what came of the playouts that were under way.
    pub(crate) fn back_up(
        &self,
        tree: &mut Tree<Score>,
        formula: &Formula,
        playouts: u32,
        scores: &[u64],
    ) {
        for (total, score) in tree.totals.iter_mut().zip(scores) {
            *total += score;
        }
        tree.playouts += playouts;
        for step in self.steps.iter().filter(|step| !step.is_node()) {
            let role = step.role as usize;
            formula.back_up(tree, step.index, role, playouts, scores[role]);
        }
    }

    /// Takes back what will never come.
    pub(crate) fn cancel(&self, tree: &mut Tree<Score>, playouts: u32) {
        for step in &self.steps {
            match step.is_node() {
                true => tree.nodes[step.index as usize].started -= playouts,
                false => take_back_virtual_loss(&mut tree.edges[step.index as usize], playouts),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use ruche_game::Game;

    use super::super::choice::Choice;
    use super::super::expansion::Expander;
    use super::super::shape;
    use super::*;

    /// Chooses at the root and goes one ply.
    fn descend(tree: &mut Tree<Score>, formula: &Formula, playouts: u32) -> Descent {
        let (mut descent, mut choice) = (Descent::new(), Choice::default());
        let link = choice.make(tree, formula, descent.node);
        choice.take(tree, &mut descent, link, playouts);
        descent
    }

    #[test]
    fn playouts_that_never_come_leave_no_trace() {
        for name in ["tictactoe", "blocker"] {
            let game = Game::bundled(name).expect("a bundled game");
            let formula = Formula::new(game.image(), 0.7);
            let mut tree = Tree::new(&shape(game.image(), 1 << 20));
            assert!(Expander::new(&game).plant(&mut tree, game.image().initial()));
            // Some moves are known, some are not, when others are under way and do not come.
            for _ in 0..5 {
                let scores = vec![100; game.roles()];
                descend(&mut tree, &formula, 4).back_up(&mut tree, &formula, 4, &scores);
            }
            let state =
                |tree: &Tree<Score>| format!("{:?} {:?} {}", tree.nodes, tree.edges, tree.playouts);
            let before = state(&tree);
            let descents: Vec<Descent> = (0..40).map(|_| descend(&mut tree, &formula, 4)).collect();
            assert_ne!(before, state(&tree));
            descents.iter().for_each(|descent| descent.cancel(&mut tree, 4));
            assert_eq!(before, state(&tree), "{name}");
        }
    }
}
