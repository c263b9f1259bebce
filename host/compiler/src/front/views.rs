//! All views of a program, and which of them new atoms reach. Work is for what has
//! changed only: a chain of rules takes as many rounds as it has links, and in each
//! of them one view grows.

use crate::front::program::{Literal, PredicateId};
use crate::front::relation::{AtomId, AtomTable};
use crate::front::terms::Terms;
use crate::front::view::{Key, Shape, View, key, pattern_leaves};
use crate::index::{Id, IndexVec, define_index, first};
use rustc_hash::FxHashMap;

define_index! {
    /// Atoms of one predicate in one shape.
    pub(crate) struct ViewId;
}

/// Atoms that a view looks at.
#[derive(Clone, Copy)]
pub(super) enum Feed<'s> {
    /// All of its predicate.
    All,
    /// Those of one functor.
    Some(&'s [AtomId]),
}

impl Feed<'_> {
    pub(super) fn len(self, table: &AtomTable) -> usize {
        match self {
            Feed::All => table.count(),
            Feed::Some(atoms) => atoms.len(),
        }
    }

    pub(super) fn atom(self, place: usize) -> AtomId {
        match self {
            Feed::All => AtomId::new(place),
            Feed::Some(atoms) => atoms[place],
        }
    }
}

/// The atoms of a predicate by functor, so that a view does not look at those of
/// all others.
#[derive(Default)]
struct Shelf {
    /// Atoms that are sorted in.
    sorted: usize,
    /// Arguments whose functors are told apart.
    positions: Vec<usize>,
    boards: FxHashMap<Key, Board>,
    /// The view of all atoms.
    whole: Option<ViewId>,
}

/// Atoms of one functor, and the views that look at them.
#[derive(Default)]
struct Board {
    atoms: Vec<AtomId>,
    views: Vec<ViewId>,
    /// How many atoms the predicate had when it last grew: its views are told once.
    grown_at: usize,
}

impl Shelf {
    fn add_view(&mut self, view: ViewId, key: Option<Key>, table: &AtomTable, terms: &Terms) {
        let Some(key) = key else {
            self.whole = Some(view);
            return;
        };
        if !self.positions.contains(&key.0) {
            self.positions.push(key.0);
            for atom in first(self.sorted) {
                self.sort_in(atom, key.0, table, terms);
            }
        }
        self.boards.entry(key).or_default().views.push(view);
    }

    fn sort_in(
        &mut self,
        atom: AtomId,
        position: usize,
        table: &AtomTable,
        terms: &Terms,
    ) -> Option<&mut Board> {
        let (functor, inner) = terms.as_compound(table.arguments(atom)[position])?;
        let board = self.boards.entry((position, functor, inner.len())).or_default();
        board.atoms.push(atom);
        Some(board)
    }

    /// Sorts new atoms in; tells which views have something to look at.
    fn advance(&mut self, table: &AtomTable, terms: &Terms, touched: &mut Vec<ViewId>) {
        let (from, end) = (self.sorted, table.count());
        self.sorted = end;
        if from < end {
            touched.extend(self.whole);
        }
        for position in self.positions.clone() {
            for atom in from..end {
                let board = self.sort_in(AtomId::new(atom), position, table, terms);
                if let Some(board) = board.filter(|board| board.grown_at != end) {
                    board.grown_at = end;
                    touched.extend(&board.views);
                }
            }
        }
    }

    fn feed(&self, key: Option<Key>) -> Feed<'_> {
        key.map_or(Feed::All, |key| Feed::Some(&self.boards[&key].atoms))
    }
}

/// All views of a program.
#[derive(Default)]
pub(crate) struct Views {
    views: IndexVec<ViewId, View>,
    by_shapes: FxHashMap<(PredicateId, Vec<Shape>), ViewId>,
    shelves: FxHashMap<PredicateId, Shelf>,
    /// Views that were made since the last round.
    made: Vec<ViewId>,
    /// Views with rows that are new in this round.
    grown: Vec<ViewId>,
    /// Predicates that have got atoms since the last round.
    changed: Vec<PredicateId>,
    /// Atoms and rows that were looked at to keep views and their indexes.
    work: u64,
}

impl Views {
    /// The view that a literal reads, made if it is new.
    pub(crate) fn for_literal(
        &mut self,
        literal: &Literal,
        tables: &IndexVec<PredicateId, AtomTable>,
        terms: &Terms,
    ) -> ViewId {
        let predicate = literal.predicate;
        let shapes: Vec<_> = literal.arguments.iter().map(Shape::of).collect();
        let next = self.views.next();
        let view = *self.by_shapes.entry((predicate, shapes.clone())).or_insert(next);
        if view == next {
            let shelf = self.shelves.entry(predicate).or_default();
            shelf.add_view(view, key(&shapes), &tables[predicate], terms);
            let mut leaves = Vec::new();
            pattern_leaves(&literal.arguments, &mut leaves);
            self.views.push(View::new(predicate, shapes, leaves.len()));
            self.made.push(view);
            self.changed.push(predicate);
        }
        view
    }

    /// The index of a view over some columns, built if it is new.
    pub(crate) fn index(&mut self, view: ViewId, columns: &[u16]) -> usize {
        let view = &mut self.views[view];
        let before = view.indexes();
        let index = view.index(columns);
        self.work += ((view.indexes() - before) * view.new_end.index()) as u64;
        index
    }

    /// Notes that a predicate has new atoms.
    pub(crate) fn note_change(&mut self, predicate: PredicateId) {
        self.changed.push(predicate);
    }

    /// Makes the atoms derived since the last call visible as new rows. Tells how
    /// many atoms and rows were looked at since then; when `most` are, the rest is
    /// left out.
    pub(crate) fn advance(
        &mut self,
        tables: &IndexVec<PredicateId, AtomTable>,
        terms: &Terms,
        most: u64,
    ) -> u64 {
        let mut touched = std::mem::take(&mut self.grown);
        touched.append(&mut self.made);
        for predicate in self.changed.drain(..) {
            if let Some(shelf) = self.shelves.get_mut(&predicate) {
                shelf.advance(&tables[predicate], terms, &mut touched);
            }
        }
        touched.sort_unstable();
        touched.dedup();
        for id in touched {
            if self.work >= most {
                break;
            }
            let view = &mut self.views[id];
            let feed = self.shelves[&view.predicate].feed(view.key);
            self.work += view.absorb(feed, &tables[view.predicate], terms) as u64;
            if view.new_end > view.old_end {
                self.grown.push(id);
            }
        }
        std::mem::take(&mut self.work)
    }

    /// Views with rows that are new in this round.
    pub(crate) fn grown(&self) -> &[ViewId] {
        &self.grown
    }
}

impl std::ops::Index<ViewId> for Views {
    type Output = View;
    fn index(&self, view: ViewId) -> &View {
        &self.views[view]
    }
}
