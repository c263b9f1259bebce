//! Sharing between operand lists: operands that stand together in several ANDs
//! get a gate of their own. First whole groups that stand in exactly the same
//! lists, in linear time; then pairs, the most frequent first.

use crate::circuit::network::Signal;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;

/// Pairs that are counted at most; the longest operand lists are left out until
/// the rest is below.
const MOST_PAIRS: usize = 6_000_000;

/// Operands that the extraction may walk over before it leaves the rest as it
/// is; by then the frequent pairs are done.
const MOST_WORK: usize = 200_000_000;

type Pair = (Signal, Signal);

/// Extracts common operands from the lists. New lists are appended; the node of
/// list `i` is `first_node + i`.
pub fn extract(lists: &mut Vec<Vec<Signal>>, first_node: u32) {
    group(lists, first_node);
    let longest = longest_counted(lists);
    Extraction::new(lists, first_node, longest).run();
}

/// Gives operands that stand in the same two or more lists a common list.
fn group(lists: &mut Vec<Vec<Signal>>, first_node: u32) {
    let mut places: FxHashMap<Signal, (u64, u32)> = FxHashMap::default();
    for (number, list) in lists.iter().enumerate() {
        for &signal in list {
            let (signature, count) = places.entry(signal).or_insert((0, 0));
            // A sum of hashes does not depend on the order of the lists.
            *signature = signature.wrapping_add(mix(number as u64));
            *count += 1;
        }
    }
    let mut groups: FxHashMap<(u64, u32), u32> = FxHashMap::default();
    for number in 0..lists.len() {
        let mut members: FxHashMap<(u64, u32), Vec<Signal>> = FxHashMap::default();
        for &signal in &lists[number] {
            let key = places[&signal];
            if key.1 > 1 {
                members.entry(key).or_default().push(signal);
            }
        }
        let mut members: Vec<_> = members.into_iter().filter(|(_, m)| m.len() > 1).collect();
        members.sort_unstable();
        for (key, members) in members {
            if members.len() == lists[number].len() {
                continue;
            }
            let list = *groups.entry(key).or_insert_with(|| {
                lists.push(members.clone());
                (lists.len() - 1) as u32
            });
            if lists[list as usize] != members {
                // Two different sets of lists with the same sum.
                continue;
            }
            lists[number].retain(|s| members.binary_search(s).is_err());
            lists[number].push(Signal::of(first_node + list));
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
fn longest_counted(lists: &[Vec<Signal>]) -> usize {
    let mut lengths: Vec<usize> = lists.iter().map(Vec::len).collect();
    lengths.sort_unstable();
    let mut pairs = 0;
    let too_long = lengths.iter().find(|&&length| {
        pairs += length * length.saturating_sub(1) / 2;
        pairs > MOST_PAIRS
    });
    too_long.map_or(usize::MAX, |length| length - 1)
}

struct Extraction<'l> {
    lists: &'l mut Vec<Vec<Signal>>,
    first_node: u32,
    /// Pairs that stand in at least two lists, at most as often as said here (a
    /// gate can meet itself). A pair that once stood in fewer never gets more:
    /// only pairs with a new gate are added.
    counts: FxHashMap<Pair, u32>,
    /// Lists in which a signal stands or stood.
    places: FxHashMap<Signal, Vec<u32>>,
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
    fn new(lists: &'l mut Vec<Vec<Signal>>, first_node: u32, longest: usize) -> Self {
        let mut pairs = Vec::new();
        let mut places: FxHashMap<Signal, Vec<u32>> = FxHashMap::default();
        for (number, list) in lists.iter().enumerate().filter(|(_, l)| l.len() <= longest) {
            for (position, &a) in list.iter().enumerate() {
                places.entry(a).or_default().push(number as u32);
                pairs.extend(list[position + 1..].iter().map(|&b| pair(a, b)));
            }
        }
        let (mut counts, mut queue) = (FxHashMap::default(), Queue::default());
        for (pair, count) in count_repeated(pairs) {
            counts.insert(pair, count);
            queue.push(pair, count);
        }
        Extraction { lists, first_node, counts, places, queue, work: 0 }
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
    fn holders(&mut self, (a, b): Pair) -> Vec<u32> {
        let (rarer, other) =
            if self.places[&a].len() <= self.places[&b].len() { (a, b) } else { (b, a) };
        let holds = |&&l: &&u32| {
            let list = &self.lists[l as usize];
            list.contains(&rarer) && list.contains(&other)
        };
        let places = &self.places[&rarer];
        self.work += places.iter().map(|&l| self.lists[l as usize].len()).sum::<usize>();
        places.iter().filter(holds).copied().collect()
    }

    /// Gives the pair a list of its own and uses it wherever both stand.
    fn extract(&mut self, pair: Pair) {
        self.counts.remove(&pair);
        let mut holders = self.holders(pair);
        // A list that is just this pair already is its gate.
        let whole = holders.iter().position(|&l| self.lists[l as usize].len() == 2);
        let gate = match whole {
            Some(position) => holders.swap_remove(position),
            None => self.new_list(pair),
        };
        let signal = Signal::of(self.first_node + gate);
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

    fn new_list(&mut self, (a, b): Pair) -> u32 {
        let number = self.lists.len() as u32;
        self.lists.push(vec![a, b]);
        number
    }

    /// Puts the gate in the place of its pair and counts the operands that it
    /// meets there.
    fn replace(
        &mut self,
        list: u32,
        (a, b): Pair,
        by: Signal,
        partners: &mut FxHashMap<Signal, u32>,
    ) {
        let operands = &mut self.lists[list as usize];
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

    fn signals(nodes: &[u32]) -> Vec<Signal> {
        nodes.iter().map(|&n| Signal::of(n)).collect()
    }

    /// The inputs that a list stands for in the end.
    fn spelled_out(lists: &[Vec<Signal>], list: usize, first_node: u32) -> Vec<u32> {
        let mut inputs = Vec::new();
        for signal in &lists[list] {
            match signal.node().checked_sub(first_node) {
                Some(inner) => inputs.extend(spelled_out(lists, inner as usize, first_node)),
                None => inputs.push(signal.node()),
            }
        }
        inputs.sort_unstable();
        inputs.dedup();
        inputs
    }

    fn gates(lists: &[Vec<Signal>]) -> usize {
        lists.iter().map(|list| list.len() - 1).sum()
    }

    #[test]
    fn shared_operands_get_one_gate_and_lists_keep_their_meaning() {
        let originals =
            [&[1, 2, 3, 4][..], &[1, 2, 3, 5], &[1, 2, 6], &[2, 3, 6], &[1, 2]].map(signals);
        let mut lists = originals.to_vec();
        extract(&mut lists, 10);
        for (number, original) in originals.iter().enumerate() {
            let inputs: Vec<_> = original.iter().map(|s| s.node()).collect();
            assert_eq!(spelled_out(&lists, number, 10), inputs);
        }
        assert!(gates(&lists) < gates(&originals), "{lists:?}");
    }

    #[test]
    fn operands_that_always_stand_together_are_grouped() {
        let mut lists = [&[1, 2, 3, 7][..], &[1, 2, 3, 8]].map(signals).to_vec();
        group(&mut lists, 10);
        assert_eq!(lists[2], signals(&[1, 2, 3]));
        assert_eq!(gates(&lists), 4);
    }
}
