//! What holds without a proof: facts of the rules, and the fluents of a state.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::terms::{Node, Terms, Value};

/// Values for which a relation holds.
pub(super) type Row = Rc<[Value]>;

/// Facts of a relation, found by the value of any argument.
#[derive(Debug, Default)]
pub(super) struct Facts {
    rows: Rc<Vec<Row>>,
    known: FxHashSet<Row>,
    by_argument: FxHashMap<(usize, Value), Vec<usize>>,
}

impl Facts {
    pub fn insert(&mut self, row: Row) {
        if !self.known.insert(Rc::clone(&row)) {
            return;
        }
        for (place, value) in row.iter().enumerate() {
            self.by_argument.entry((place, *value)).or_default().push(self.rows.len());
        }
        Rc::make_mut(&mut self.rows).push(row);
    }

    /// Rows that may agree with what is known.
    pub fn candidates(&self, known: &[Option<Value>]) -> Rc<Vec<Row>> {
        const NONE: &Vec<usize> = &Vec::new();
        let lists = known.iter().enumerate().filter_map(|(place, value)| {
            Some(self.by_argument.get(&(place, (*value)?)).unwrap_or(NONE))
        });
        match lists.min_by_key(|list| list.len()) {
            Some(list) => Rc::new(list.iter().map(|index| Rc::clone(&self.rows[*index])).collect()),
            None => Rc::clone(&self.rows),
        }
    }
}

/// What holds in a state, by the function of its terms and their arguments.
#[derive(Debug, Default)]
pub(super) struct Fluents {
    pub all: FxHashSet<Value>,
    /// The arguments of those of a function, with the term behind them.
    pub by_function: FxHashMap<(ruche_gdl::Symbol, usize), Facts>,
}

impl Fluents {
    pub fn new(fluents: &[Value], terms: &Terms) -> Self {
        let mut found = Self { all: fluents.iter().copied().collect(), ..Self::default() };
        for &fluent in fluents {
            if let Node::Compound(function, inner) = terms.node(fluent) {
                let key = (*function, inner.len());
                let row = inner.iter().copied().chain([fluent]).collect();
                found.by_function.entry(key).or_default().insert(row);
            }
        }
        found
    }
}
