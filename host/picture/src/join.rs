//! Things whose coordinates stand in two fluents, `(row a 1)` and `(column a 2)`: they are
//! joined to one that has both.

use std::collections::{BTreeMap, BTreeSet};

use crate::fluent::Fluent;
use crate::order::Orders;

/// Two shapes that say where things are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Join {
    shapes: [String; 2],
    name: String,
}

/// Things that there are at least.
const LEAST_THINGS: usize = 3;

/// For each thing its value.
type Values<'a> = BTreeMap<&'a str, &'a str>;

impl Join {
    /// All joins that the states allow.
    pub fn find(states: &[Vec<String>], orders: &Orders) -> Vec<Self> {
        let read: Vec<Vec<Fluent<'_>>> =
            states.iter().map(|state| state.iter().map(|it| Fluent::read(it)).collect()).collect();
        let of_two = |fluent: &&Fluent<'_>| fluent.values.len() == 2;
        let shapes: BTreeSet<&str> =
            read.iter().flatten().filter(of_two).map(|it| it.shape.as_str()).collect();
        let shapes: Vec<&str> =
            shapes.into_iter().filter(|shape| is_coordinate(&read, shape, orders)).collect();
        let mut found: Vec<Self> = Vec::new();
        for (index, one) in shapes.iter().enumerate() {
            let is_new = found.iter().all(|join| !join.shapes.iter().any(|shape| shape == one));
            let partner = shapes[index + 1..].iter().find(|other| is_join(&read, one, other));
            if let Some(other) = partner.filter(|_| is_new) {
                let name = format!("{}+{}", Fluent::name(one), Fluent::name(other));
                found.push(Self { shapes: [(*one).to_owned(), (*other).to_owned()], name });
            }
        }
        found
    }

    /// The fluents of a state with joined ones in the place of those that were joined.
    pub fn apply(&self, fluents: &[String]) -> Vec<String> {
        let read: Vec<Fluent<'_>> = fluents.iter().map(|text| Fluent::read(text)).collect();
        let [Some(first), Some(second)] = self.shapes.each_ref().map(|shape| values(&read, shape))
        else {
            return fluents.to_vec();
        };
        let others = fluents.iter().zip(&read).filter(|(_, it)| !self.shapes.contains(&it.shape));
        let things = first.iter().filter_map(|(thing, at)| Some((thing, at, second.get(thing)?)));
        let joined = things.map(|(thing, x, y)| format!("({} {x} {y} {thing})", self.name));
        others.map(|(text, _)| text.clone()).chain(joined).collect()
    }
}

/// The value of each thing, if each has one.
fn values<'a>(fluents: &[Fluent<'a>], shape: &str) -> Option<Values<'a>> {
    let mut found = Values::new();
    for fluent in fluents.iter().filter(|fluent| fluent.shape == shape) {
        if found.insert(fluent.values[0], fluent.values[1]).is_some() {
            return None;
        }
    }
    Some(found)
}

/// Whether the values of a shape have an order, and each thing has one.
fn is_coordinate(states: &[Vec<Fluent<'_>>], shape: &str, orders: &Orders) -> bool {
    let mut all = BTreeSet::new();
    let is_function = states.iter().all(|state| {
        let values = values(state, shape);
        all.extend(values.iter().flat_map(BTreeMap::values).copied());
        values.is_some()
    });
    is_function && all.len() > 1 && orders.of(&all).is_some()
}

/// Whether both say something of the same things, and no two things are at one place.
fn is_join(states: &[Vec<Fluent<'_>>], one: &str, other: &str) -> bool {
    states.iter().all(|state| {
        let (Some(first), Some(second)) = (values(state, one), values(state, other)) else {
            return false;
        };
        let places: BTreeSet<(&str, Option<&&str>)> =
            first.iter().map(|(thing, at)| (*at, second.get(thing))).collect();
        first.len() >= LEAST_THINGS && first.keys().eq(second.keys()) && places.len() == first.len()
    })
}
