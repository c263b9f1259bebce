//! Orders among values: numbers, and chains of relations like successors.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use ruche_gdl::{Description, Term};

/// Values one after the other.
type Chain = Vec<String>;

/// All chains of a description.
#[derive(Clone, Debug, Default)]
pub(crate) struct Orders(Vec<Chain>);

impl Orders {
    /// Chains of relations between two values of which each has one successor at most and
    /// one predecessor at most.
    pub fn new(description: &Description) -> Self {
        let mut relations: BTreeMap<usize, Vec<(String, String)>> = BTreeMap::new();
        let mut derived = HashSet::new();
        for rule in &description.rules {
            let name = rule.head.relation.index();
            match (&rule.head.arguments[..], rule.body.is_empty()) {
                ([Term::Constant(one), Term::Constant(other)], true) => {
                    let text = |symbol| description.symbols.name(symbol).to_owned();
                    relations.entry(name).or_default().push((text(*one), text(*other)));
                }
                (_, is_fact) => {
                    if !is_fact || rule.head.arguments.len() == 2 {
                        derived.insert(name);
                    }
                }
            }
        }
        let relations = relations.into_iter().filter(|(name, _)| !derived.contains(name));
        Self(relations.flat_map(|(_, pairs)| chains(&pairs)).collect())
    }

    /// The order of these values, if there is one.
    pub fn of(&self, values: &BTreeSet<&str>) -> Option<Vec<String>> {
        let chain = || {
            let covers = |chain: &&Chain| {
                let known: HashSet<&str> = chain.iter().map(String::as_str).collect();
                values.iter().all(|value| known.contains(value))
            };
            let chain = self.0.iter().filter(covers).min_by_key(|chain| chain.len())?;
            Some(chain.iter().filter(|value| values.contains(value.as_str())).cloned().collect())
        };
        numbered(values).or_else(chain)
    }
}

/// Values that are numbers, or have a number behind what all of them begin with.
fn numbered(values: &BTreeSet<&str>) -> Option<Vec<String>> {
    let first = values.first()?;
    let start = first.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let number = |value: &&str| {
        let digits = value.parse::<i64>().ok();
        let behind = || value.strip_prefix(start)?.parse::<u32>().ok().map(i64::from);
        Some((digits.or_else(behind)?, (*value).to_owned()))
    };
    let mut numbers: Vec<(i64, String)> = values.iter().map(number).collect::<Option<_>>()?;
    numbers.sort();
    Some(numbers.into_iter().map(|(_, value)| value).collect())
}

/// The chains that pairs make; none if they branch. Rings are cut where they were begun.
fn chains(pairs: &[(String, String)]) -> Vec<Chain> {
    let next: HashMap<&str, &str> =
        pairs.iter().map(|(one, other)| (one.as_str(), other.as_str())).collect();
    let before: HashSet<&str> = pairs.iter().map(|(_, other)| other.as_str()).collect();
    let is_single = next.len() == pairs.len() && before.len() == pairs.len();
    if !is_single || pairs.iter().any(|(one, other)| one == other) {
        return Vec::new();
    }
    let starts = pairs.iter().map(|(one, _)| one.as_str());
    // Chains have a start that nothing leads to; what is left are rings.
    let (starts, others): (Vec<&str>, Vec<&str>) = starts.partition(|one| !before.contains(one));
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for start in starts.into_iter().chain(others) {
        let mut chain = Vec::new();
        let mut at = Some(start);
        while let Some(value) = at.filter(|value| seen.insert(*value)) {
            chain.push(value.to_owned());
            at = next.get(value).copied();
        }
        // Two of which each follows the other, such as opponents, have no order.
        let is_mutual = chain.len() == 2 && before.contains(start);
        if chain.len() > 1 && !is_mutual {
            found.push(chain);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn orders(rules: &str) -> Orders {
        Orders::new(&ruche_gdl::parse(rules.as_bytes()).unwrap())
    }

    #[test]
    fn numbers_and_chains_are_orders() {
        let orders = orders(
            "(s b c) (s a b) (s c d) (ring z y) (ring y x) (ring x z) (to a b) (to a c)
                (foe p q) (foe q p)",
        );
        let of = |values: &[&str]| orders.of(&values.iter().copied().collect());
        assert_eq!(of(&["10", "9", "8"]).unwrap(), ["8", "9", "10"]);
        assert_eq!(of(&["d", "a", "b"]).unwrap(), ["a", "b", "d"]);
        assert_eq!(of(&["x", "y", "z"]).unwrap(), ["z", "y", "x"]);
        assert_eq!(of(&["c2", "c10", "c1"]).unwrap(), ["c1", "c2", "c10"]);
        assert_eq!(of(&["a", "q"]), None);
        assert_eq!(of(&["p", "q"]), None);
    }
}
