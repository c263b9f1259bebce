//! The expression of a cell: De Morgan turns complements up and down, so that each
//! function of its inputs has just one expression.

use super::MOST_INPUTS;
use ruche_shared::image::{Expression, Join, Pair, PairLink};

/// Part of an expression: an input, or a conjunction or disjunction of others of
/// which none is of the same kind.
#[derive(Clone, Debug)]
pub(super) enum Part {
    Input { place: usize, negated: bool },
    Group { link: PairLink, parts: Vec<Part> },
}

impl Part {
    pub(super) fn and(first: Part, second: Part, flip: bool) -> Part {
        let mut parts = Vec::with_capacity(MOST_INPUTS);
        for part in [first, second] {
            match part {
                Part::Group { link: PairLink::And, parts: inner } => parts.extend(inner),
                other => parts.push(other),
            }
        }
        Part::Group { link: PairLink::And, parts }.complement_if(flip)
    }

    fn input(&self) -> Option<(bool, usize)> {
        match self {
            Part::Input { place, negated } => Some((*negated, *place)),
            Part::Group { .. } => None,
        }
    }

    pub(super) fn complement_if(self, flip: bool) -> Part {
        match self {
            Part::Input { place, negated } => Part::Input { place, negated: negated != flip },
            Part::Group { link, parts } if flip => {
                let link = if link == PairLink::And { PairLink::Or } else { PairLink::And };
                let parts = parts.into_iter().map(|part| part.complement_if(true)).collect();
                Part::Group { link, parts }
            }
            group => group,
        }
    }

    /// The expression of a whole cell, and in which order it takes the inputs.
    pub(super) fn express(self) -> (Expression, [usize; MOST_INPUTS]) {
        match self {
            Part::Group { link, parts } if parts.iter().all(Part::is_group) => {
                let mut chains: Vec<Chain> = parts.into_iter().map(Chain::of).collect();
                chains.sort_by_key(|chain| chain.first);
                let order: Vec<usize> =
                    chains.iter().flat_map(|chain| &chain.order).copied().collect();
                let expression = Expression::Pairs(chains[0].first, link, chains[1].first);
                (expression, padded(&order))
            }
            whole => {
                let Chain { first, joins, order } = Chain::of(whole);
                let expression = match *joins.as_slice() {
                    [join, last] => Expression::Four(first, join, last),
                    [join] => Expression::Three(first, join),
                    _ => Expression::Two(first),
                };
                (expression, padded(&order))
            }
        }
    }

    fn is_group(&self) -> bool {
        matches!(self, Part::Group { .. })
    }
}

/// Places behind the last input do not matter.
fn padded(order: &[usize]) -> [usize; MOST_INPUTS] {
    std::array::from_fn(|place| order.get(place).copied().unwrap_or(place))
}

/// A pair of inputs and others that join one by one.
struct Chain {
    first: Pair,
    joins: Vec<Join>,
    order: Vec<usize>,
}

impl Chain {
    /// What is inside comes first, then the inputs, complemented ones last.
    fn of(group: Part) -> Self {
        let Part::Group { link, parts } = group else { unreachable!("a cell has a gate") };
        let (groups, inputs): (Vec<_>, Vec<_>) = parts.into_iter().partition(Part::is_group);
        let mut inputs: Vec<(bool, usize)> = inputs.iter().filter_map(Part::input).collect();
        inputs.sort_unstable();
        let mut inputs = inputs.into_iter();
        let mut chain = match groups.into_iter().next() {
            Some(inner) => Chain::of(inner),
            None => {
                let [first, second] = [(); 2].map(|()| inputs.next().expect("a gate has two"));
                let (joins, order) = (Vec::new(), vec![first.1, second.1]);
                Chain { first: pair(link, first.0, second.0), joins, order }
            }
        };
        for (negated, place) in inputs {
            chain.joins.push(join(link, negated));
            chain.order.push(place);
        }
        chain
    }
}

/// Two inputs, of which the first is complemented only if the second is.
fn pair(link: PairLink, first: bool, second: bool) -> Pair {
    match (link, first, second) {
        (PairLink::And, false, false) => Pair::And,
        (PairLink::And, false, true) => Pair::AndNot,
        (PairLink::And, true, _) => Pair::Nor,
        (PairLink::Or, false, false) => Pair::Or,
        (PairLink::Or, false, true) => Pair::OrNot,
        (PairLink::Or, true, _) => Pair::Nand,
    }
}

fn join(link: PairLink, negated: bool) -> Join {
    match (link, negated) {
        (PairLink::And, false) => Join::And,
        (PairLink::And, true) => Join::AndNot,
        (PairLink::Or, false) => Join::Or,
        (PairLink::Or, true) => Join::OrNot,
    }
}
