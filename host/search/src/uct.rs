//! Which move to try next: `W/N + C·sqrt(ln N / n)`, where playouts under way
//! count in `N` and `n` but not in the mean. So descents of the same batch
//! spread over moves that are worth it, although none has brought anything yet.
//!
//! A choice looks at all moves and then changes the counts of one: what the formula
//! says of a move is computed when its counts change, and kept as a [`Promise`], so
//! that a choice needs no division, root or logarithm.
//!
//! Every machine gets the same bits: division, square root and rounding are exact
//! everywhere, the logarithm comes from `libm`, written in Rust.

use ruche_shared::Image;

use crate::tree::Edge;

/// What the choice depends on, beside the counts.
#[derive(Clone, Debug)]
pub(crate) struct Formula {
    /// For each [step](step) of playouts through a position, how much rare moves are
    /// worth there.
    curiosity: Vec<f32>,
    /// For each role what makes the range of its goals 1 wide. Where the range
    /// begins is the same for all moves and does not matter.
    factors: Vec<f64>,
}

impl Formula {
    pub(crate) fn new(image: &Image<'_>, exploration: f64) -> Self {
        let factors = (0..image.roles()).map(|role| factor(image, role)).collect();
        Self { curiosity: curiosity(exploration), factors }
    }

    /// How much rare moves are worth in a position that was taken so often.
    #[inline]
    pub(crate) fn curiosity(&self, taken: u32) -> f32 {
        self.curiosity[step(taken)]
    }

    /// What a role has of goals with this sum, on average over so many playouts.
    #[inline]
    pub(crate) fn worth(&self, role: usize, sum: u64, visits: u64) -> f32 {
        // Both are far below 2^63, and signed numbers are converted by one instruction.
        let [sum, visits] = [sum, visits].map(|number| number.cast_signed() as f64);
        (sum / visits * self.factors[role]) as f32
    }
}

/// Bits behind the first one that tell steps apart: the logarithm is taken of numbers
/// that are up to 2^-6 smaller, which is nothing to a curiosity, and found in a
/// table of 8 KB instead of being computed in every position of every descent.
const STEP_BITS: u32 = 6;

const STEPS: usize = (u32::BITS as usize + 1) << STEP_BITS;

/// The step of a number: its length and its first bits, as they stand in a float.
#[inline]
fn step(taken: u32) -> usize {
    const SHIFT: u32 = f32::MANTISSA_DIGITS - 1 - STEP_BITS;
    const FIRST: u32 = 1.0_f32.to_bits() >> SHIFT;
    ((taken.max(1) as f32).to_bits() >> SHIFT) as usize - FIRST as usize
}

