//! What every chart has: a caption, a legend, a drawing, and its data as a table.

use super::markup::Element;

/// A chart, ready to be put on the page.
#[derive(Clone, Debug)]
pub(crate) struct Chart {
    /// What is shown: "Playouts per second over cores".
    pub(crate) what: String,
    /// Of which part of the study: "breakthrough · spin".
    pub(crate) of: String,
    /// What one has to know to read it.
    pub(crate) note: String,
    pub(crate) legend: Option<Element>,
    pub(crate) drawing: Element,
    pub(crate) table: Table,
}

/// The data of a chart.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    pub(crate) header: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Table {
    fn element(&self) -> Element {
        let header =
            self.header.iter().map(|title| Element::new("th").set("scope", "col").text(title));
        let rows = self.rows.iter().map(|row| {
            let cells = row.iter().map(|cell| Element::new("td").text(cell));
            Element::new("tr").children(cells)
        });
        Element::new("table")
            .child(Element::new("thead").child(Element::new("tr").children(header)))
            .child(Element::new("tbody").children(rows))
    }
}

impl Chart {
    /// The figure with its number.
    pub(crate) fn figure(self, number: usize) -> Element {
        let mut figure = Element::new("figure").set("id", format!("figure-{number}"));
        figure.push(self.caption(number));
        // Figures side by side are aligned by their parts: none may be missing.
        figure.push(self.legend.unwrap_or_else(|| Element::new("div")));
        figure.child(self.drawing).child(data(&self.table))
    }

    fn caption(&self, number: usize) -> Element {
        let what = Element::of("span", "what").text(&self.what);
        let mut caption = Element::new("figcaption")
            .child(Element::of("span", "number").text(format!("Figure {number}")))
            .text(" ")
            .child(what);
        for (class, text) in [("of", &self.of), ("note", &self.note)] {
            if !text.is_empty() {
                caption = caption.text(" ").child(Element::of("span", class).text(text));
            }
        }
        caption
    }
}

/// The table, folded, with a link to where it comes from.
fn data(table: &Table) -> Element {
    let scroll = Element::of("div", "scroll")
        .set("tabindex", 0)
        .set("role", "region")
        .set("aria-label", "data")
        .child(table.element());
    let link = Element::new("a").set("href", "results.csv").text("results.csv");
    let source = Element::of("p", "source").text("All samples: ").child(link);
    let summary = Element::new("summary").text(format!("Data, {} rows", table.rows.len()));
    Element::of("details", "data").child(summary).child(scroll).child(source)
}

/// A legend, with a sign before each name.
pub(crate) fn legend(title: &str, entries: impl IntoIterator<Item = (Element, String)>) -> Element {
    let entries = entries.into_iter().map(|(sign, name)| {
        let label = Element::new("span").text(&name);
        Element::new("li").set("data-for", name).child(sign).child(label)
    });
    let mut list = Element::of("ul", "legend");
    if !title.is_empty() {
        list.push(Element::of("li", "heading").text(title));
    }
    list.children(entries)
}

/// What can be pointed at: it holds its values, and says them without a script.
///
/// Only the first one of a chart can be reached with the tab key; the script
/// goes on from there with the arrow keys.
pub(crate) fn datum(is_first: bool, words: &str) -> Element {
    Element::of("g", "datum")
        .set("tabindex", if is_first { 0 } else { -1 })
        .set("role", "img")
        .child(Element::new("title").text(words))
}
