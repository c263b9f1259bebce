//! Which move to try next: UCB1, `W/n + C·sqrt(ln N / n)`.
//!
//! Playouts under way are a *virtual loss*: they count as visits in `N` and `n`, but not
//! in the mean, as in WU-UCT; nobody is taken to have lost. So descents of the same batch
//! spread over moves that deserve it, although none has brought anything yet.
//!
//! A choice looks at all moves and then changes the counts of one: what the formula says
//! of a move is computed when its counts change, and kept with its edge as a [`Score`], so
//! that a choice needs no division, root or logarithm.
//!
//! Every machine gets the same bits: division, square root and rounding are exact
//! everywhere, the logarithm comes from `libm`, written in Rust.

use std::ops::Range;

use ruche_shared::Image;

use super::history::History;
use crate::settings::SearchOptions;
use crate::tree::{Edge, Expected, Kind, Move, Node, Tree};

/// What the choice depends on, beside the counts.
#[derive(Clone, Debug)]
pub(crate) struct Formula {
    /// `C·sqrt(ln N)` for each [step](step) of visits of a position.
    exploration: Vec<f32>,
    /// For each role what makes the range of its goals 1 wide. Where the range
    /// begins is the same for all moves and does not matter.
    factors: Vec<f64>,
    /// What moves have brought elsewhere, if that counts.
    history: Option<History>,
}

impl Formula {
    /// The weight of exploration is for looks: a leaf with many playouts is one look with
    /// less noise. The counts are of playouts, whose root is that much larger.
    pub(crate) fn new(image: &Image<'_>, options: &SearchOptions) -> Self {
        let playouts = options.playouts_per_position;
        let factors = (0..image.roles()).map(|role| factor(image, role)).collect();
        let weight = options.exploration * f64::from(playouts).sqrt();
        let history = (options.prior > 0.0).then(|| History::new(image, playouts));
        Self { exploration: exploration_table(weight), factors, history }
    }

    /// Whether every move has a value before it is tried, so that [`Bids`](super::bids) can
    /// be made for it.
    pub(crate) fn has_bids(&self) -> bool {
        self.history.is_some()
    }

    /// `C·sqrt(ln N)` of a position with this many visits, virtual ones included.
    #[inline]
    pub(crate) fn exploration(&self, started: u32) -> f32 {
        self.exploration[step(started)]
    }

    /// The mean goal of a role, in parts of the range of its goals.
    #[inline]
    pub(crate) fn mean(&self, role: usize, sum: u64, visits: u64) -> f32 {
        // Both are far below 2^63, and signed numbers are converted by one instruction.
        let [sum, visits] = [sum, visits].map(|number| number.cast_signed() as f64);
        (sum / visits * self.factors[role]) as f32
    }

    /// A goal of a role, in the same parts.
    pub(crate) fn part(&self, role: usize, goal: f64) -> f32 {
        (goal * self.factors[role]) as f32
    }

    /// The mean goal of a role over the playouts of one of its moves; that over half the
    /// range if there are none.
    pub(crate) fn mean_of_move(&self, tree: &Tree<Score>, role: usize, edge: usize) -> f32 {
        match tree.moves[edge] {
            Move { visits: 0, .. } => self.part(role, tree.widest()[role].middle()),
            Move { visits, sum, .. } => self.mean(role, sum, visits.into()),
        }
    }

    /// The slot of the edge that the mover of a node chooses, or the one behind all edges
    /// for the next move without.
    #[inline]
    pub(crate) fn choose(&self, tree: &Tree<Score>, node: &Node) -> u32 {
        let (role, edges) = (node.mover.into(), node.turn_edges());
        let view = View { exploration: self.exploration(node.started) };
        let expected = || self.expected(tree, role, edges.clone());
        view.choose(&tree.edges[edges.clone()], tree.next_score(node), expected) as u32
    }

    /// What a role may expect of a move: the mean over some edges, 0 without visits.
    #[cold]
    fn expected(&self, tree: &Tree<Score>, role: usize, edges: Range<usize>) -> f32 {
        let moves = &tree.moves[edges];
        let visits: u64 = moves.iter().map(|known| u64::from(known.visits)).sum();
        let sum = moves.iter().map(|known| known.sum).sum();
        if visits == 0 { 0.0 } else { self.mean(role, sum, visits) }
    }

