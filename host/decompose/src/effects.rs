//! What is known of moves before anything is put together: what they change, and what
//! they change together.

use crate::netlist::Netlist;
use crate::union_find::DisjointSets;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::LazyCell;
use std::collections::BTreeMap;

/// What was seen.
pub(crate) struct Evidence {
    /// States in which the moves of some role were compared.
    pub(crate) states: usize,
    /// For each fluent whether a choice decides on it.
    pub(crate) chosen: Vec<bool>,
    /// For each fluent whether it ever changed.
    pub(crate) changed: Vec<bool>,
    /// For each move whether it was ever legal.
    pub(crate) legal: Vec<bool>,
    /// What each move changes that others do not.
    pub(crate) effects: Vec<Vec<usize>>,
    /// Fluents that choices link.
    pub(crate) groups: DisjointSets,
    /// Pairs of fluents that a move changes together, as one of all combinations.
    pub(crate) free: FxHashSet<(u32, u32)>,
    /// Comparisons, for a second look.
    pub(crate) outcomes: Vec<Outcomes>,
    /// Rows of these.
    rows: usize,
}

/// What the moves of a role in a state lead to.
pub(crate) struct Outcomes {
    /// Lanes.
    pub(crate) moves: Vec<usize>,
    /// Fluents that are not the same in all lanes.
    pub(crate) rows: Vec<Row>,
}

/// A fluent after each of the moves.
pub(crate) struct Row {
    pub(crate) fluent: usize,
    pub(crate) before: bool,
    pub(crate) after: Vec<u64>,
}

impl Row {
    fn holds(&self, lane: usize) -> bool {
        self.after[lane / 64] >> (lane % 64) & 1 == 1
    }

    fn changes(&self, lane: usize) -> bool {
        self.holds(lane) != self.before
    }

    /// Lanes in which it changes, and some behind the last one.
    fn changed(&self) -> impl Iterator<Item = usize> {
        let before = if self.before { u64::MAX } else { 0 };
        self.after.iter().enumerate().flat_map(move |(place, &after)| {
            let mut open = after ^ before;
            std::iter::from_fn(move || {
                let bit = (open != 0).then(|| open.trailing_zeros() as usize)?;
                open &= open - 1;
                Some(place * 64 + bit)
            })
        })
    }
}

impl Evidence {
    /// Nothing is known yet.
    pub(crate) fn none(netlist: &Netlist) -> Self {
        Evidence {
            states: 0,
            chosen: vec![false; netlist.fluents],
            changed: vec![false; netlist.fluents],
            legal: vec![false; netlist.moves],
            effects: vec![Vec::new(); netlist.moves],
            groups: DisjointSets::alone(netlist.fluents),
            free: FxHashSet::default(),
            outcomes: Vec::new(),
            rows: 0,
        }
    }

    /// Learns from a comparison.
    pub(crate) fn learn(&mut self, outcomes: Outcomes) {
        outcomes.teach(self);
        if self.rows < MOST_ROWS {
            self.rows += outcomes.rows.len();
            self.outcomes.push(outcomes);
        }
    }
}

/// Rows of comparisons that are kept for a second look.
const MOST_ROWS: usize = 100_000;

/// Pairs that are kept: without one its fluents are linked, which harms nobody.
const MOST_FREE: usize = 1_000_000;

impl Outcomes {
    /// Notes what depends on the choice, what each move changes, and what is linked by it.
    fn teach(&self, evidence: &mut Evidence) {
        self.rows.iter().for_each(|row| evidence.chosen[row.fluent] = true);
        // Most of the time all is linked already, and nobody asks.
        let distinct = LazyCell::new(|| self.distinct());
        for (&number, changed) in self.moves.iter().zip(self.changed()) {
            let effects = &mut evidence.effects[number];
            for &row in &changed {
                if let Err(place) = effects.binary_search(&self.rows[row].fluent) {
                    effects.insert(place, self.rows[row].fluent);
                }
            }
            self.link_changed(&changed, &distinct, evidence);
        }
    }

    /// For each move the rows that it changes.
    fn changed(&self) -> Vec<Vec<usize>> {
        let mut changed = vec![Vec::new(); self.moves.len()];
        for (number, row) in self.rows.iter().enumerate() {
            row.changed().for_each(|lane| {
                if let Some(changed) = changed.get_mut(lane) {
                    changed.push(number);
                }
            });
        }
        changed
    }

