//! Sharing between operand lists: operands that stand together in several ANDs
//! get a gate of their own. First whole groups that stand in exactly the same
//! lists, in linear time; then pairs, the most frequent first.

use crate::circuit::signal::Signal as AnySignal;
use crate::index::{Id, IndexVec, define_index};
use crate::optimise::gates::Draft;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;

/// Pairs that are counted at most; the longest operand lists are left out until
/// the rest is below.
const MOST_PAIRS: usize = 6_000_000;

/// Operands that the extraction may walk over before it leaves the rest as it
/// is; by then the frequent pairs are done.
const MOST_WORK: usize = 200_000_000;

define_index! {
    /// An operand list.
    pub(crate) struct ListId;
}

type Signal = AnySignal<Draft>;

type Pair = (Signal, Signal);

/// The operand lists of all ANDs.
#[derive(Debug)]
pub(crate) struct Lists {
    /// The node of the first list; those of the others follow.
    pub(crate) first: Draft,
    /// The operands of each list.
    pub(crate) operands: IndexVec<ListId, Vec<Signal>>,
}

impl Lists {
    /// The list of a node that is neither input, variable nor result.
    pub(crate) fn list_of(&self, node: Draft) -> Option<ListId> {
        node.index().checked_sub(self.first.index()).map(ListId::new)
    }

    fn signal(&self, list: ListId) -> Signal {
        Signal::of(self.first.plus(list.index()))
    }
}

/// Extracts common operands from the lists. New lists are appended.
pub(crate) fn extract(lists: &mut Lists) {
    Grouping::new(lists).run();
    let longest = longest_counted(lists);
    Extraction::new(lists, longest).run();
}

/// A sum of hashes of the lists in which an operand stands, which does not depend
/// on their order; and their number.
type Signature = (u64, u32);

/// Gives operands that stand in the same two or more lists a common list.
struct Grouping<'l> {
    lists: &'l mut Lists,
    signatures: FxHashMap<Signal, Signature>,
    groups: FxHashMap<Signature, ListId>,
}

impl<'l> Grouping<'l> {
    fn new(lists: &'l mut Lists) -> Self {
        let mut signatures: FxHashMap<Signal, Signature> = FxHashMap::default();
        for (list, operands) in lists.operands.enumerate() {
            for &signal in operands {
                let (sum, count) = signatures.entry(signal).or_insert((0, 0));
                *sum = sum.wrapping_add(mix(list.index() as u64));
                *count += 1;
            }
        }
        Grouping { lists, signatures, groups: FxHashMap::default() }
    }

    fn run(mut self) {
        for list in self.lists.operands.ids() {
            for (signature, members) in self.members(list) {
                self.replace(list, signature, members);
            }
        }
    }

    /// The operands of a list that stand together elsewhere too.
    fn members(&self, list: ListId) -> Vec<(Signature, Vec<Signal>)> {
        let mut members: FxHashMap<Signature, Vec<Signal>> = FxHashMap::default();
        for &signal in &self.lists.operands[list] {
            let signature = self.signatures[&signal];
            if signature.1 > 1 {
                members.entry(signature).or_default().push(signal);
            }
        }
        let mut members: Vec<_> = members.into_iter().filter(|(_, m)| m.len() > 1).collect();
        members.sort_unstable();
        members
    }

    fn replace(&mut self, list: ListId, signature: Signature, members: Vec<Signal>) {
        let Grouping { lists, groups, .. } = self;
        if members.len() == lists.operands[list].len() {
            return;
        }
        let group =
            *groups.entry(signature).or_insert_with(|| lists.operands.push(members.clone()));
        // Two different sets of lists can have the same sum.
        if lists.operands[group] == members {
            let signal = lists.signal(group);
            let operands = &mut lists.operands[list];
            operands.retain(|s| members.binary_search(s).is_err());
            operands.push(signal);
        }
    }
}

