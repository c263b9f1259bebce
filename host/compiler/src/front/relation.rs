//! Stored ground atoms.

use crate::front::terms::TermId;
use crate::index::{Id, define_index, first};
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::Hasher;

define_index! {
    /// An atom within its predicate, in the order of derivation.
    pub(crate) struct AtomId;
}

/// The atoms of one predicate.
pub(crate) struct AtomTable {
    arity: usize,
    count: usize,
    arguments: Vec<TermId>,
    ids: HashTable<AtomId>,
}

impl AtomTable {
    /// All atoms.
    pub(crate) fn atoms(&self) -> impl ExactSizeIterator<Item = AtomId> + Clone + use<> {
        first(self.count)
    }

    /// An empty table for atoms of `arity` arguments.
    pub(crate) fn new(arity: usize) -> Self {
        AtomTable { arity, count: 0, arguments: Vec::new(), ids: HashTable::new() }
    }

    /// How many atoms there are.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The arguments of an atom.
    pub(crate) fn arguments(&self, atom: AtomId) -> &[TermId] {
        let first = atom.index() * self.arity;
        &self.arguments[first..first + self.arity]
    }

    /// The atom with these arguments.
    pub(crate) fn find(&self, arguments: &[TermId]) -> Option<AtomId> {
        self.ids.find(hash(arguments), |&id| self.arguments(id) == arguments).copied()
    }

    /// Adds an atom; false if it was there.
    pub(crate) fn insert(&mut self, arguments: &[TermId]) -> bool {
        if self.find(arguments).is_some() {
            return false;
        }
        let id = AtomId::new(self.count);
        self.count += 1;
        self.arguments.extend_from_slice(arguments);
        let (all, arity) = (&self.arguments, self.arity);
        let rehash = |&id: &AtomId| hash(&all[id.index() * arity..][..arity]);
        self.ids.insert_unique(hash(arguments), id, rehash);
        true
    }
}

pub(super) fn hash(terms: &[TermId]) -> u64 {
    let mut hasher = FxHasher::default();
    terms.iter().for_each(|&term| hasher.write_u32(term.index() as u32));
    hasher.finish()
}
