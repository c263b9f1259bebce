//! The best line of a game for one: how to reach the best score that was ever seen.
//!
//! A better playout is played again as soon as it comes, behind the way through the tree
//! that led to it, and its line is kept: also when the root moves along it, and when there
//! is no memory for it in the tree. What ends among the moves of a position show, and what
//! is best below another root, is looked for in the tree when somebody asks: nodes know
//! what they are good for by their bounds, and which playout has shown it.
//!
//! Every line has been played from the root to its end before it is told.

use ruche_game::{Game, State};
use ruche_offload::{Attributes, Best};
use ruche_playouts::{PlayoutName, replay};

use super::formula::Score;
use crate::report::BestLine;
use crate::tree::{Kind, PENDING, POINTS, Tree, Witness};

const ROOT: u32 = 0;

/// From which position on who played what how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Series {
    first: u64,
    seed: u64,
    ply_limit: u32,
}

/// The best line, and what is needed to play playouts again.
#[derive(Debug, Default)]
pub(super) struct Lines {
    best: Option<BestLine>,
    series: Vec<Series>,
    /// Whether the tree has promised a score that cannot be reached, which never happens.
    pub(super) is_broken: bool,
}

impl Lines {
    pub(super) fn best(&self) -> Option<&BestLine> {
        self.best.as_ref()
    }

    /// The best score, whether its line is known or still to be looked for.
    pub(super) fn best_score(&self, tree: &Tree<Score>) -> Option<u16> {
        let proven = (tree.roles() == 1).then(|| tree.bounds(ROOT)[0].low / POINTS);
        let best = self.best.as_ref().map(|best| best.score);
        best.max(proven.filter(|&score| score > 0))
    }

    /// Positions from this one on are played like this.
    pub(super) fn begin(&mut self, first: u64, attributes: &Attributes) {
        let Attributes { seed, ply_limit, .. } = *attributes;
        let is_same = |last: &Series| (last.seed, last.ply_limit) == (seed, ply_limit);
        if !self.series.last().is_some_and(is_same) {
            self.series.push(Series { first, seed, ply_limit });
        }
    }

    /// Whether a goal is better than all so far.
    pub(super) fn is_better(&self, goal: u64) -> bool {
        self.best.as_ref().is_none_or(|best| goal > u64::from(best.score))
    }

    /// Keeps the line of a playout: some moves from the root lead to where it began. Returns
    /// whether it reaches its goal.
    pub(super) fn keep(
        &mut self,
        game: &Game,
        tree: &Tree<Score>,
        way: Vec<u32>,
        position: u64,
        best: Best,
    ) -> bool {
        let line = self.with_playout(game, tree, way, position, best);
        let is_right = line.is_some();
        self.best = line.or(self.best.take());
        is_right
    }

    fn with_playout(
        &self,
        game: &Game,
        tree: &Tree<Score>,
        way: Vec<u32>,
        position: u64,
        best: Best,
    ) -> Option<BestLine> {
        let series = self.series.iter().rev().find(|series| series.first <= position)?;
        let name = PlayoutName { seed: series.seed, position, playout: best.playout };
        let leaf = play(&game.state(tree.position(ROOT)).ok()?, &way)?;
        let playout = replay(game, leaf.position(), name, series.ply_limit).ok()?;
        let moves = way.into_iter().chain(playout.moves.into_iter().flatten()).collect();
        let line = BestLine { score: u16::try_from(best.goal).ok()?, moves };
        is_sound(game, tree, &line).then_some(line)
    }

    /// Looks for a line to what the root is good for, if none is known.
    pub(super) fn look(&mut self, game: &Game, tree: &Tree<Score>) {
        if tree.roles() != 1 || !tree.node(ROOT).kind.goes_on() {
            return;
        }
        let score = tree.bounds(ROOT)[0].low / POINTS;
        if score > 0 && self.is_better(score.into()) {
            let line = self.find(game, tree, score);
            self.is_broken |= line.is_none();
            self.best = line.or(self.best.take());
        }
    }

