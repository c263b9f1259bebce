//! Games of one move for two who choose at the same time: what each can be sure of by
//! mixing moves, found by linear programming.
//!
//! The simplex method on a dense table, in doubles: matrices are small, and whoever wants
//! to rely on the value computes what the strategies are good for, which bounds it from
//! both sides however they were found.

/// Strategies of both, and what they are good for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Equilibrium {
    /// The probability of each row, whose player wants much.
    pub(crate) rows: Vec<f64>,
    /// The probability of each column, whose player wants little.
    pub(crate) columns: Vec<f64>,
    /// What rows bring at least.
    pub(crate) low: f64,
    /// What columns allow at most.
    pub(crate) high: f64,
}

/// An equilibrium of a matrix, row after row.
pub(crate) fn solve(matrix: &[f64], columns: usize) -> Equilibrium {
    let rows = matrix.len() / columns;
    let least = matrix.iter().copied().fold(f64::INFINITY, f64::min);
    // All entries positive, so that the value is, too.
    let mut table = Table::new(matrix, columns, 1.0 - least);
    // Each step ends in another corner; the limit is for the case that rounding makes it
    // go round.
    for _ in 0..64 * (rows + columns) {
        let Some(column) = table.entering() else { break };
        let Some(row) = table.leaving(column) else { break };
        table.pivot(row, column);
    }
    let (rows, columns) = (table.rows_strategy(), table.columns_strategy());
    let low = column_values(matrix, &rows).fold(f64::INFINITY, f64::min);
    let high = row_values(matrix, &columns).fold(f64::NEG_INFINITY, f64::max);
    Equilibrium { rows, columns, low, high }
}

/// What each row brings against a mix of columns.
pub(crate) fn row_values(matrix: &[f64], columns: &[f64]) -> impl Iterator<Item = f64> {
    let rows = matrix.chunks(columns.len().max(1));
    rows.map(move |row| row.iter().zip(columns).map(|(entry, share)| entry * share).sum())
}

/// What each column allows against a mix of rows.
pub(crate) fn column_values(matrix: &[f64], rows: &[f64]) -> impl Iterator<Item = f64> {
    let columns = matrix.len() / rows.len().max(1);
    (0..columns).map(move |column| {
        let entry = |row: usize| matrix[row * columns + column];
        rows.iter().enumerate().map(|(row, share)| entry(row) * share).sum()
    })
}

/// The table of "as much weight on columns as possible, but no row above 1". What limits it
/// gives the weights of rows.
struct Table {
    /// `rows + 1` lines of `columns + rows + 1` numbers: columns, slacks, right sides; the
    /// last line is the objective.
    lines: Vec<f64>,
    rows: usize,
    columns: usize,
    /// Which variable each row stands for.
    basis: Vec<usize>,
}

const EPSILON: f64 = 1e-11;

impl Table {
    fn new(matrix: &[f64], columns: usize, shift: f64) -> Self {
        let rows = matrix.len() / columns;
        let width = columns + rows + 1;
        let mut lines = vec![0.0; (rows + 1) * width];
        for row in 0..rows {
            for column in 0..columns {
                lines[row * width + column] = matrix[row * columns + column] + shift;
            }
            lines[row * width + columns + row] = 1.0;
            lines[row * width + width - 1] = 1.0;
        }
        lines[rows * width..][..columns].fill(-1.0);
        Self { lines, rows, columns, basis: (columns..columns + rows).collect() }
    }

    fn width(&self) -> usize {
        self.columns + self.rows + 1
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        self.lines[row * self.width() + column]
    }

    /// The first variable that would help: so nothing goes round.
    fn entering(&self) -> Option<usize> {
        (0..self.width() - 1).find(|&column| self.at(self.rows, column) < -EPSILON)
    }

    /// The row that limits it most.
    fn leaving(&self, column: usize) -> Option<usize> {
        let limit = |row: usize| self.at(row, self.width() - 1) / self.at(row, column);
        let rows = (0..self.rows).filter(|&row| self.at(row, column) > EPSILON);
        let key = |row: &usize| (limit(*row), self.basis[*row]);
        rows.min_by(|one, other| {
            key(one).0.total_cmp(&key(other).0).then(key(one).1.cmp(&key(other).1))
        })
    }

    fn pivot(&mut self, row: usize, column: usize) {
        let width = self.width();
        let by = self.at(row, column);
        let line: Vec<f64> = self.lines[row * width..][..width].iter().map(|x| x / by).collect();
        for (other, target) in self.lines.chunks_mut(width).enumerate() {
            let factor = target[column];
            match other == row {
                true => target.copy_from_slice(&line),
                false => target.iter_mut().zip(&line).for_each(|(x, y)| *x -= factor * y),
            }
        }
        self.basis[row] = column;
    }

    fn columns_strategy(&self) -> Vec<f64> {
        let mut weights = vec![0.0; self.columns];
        for (row, &variable) in self.basis.iter().enumerate() {
            if let Some(weight) = weights.get_mut(variable) {
                *weight = self.at(row, self.width() - 1);
            }
        }
        shares(weights)
    }

    fn rows_strategy(&self) -> Vec<f64> {
        shares((0..self.rows).map(|row| self.at(self.rows, self.columns + row)).collect())
    }
}

/// Weights that add up to one.
fn shares(mut weights: Vec<f64>) -> Vec<f64> {
    weights.iter_mut().for_each(|weight| *weight = weight.max(0.0));
    let sum: f64 = weights.iter().sum();
    let even = 1.0 / weights.len() as f64;
    weights.iter().map(|weight| if sum > 0.0 { weight / sum } else { even }).collect()
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::*;

    fn assert_close(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-9, "{found} instead of {expected}");
        }
    }

    #[test]
    fn known_games_have_their_known_values() {
        let pennies = solve(&[100.0, 0.0, 0.0, 100.0], 2);
        assert_close(&[pennies.low, pennies.high], &[50.0, 50.0]);
        assert_close(&pennies.rows, &[0.5, 0.5]);
        // Rock against scissors counts twice: the shares follow by hand.
        let biased = solve(&[0.0, -1.0, 2.0, 1.0, 0.0, -1.0, -2.0, 1.0, 0.0], 3);
        assert_close(&biased.rows, &[0.25, 0.5, 0.25]);
        assert_close(&[biased.low, biased.high], &[0.0, 0.0]);
        // A row that is better everywhere.
        let dominated = solve(&[1.0, 2.0, 3.0, 4.0], 2);
        assert_close(&dominated.rows, &[0.0, 1.0]);
        assert_close(&[dominated.low, dominated.high], &[3.0, 3.0]);
    }

    #[test]
    fn what_one_is_sure_of_is_what_the_other_allows() {
        let mut random = Pcg64Mcg::seed_from_u64(1);
        for _ in 0..2000 {
            let (rows, columns) = (random.random_range(1..9), random.random_range(1..9));
            let matrix: Vec<f64> =
                (0..rows * columns).map(|_| f64::from(random.random_range(0..5) * 25)).collect();
            let Equilibrium { low, high, .. } = solve(&matrix, columns);
            assert!(high - low < 1e-7 && high >= low - 1e-9, "{low} to {high} of {matrix:?}");
        }
    }
}