    /// Rows whose fluents are one already have no pairs to look at.
    fn link_changed(
        &self,
        changed: &[usize],
        distinct: &LazyCell<Vec<u64>, impl FnOnce() -> Vec<u64>>,
        evidence: &mut Evidence,
    ) {
        let Some((&first, rest)) = changed.split_first() else { return };
        let first = self.rows[first].fluent;
        if rest.iter().all(|&row| evidence.groups.are_one(first, self.rows[row].fluent)) {
            return;
        }
        for (position, &one) in changed.iter().enumerate() {
            for &other in &changed[..position] {
                let (one, other) = (&self.rows[one], &self.rows[other]);
                if evidence.groups.are_one(one.fluent, other.fluent) {
                    continue;
                }
                if !are_free(one, other, distinct) {
                    evidence.groups.link(one.fluent, other.fluent);
                } else if evidence.free.len() < MOST_FREE {
                    evidence.free.insert((one.fluent as u32, other.fluent as u32));
                }
            }
        }
    }

    /// Links groups that depend on each other here: successors are neither all combinations
    /// of theirs, nor does each move leave all but one as they are.
    pub(crate) fn link_dependent(&self, groups: &mut DisjointSets) -> bool {
        let mut by_group: BTreeMap<usize, Vec<&Row>> = BTreeMap::new();
        for row in &self.rows {
            by_group.entry(groups.find(row.fluent)).or_default().push(row);
        }
        if by_group.len() < 2 || self.is_product(&by_group) {
            return false;
        }
        let mut linked = false;
        for lane in 0..self.moves.len() {
            let changes = |rows: &[&Row]| rows.iter().any(|row| row.changes(lane));
            let changed =
                by_group.iter().filter(|(_, rows)| changes(rows)).map(|(&group, _)| group);
            linked |= groups.link_all(changed.collect::<Vec<_>>());
        }
        linked
    }

    fn is_product(&self, by_group: &BTreeMap<usize, Vec<&Row>>) -> bool {
        let mut product = 1_usize;
        for rows in by_group.values() {
            let different: FxHashSet<u64> = self.keys(rows.iter().copied()).into_iter().collect();
            product = product.saturating_mul(different.len());
        }
        let different: FxHashSet<u64> = self.keys(self.rows.iter()).into_iter().collect();
        product == different.len()
    }

    /// For each lane a number that tells successors apart by these rows.
    fn keys<'r>(&self, rows: impl Iterator<Item = &'r Row>) -> Vec<u64> {
        let mut keys = vec![0_u64; self.moves.len()];
        let mut random = Pcg64Mcg::seed_from_u64(1);
        for row in rows {
            let key = random.next_u64();
            for (lane, sum) in keys.iter_mut().enumerate() {
                *sum ^= if row.holds(lane) { key } else { 0 };
            }
        }
        keys
    }

    /// One lane for each different successor.
    fn distinct(&self) -> Vec<u64> {
        let keys = self.keys(self.rows.iter());
        let mut first = FxHashMap::default();
        let mut distinct = vec![0; self.moves.len().div_ceil(64)];
        for (lane, key) in keys.into_iter().enumerate() {
            first.entry(key).or_insert_with(|| distinct[lane / 64] |= 1 << (lane % 64));
        }
        distinct
    }
}

/// Whether what happens to one fluent says nothing of what happens to the other: as in a
/// set of all combinations.
fn are_free(one: &Row, other: &Row, distinct: &[u64]) -> bool {
    let count = |bits: &mut dyn Iterator<Item = u64>| -> u64 {
        bits.map(|word| u64::from(word.count_ones())).sum()
    };
    let all = count(&mut distinct.iter().copied());
    let ones = count(&mut distinct.iter().zip(&one.after).map(|(d, a)| d & a));
    let others = count(&mut distinct.iter().zip(&other.after).map(|(d, b)| d & b));
    let both = distinct.iter().zip(&one.after).zip(&other.after);
    let both = count(&mut both.map(|((d, a), b)| d & a & b));
    both * all == ones * others
}