    /// A line to a score, or to a better one.
    fn find(&self, game: &Game, tree: &Tree<Score>, score: u16) -> Option<BestLine> {
        let places = promising(tree, score);
        let places = || (0..places.len()).map(|index| (places[index].node, way(&places, index)));
        places()
            .find_map(|(node, way)| end(tree, node, way))
            .or_else(|| {
                let mut seen = places().filter_map(|(node, way)| Some((tree.witness(node)?, way)));
                let is_good = |witness: Witness| witness.best().goal >= score.into();
                let (witness, way) = seen.find(|(witness, _)| is_good(*witness))?;
                self.with_playout(game, tree, way, witness.position(), witness.best())
            })
            // Ends that were foreseen are not in the tree.
            .or_else(|| places().find_map(|(node, way)| foreseen(game, tree, node, way, score)))
            .filter(|line| is_sound(game, tree, line))
    }

    /// The root is another position now: keeps the rest of the line if it leads there.
    /// Returns the score that is known to be reached from there.
    pub(super) fn move_root(&mut self, game: &Game, from: &[u32], to: &[u32]) -> Option<u16> {
        let BestLine { score, moves } = self.best.take()?;
        let mut state = game.state(from).ok()?;
        for (ply, &number) in moves.iter().enumerate() {
            state = state.play(&[number]).ok()?;
            if state.position() == to && ply + 1 < moves.len() {
                self.best = Some(BestLine { score, moves: moves[ply + 1..].to_vec() });
                return Some(score);
            }
        }
        None
    }
}

/// A node from which a score can be reached.
struct Place {
    node: u32,
    /// The place before it, and the move that leads here.
    before: usize,
    number: u32,
}

/// All nodes from which a score can be reached, the nearest first.
fn promising(tree: &Tree<Score>, score: u16) -> Vec<Place> {
    let mut is_known = vec![false; tree.nodes.len()];
    let mut places = vec![Place { node: ROOT, before: 0, number: 0 }];
    is_known[ROOT as usize] = true;
    let mut next = 0;
    while let Some(&Place { node, .. }) = places.get(next) {
        let place = tree.node(node);
        let edges = if place.kind == Kind::Turn { place.turn_edges() } else { 0..0 };
        for edge in edges {
            let child = tree.edges[edge].child;
            let is_promising = child < PENDING
                && !is_known[child as usize]
                && tree.bounds(child)[0].low >= score * POINTS;
            if is_promising {
                is_known[child as usize] = true;
                places.push(Place { node: child, before: next, number: tree.moves[edge].number });
            }
        }
        next += 1;
    }
    places
}

/// The moves from the root to a place.
fn way(places: &[Place], mut index: usize) -> Vec<u32> {
    let mut way = Vec::new();
    while index > 0 {
        way.push(places[index].number);
        index = places[index].before;
    }
    way.reverse();
    way
}

/// The line to a node where the game is over.
fn end(tree: &Tree<Score>, node: u32, moves: Vec<u32>) -> Option<BestLine> {
    tree.goals(node).first().map(|&score| BestLine { score, moves })
}

/// The line to an end among the moves of a node.
fn foreseen(
    game: &Game,
    tree: &Tree<Score>,
    node: u32,
    mut moves: Vec<u32>,
    least: u16,
) -> Option<BestLine> {
    let state = game.state(tree.position(node)).ok()?;
    let after = |number: &u32| Some((*number, goal_after(&state, *number)?));
    let (number, score) =
        state.legal(0).iter().filter_map(after).find(|(_, score)| *score >= least)?;
    moves.push(number);
    Some(BestLine { score, moves })
}

fn goal_after(state: &State, number: u32) -> Option<u16> {
    state.play(&[number]).ok()?.goals().map(|goals| goals[0])
}

/// Where some moves lead.
fn play(from: &State, moves: &[u32]) -> Option<State> {
    moves.iter().try_fold(from.clone(), |state, &number| state.play(&[number]).ok())
}

/// Whether a line is legal and reaches its score.
fn is_sound(game: &Game, tree: &Tree<Score>, line: &BestLine) -> bool {
    let end = game.state(tree.position(ROOT)).ok().and_then(|root| play(&root, &line.moves));
    end.and_then(|end| end.goals()) == Some(vec![line.score])
}