fn mix(number: u64) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u64(number.wrapping_add(0x9E37_79B9_7F4A_7C15));
    let once = hasher.finish();
    hasher.write_u64(once ^ (once >> 29));
    hasher.finish()
}

/// The length up to which all lists together have at most `MOST_PAIRS` pairs.
fn longest_counted(lists: &Lists) -> usize {
    let mut lengths: Vec<usize> = lists.operands.iter().map(Vec::len).collect();
    lengths.sort_unstable();
    let mut pairs = 0;
    let too_long = lengths.iter().find(|&&length| {
        pairs += length * length.saturating_sub(1) / 2;
        pairs > MOST_PAIRS
    });
    too_long.map_or(usize::MAX, |length| length - 1)
}

struct Extraction<'l> {
    lists: &'l mut Lists,
    /// Pairs that stand in at least two lists, at most as often as said here (a
    /// gate can meet itself). A pair that once stood in fewer never gets more:
    /// only pairs with a new gate are added.
    counts: FxHashMap<Pair, u32>,
    /// Lists in which a signal stands or stood.
    places: FxHashMap<Signal, Vec<ListId>>,
    queue: Queue,
    work: usize,
}

/// Pairs by count, most frequent first. Counts are small numbers, so that a list
/// for each beats a heap; those of pairs may be out of date.
#[derive(Default)]
struct Queue {
    by_count: Vec<Vec<Pair>>,
}

impl Queue {
    fn push(&mut self, pair: Pair, count: u32) {
        let count = count as usize;
        if self.by_count.len() <= count {
            self.by_count.resize(count + 1, Vec::new());
        }
        self.by_count[count].push(pair);
    }

    fn pop(&mut self) -> Option<(Pair, u32)> {
        loop {
            let count = self.by_count.len().checked_sub(1)?;
            match self.by_count[count].pop() {
                Some(pair) => return Some((pair, count as u32)),
                None => self.by_count.truncate(count),
            }
        }
    }
}

fn pair(a: Signal, b: Signal) -> Pair {
    if a < b { (a, b) } else { (b, a) }
}

/// How often each pair stands in the list, if more than once.
fn count_repeated(mut pairs: Vec<Pair>) -> impl Iterator<Item = (Pair, u32)> {
    pairs.sort_unstable();
    let mut position = 0;
    std::iter::from_fn(move || {
        while let Some(&pair) = pairs.get(position) {
            let count = pairs[position..].iter().take_while(|&&p| p == pair).count();
            position += count;
            if count > 1 {
                return Some((pair, count as u32));
            }
        }
        None
    })
}

impl<'l> Extraction<'l> {
    fn new(lists: &'l mut Lists, longest: usize) -> Self {
        let mut pairs = Vec::new();
        let mut places: FxHashMap<Signal, Vec<ListId>> = FxHashMap::default();
        for (number, list) in lists.operands.enumerate().filter(|(_, l)| l.len() <= longest) {
            for (position, &a) in list.iter().enumerate() {
                places.entry(a).or_default().push(number);
                pairs.extend(list[position + 1..].iter().map(|&b| pair(a, b)));
            }
        }
        let (mut counts, mut queue) = (FxHashMap::default(), Queue::default());
        for (pair, count) in count_repeated(pairs) {
            counts.insert(pair, count);
            queue.push(pair, count);
        }
        Extraction { lists, counts, places, queue, work: 0 }
    }

    fn run(mut self) {
        while let Some((pair, count)) = self.queue.pop().filter(|_| self.work < MOST_WORK) {
            match self.counts.get(&pair).copied().unwrap_or(0) {
                now if now == count => self.extract(pair),
                now if now > 1 && now < count => self.queue.push(pair, now),
                _ => {}
            }
        }
    }

    /// The lists that hold both operands.
    fn holders(&mut self, (a, b): Pair) -> Vec<ListId> {
        let (rarer, other) =
            if self.places[&a].len() <= self.places[&b].len() { (a, b) } else { (b, a) };
        let holds = |&&l: &&ListId| {
            let list = &self.lists.operands[l];
            list.contains(&rarer) && list.contains(&other)
        };
        let places = &self.places[&rarer];
        self.work += places.iter().map(|&l| self.lists.operands[l].len()).sum::<usize>();
        places.iter().filter(holds).copied().collect()
    }

