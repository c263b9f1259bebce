//! Heat maps: efficiency over clusters and threads.

use super::axes::{WIDTH, block, drawing, text};
use super::cells::{Cell, Spread, values};
use super::chart::datum;
use super::markup::{Element, rounded};
use super::number::Unit;
use super::settings::{Axis, Value};

const LEFT: f64 = 44.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 46.0;
const MOST_ROW: f64 = 44.0;

/// The table of a heat map: where its rows and columns lie.
struct Grid {
    clusters: Vec<Value>,
    threads: Vec<Value>,
}

impl Grid {
    fn row_height(&self) -> f64 {
        (220.0 / self.clusters.len() as f64).clamp(24.0, MOST_ROW)
    }

    fn column_width(&self) -> f64 {
        (WIDTH - LEFT - 2.0) / self.threads.len() as f64
    }

    fn height(&self) -> f64 {
        TOP + self.row_height() * self.clusters.len() as f64 + BOTTOM
    }

    /// Many clusters are above, as on any other axis.
    fn top(&self, clusters: &Value) -> f64 {
        let index = self.clusters.iter().rev().position(|value| value == clusters);
        TOP + index.unwrap_or(0) as f64 * self.row_height()
    }

    fn left(&self, threads: &Value) -> f64 {
        let index = self.threads.iter().position(|value| value == threads);
        LEFT + index.unwrap_or(0) as f64 * self.column_width()
    }

    fn names(&self) -> Element {
        let floor = self.height() - BOTTOM;
        let rows = self.clusters.iter().map(|value| {
            let middle = self.top(value) + self.row_height() / 2.0;
            text("tick end", LEFT - 8.0, middle).set("dy", ".34em").text(value)
        });
        let columns = self.threads.iter().map(|value| {
            let middle = self.left(value) + self.column_width() / 2.0;
            text("tick middle", middle, floor + 4.0).set("dy", "1em").text(value)
        });
        Element::of("g", "axis").set("aria-hidden", "true").children(rows).children(columns)
    }

    fn titles(&self) -> [Element; 2] {
        [
            text("title", 0.0, 16.0).text(Axis::Clusters.title()),
            text("title end", WIDTH - 2.0, self.height() - 5.0).text(Axis::Threads.title()),
        ]
    }

    fn square(&self, cell: &Cell, efficiency: Spread, is_first: bool) -> Element {
        let (clusters, threads) = (cell.value(Axis::Clusters), cell.value(Axis::Threads));
        let (x, y) = (self.left(threads), self.top(clusters));
        let (width, height) = (self.column_width(), self.row_height());
        let heat = efficiency.median.clamp(0.0, 1.0);
        let figure = text(class_of(heat), x + width / 2.0, y + height / 2.0).set("dy", ".34em");
        datum(is_first, &words(cell, efficiency))
            .set("data-x", threads)
            .set("data-y", efficiency.median)
            .set("data-series", clusters)
            .child(block("ground", (x, y), (width, height)))
            .child(block("heat", (x, y), (width, height)).set("fill-opacity", opacity(heat)))
            .child(figure.text(format!("{:.0}", 100.0 * efficiency.median)))
    }
}

/// What text on it has contrast: halfway, dark text has on any page.
fn class_of(heat: f64) -> &'static str {
    match heat {
        0.66.. => "on-hot",
        0.5.. => "on-warm",
        _ => "on-cold",
    }
}

/// Also the coldest differs from an empty place.
fn opacity(heat: f64) -> f64 {
    rounded((0.06 + 0.94 * heat) * 10.0) / 10.0
}

fn words(cell: &Cell, efficiency: Spread) -> String {
    let machine = cell.label(&[Axis::Clusters, Axis::Threads]).replace(" · ", " × ");
    format!("{machine}\n{} of the ideal speed-up", Unit::Share.figure(efficiency.median))
}

/// Draws the efficiency of cells, one for each number of clusters and threads.
pub(crate) fn heat_map(label: &str, cells: &[(&Cell, Spread)]) -> Element {
    let all = || cells.iter().map(|(cell, _)| *cell);
    let grid =
        Grid { clusters: values(all(), Axis::Clusters), threads: values(all(), Axis::Threads) };
    let squares =
        cells.iter().enumerate().map(|(index, (cell, heat))| grid.square(cell, *heat, index == 0));
    drawing(grid.height().round(), label)
        .child(grid.names())
        .children(grid.titles())
        .children(squares)
}

/// What colours stand for.
pub(crate) fn legend_of_heat() -> Element {
    let steps = (0..=10).map(|step| {
        let heat = f64::from(step) / 10.0;
        block("heat", (14.0 * f64::from(step), 0.0), (14.0, 12.0))
            .set("fill-opacity", opacity(heat))
    });
    let ramp = Element::of("svg", "ramp").set("viewBox", "0 0 154 12").set("aria-hidden", "true");
    let item = |text: &str| Element::new("li").text(text);
    Element::of("ul", "legend")
        .child(item("0 %"))
        .child(Element::new("li").child(ramp.children(steps)))
        .child(item("100 %"))
}
