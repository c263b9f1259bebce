//! A view flattens the atoms of one predicate that match a shape: the shape of
//! `(true (cell ?x 1 ?p))` has the three leaves below `cell`, and its view holds
//! a row of three term numbers for every `true` atom whose argument is a `cell`.
//! Joins then never look inside a term.

use crate::front::program::{Pattern, PredicateId};
use crate::front::relation::{AtomId, AtomTable, hash};
use crate::front::terms::{TermId, Terms};
use crate::front::views::Feed;
use crate::index::{Id, IndexVec, Span, define_index};
use hashbrown::HashTable;
use ruche_gdl::Symbol;
use rustc_hash::FxHasher;
use std::hash::Hasher;

define_index! {
    /// A row of a view.
    pub(crate) struct RowId;
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
    pub(super) fn of(pattern: &Pattern) -> Shape {
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

/// A functor, its number of arguments, and the argument that it stands in.
pub(super) type Key = (usize, Symbol, usize);

pub(super) fn key(shapes: &[Shape]) -> Option<Key> {
    let mut shapes = shapes.iter().enumerate();
    shapes.find_map(|(position, shape)| match shape {
        Shape::Leaf => None,
        Shape::Compound(functor, inner) => Some((position, *functor, inner.len())),
    })
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
    pub(super) predicate: PredicateId,
    shapes: Vec<Shape>,
    /// Which of the predicate's atoms it looks at.
    pub(super) key: Option<Key>,
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
    pub(super) fn new(predicate: PredicateId, shapes: Vec<Shape>, columns: usize) -> Self {
        View {
            predicate,
            key: key(&shapes),
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
    pub(super) fn index(&mut self, columns: &[u16]) -> usize {
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

    /// How many indexes there are.
    pub(super) fn indexes(&self) -> usize {
        self.indexes.len()
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

    /// The rows that are new in this round.
    pub(crate) fn new_rows(&self) -> Span<RowId> {
        Span { start: self.old_end, end: self.new_end }
    }

    /// The values of a row in the columns of an index.
    pub(crate) fn indexed(&self, index: usize, row: RowId, values: &mut Vec<TermId>) {
        let cells = self.row(row);
        values.clear();
        values.extend(self.indexes[index].columns.iter().map(|&c| cells[usize::from(c)]));
    }

    /// The row before `row` in the chain of the index.
    #[inline]
    pub(crate) fn previous(&self, index: usize, row: RowId) -> Option<RowId> {
        let previous = self.indexes[index].previous[row];
        (previous != NO_ROW).then_some(previous)
    }

    /// Takes over the atoms that it has not seen as new rows; tells how many it has
    /// looked at, but for those that just became a row.
    pub(super) fn absorb(&mut self, feed: Feed, table: &AtomTable, terms: &Terms) -> usize {
        let (from, rows) = (self.absorbed, self.atoms.len());
        self.absorbed = feed.len(table);
        for place in from..self.absorbed {
            self.absorb_atom(feed.atom(place), table, terms);
        }
        self.old_end = self.new_end;
        self.new_end = self.atoms.next();
        let fitting = self.atoms.len() - rows;
        (self.absorbed - from - fitting) + fitting * self.indexes.len()
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