    /// Tells the moves of a new node what may be expected of them: what their role expects
    /// here, and what they have brought elsewhere. `before` is the last move of the role.
    pub(crate) fn expect(&self, tree: &mut Tree<Score>, node: u32, before: Option<usize>) {
        let place = *tree.node(node);
        let Some(history) = self.history.as_ref().filter(|_| place.kind == Kind::Turn) else {
            return;
        };
        let role = usize::from(place.mover);
        let base = match before.filter(|&edge| tree.moves[edge].visits > 0) {
            Some(edge) => self.mean_of_move(tree, role, edge),
            None if tree.playouts > 0 => self.mean(role, tree.totals[role], tree.playouts.into()),
            None => self.part(role, tree.widest()[role].middle()),
        };
        let advantage = history.advantages(role);
        let expected =
            |number: u32| (base + self.part(role, advantage(number))).max(LEAST_MEAN);
        for edge in place.turn_edges() {
            tree.edges[edge].score.mean = expected(tree.moves[edge].number);
        }
        tree.expect(node, expected);
    }

    /// Playouts have brought the role of an edge this sum of goals.
    #[inline]
    pub(crate) fn back_up(
        &mut self,
        tree: &mut Tree<Score>,
        edge: usize,
        role: usize,
        playouts: u32,
        sum: u64,
    ) {
        let known = &mut tree.moves[edge];
        known.visits += playouts;
        known.sum += sum;
        if let Some(history) = &mut self.history {
            history.note(role, known.number, playouts, sum);
        }
        let mean = self.mean(role, known.sum, known.visits.into());
        tree.edges[edge].score.mean = mean;
    }
}

/// Playouts are under way through an edge.
#[inline]
pub(crate) fn add_virtual_loss(edge: &mut Edge<Score>, playouts: u32) {
    if edge.started == 0 && edge.score.mean == Score::UNTRIED.mean {
        edge.score.mean = UNVISITED;
    }
    edge.started += playouts;
    if !is_excluded(edge) {
        edge.score.uncertainty = uncertainty(edge.started);
    }
}

/// They will never come.
pub(crate) fn take_back_virtual_loss(edge: &mut Edge<Score>, playouts: u32, untried: Score) {
    edge.started -= playouts;
    if edge.started == 0 && edge.score.mean == UNVISITED {
        edge.score.mean = Score::UNTRIED.mean;
    }
    if !is_excluded(edge) {
        include(edge, untried);
    }
}

/// Nobody goes this way any more: where it leads is settled, or not better than another.
pub(crate) fn exclude(edge: &mut Edge<Score>) {
    edge.score.uncertainty = EXCLUDED;
}

/// One may go this way again.
pub(crate) fn include(edge: &mut Edge<Score>, untried: Score) {
    edge.score.uncertainty = match edge.started {
        0 => untried.uncertainty,
        started => uncertainty(started),
    };
}

/// Whether nobody goes this way any more.
#[inline]
pub(crate) fn is_excluded(edge: &Edge<Score>) -> bool {
    edge.score.uncertainty < 0.0
}

/// Bits behind the first one that tell steps apart: the logarithm is taken of numbers
/// that are up to 2^-6 smaller, which is nothing to its root, and found in a table of 8 KB
/// instead of being computed in every position of every descent.
const STEP_BITS: u32 = 6;

const STEPS: usize = (u32::BITS as usize + 1) << STEP_BITS;

/// The step of a number: its length and its first bits, as they stand in a float.
#[inline]
fn step(visits: u32) -> usize {
    const SHIFT: u32 = f32::MANTISSA_DIGITS - 1 - STEP_BITS;
    const FIRST: u32 = 1.0_f32.to_bits() >> SHIFT;
    ((visits.max(1) as f32).to_bits() >> SHIFT) as usize - FIRST as usize
}

/// `C·sqrt(ln N)` of all steps.
fn exploration_table(weight: f64) -> Vec<f32> {
    let of = |step: usize| {
        let fraction = (step % (1 << STEP_BITS)) as f64 / f64::from(1 << STEP_BITS);
        let visits = (1.0 + fraction) * (1_u64 << (step >> STEP_BITS)) as f64;
        ((weight * libm::log(visits).sqrt()) as f32).max(LEAST_EXPLORATION)
    };
    (0..STEPS).map(of).collect()
}

fn factor(image: &Image<'_>, role: usize) -> f64 {
    let values = image.role_goals(role).map(|goal| goal.value);
    let range = values.clone().max().unwrap_or(0) - values.min().unwrap_or(0);
    if range == 0 { 0.0 } else { 1.0 / f64::from(range) }
}

/// What the formula says of a move. Single precision: it only has to tell moves apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Score {
    /// The [mean](Formula::mean) of its playouts; [`UNVISITED`] if the first ones are
    /// under way.
    pub(crate) mean: f32,
    /// `sqrt(1 / n)`: the fewer visits a move has, virtual ones included, the more there
    /// is to learn about it.
    pub(crate) uncertainty: f32,
}