    /// Gives the pair a list of its own and uses it wherever both stand.
    fn extract(&mut self, pair: Pair) {
        self.counts.remove(&pair);
        let mut holders = self.holders(pair);
        // A list that is just this pair already is its gate.
        let whole = holders.iter().position(|&l| self.lists.operands[l].len() == 2);
        let gate = match whole {
            Some(position) => holders.swap_remove(position),
            None => self.new_list(pair),
        };
        let signal = self.lists.signal(gate);
        let mut partners = FxHashMap::default();
        for &list in &holders {
            self.replace(list, pair, signal, &mut partners);
        }
        self.places.entry(signal).or_default().extend(&holders);
        let mut repeated: Vec<_> = partners.into_iter().filter(|(_, count)| *count > 1).collect();
        repeated.sort_unstable();
        for (partner, count) in repeated {
            let pair = self::pair(signal, partner);
            let total = self.counts.entry(pair).or_insert(0);
            *total += count;
            self.queue.push(pair, *total);
        }
    }

    fn new_list(&mut self, (a, b): Pair) -> ListId {
        self.lists.operands.push(vec![a, b])
    }

    /// Puts the gate in the place of its pair and counts the operands that it
    /// meets there.
    fn replace(
        &mut self,
        list: ListId,
        (a, b): Pair,
        by: Signal,
        partners: &mut FxHashMap<Signal, u32>,
    ) {
        let operands = &mut self.lists.operands[list];
        operands.retain(|&s| s != a && s != b);
        self.work += operands.len();
        for &other in operands.iter() {
            for gone in [pair(a, other), pair(b, other)] {
                if let Some(count) = self.counts.get_mut(&gone) {
                    *count = count.saturating_sub(1);
                }
            }
            *partners.entry(other).or_insert(0) += 1;
        }
        if !operands.contains(&by) {
            operands.push(by);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signals(nodes: &[usize]) -> Vec<Signal> {
        nodes.iter().map(|&n| Signal::of(Draft::new(n))).collect()
    }

    fn lists(operands: &[&[usize]]) -> Lists {
        let operands = operands.iter().map(|nodes| signals(nodes)).collect();
        Lists { first: Draft::new(10), operands }
    }

    /// The inputs that a list stands for in the end.
    fn spelled_out(lists: &Lists, list: ListId) -> Vec<usize> {
        let mut inputs = Vec::new();
        for signal in &lists.operands[list] {
            match lists.list_of(signal.node()) {
                Some(inner) => inputs.extend(spelled_out(lists, inner)),
                None => inputs.push(signal.node().index()),
            }
        }
        inputs.sort_unstable();
        inputs.dedup();
        inputs
    }

    fn gates(lists: &Lists) -> usize {
        lists.operands.iter().map(|list| list.len() - 1).sum()
    }

    #[test]
    fn shared_operands_get_one_gate_and_lists_keep_their_meaning() {
        let originals = [&[1, 2, 3, 4][..], &[1, 2, 3, 5], &[1, 2, 6], &[2, 3, 6], &[1, 2]];
        let mut lists = lists(&originals);
        let before = gates(&lists);
        extract(&mut lists);
        for (list, original) in originals.into_iter().enumerate() {
            assert_eq!(spelled_out(&lists, ListId::new(list)), original);
        }
        assert!(gates(&lists) < before, "{lists:?}");
    }

    #[test]
    fn operands_that_always_stand_together_are_grouped() {
        let mut lists = lists(&[&[1, 2, 3, 7], &[1, 2, 3, 8]]);
        Grouping::new(&mut lists).run();
        assert_eq!(lists.operands[ListId::new(2)], signals(&[1, 2, 3]));
        assert_eq!(gates(&lists), 4);
    }
}
