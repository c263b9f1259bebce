//! From hashes to indices.

use hashbrown::HashTable;

/// Entries of the smallest table.
const LEAST_ENTRIES: usize = 448;

/// Finds indices by hashes. It grows when told to, so that its memory can be
/// accounted for, and that by the same rule on every machine.
#[derive(Debug, Default)]
pub(super) struct Table {
    entries: HashTable<u32>,
    /// How many may be there before it grows: seven eighths of a power of two.
    capacity: usize,
}

impl Table {
    #[inline]
    pub(super) fn find(&self, hash: u64, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        self.entries.find(hash, |&index| is_it(index)).copied()
    }

    /// Adds an index; there must be room for it.
    #[inline]
    pub(super) fn insert(&mut self, hash: u64, index: u32) {
        // Room was made, so that nothing is ever hashed again here.
        self.entries.insert_unique(hash, index, |_| hash);
    }

    #[inline]
    pub(super) fn has_room(&self) -> bool {
        self.entries.len() < self.capacity
    }

    /// Bytes that it takes more when it grows.
    pub(super) fn growth_bytes(&self) -> u64 {
        bytes(self.grown()) - bytes(self.capacity)
    }

    /// Makes room for twice as many, if the machine has the memory. All that are there come
    /// again in the order of the tree: in that of the table, their hashes would have to be
    /// fetched from all over the memory.
    pub(super) fn grow(&mut self, entries: impl Iterator<Item = (u64, u32)>) -> bool {
        let capacity = self.grown();
        let mut grown = HashTable::new();
        if grown.try_reserve(capacity, |_| 0).is_err() {
            return false;
        }
        let before = core::mem::replace(self, Self { entries: grown, capacity });
        entries.for_each(|(hash, index)| self.insert(hash, index));
        debug_assert_eq!(self.entries.len(), before.entries.len(), "all are there again");
        true
    }

    fn grown(&self) -> usize {
        (2 * self.capacity).max(LEAST_ENTRIES)
    }
}

/// An index and a byte of its hash for each place, of which an eighth is free.
fn bytes(capacity: usize) -> u64 {
    (capacity as u64 / 7 * 8) * (size_of::<u32>() as u64 + 1)
}
