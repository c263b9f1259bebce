//! How boards look as text.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::boards::{Grid, Picture};

/// How to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Letters alone.
    Plain,
    /// With colours of a terminal: each content has one.
    Colour,
}

/// An empty cell.
const EMPTY: &str = ".";
/// Contents that are longer are shortened.
const LONGEST: usize = 5;
/// Colours of a terminal that are told apart on dark and light ground.
const COLOURS: [u8; 6] = [31, 34, 32, 35, 36, 33];
/// Fluents that are listed at most.
const MOST_OTHERS: usize = 40;

impl Picture {
    /// The boards from top to bottom, what their contents stand for, and what is on none.
    #[must_use]
    pub fn text(&self, style: Style) -> String {
        let contents = self.contents();
        let marks = marks(&contents);
        let drawing = Drawing { marks: &marks, style };
        let mut text = String::new();
        for grid in &self.grids {
            text += &drawing.grid(grid);
            text.push('\n');
        }
        let blanks: BTreeSet<&str> =
            self.grids.iter().filter_map(|grid| grid.blank.as_deref()).collect();
        text += &legend(&marks, &blanks);
        let mut others = self.others.iter().take(MOST_OTHERS).cloned().collect::<Vec<_>>();
        if self.others.len() > MOST_OTHERS {
            others.push(format!("and {} more", self.others.len() - MOST_OTHERS));
        }
        if !others.is_empty() {
            let _ = writeln!(text, "{}", wrapped(&others.join("  ")));
        }
        text
    }

    /// What is in cells, without what is drawn as nothing.
    fn contents(&self) -> BTreeSet<&str> {
        self.grids.iter().flat_map(contents).collect()
    }
}

fn contents(grid: &Grid) -> impl Iterator<Item = &str> {
    let contents = grid.cells.iter().flatten().flatten().map(String::as_str);
    contents.filter(|content| !is_blank(grid, content))
}

fn is_blank(grid: &Grid, content: &str) -> bool {
    content.is_empty() || grid.blank.as_deref() == Some(content)
}

struct Drawing<'a> {
    marks: &'a BTreeMap<&'a str, String>,
    style: Style,
}

impl Drawing<'_> {
    fn grid(&self, grid: &Grid) -> String {
        let marks = self.marks.values().map(|mark| mark.chars().count());
        let labels = grid.columns.iter().map(|label| label.chars().count());
        let width = marks.chain(labels).max().unwrap_or(1);
        let side = grid.rows.iter().map(|label| label.chars().count()).max().unwrap_or(1);
        let mut text = format!("{}\n", grid.title);
        for (label, cells) in grid.rows.iter().zip(&grid.cells).rev() {
            let cells: Vec<String> =
                cells.iter().map(|cell| self.cell(grid, cell, width)).collect();
            let line = format!("{label:>side$}  {}", cells.join(" "));
            let _ = writeln!(text, "{}", line.trim_end());
        }
        let columns: Vec<String> =
            grid.columns.iter().map(|label| format!("{label:<width$}")).collect();
        let line = format!("{:side$}  {}", "", columns.join(" "));
        let _ = writeln!(text, "{}", line.trim_end());
        text
    }

    fn cell(&self, grid: &Grid, cell: &Option<String>, width: usize) -> String {
        let Some(content) = cell else { return " ".repeat(width) };
        if is_blank(grid, content) {
            return format!("{EMPTY:<width$}");
        }
        let place = self.marks.keys().position(|known| known == content).unwrap_or(0);
        let mark = self.marks.get(content.as_str()).map_or("?", String::as_str);
        let padded = format!("{mark:<width$}");
        match self.style {
            Style::Plain => padded,
            Style::Colour => format!("\x1b[{}m{padded}\x1b[0m", COLOURS[place % COLOURS.len()]),
        }
    }
}

/// Short texts for contents that tell them apart: as few letters as possible, or numbers.
fn marks<'a>(contents: &BTreeSet<&'a str>) -> BTreeMap<&'a str, String> {
    if contents.iter().all(|content| content.chars().count() <= 2) {
        return contents.iter().map(|content| (*content, (*content).to_owned())).collect();
    }
    for length in 1..=LONGEST {
        let marks: BTreeMap<&str, String> =
            contents.iter().map(|content| (*content, shortened(content, length))).collect();
        let different: BTreeSet<&String> = marks.values().collect();
        if different.len() == contents.len() {
            return marks;
        }
    }
    contents.iter().zip(1..).map(|(content, number)| (*content, format!("{number}"))).collect()
}

/// The first letters of each word.
fn shortened(content: &str, length: usize) -> String {
    let words = words(content);
    let each = if words.len() > 1 { length.div_ceil(2) } else { length };
    words.iter().map(|word| word.chars().take(each).collect::<String>()).collect()
}

/// Words of a content; a capital begins one too.
fn words(content: &str) -> Vec<&str> {
    let mut starts = vec![0];
    let mut before = ' ';
    for (at, letter) in content.char_indices() {
        let is_gap = |letter: char| matches!(letter, ' ' | '_' | '-');
        if is_gap(before) || (letter.is_uppercase() && before.is_lowercase()) {
            starts.push(at);
        }
        before = letter;
    }
    starts.push(content.len());
    let words =
        starts.windows(2).map(|pair| content[pair[0]..pair[1]].trim_end_matches([' ', '_', '-']));
    words.filter(|word| !word.is_empty()).collect()
}

/// What short texts stand for, where they are not the contents themselves.
fn legend(marks: &BTreeMap<&str, String>, blanks: &BTreeSet<&str>) -> String {
    let mut entries: Vec<String> = marks
        .iter()
        .filter(|(content, mark)| *content != mark)
        .map(|(content, mark)| format!("{mark} {content}"))
        .collect();
    entries.extend(blanks.iter().map(|blank| format!("{EMPTY} {blank}")));
    if entries.is_empty() { String::new() } else { wrapped(&entries.join("   ")) + "\n" }
}

/// Lines of a readable length.
fn wrapped(text: &str) -> String {
    const WIDTH: usize = 96;
    let mut lines = vec![String::new()];
    for word in text.split("  ").filter(|word| !word.trim().is_empty()) {
        let word = word.trim();
        let line = lines.last_mut().expect("there is one");
        if !line.is_empty() && line.chars().count() + word.chars().count() + 2 > WIDTH {
            lines.push(word.to_owned());
        } else {
            let gap = if line.is_empty() { "" } else { "  " };
            line.push_str(gap);
            line.push_str(word);
        }
    }
    lines.join("\n")
}
