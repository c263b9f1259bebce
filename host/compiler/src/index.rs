//! Typed indices: a node cannot be taken for a gate, nor a slot for a value.
//!
//! An index is a `u32` with a type of its own, and an [`IndexVec`] is a vector that
//! only that type reaches into. Both cost nothing over `u32` and `Vec`. Crates that
//! offer the same convert from `usize` in both directions or bring keys of 64 bits;
//! the compiler needs a dozen lines of them.

use std::fmt::Debug;
use std::hash::Hash;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// The index of one kind of thing.
pub trait Id: Copy + Ord + Hash + Debug + 'static {
    /// The thing at a position.
    fn new(index: usize) -> Self;

    /// The position of the thing.
    fn index(self) -> usize;

    /// The thing so far behind this one.
    #[inline]
    fn plus(self, distance: usize) -> Self {
        Self::new(self.index() + distance)
    }
}

/// Defines index types.
macro_rules! define_index {
    ($($(#[$meta:meta])* $visibility:vis struct $Name:ident;)+) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        $visibility struct $Name(u32);

        impl $crate::index::Id for $Name {
            #[inline]
            fn new(index: usize) -> Self {
                debug_assert!(u32::try_from(index).is_ok(), "more things than indices");
                $Name(index as u32)
            }

            #[inline]
            fn index(self) -> usize {
                self.0 as usize
            }
        }
    )+};
}
pub(crate) use define_index;

/// Things that follow each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Span<I> {
    /// The first one.
    pub(crate) start: I,
    /// The one behind the last.
    pub(crate) end: I,
}

impl<I: Id> Span<I> {
    /// So many things from `start` on.
    pub(crate) fn new(start: I, count: usize) -> Self {
        Span { start, end: start.plus(count) }
    }

    /// How many there are.
    pub(crate) fn len(self) -> usize {
        self.end.index() - self.start.index()
    }

    /// Whether there is none.
    pub(crate) fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Whether a thing is among them.
    #[inline]
    pub(crate) fn contains(self, id: I) -> bool {
        self.start <= id && id < self.end
    }

    /// One after the other.
    pub(crate) fn iter(self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + Clone {
        (self.start.index()..self.end.index()).map(I::new)
    }
}

/// The first things of a kind.
pub(crate) fn first<I: Id>(
    count: usize,
) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + Clone {
    (0..count).map(I::new)
}

/// A vector that is read by one type of index.
pub(crate) struct IndexVec<I, T> {
    items: Vec<T>,
    index: PhantomData<fn(I)>,
}

impl<I: Id, T> IndexVec<I, T> {
    pub(crate) fn new() -> Self {
        Self::from(Vec::new())
    }

    pub(crate) fn filled(item: T, count: usize) -> Self
    where
        T: Clone,
    {
        Self::from(vec![item; count])
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Makes room for so many items at least.
    pub(crate) fn grow(&mut self, item: T, count: usize)
    where
        T: Clone,
    {
        if self.items.len() < count {
            self.items.resize(count, item);
        }
    }

    /// Adds an item and tells its index.
    pub(crate) fn push(&mut self, item: T) -> I {
        self.items.push(item);
        I::new(self.items.len() - 1)
    }

    /// The index that the next item will have.
    pub(crate) fn next(&self) -> I {
        I::new(self.items.len())
    }

    #[inline]
    pub(crate) fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }

    pub(crate) fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        first(self.items.len())
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    pub(crate) fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    pub(crate) fn enumerate(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(index, item)| (I::new(index), item))
    }

    pub(crate) fn span_mut(&mut self, span: Span<I>) -> &mut [T] {
        &mut self.items[span.start.index()..span.end.index()]
    }

    pub(crate) fn as_slice(&self) -> &[T] {
        &self.items
    }
}

impl<I, T> From<Vec<T>> for IndexVec<I, T> {
    fn from(items: Vec<T>) -> Self {
        IndexVec { items, index: PhantomData }
    }
}

impl<I, T> FromIterator<T> for IndexVec<I, T> {
    fn from_iter<A: IntoIterator<Item = T>>(items: A) -> Self {
        IndexVec::from(Vec::from_iter(items))
    }
}

impl<I, T> Extend<T> for IndexVec<I, T> {
    fn extend<A: IntoIterator<Item = T>>(&mut self, items: A) {
        self.items.extend(items);
    }
}

impl<I, T> IntoIterator for IndexVec<I, T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

impl<'v, I, T> IntoIterator for &'v IndexVec<I, T> {
    type Item = &'v T;
    type IntoIter = std::slice::Iter<'v, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

impl<I: Id, T> Index<I> for IndexVec<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IndexVec<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

impl<I, T> Default for IndexVec<I, T> {
    fn default() -> Self {
        IndexVec::from(Vec::new())
    }
}

impl<I, T: Clone> Clone for IndexVec<I, T> {
    fn clone(&self) -> Self {
        IndexVec::from(self.items.clone())
    }
}

impl<I, T: Debug> Debug for IndexVec<I, T> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.items.fmt(formatter)
    }
}
