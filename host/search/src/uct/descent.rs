//! A way from the root down to a leaf.

use super::formula::{Formula, Score, add_virtual_loss, take_back_virtual_loss};
use crate::tree::{Link, PENDING, Tree};

/// Something on the way whose counts a descent has raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Node(u32),
    /// The move of the only role that chooses.
    Turn {
        edge: u32,
        role: u16,
    },
    /// The move of one of several.
    Share {
        edge: u32,
        role: u16,
    },
    Joint(u32),
}

const _: () = assert!(size_of::<Step>() == 8);

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

    /// Takes the move of the only role that chooses: from now on playouts are under way
    /// there.
    #[inline]
    pub(crate) fn take_turn(&mut self, tree: &mut Tree<Score>, edge: u32, playouts: u32) {
        let node = &mut tree.nodes[self.node as usize];
        node.started += playouts;
        self.steps.extend([Step::Node(self.node), Step::Turn { edge, role: node.mover }]);
        self.choice = self.steps.len() - 1;
        add_virtual_loss(&mut tree.edges[edge as usize], playouts);
    }

    /// Takes the moves of all roles.
    pub(crate) fn take_joint(
        &mut self,
        tree: &mut Tree<Score>,
        edges: &[u32],
        link: Link,
        playouts: u32,
    ) {
        tree.nodes[self.node as usize].started += playouts;
        self.steps.push(Step::Node(self.node));
        self.choice = self.steps.len();
        for (role, &edge) in (0..).zip(edges) {
            tree.edges[edge as usize].started += playouts;
            self.steps.push(Step::Share { edge, role });
        }
        if let Link::Joint(joint) = link {
            self.steps.push(Step::Joint(joint));
        }
    }

    /// Forgets the way to a node, where it goes on: what comes is of no concern to who is
    /// above.
    pub(crate) fn detach(&mut self, node: u32) {
        self.steps.clear();
        (self.choice, self.node, self.link) = (0, node, None);
        self.plies -= 1;
    }

    /// The role and the number of each move of the last choice.
    pub(crate) fn last_choice(&self, tree: &Tree<Score>) -> impl Iterator<Item = (usize, u32)> {
        let number = |edge: u32| tree.moves[edge as usize].number;
        self.steps[self.choice..].iter().filter_map(move |step| match *step {
            Step::Turn { edge, role } | Step::Share { edge, role } => {
                Some((usize::from(role), number(edge)))
            }
            Step::Node(_) | Step::Joint(_) => None,
        })
    }

    /// The numbers of all moves from the root on, where one role chose each.
    pub(crate) fn way(&self, tree: &Tree<Score>) -> Vec<u32> {
        let number = |step: &Step| match *step {
            Step::Turn { edge, .. } => Some(tree.moves[edge as usize].number),
            _ => None,
        };
        self.steps.iter().filter_map(number).collect()
    }

    /// The node where it has ended, if there was memory for it.
    pub(crate) fn leaf(&self, tree: &Tree<Score>) -> Option<u32> {
        let leaf = self.link.map_or(self.node, |link| tree.child(link));
        (leaf < PENDING).then_some(leaf)
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
        self.steps.contains(&Step::Node(node))
    }

    /// Adds what came of the playouts that were under way.
    pub(crate) fn back_up(
        &self,
        tree: &mut Tree<Score>,
        formula: &mut Formula,
        playouts: u32,
        scores: &[u64],
    ) {
        if self.is_from_root() {
            for (total, score) in tree.totals.iter_mut().zip(scores) {
                *total += score;
            }
            tree.playouts += playouts;
        }
        for &step in &self.steps {
            match step {
                Step::Node(_) => {}
                Step::Turn { edge, role } => {
                    formula.back_up(tree, edge, role.into(), playouts, scores[usize::from(role)]);
                }
                Step::Share { edge, role } => {
                    let known = &mut tree.moves[edge as usize];
                    known.visits += playouts;
                    known.sum += scores[usize::from(role)];
                }
                Step::Joint(joint) => tree.back_up_joint(joint, playouts, scores),
            }
        }
    }

    /// The last move of a role where it chose alone.
    pub(crate) fn last_turn_of(&self, role: u16) -> Option<u32> {
        self.steps.iter().rev().find_map(|step| match *step {
            Step::Turn { edge, role: mover } if mover == role => Some(edge),
            _ => None,
        })
    }

    fn is_from_root(&self) -> bool {
        self.steps.first().is_none_or(|step| *step == Step::Node(0))
    }

    /// Stands where its last choice leads.
    pub(crate) fn arrive(&mut self, child: u32) {
        self.node = child;
        self.plies += 1;
    }

    /// Goes back by one ply if there one role chose, as if it had never come here. Returns
    /// whether it did.
    pub(crate) fn go_back(&mut self, tree: &mut Tree<Score>, playouts: u32) -> bool {
        let [.., Step::Node(node), Step::Turn { .. }] = self.steps[..] else { return false };
        let last = self.steps.len() - 2;
        take_back(&self.steps[last..], tree, playouts);
        self.steps.truncate(last);
        (self.node, self.link) = (node, None);
        self.plies -= 1;
        true
    }

    /// Takes back what will never come.
    pub(crate) fn cancel(&self, tree: &mut Tree<Score>, playouts: u32) {
        take_back(&self.steps, tree, playouts);
    }
}

/// Lowers the counts again that steps have raised.
fn take_back(steps: &[Step], tree: &mut Tree<Score>, playouts: u32) {
    for &step in steps {
        match step {
            Step::Node(node) => tree.nodes[node as usize].started -= playouts,
            Step::Turn { edge, .. } => {
                let untried = tree.untried();
                take_back_virtual_loss(&mut tree.edges[edge as usize], playouts, untried);
            }
            Step::Share { edge, .. } => tree.edges[edge as usize].started -= playouts,
            Step::Joint(_) => {}
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
    use crate::settings::SearchOptions;

    /// Chooses at the root and goes one ply.
    fn descend(tree: &mut Tree<Score>, formula: &Formula, playouts: u32) -> Descent {
        let (mut descent, mut choice) = (Descent::new(), Choice::default());
        let link = choice.make(tree, formula, descent.node);
        choice.take(tree, &mut descent, link, playouts);
        descent
    }

    #[test]
    fn playouts_that_never_come_leave_no_trace() {
        for (name, prior) in [("tictactoe", 0.0), ("tictactoe", 2.0), ("blocker", 0.0)] {
            let game = Game::bundled(name).expect("a bundled game");
            let options = SearchOptions { prior, playouts_per_position: 4, ..Default::default() };
            let mut formula = Formula::new(game.image(), &options);
            let mut tree = Tree::new(shape(game.image(), &options));
            assert!(Expander::new(&game, false).plant(&mut tree, game.image().initial()));
            // Some moves are known, some are not, when others are under way and do not come.
            for _ in 0..5 {
                let scores = vec![100; game.roles()];
                descend(&mut tree, &formula, 4).back_up(&mut tree, &mut formula, 4, &scores);
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