/// The curiosity of all steps.
fn curiosity(exploration: f64) -> Vec<f32> {
    let of = |step: usize| {
        let fraction = (step % (1 << STEP_BITS)) as f64 / f64::from(1 << STEP_BITS);
        let taken = (1.0 + fraction) * (1_u64 << (step >> STEP_BITS)) as f64;
        ((exploration * libm::log(taken).sqrt()) as f32).max(LEAST_CURIOSITY)
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
pub(crate) struct Promise {
    /// What its playouts are [worth](Formula::worth) on average; [`UNOBSERVED`] if
    /// the first ones are under way.
    pub(crate) worth: f32,
    pub(crate) rarity: f32,
}

/// The worth of a move whose first playouts are under way. All others are positive.
pub(crate) const UNOBSERVED: f32 = -1.0;

impl Promise {
    /// Of a move that nobody has tried: so rare that it is worth more than all others,
    /// to the least curious role in the worst mood, too.
    pub(crate) const UNTRIED: Self = Self { worth: 0.0, rarity: 1e18 };
}

/// Also without exploration, so that all moves are tried.
const LEAST_CURIOSITY: f32 = 1e-6;

/// Moves that nobody has tried have a value above this, all others one below: goals
/// are numbers of 16 bits.
const LEAST_UNTRIED: f32 = 1e9;

const _: () = assert!(Promise::UNTRIED.rarity * LEAST_CURIOSITY * LEAST_MOOD > LEAST_UNTRIED);

/// The fewer playouts a move has, those under way included, the more it is worth to
/// know it better.
#[inline]
pub(crate) fn rarity(taken: u32) -> f32 {
    1.0 / (taken as f32).sqrt()
}

/// Whether a role weighs exploration alike for all moves.
pub(crate) trait Mood: Copy {
    /// What its curiosity for an edge is multiplied with.
    fn weight(self, index: usize) -> f32;
}

/// It does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Steady;

impl Mood for Steady {
    #[inline(always)]
    fn weight(self, _: usize) -> f32 {
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
    pub(crate) fn new(hash: u64, role: usize, taken: u32) -> Self {
        let occasion = (u64::from(taken) << u32::BITS) | (role as u64 + 1);
        Self(mixed(hash ^ occasion.wrapping_mul(GOLDEN)))
    }
}

/// No mood is worse than this.
const LEAST_MOOD: f32 = 0.005;

impl Mood for Moody {
    /// Its square lies between 0 and 2, never at 0. A few bits are exact in a float.
    #[inline(always)]
    fn weight(self, index: usize) -> f32 {
        let drawn = mixed(self.0.wrapping_add(index as u64 + 1)) >> 48 | 1;
        (drawn as f32 / 32_768.0).sqrt()
    }
}

const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// A number in which each upper bit depends on all bits of another.
#[inline(always)]
fn mixed(number: u64) -> u64 {
    let number = number.wrapping_mul(GOLDEN);
    (number ^ number >> 29).wrapping_mul(GOLDEN)
}

/// Where to begin among so many moves of a position with this hash, so that not all
/// positions try the same moves first.
#[inline]
pub(crate) fn start(hash: u64, moves: usize) -> usize {
    (((hash >> u32::BITS) * moves as u64) >> u32::BITS) as usize
}

/// The formula for one role in one position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<M> {
    pub(crate) curiosity: f32,
    pub(crate) mood: M,
}

impl<M: Mood> View<M> {
    /// The move to take, of at least one: one that nobody has tried, else the most
    /// promising; the first of several. `expected` says what moves are worth of which
    /// nothing has been observed.
    #[inline]
    pub(crate) fn choose(&self, edges: &[Edge], expected: impl FnOnce() -> f32) -> usize {
        let best = self.best(edges, |worth| worth);
        if best.has_unobserved && best.value < LEAST_UNTRIED {
            let expected = expected();
            return self.best(edges, |worth| if worth < 0.0 { expected } else { worth }).index;
        }
        best.index
    }

    #[inline(always)]
    fn best(&self, edges: &[Edge], worth: impl Fn(f32) -> f32) -> Best {
        let mut best = Best { value: f32::NEG_INFINITY, index: 0, has_unobserved: false };
        for (index, Edge { promise, .. }) in edges.iter().enumerate() {
            let curiosity = self.curiosity * self.mood.weight(index);
            let value = worth(promise.worth) + curiosity * promise.rarity;
            best.has_unobserved |= promise.worth < 0.0;
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
    has_unobserved: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    const VIEW: View<Steady> = View { curiosity: 1.4, mood: Steady };

    fn formula(exploration: f64) -> Formula {
        Formula { curiosity: curiosity(exploration), factors: vec![0.01] }
    }

    /// A move with so many playouts, more under way, and a sum of goals up to 100.
    fn edge(visits: u32, under_way: u32, sum: u64) -> Edge {
        let taken = visits + under_way;
        let promise = match (visits, taken) {
            (0, 0) => Promise::UNTRIED,
            (0, _) => Promise { worth: UNOBSERVED, rarity: rarity(taken) },
            _ => {
                Promise { worth: formula(1.0).worth(0, sum, visits.into()), rarity: rarity(taken) }
            }
        };
        Edge { promise, taken, child: 0 }
    }

    fn choose(edges: &[Edge], expected: f32) -> usize {
        VIEW.choose(edges, || expected)
    }

    #[test]
    fn curiosity_grows_as_the_root_of_the_logarithm() {
        let formula = formula(0.7);
        for taken in (1..5000).chain([1 << 20, u32::MAX - 1, u32::MAX]) {
            let exact = 0.7 * f64::from(taken).ln().sqrt();
            let curiosity = f64::from(formula.curiosity(taken));
            assert!(curiosity > 0.0 && (exact - curiosity).abs() < 0.01, "{taken}: {curiosity}");
            assert!(formula.curiosity(taken - 1) <= formula.curiosity(taken));
        }
    }

    #[test]
    fn what_nobody_has_tried_comes_first() {
        let edges = [edge(1, 0, 100), edge(0, 1, 0), edge(0, 0, 0), edge(1, 0, 0), edge(0, 0, 0)];
        assert_eq!(choose(&edges, 1.0), 2);
        for taken in 0..100 {
            let curiosity = formula(0.0).curiosity(taken);
            let view = View { curiosity, mood: Moody::new(1, 0, taken) };
            assert!([2, 4].contains(&view.choose(&edges, || 1.0)), "also for the incurious");
        }
    }

    #[test]
    fn what_is_under_way_makes_a_move_less_urgent() {
        assert_eq!(choose(&[edge(10, 0, 500), edge(10, 0, 600)], 0.0), 1);
        assert_eq!(choose(&[edge(10, 0, 500), edge(10, 20, 600)], 0.0), 0);
    }

    #[test]
    fn a_move_whose_first_playouts_are_under_way_is_worth_what_is_expected() {
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
    fn starts_lie_among_the_moves() {
        for moves in [1, 2, 7, 1000] {
            assert_eq!([start(0, moves), start(u64::MAX, moves)], [0, moves - 1]);
        }
    }

    #[test]
    fn roles_do_not_walk_in_step() {
        let view = |role, taken| View { curiosity: 1.0, mood: Moody::new(77, role, taken) };
        for edges in [[edge(0, 0, 0); 2], [edge(10, 0, 500); 2]] {
            let choices = |role| (0..1000).map(move |n| view(role, 4 * n).choose(&edges, || 0.0));
            let same = choices(0).zip(choices(1)).filter(|(one, other)| one == other).count();
            assert!((400..600).contains(&same), "{same} of 1000");
        }
    }

    #[test]
    fn exploration_has_its_weight_on_average() {
        let squares = (0..10_000).map(|taken| Moody::new(3, 0, taken).weight(2).powi(2));
        assert!(squares.clone().all(|square| square > LEAST_MOOD.powi(2) && square < 2.001));
        let mean = squares.sum::<f32>() / 10_000.0;
        assert!((0.97..1.03).contains(&mean), "{mean}");
    }
}
