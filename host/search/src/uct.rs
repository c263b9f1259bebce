//! Which move to try next: `W/N + C·sqrt(ln N / n)`, where playouts under way
//! count in `N` and `n` but not in the mean. So descents of the same batch
//! spread over moves that are worth it, although none has brought anything yet.
//!
//! Every machine gets the same bits: division and square root are correctly
//! rounded everywhere, the logarithm comes from `libm`, written in Rust.

use ruche_shared::Image;

use crate::tree::Edge;

/// What the choice depends on, beside the counts.
#[derive(Clone, Debug)]
pub(crate) struct Formula {
    exploration: f64,
    /// For each role what makes the range of its goals 1 wide. Where the range
    /// begins is the same for all moves and does not matter.
    factors: Vec<f64>,
}

impl Formula {
    pub(crate) fn new(image: &Image<'_>, exploration: f64) -> Self {
        let factors = (0..image.roles()).map(|role| factor(image, role)).collect();
        Self { exploration, factors }
    }

    /// What a role sees of a position that was visited so often.
    #[inline]
    pub(crate) fn view(&self, role: usize, visits: u32) -> View<Steady> {
        let logarithm = libm::log(f64::from(visits.max(1)));
        let spread = self.exploration * self.exploration * logarithm;
        View { factor: self.factors[role], spread, mood: Steady }
    }

    /// The same for a role that chooses at the same time as others.
    #[inline]
    pub(crate) fn moody_view(&self, hash: u64, role: usize, visits: u32) -> View<Moody> {
        let View { factor, spread, .. } = self.view(role, visits);
        View { factor, spread, mood: Moody::new(hash, role, visits) }
    }
}

fn factor(image: &Image<'_>, role: usize) -> f64 {
    let values = image.role_goals(role).map(|goal| goal.value);
    let range = values.clone().max().unwrap_or(0) - values.min().unwrap_or(0);
    if range == 0 { 0.0 } else { 1.0 / f64::from(range) }
}

/// Whether a role weighs exploration alike for all moves.
pub(crate) trait Mood: Copy {
    /// What the square of the exploration of an edge is multiplied with.
    fn weight(self, index: usize) -> f64;
}

/// It does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Steady;

impl Mood for Steady {
    #[inline(always)]
    fn weight(self, _: usize) -> f64 {
        1.0
    }
}

/// It does on average, but at each visit some moves tempt it more than others.
/// Roles that choose at the same time by the plain formula would answer each
/// other in step: they would see some joint moves far more often than their own
/// moves' shares, and one would seem to win what is a fair game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moody(u64);

impl Moody {
    #[inline]
    pub(crate) fn new(hash: u64, role: usize, visits: u32) -> Self {
        let occasion = (u64::from(visits) << u32::BITS) | (role as u64 + 1);
        Self(mixed(hash ^ occasion.wrapping_mul(GOLDEN)))
    }

    /// Where to begin among so many edges.
    #[inline]
    pub(crate) fn start(self, edges: usize) -> usize {
        start(self.0, edges)
    }
}

impl Mood for Moody {
    /// Between 0 and 2. A few bits are exact in a float.
    #[inline(always)]
    fn weight(self, index: usize) -> f64 {
        let drawn = mixed(self.0.wrapping_add(index as u64 + 1)) >> 48;
        drawn as f64 / 32_768.0
    }
}

const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// A number in which each upper bit depends on all bits of another.
#[inline(always)]
fn mixed(number: u64) -> u64 {
    let number = number.wrapping_mul(GOLDEN);
    (number ^ number >> 29).wrapping_mul(GOLDEN)
}

/// Where to begin among so many edges of a position with this hash.
#[inline]
pub(crate) fn start(hash: u64, edges: usize) -> usize {
    (((hash >> u32::BITS) * edges as u64) >> u32::BITS) as usize
}

/// The formula for one role in one position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<M> {
    factor: f64,
    spread: f64,
    pub(crate) mood: M,
}

