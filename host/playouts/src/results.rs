//! What positions brought: rows of numbers, laid out as they travel.

use ruche_shared::wire::results::{Best, Columns, Tally};
use zerocopy::IntoBytes;

/// A row of results for each of some positions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Results {
    columns: Columns,
    count: usize,
    /// Numbers of a row, which is asked for whenever a game ends.
    width: usize,
    numbers: Vec<u64>,
}

impl Results {
    /// Rows without playouts for so many positions.
    #[must_use]
    pub fn new(columns: Columns, count: usize) -> Self {
        let width = columns.numbers();
        let row: Vec<u64> = (0..width).map(|column| columns.empty(column)).collect();
        Self { columns, count, width, numbers: row.repeat(count) }
    }

    /// What a row consists of.
    #[must_use]
    pub fn columns(&self) -> Columns {
        self.columns
    }

    /// Positions that have a row.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether no position has a row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How the playouts of a position went.
    ///
    /// # Panics
    /// If there is no such position.
    #[must_use]
    #[inline]
    pub fn tally(&self, index: usize) -> Tally {
        Tally::of_row(self.row(index))
    }

    /// The sum of the goals of each role over the playouts of a position.
    ///
    /// # Panics
    /// If there is no such position.
    #[must_use]
    #[inline]
    pub fn scores(&self, index: usize) -> &[u64] {
        &self.row(index)[self.columns.scores()]
    }

    /// The best playout of a position, if its game has one role and any was scored.
    ///
    /// # Panics
    /// If there is no such position.
    #[must_use]
    pub fn best(&self, index: usize) -> Option<Best> {
        self.columns.best_of(self.row(index))
    }

    /// What was asked for beyond tally and scores.
    ///
    /// # Panics
    /// If there is no such position.
    #[must_use]
    pub fn further(&self, index: usize) -> &[u64] {
        &self.row(index)[self.columns.further()]
    }

    /// Tally and scores of a position: what every game has, and signatures cover.
    ///
    /// # Panics
    /// If there is no such position.
    #[must_use]
    pub fn sums(&self, index: usize) -> &[u64] {
        &self.row(index)[..self.columns.further().start]
    }

    /// All numbers of a position.
    ///
    /// # Panics
    /// If there is no such position.
    #[must_use]
    #[inline]
    pub fn row(&self, index: usize) -> &[u64] {
        &self.numbers[index * self.width..][..self.width]
    }

    /// All rows, one after the other.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[u64]> {
        (0..self.count).map(|index| self.row(index))
    }

    /// The tallies of all positions together.
    #[must_use]
    pub fn total(&self) -> Tally {
        let mut total = Tally::default();
        self.rows().for_each(|row| total.add(&Tally::of_row(row)));
        total
    }

    /// Adds playouts to a position.
    #[inline(always)]
    pub(crate) fn add(&mut self, index: usize, tally: &Tally) {
        let row = self.numbers[index * self.width..].first_chunk_mut::<{ Tally::NUMBERS }>();
        let Some(row) = row else { return };
        for (sum, number) in row.iter_mut().zip(tally.numbers()) {
            *sum += number;
        }
    }

    /// Adds goals of a role to a position.
    #[inline(always)]
    pub(crate) fn add_score(&mut self, index: usize, role: usize, sum: u64) {
        self.numbers[index * self.width + self.columns.score(role)] += sum;
    }

    /// Tells of a good playout of a position.
    #[inline(always)]
    pub(crate) fn add_best(&mut self, index: usize, best: Best) {
        let Some([goal, playout]) = self.columns.best() else { return };
        let row = &mut self.numbers[index * self.width..][..self.width];
        let best = Best { goal: row[goal], playout: row[playout] }.or(best);
        (row[goal], row[playout]) = (best.goal, best.playout);
    }

    /// The goal of the best playout of a position so far.
    #[inline(always)]
    pub(crate) fn goal_to_beat(&self, index: usize) -> u64 {
        self.columns.best().map_or(u64::MAX, |[goal, _]| self.row(index)[goal])
    }

    /// Adds what others brought for the same positions.
    pub(crate) fn add_all(&mut self, other: &Self) {
        let rows = self.numbers.chunks_exact_mut(self.width);
        for (row, more) in rows.zip(other.rows()) {
            self.columns.merge(row, |column| more[column]);
        }
    }

    /// Puts rows, as they come over a wire, in the place of those from `first` on.
    /// Returns whether they are whole rows and there are as many.
    pub fn put_bytes(&mut self, first: usize, rows: &[u8]) -> bool {
        let row = self.columns.bytes();
        let place = self.numbers.as_mut_bytes().get_mut(first * row..first * row + rows.len());
        let Some(place) = place.filter(|_| rows.len().is_multiple_of(row)) else { return false };
        place.copy_from_slice(rows);
        true
    }

    /// Puts the rows of others in the place of those from `first` on. Returns whether they
    /// have the same columns and there are as many.
    pub fn put(&mut self, first: usize, other: &Self) -> bool {
        self.columns == other.columns && self.put_bytes(first, other.numbers.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: Columns = Columns { roles: 2, further: 1 };

    #[test]
    fn rows_are_summed_up_by_column() {
        let mut results = Results::new(COLUMNS, 2);
        results.add(1, &Tally { scored: 3, stuck: 1, plies: 40, ..Tally::default() });
        results.add(1, &Tally { scored: 1, ..Tally::default() });
        results.add_score(1, 1, 150);
        assert_eq!(results.tally(1).playouts(), 5);
        assert_eq!((results.scores(1), results.further(1)), (&[0, 150][..], &[0][..]));
        assert_eq!(results.row(0), [0; 8]);
        let mut sum = results.clone();
        sum.add_all(&results);
        assert_eq!((sum.total().plies, sum.scores(1)[1]), (80, 300));
    }

    #[test]
    fn parts_come_into_their_places() {
        let mut part = Results::new(COLUMNS, 1);
        part.add(0, &Tally { endless: 7, ..Tally::default() });
        let mut whole = Results::new(COLUMNS, 3);
        assert!(whole.put(2, &part));
        assert_eq!(whole.tally(2).endless, 7);
        assert!(!whole.put(3, &part), "there is no such place");
        assert!(!whole.put_bytes(0, &[0; 12]), "these are no whole rows");
        assert!(!Results::new(Columns::of_roles(2), 1).put(0, &part), "other columns");
    }

    #[test]
    fn a_game_without_roles_that_score_has_rows_too() {
        let results = Results::new(Columns::of_roles(0), 4);
        assert_eq!((results.len(), results.rows().count()), (4, 4));
    }
}