/// Nothing less is expected of a move.
const LEAST_MEAN: f32 = 1e-3;

/// The mean of a move whose first playouts are under way. All others are positive.
pub(crate) const UNVISITED: f32 = -1.0;

impl Score {
    /// Of a move that nobody has tried: so uncertain that it comes before all others, with
    /// the least exploration, too.
    pub(crate) const UNTRIED: Self = Self { mean: 0.0, uncertainty: 1e18 };

    /// Of a move that nobody has tried here, where what is known of it elsewhere counts as
    /// some looks; without, it is tried before all others.
    pub(crate) fn untried(prior: f64, playouts_per_look: u32) -> Self {
        match prior > 0.0 {
            true => {
                let playouts = prior * f64::from(playouts_per_look);
                Self { mean: LEAST_MEAN, uncertainty: (1.0 / playouts.sqrt()) as f32 }
            }
            false => Self::UNTRIED,
        }
    }
}

impl Expected for Score {
    fn expecting(self, mean: f32) -> Self {
        Self { mean, ..self }
    }
}

impl Score {
    /// Where roles choose at the same time: neither regret nor strategy.
    pub(crate) const NO_REGRET: Self = Self { mean: 0.0, uncertainty: 0.0 };
}

/// Also without exploration, so that all moves are tried.
const LEAST_EXPLORATION: f32 = 1e-6;

/// Moves that nobody has tried have a value above this, all others one below: goals
/// are numbers of 16 bits.
const LEAST_UNTRIED: f32 = 1e9;

const _: () = assert!(Score::UNTRIED.uncertainty * LEAST_EXPLORATION > LEAST_UNTRIED);

/// So certain that it comes behind all others.
const EXCLUDED: f32 = -Score::UNTRIED.uncertainty;

#[inline]
pub(crate) fn uncertainty(started: u32) -> f32 {
    1.0 / (started as f32).sqrt()
}

pub(crate) const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// A number in which each upper bit depends on all bits of another. A generator with a
/// state of its own would cost more than the choice that it is for.
#[inline(always)]
pub(crate) fn mixed(number: u64) -> u64 {
    let number = number.wrapping_mul(GOLDEN);
    (number ^ number >> 29).wrapping_mul(GOLDEN)
}

/// Where to begin among the moves of a position with this hash, so that not all positions
/// try the same moves first.
#[inline]
pub(crate) fn first_move(hash: u64, moves: usize) -> usize {
    (((hash >> u32::BITS) * moves as u64) >> u32::BITS) as usize
}

/// The formula for one role in one position.
#[derive(Clone, Copy, Debug)]
struct View {
    exploration: f32,
}

impl View {
    /// The move to take, of at least one: one that nobody has tried, else the one with the
    /// highest value; the first of several. `next` is the best of those without an edge. `expected` is the mean of moves of which
    /// nothing is known.
    #[inline]
    fn choose(
        &self,
        edges: &[Edge<Score>],
        next: Option<Score>,
        expected: impl FnOnce() -> f32,
    ) -> usize {
        let mut best = self.best(edges, |mean| mean);
        if best.least_mean < 0.0 && best.value < LEAST_UNTRIED {
            let expected = expected();
            best = self.best(edges, |mean| if mean < 0.0 { expected } else { mean });
        }
        match next {
            Some(next) if next.mean + self.exploration * next.uncertainty > best.value => {
                edges.len()
            }
            _ => best.index,
        }
    }

    #[inline(always)]
    fn best(&self, edges: &[Edge<Score>], mean: impl Fn(f32) -> f32) -> Best {
        let mut best = Best { value: f32::NEG_INFINITY, index: 0, least_mean: 0.0 };
        for (index, Edge { score, .. }) in edges.iter().enumerate() {
            let value = mean(score.mean) + self.exploration * score.uncertainty;
            // One instruction, other than `min`, which knows what is no number.
            best.least_mean =
                if score.mean < best.least_mean { score.mean } else { best.least_mean };
            if value > best.value {
                (best.value, best.index) = (value, index);
            }
        }
        best
    }
}

/// The best move.
struct Best {
    value: f32,
    index: usize,
    /// Negative if there are some whose first playouts are under way.
    least_mean: f32,
}

#[cfg(test)]
mod tests {
    use ruche_game::Game;

    use super::super::expansion::Expander;
    use super::super::shape;
    use super::*;

    const VIEW: View = View { exploration: 1.4 };

    fn formula(exploration: f64) -> Formula {
        let exploration = exploration_table(exploration);
        Formula { exploration, factors: vec![0.01], history: None }
    }

