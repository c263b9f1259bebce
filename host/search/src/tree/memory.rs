//! The limit of the tree's memory, kept by counting what the vectors reserve.

use super::table::Table;

/// Things for which room is made at least.
const LEAST_GROWTH: usize = 64;

/// What the tree takes and may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Account {
    bytes: u64,
    limit: u64,
    is_full: bool,
}

impl Account {
    pub(super) fn new(limit: u64) -> Self {
        Self { bytes: 0, limit, is_full: false }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    /// From now on there may be that many.
    pub(super) fn allow(&mut self, limit: u64) {
        self.limit = limit;
    }

    /// Nothing is added any more: what would still fit here or there is not
    /// worth a tree whose shape depends on the order of refusals.
    pub(super) fn close(&mut self) {
        self.is_full = true;
    }

    /// Makes room for some more things. Vectors grow by an eighth: what is
    /// reserved counts, and doubling would leave up to half of it unused.
    #[inline]
    pub(super) fn reserve<T>(&mut self, things: &mut Vec<T>, more: usize) -> bool {
        let needed = things.len() + more;
        needed <= things.capacity() && !self.is_full || self.grow(things, needed)
    }

    #[cold]
    fn grow<T>(&mut self, things: &mut Vec<T>, needed: usize) -> bool {
        let before = things.capacity();
        let capacity = needed.max(before + before / 8).max(LEAST_GROWTH);
        let more = (capacity.saturating_sub(before) * size_of::<T>()) as u64;
        if !self.take(more) {
            return false;
        }
        things.try_reserve_exact(capacity - things.len()).is_ok()
    }

    /// Makes room for one more entry of a table that has these hashes and indices.
    #[inline]
    pub(super) fn reserve_table(
        &mut self,
        table: &mut Table,
        entries: impl Iterator<Item = (u64, u32)>,
    ) -> bool {
        if table.has_room() {
            return !self.is_full;
        }
        self.take(table.growth_bytes()) && table.grow(entries)
    }

    fn take(&mut self, more: u64) -> bool {
        let fits = !self.is_full && more <= self.limit.saturating_sub(self.bytes);
        if fits {
            self.bytes += more;
        }
        fits
    }
}
