//! The equilibrium of a matrix by linear programming: of all `y` whose every row of the
//! matrix gives at most one, the one with the largest sum, in a dense tableau.

/// Below this a number is rounding; the matrix is scaled to lie between 1 and 2.
const ROUNDING: f64 = 1e-11;

pub(super) struct Solution {
    pub value: f64,
    /// The probabilities of the rows, and those of the columns.
    pub strategies: [Vec<f64>; 2],
}

/// Who chooses a row wants the number there to be large, who chooses a column small.
pub(super) fn solve(matrix: &[Vec<f64>]) -> Solution {
    let numbers = || matrix.iter().flatten().copied();
    let least = numbers().fold(f64::INFINITY, f64::min);
    let range = (numbers().fold(f64::NEG_INFINITY, f64::max) - least).max(f64::MIN_POSITIVE);
    let mut tableau = Tableau::new(matrix, |number| (number - least) / range + 1.0);
    while let Some(column) = tableau.entering() {
        let row = tableau.leaving(column);
        tableau.pivot(row, column);
    }
    let scaled = 1.0 / tableau.sum();
    let share = |number: f64| (number * scaled).max(0.0);
    Solution {
        value: (scaled - 1.0) * range + least,
        strategies: [tableau.prices(), tableau.amounts()]
            .map(|numbers| numbers.into_iter().map(share).collect()),
    }
}

struct Tableau {
    /// A row for each of the matrix, and the last one for what is to be made large: the
    /// columns of the matrix, what rows leave over, and the limits.
    rows: Vec<Vec<f64>>,
    /// The column that each row has solved for.
    basis: Vec<usize>,
    columns: usize,
}

impl Tableau {
    fn new(matrix: &[Vec<f64>], scaled: impl Fn(f64) -> f64) -> Self {
        let (height, columns) = (matrix.len(), matrix.first().map_or(0, Vec::len));
        let left_over = |row| (0..height).map(move |other| f64::from(u8::from(row == other)));
        let row = |(number, row): (usize, &Vec<f64>)| {
            row.iter().map(|cell| scaled(*cell)).chain(left_over(number)).chain([1.0]).collect()
        };
        let mut rows: Vec<Vec<f64>> = matrix.iter().enumerate().map(row).collect();
        rows.push([vec![-1.0; columns], vec![0.0; height + 1]].concat());
        Self { rows, basis: (columns..columns + height).collect(), columns }
    }

    fn goal(&self) -> &[f64] {
        self.rows.last().expect("a row for the goal")
    }

    /// The first column that improves the goal: so no basis comes back (Bland's rule).
    fn entering(&self) -> Option<usize> {
        let (_, prices) = self.goal().split_last()?;
        prices.iter().position(|price| *price < -ROUNDING)
    }

    /// The row that limits a column; there is one, since the matrix is positive.
    fn leaving(&self, column: usize) -> usize {
        let limit = |row: usize| self.limit(row) / self.rows[row][column];
        let limiting = (0..self.basis.len()).filter(|row| self.rows[*row][column] > ROUNDING);
        let order = |left: &usize, right: &usize| {
            let basis = || self.basis[*left].cmp(&self.basis[*right]);
            limit(*left).total_cmp(&limit(*right)).then_with(basis)
        };
        limiting.min_by(order).expect("a positive matrix limits every column")
    }

    fn pivot(&mut self, row: usize, column: usize) {
        let divisor = self.rows[row][column];
        self.rows[row].iter_mut().for_each(|cell| *cell /= divisor);
        let solved = self.rows[row].clone();
        for other in (0..self.rows.len()).filter(|other| *other != row) {
            let factor = self.rows[other][column];
            let cells = self.rows[other].iter_mut().zip(&solved);
            cells.for_each(|(cell, solved)| *cell -= factor * solved);
        }
        self.basis[row] = column;
    }

    fn limit(&self, row: usize) -> f64 {
        self.rows[row].last().copied().unwrap_or_default()
    }

    fn sum(&self) -> f64 {
        self.goal().last().copied().unwrap_or_default()
    }

    /// How much there is of each column.
    fn amounts(&self) -> Vec<f64> {
        let mut amounts = vec![0.0; self.columns];
        for (row, column) in self.basis.iter().enumerate().filter(|(_, at)| **at < self.columns) {
            amounts[*column] = self.limit(row);
        }
        amounts
    }

    /// What each row's limit is worth.
    fn prices(&self) -> Vec<f64> {
        self.goal()[self.columns..self.columns + self.basis.len()].to_vec()
    }
}