    /// A move with visits, more under way, and a sum of goals up to 100.
    fn edge(visits: u32, under_way: u32, sum: u64) -> Edge<Score> {
        let started = visits + under_way;
        let uncertainty = uncertainty(started);
        let score = match (visits, started) {
            (0, 0) => Score::UNTRIED,
            (0, _) => Score { mean: UNVISITED, uncertainty },
            _ => Score { mean: formula(1.0).mean(0, sum, visits.into()), uncertainty },
        };
        Edge { score, started, child: 0 }
    }

    fn choose(edges: &[Edge<Score>], expected: f32) -> usize {
        VIEW.choose(edges, None, || expected)
    }

    #[test]
    fn what_has_brought_more_elsewhere_comes_first() {
        let game = Game::bundled("tictactoe").expect("a bundled game");
        let options = SearchOptions::default();
        let mut formula = Formula::new(game.image(), &options);
        let mut tree = Tree::new(shape(game.image(), &options));
        assert!(Expander::new(&game, false).plant(&mut tree, game.image().initial()));
        let edges = tree.node(0).turn_edges();
        let [good, bad] = [edges.start + 5, edges.start + 2];
        let history = formula.history.as_mut().expect("it counts by default");
        history.note(0, tree.moves[good].number, 1000, 60_000);
        history.note(0, tree.moves[bad].number, 1000, 40_000);
        formula.expect(&mut tree, 0, None);
        assert_eq!(edges.start + formula.choose(&tree, tree.node(0)) as usize, good);
        let mean = |edge: usize| tree.edges[edge].score.mean;
        let others = || edges.clone().filter(|edge| ![good, bad].contains(edge));
        assert!(others().all(|edge| mean(bad) < mean(edge) && mean(edge) < mean(good)));
    }

    #[test]
    fn exploration_grows_as_the_root_of_the_logarithm() {
        let formula = formula(0.7);
        for visits in (1..5000).chain([1 << 20, u32::MAX - 1, u32::MAX]) {
            let exact = 0.7 * f64::from(visits).ln().sqrt();
            let found = f64::from(formula.exploration(visits));
            assert!(found > 0.0 && (exact - found).abs() < 0.01, "{visits}: {found}");
            assert!(formula.exploration(visits - 1) <= formula.exploration(visits));
        }
    }

    #[test]
    fn what_nobody_has_tried_comes_first() {
        let edges = [edge(1, 0, 100), edge(0, 1, 0), edge(0, 0, 0), edge(1, 0, 0), edge(0, 0, 0)];
        assert_eq!(choose(&edges, 1.0), 2);
        for started in 0..100 {
            let exploration = formula(0.0).exploration(started);
            let view = View { exploration };
            assert!([2, 4].contains(&view.choose(&edges, None, || 1.0)), "also without exploration");
        }
    }

    #[test]
    fn a_virtual_loss_makes_a_move_less_urgent() {
        assert_eq!(choose(&[edge(10, 0, 500), edge(10, 0, 600)], 0.0), 1);
        assert_eq!(choose(&[edge(10, 0, 500), edge(10, 20, 600)], 0.0), 0);
    }

    #[test]
    fn a_virtual_loss_that_is_taken_back_leaves_no_trace() {
        for (visits, under_way) in [(0, 0), (0, 4), (8, 0), (8, 4)] {
            let before = edge(visits, under_way, 300);
            let mut after = before;
            add_virtual_loss(&mut after, 16);
            assert_eq!(after.started, before.started + 16);
            take_back_virtual_loss(&mut after, 16, Score::UNTRIED);
            assert_eq!(format!("{before:?}"), format!("{after:?}"));
        }
    }

    #[test]
    fn a_move_whose_first_playouts_are_under_way_has_the_mean_that_is_expected() {
        let edges = [edge(4, 0, 200), edge(0, 4, 0), edge(4, 0, 100)];
        assert_eq!(choose(&edges, 0.4), 0);
        assert_eq!(choose(&edges, 0.6), 1);
    }

    #[test]
    fn the_best_is_found_among_any_number_and_the_first_of_equals() {
        for count in 1..20 {
            let mut edges = vec![edge(4, 0, 200); count];
            assert_eq!(choose(&edges, 0.0), 0);
            for best in (0..count).rev() {
                edges[best] = edge(4, 0, 300);
                assert_eq!(choose(&edges, 0.0), best);
            }
        }
    }

    #[test]
    fn first_moves_lie_among_the_moves() {
        for moves in [1, 2, 7, 1000] {
            assert_eq!([first_move(0, moves), first_move(u64::MAX, moves)], [0, moves - 1]);
        }
    }
}
