//! Tables in Markdown whose source is aligned as well.

/// How a column is aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A table with its heading.
#[derive(Debug)]
pub struct Table {
    columns: Vec<Align>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub fn new(columns: &[(&str, Align)]) -> Self {
        let heading = columns.iter().map(|(name, _)| (*name).to_owned()).collect();
        Table { columns: columns.iter().map(|(_, align)| *align).collect(), rows: vec![heading] }
    }

    /// Adds a row; cells that are not given stay empty.
    pub fn row(&mut self, mut cells: Vec<String>) {
        cells.resize(self.columns.len(), String::new());
        self.rows.push(cells.iter().map(|cell| cell.replace('|', "\\|")).collect());
    }

    /// The table as text.
    pub fn text(&self) -> String {
        let widths: Vec<usize> = (0..self.columns.len()).map(|column| self.width(column)).collect();
        let mut lines: Vec<String> = self.rows.iter().map(|row| self.line(row, &widths)).collect();
        lines.insert(1, self.rule(&widths));
        lines.concat()
    }

    /// At least three, which the rule needs.
    fn width(&self, column: usize) -> usize {
        self.rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default().max(3)
    }

    fn line(&self, row: &[String], widths: &[usize]) -> String {
        let cells = row.iter().zip(&self.columns).zip(widths);
        let padded: Vec<String> = cells
            .map(|((cell, align), &width)| match align {
                Align::Left => format!("{cell:<width$}"),
                Align::Right => format!("{cell:>width$}"),
            })
            .collect();
        format!("| {} |\n", padded.join(" | "))
    }

    fn rule(&self, widths: &[usize]) -> String {
        let rules = self.columns.iter().zip(widths).map(|(align, &width)| match align {
            Align::Left => "-".repeat(width),
            Align::Right => "-".repeat(width - 1) + ":",
        });
        format!("| {} |\n", rules.collect::<Vec<_>>().join(" | "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_source_is_aligned_and_bars_are_escaped() {
        let mut table = Table::new(&[("game", Align::Left), ("n", Align::Right)]);
        table.row(vec!["a|b".to_owned(), "12345".to_owned()]);
        table.row(vec!["näh".to_owned()]);
        let expected = "\
| game |     n |
| ---- | ----: |
| a\\|b | 12345 |
| näh  |       |
";
        assert_eq!(table.text(), expected);
    }
}
