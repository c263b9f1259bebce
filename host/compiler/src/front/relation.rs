//! Stored ground atoms, and the views of them that joins read.
//!
//! A view flattens the atoms of one predicate that match a shape: the shape of
//! `(true (cell ?x 1 ?p))` has the three leaves below `cell`, and its view holds
//! a row of three term numbers for every `true` atom whose argument is a `cell`.
//! Joins then never look inside a term.

use crate::front::program::{Literal, Pattern, PredicateId};
use crate::front::terms::{TermId, Terms};
use crate::index::{Id, IndexVec, define_index, first};
use hashbrown::HashTable;
use ruche_gdl::Symbol;
use rustc_hash::FxHasher;
use std::hash::Hasher;

define_index! {
    /// An atom within its predicate, in the order of derivation.
    pub(crate) struct AtomId;
    /// Atoms of one predicate in one shape.
    pub(crate) struct ViewId;
    /// A row of a view.
    pub(crate) struct RowId;
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

fn hash(terms: &[TermId]) -> u64 {
    let mut hasher = FxHasher::default();
    terms.iter().for_each(|&term| hasher.write_u32(term.index() as u32));
    hasher.finish()
}

/// A pattern without its leaves.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Shape {
    /// Any term: one column.
    Leaf,
    /// A compound of this functor.
    Compound(Symbol, Vec<Shape>),
}

impl Shape {
    fn of(pattern: &Pattern) -> Shape {
        match pattern {
            Pattern::Variable(_) | Pattern::Ground(_) => Shape::Leaf,
            Pattern::Compound(functor, arguments) => {
                Shape::Compound(*functor, arguments.iter().map(Shape::of).collect())
            }
        }
    }

    /// Appends the leaves of `term`, or says that it has another shape.
    fn flatten(&self, term: TermId, terms: &Terms, row: &mut Vec<TermId>) -> bool {
        match self {
            Shape::Leaf => {
                row.push(term);
                true
            }
            Shape::Compound(functor, shapes) => {
                let Some((found, arguments)) = terms.as_compound(term) else { return false };
                found == *functor
                    && arguments.len() == shapes.len()
                    && shapes.iter().zip(arguments).all(|(s, &a)| s.flatten(a, terms, row))
            }
        }
    }
}

/// Appends the leaves of a pattern in the order of a view's columns.
pub(crate) fn pattern_leaves(patterns: &[Pattern], leaves: &mut Vec<Pattern>) {
    for pattern in patterns {
        match pattern {
            Pattern::Compound(_, arguments) => pattern_leaves(arguments, leaves),
            leaf => leaves.push(leaf.clone()),
        }
    }
}

/// Rows of one predicate in one shape.
pub(crate) struct View {
    /// The predicate.
    pub(crate) predicate: PredicateId,
    shapes: Vec<Shape>,
    columns: usize,
    cells: Vec<TermId>,
    atoms: IndexVec<RowId, AtomId>,
    indexes: Vec<Index>,
    absorbed: usize,
    /// Rows before this one were there in the round before.
    pub(crate) old_end: RowId,
    /// Rows before this one are visible in this round.
    pub(crate) new_end: RowId,
}

/// Rows by the values of some columns, as chains from the newest row back.
struct Index {
    columns: Vec<u16>,
    newest: HashTable<RowId>,
    previous: IndexVec<RowId, RowId>,
}

const NO_ROW: RowId = RowId(u32::MAX);

impl View {
    fn new(predicate: PredicateId, shapes: Vec<Shape>, columns: usize) -> Self {
        View {
            predicate,
            shapes,
            columns,
            cells: Vec::new(),
            atoms: IndexVec::new(),
            indexes: Vec::new(),
            absorbed: 0,
            old_end: RowId(0),
            new_end: RowId(0),
        }
    }

    /// The values of a row.
    #[inline]
    pub(crate) fn row(&self, row: RowId) -> &[TermId] {
        &self.cells[row.index() * self.columns..][..self.columns]
    }

    /// The atom that a row comes from.
    #[inline]
    pub(crate) fn atom(&self, row: RowId) -> AtomId {
        self.atoms[row]
    }

