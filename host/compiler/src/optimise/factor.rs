//! Algebraic factoring: `a·x + a·y` becomes `a·(x + y)`, most frequent operand
//! first. Each factored operand saves one gate per product but the first.

use crate::circuit::network::Network;
use crate::circuit::signal::Signal;
use crate::index::{IndexVec, define_index};
use rustc_hash::FxHashMap;
use std::collections::BinaryHeap;

/// Operands that are factored out of each other; what is left has had its share.
const MOST_DEPTH: usize = 200;

/// The disjunction of the products (conjunctions of their signals), factored.
pub(crate) fn factor(network: &mut Network, products: Vec<Vec<Signal>>) -> Signal {
    factor_within(network, products, MOST_DEPTH)
}

fn factor_within(network: &mut Network, products: Vec<Vec<Signal>>, depth: usize) -> Signal {
    let operands = products.iter().map(Vec::len).sum();
    if products.len() < 2 || depth == 0 || !network.may_spend(operands) {
        let sum = products.into_iter().map(|p| network.and(p)).collect();
        return network.or(sum);
    }
    Factoring::new(products).run(network, depth)
}

define_index! {
    /// A product of the sum.
    struct ProductId;
}

struct Factoring {
    products: IndexVec<ProductId, Option<Vec<Signal>>>,
    /// Products in which a signal stands.
    places: FxHashMap<Signal, Vec<ProductId>>,
    /// Signals by the number of their products; counts may be out of date.
    queue: BinaryHeap<(usize, Signal)>,
}

impl Factoring {
    fn new(mut products: Vec<Vec<Signal>>) -> Self {
        for product in &mut products {
            product.sort_unstable();
            product.dedup();
        }
        let mut places: FxHashMap<Signal, Vec<ProductId>> = FxHashMap::default();
        let products: IndexVec<_, _> = products.into_iter().map(Some).collect();
        for (number, product) in products.enumerate() {
            let signals = product.iter().flatten();
            signals.for_each(|s| places.entry(*s).or_default().push(number));
        }
        let queue = places.iter().map(|(s, p)| (p.len(), *s)).filter(|(n, _)| *n > 1).collect();
        Factoring { products, places, queue }
    }

    fn run(mut self, network: &mut Network, depth: usize) -> Signal {
        let mut sum = Vec::new();
        while let Some((count, common)) = self.queue.pop() {
            if !network.may_spend(self.places[&common].len()) {
                break;
            }
            let alive: Vec<_> = self.places[&common]
                .iter()
                .copied()
                .filter(|&p| self.products[p].is_some())
                .collect();
            if alive.len() < 2 {
                continue;
            }
            if alive.len() < count {
                self.queue.push((alive.len(), common));
                continue;
            }
            let rest = alive.iter().map(|&p| {
                let mut product = self.products[p].take().expect("alive");
                product.retain(|&s| s != common);
                product
            });
            let rest = factor_within(network, rest.collect(), depth - 1);
            sum.push(network.and(vec![common, rest]));
        }
        sum.extend(self.products.into_iter().flatten().map(|p| network.and(p)));
        network.or(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::network::Style;
    use crate::circuit::signal::FluentId;
    use crate::index::Id;

    #[test]
    fn a_common_operand_is_factored_out() {
        let mut network = Network::new(4, &[1], Style::Moves);
        let [a, x, y, z] = [0, 1, 2, 3].map(|f| network.fluent(FluentId::new(f)));
        let sum = factor(&mut network, vec![vec![a, x], vec![a, y], vec![z]]);
        let inner = network.or(vec![x, y]);
        let product = network.and(vec![a, inner]);
        assert_eq!(sum, network.or(vec![product, z]));
    }

    #[test]
    fn products_that_differ_in_one_sign_merge() {
        let mut network = Network::new(2, &[1], Style::Moves);
        let [a, x] = [0, 1].map(|f| network.fluent(FluentId::new(f)));
        assert_eq!(factor(&mut network, vec![vec![a, x], vec![a, !x]]), a);
    }
}