impl<M: Mood> View<M> {
    /// The edge to take, of at least one: the first that nobody has tried, else
    /// the most promising. `start` says where to begin, so that not all positions
    /// try the same moves first.
    #[inline]
    pub(crate) fn choose(&self, edges: &[Edge], start: usize) -> usize {
        let (before, after) = edges.split_at(start);
        let mut best = Best { value: f64::NEG_INFINITY, index: start, unobserved: None };
        if let Some(untried) = self.scan(after, start, edges, &mut best) {
            return untried;
        }
        self.scan(before, 0, edges, &mut best).unwrap_or(best.index)
    }

    /// Goes over some of the edges. Returns one that nobody has tried.
    #[inline(always)]
    fn scan(&self, some: &[Edge], first: usize, all: &[Edge], best: &mut Best) -> Option<usize> {
        for (index, edge) in (first..).zip(some) {
            let visits = edge.visits + edge.in_flight;
            if visits == 0 {
                return Some(index);
            }
            let mean = match edge.visits {
                0 => *best.unobserved.get_or_insert_with(|| mean(all)),
                observed => edge.sum.cast_signed() as f64 / f64::from(observed),
            };
            let value = mean * self.factor
                + (self.spread * self.mood.weight(index) / f64::from(visits)).sqrt();
            if value > best.value {
                (best.value, best.index) = (value, index);
            }
        }
        None
    }
}

/// The best edge so far.
struct Best {
    value: f64,
    index: usize,
    /// What is expected of an edge whose first playouts are under way.
    unobserved: Option<f64>,
}

/// The mean goal over all edges; 0 without playouts.
#[cold]
fn mean(edges: &[Edge]) -> f64 {
    let visits: u64 = edges.iter().map(|edge| u64::from(edge.visits)).sum();
    let sum: u64 = edges.iter().map(|edge| edge.sum).sum();
    if visits == 0 { 0.0 } else { sum as f64 / visits as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(visits: u32, in_flight: u32, sum: u64) -> Edge {
        Edge { sum, visits, in_flight, number: 0, child: 0 }
    }

    const VIEW: View<Steady> = View { factor: 0.01, spread: 2.0, mood: Steady };

    #[test]
    fn what_nobody_has_tried_comes_first() {
        let edges = [edge(1, 0, 100), edge(0, 0, 0), edge(1, 0, 0), edge(0, 0, 0)];
        assert_eq!(VIEW.choose(&edges, 0), 1);
        assert_eq!(VIEW.choose(&edges, 2), 3);
    }

    #[test]
    fn what_is_under_way_makes_a_move_less_urgent() {
        let edges = [edge(10, 0, 600), edge(10, 0, 500)];
        assert_eq!(VIEW.choose(&edges, 1), 0);
        let edges = [edge(10, 20, 600), edge(10, 0, 500)];
        assert_eq!(VIEW.choose(&edges, 0), 1);
    }

    #[test]
    fn a_move_whose_first_playouts_are_under_way_is_expected_to_be_like_the_others() {
        let edges = [edge(0, 4, 0), edge(4, 0, 400), edge(4, 0, 0)];
        assert_eq!(VIEW.choose(&edges, 0), 1);
        let edges = [edge(0, 4, 0), edge(4, 0, 0), edge(4, 0, 100)];
        assert_eq!(VIEW.choose(&edges, 0), 2);
        assert_eq!(VIEW.choose(&[edge(0, 4, 0); 3], 2), 2, "the first one wins a tie");
    }

    #[test]
    fn starts_lie_among_the_edges() {
        for edges in [1, 2, 7, 1000] {
            assert_eq!([start(0, edges), start(u64::MAX, edges)], [0, edges - 1]);
            assert!((0..100).all(|visits| Moody::new(5, 1, visits).start(edges) < edges));
        }
    }

    #[test]
    fn roles_do_not_walk_in_step() {
        let starts = |role| (0..1000).map(move |visits| Moody::new(77, role, 4 * visits).start(2));
        let same = starts(0).zip(starts(1)).filter(|(one, other)| one == other).count();
        assert!((400..600).contains(&same), "{same} of 1000");
    }

    #[test]
    fn exploration_has_its_weight_on_average() {
        let weights = (0..10_000).map(|visits| Moody::new(3, 0, visits).weight(2));
        assert!(weights.clone().all(|weight| (0.0..2.0).contains(&weight)));
        let mean = weights.sum::<f64>() / 10_000.0;
        assert!((0.97..1.03).contains(&mean), "{mean}");
    }
}