    /// The position of the index over `columns`, built if it is new.
    fn index(&mut self, columns: &[u16]) -> usize {
        if let Some(found) = self.indexes.iter().position(|i| i.columns == columns) {
            return found;
        }
        let mut index = Index {
            columns: columns.to_vec(),
            newest: HashTable::new(),
            previous: IndexVec::new(),
        };
        for row in self.atoms.ids() {
            index.insert(&self.cells, self.columns, row);
        }
        self.indexes.push(index);
        self.indexes.len() - 1
    }

    /// The newest row whose indexed columns have the values of `key`.
    #[inline]
    pub(crate) fn newest(&self, index: usize, key: &[TermId]) -> Option<RowId> {
        let index = &self.indexes[index];
        let matches = |&row: &RowId| {
            let cells = self.row(row);
            index.columns.iter().zip(key).all(|(&c, &k)| cells[usize::from(c)] == k)
        };
        index.newest.find(hash(key), matches).copied()
    }

    /// The row before `row` in the chain of the index.
    #[inline]
    pub(crate) fn previous(&self, index: usize, row: RowId) -> Option<RowId> {
        let previous = self.indexes[index].previous[row];
        (previous != NO_ROW).then_some(previous)
    }

    fn absorb(&mut self, table: &AtomTable, terms: &Terms) {
        for atom in self.absorbed..table.count() {
            self.absorb_atom(AtomId::new(atom), table, terms);
        }
        self.absorbed = table.count();
    }

    fn absorb_atom(&mut self, atom: AtomId, table: &AtomTable, terms: &Terms) {
        let start = self.cells.len();
        let cells = &mut self.cells;
        let arguments = table.arguments(atom);
        if !self.shapes.iter().zip(arguments).all(|(s, &a)| s.flatten(a, terms, cells)) {
            self.cells.truncate(start);
            return;
        }
        let row = self.atoms.push(atom);
        for index in &mut self.indexes {
            index.insert(&self.cells, self.columns, row);
        }
    }
}

impl Index {
    fn insert(&mut self, cells: &[TermId], width: usize, row: RowId) {
        let columns = &self.columns;
        let cell = |row: RowId, column: u16| cells[row.index() * width + usize::from(column)];
        let hash_row = |row: RowId| {
            let mut hasher = FxHasher::default();
            columns.iter().for_each(|&c| hasher.write_u32(cell(row, c).index() as u32));
            hasher.finish()
        };
        let same = |&other: &RowId| columns.iter().all(|&c| cell(other, c) == cell(row, c));
        let entry = self.newest.entry(hash_row(row), same, |&other| hash_row(other));
        match entry {
            hashbrown::hash_table::Entry::Occupied(mut found) => {
                self.previous.push(*found.get());
                *found.get_mut() = row;
            }
            hashbrown::hash_table::Entry::Vacant(free) => {
                self.previous.push(NO_ROW);
                free.insert(row);
            }
        }
    }
}

/// All views of a program.
#[derive(Default)]
pub(crate) struct Views {
    views: IndexVec<ViewId, View>,
}

impl Views {
    /// The view that a literal reads, made if it is new.
    pub(crate) fn for_literal(&mut self, literal: &Literal) -> ViewId {
        let shapes: Vec<_> = literal.arguments.iter().map(Shape::of).collect();
        let same = |v: &View| v.predicate == literal.predicate && v.shapes == shapes;
        if let Some(found) = self.views.iter().position(same) {
            return ViewId::new(found);
        }
        let mut leaves = Vec::new();
        pattern_leaves(&literal.arguments, &mut leaves);
        self.views.push(View::new(literal.predicate, shapes, leaves.len()))
    }

    /// The index of a view over some columns, built if it is new.
    pub(crate) fn index(&mut self, view: ViewId, columns: &[u16]) -> usize {
        self.views[view].index(columns)
    }

    /// Makes the atoms derived since the last call visible as new rows.
    pub(crate) fn advance(&mut self, view: ViewId, table: &AtomTable, terms: &Terms) {
        let view = &mut self.views[view];
        view.absorb(table, terms);
        view.old_end = view.new_end;
        view.new_end = view.atoms.next();
    }

    /// All views.
    pub(crate) fn ids(&self) -> impl Iterator<Item = ViewId> + use<> {
        self.views.ids()
    }

    /// All views.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &View> {
        self.views.iter()
    }
}

impl std::ops::Index<ViewId> for Views {
    type Output = View;
    fn index(&self, view: ViewId) -> &View {
        &self.views[view]
    }
}
