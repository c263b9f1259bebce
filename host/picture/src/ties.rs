//! Which cells a move means. A move that names coordinates means those cells; one that does
//! not is known by what it changes on the board. Where coordinates could be read in more
//! than one way, what changes decides too.

use serde::Serialize;

use crate::boards::{Grid, Picture};
use crate::fluent::Fluent;

/// A cell of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Cell {
    /// Which of its boards.
    pub grid: usize,
    /// Which column, from the left.
    pub column: usize,
    /// Which row, from below.
    pub row: usize,
}

/// What a move has to do with the cells of a picture.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tie {
    /// The cells that it means: where something is put, or from where to where it goes.
    pub cells: Vec<Cell>,
    /// Cells that mean it too, if nothing else is meant by them: those of the only row or
    /// column that it names, or the one that something has changed places with.
    pub strip: Vec<Cell>,
}

impl Grid {
    /// Whether what tells this board apart from others is among these values.
    fn is_named(&self, values: &[&str]) -> bool {
        let mut words = self.title.split(' ').skip(1).peekable();
        words.peek().is_some() && words.all(|word| values.contains(&word))
    }
}

impl Picture {
    /// The cells that differ from those of a picture before.
    #[must_use]
    pub fn changes(&self, before: &Picture) -> Vec<Cell> {
        let mut changes = Vec::new();
        for (number, grid) in self.grids.iter().enumerate() {
            let known = before.grids.iter().find(|known| known.title == grid.title);
            for (row, cells) in grid.cells.iter().enumerate() {
                for (column, content) in cells.iter().enumerate() {
                    let before = known.map(|known| &known.cells[row][column]);
                    if before.is_some_and(|before| before != content) {
                        changes.push(Cell { grid: number, column, row });
                    }
                }
            }
        }
        changes
    }

    /// What a move means, which leads to another picture, if that is known.
    #[must_use]
    pub fn tie(&self, text: &str, after: Option<&Picture>) -> Tie {
        let changed = after.map(|after| self.changes(after));
        let values = Fluent::read(text).values;
        let readings = (0..self.grids.len())
            .flat_map(|grid| [false, true].map(|flips| (grid, flips)))
            .map(|(grid, flips)| (grid, self.named(grid, flips, &values)));
        let is_meant = |cell: &&Cell| changed.as_ref().is_none_or(|changed| changed.contains(cell));
        let count = |cells: &Vec<Cell>| cells.iter().filter(is_meant).count();
        // A board that the move names, since others may move elsewhere at the same time;
        // else the first of the best: boards as they stand, coordinates in their order.
        let named = readings
            .filter(|(_, cells)| count(cells) > 0)
            .rev()
            .max_by_key(|(grid, cells)| (self.grids[*grid].is_named(&values), count(cells)))
            .map(|(_, cells)| cells);
        let moved = || Some(self.moved(changed.as_ref()?, after?));
        let cells = named.or_else(moved).unwrap_or_default();
        let changed = changed.as_deref().unwrap_or_default();
        match (&cells[..], changed) {
            // Two things that have changed places: either of them can be meant.
            ([], [one, other]) => Tie { cells: vec![*one], strip: vec![*other] },
            ([only], _) => Tie { strip: self.strip(*only, &values), cells },
            _ => Tie { cells, strip: Vec::new() },
        }
    }

    fn grid(&self, cell: Cell) -> &Grid {
        &self.grids[cell.grid]
    }

    fn is_empty(&self, cell: Cell) -> bool {
        let grid = self.grid(cell);
        let content = grid.cells[cell.row][cell.column].as_deref().unwrap_or_default();
        content.is_empty() || grid.blank.as_deref() == Some(content)
    }

    /// The cells of a board that stand in a row of values, one pair of coordinates behind
    /// the other.
    fn named(&self, number: usize, flips: bool, values: &[&str]) -> Vec<Cell> {
        let grid = &self.grids[number];
        let mut cells = Vec::new();
        let mut at = 0;
        while at + 1 < values.len() {
            let (column, row) = match flips {
                false => (values[at], values[at + 1]),
                true => (values[at + 1], values[at]),
            };
            let place = |all: &[String], value: &str| all.iter().position(|known| known == value);
            match (place(&grid.columns, column), place(&grid.rows, row)) {
                (Some(column), Some(row)) if grid.cells[row][column].is_some() => {
                    cells.push(Cell { grid: number, column, row });
                    at += 2;
                }
                _ => at += 1,
            }
        }
        cells
    }

    /// What has moved, by what has changed: from the only cell that was left to the only
    /// one that was entered, or to the only one where there was nothing.
    fn moved(&self, changed: &[Cell], after: &Picture) -> Vec<Cell> {
        let is_same = |cell: &Cell| {
            after.grids.get(cell.grid).is_some_and(|grid| grid.title == self.grid(*cell).title)
        };
        let changed: Vec<Cell> = changed.iter().copied().filter(is_same).collect();
        let left: Vec<Cell> =
            changed.iter().copied().filter(|cell| after.is_empty(*cell)).collect();
        let entered: Vec<Cell> =
            changed.iter().copied().filter(|cell| !after.is_empty(*cell)).collect();
        let filled: Vec<Cell> =
            entered.iter().copied().filter(|cell| self.is_empty(*cell)).collect();
        match (&left[..], &entered[..], &filled[..]) {
            ([from], [to], _) => vec![*from, *to],
            ([], _, [only]) => vec![*only],
            ([only], [], _) | ([], [only], []) => vec![*only],
            _ => Vec::new(),
        }
    }

    /// The rest of the row or column of a cell, if the move names it alone.
    fn strip(&self, cell: Cell, values: &[&str]) -> Vec<Cell> {
        let [value] = values[..] else { return Vec::new() };
        let grid = self.grid(cell);
        let Cell { grid: number, column, row } = cell;
        let of = |column, row| Cell { grid: number, column, row };
        let is_cell = |cell: &Cell| grid.cells[cell.row][cell.column].is_some();
        let cells: Vec<Cell> = if grid.columns[column] == value {
            (0..grid.rows.len()).map(|row| of(column, row)).collect()
        } else if grid.rows[row] == value {
            (0..grid.columns.len()).map(|column| of(column, row)).collect()
        } else {
            Vec::new()
        };
        cells.into_iter().filter(|other| *other != cell && is_cell(other)).collect()
    }
}
