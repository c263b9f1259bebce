//! Stacked bars: how a whole is divided.

use super::axes::{WIDTH, block, drawing, line, text};
use super::chart::{datum, legend};
use super::markup::Element;
use super::number::Unit;
use crate::Shares;

/// One bar.
#[derive(Clone, Debug)]
pub(crate) struct Bar {
    pub(crate) name: String,
    /// Whether it begins a new group.
    pub(crate) is_apart: bool,
    pub(crate) shares: Shares,
}

/// A part of the whole: its class, its name, its share.
type Part = (&'static str, &'static str, fn(&Shares) -> f64);

/// Playouts come first, where bars can be compared: all else is overhead.
pub(crate) const PARTS: [Part; 5] = [
    ("part-playouts", "playouts", |shares| shares.playouts),
    ("part-hand-off", "hand-off", |shares| shares.hand_off),
    ("part-transfer", "transfer", |shares| shares.transfer),
    ("part-host", "host", |shares| shares.host),
    ("part-waiting", "waiting", |shares| shares.waiting),
];

const ROW: f64 = 22.0;
const BAR: f64 = 16.0;
/// Between groups of bars.
const GAP: f64 = 7.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 26.0;
const RIGHT: f64 = WIDTH - 14.0;
/// A share below this has no room for its figure.
const ROOM: f64 = 0.14;

pub(crate) fn legend_of_parts() -> Element {
    let entries = PARTS.map(|(class, name, _)| {
        let sign = Element::of("svg", "sign swatch").set("viewBox", "0 0 14 14");
        let square = block(class, (1.0, 1.0), (12.0, 12.0));
        (sign.set("aria-hidden", "true").child(square), name.to_owned())
    });
    legend("", entries)
}

/// Draws bars one below the other, with a title above their names.
pub(crate) fn stacked(label: &str, title: &str, bars: &[Bar]) -> Element {
    let left = left(bars);
    let (tops, floor) = tops(bars);
    let mut stack = drawing(floor + BOTTOM, label)
        .child(text("title", 0.0, 16.0).text(title))
        .child(grid(left, floor));
    for (index, (bar, top)) in bars.iter().zip(tops).enumerate() {
        stack.push(row(bar, left, top, index == 0));
    }
    stack
}

/// Where each bar lies, and where they end.
fn tops(bars: &[Bar]) -> (Vec<f64>, f64) {
    let mut floor = TOP;
    let tops = bars.iter().map(|bar| {
        let top = floor + if bar.is_apart { GAP } else { 0.0 };
        floor = top + ROW;
        top
    });
    (tops.collect(), floor)
}

/// Where bars begin: right of the longest name.
fn left(bars: &[Bar]) -> f64 {
    let longest = bars.iter().map(|bar| bar.name.chars().count()).max().unwrap_or(0);
    (16.0 + 8.6 * longest as f64).clamp(48.0, WIDTH / 2.0)
}

fn grid(left: f64, floor: f64) -> Element {
    let ticks = [0.0, 0.25, 0.5, 0.75, 1.0].into_iter().flat_map(|share| {
        let x = left + share * (RIGHT - left);
        let class = if share == 1.0 { "tick end" } else { "tick middle" };
        let x_of_text = if share == 1.0 { WIDTH - 1.0 } else { x };
        [
            line("gridline", (x, TOP - 4.0), (x, floor)),
            text(class, x_of_text, floor + 5.0).set("dy", "1em").text(Unit::Share.tick(share)),
        ]
    });
    Element::of("g", "axis").set("aria-hidden", "true").children(ticks)
}

fn row(bar: &Bar, left: f64, top: f64, is_first: bool) -> Element {
    let name = text("tick end", left - 8.0, top + BAR / 2.0).set("dy", ".34em").text(&bar.name);
    let mut row = Element::of("g", "row").child(name);
    let mut start = 0.0;
    for (index, (class, part, share)) in PARTS.into_iter().enumerate() {
        let share = share(&bar.shares);
        let words = format!("{}\n{part}: {}", bar.name, Unit::Share.figure(share));
        let place = |share: f64| left + share.clamp(0.0, 1.0) * (RIGHT - left);
        let (from, to) = (place(start), place(start + share));
        let segment = datum(is_first && index == 0, &words)
            .set("data-x", &bar.name)
            .set("data-y", share)
            .set("data-series", part)
            .child(block(class, (from, top), ((to - from).max(0.0), BAR)));
        row.push(segment);
        start += share;
    }
    row.children(figure(bar, left, top))
}

/// The share of the playouts, in their part of the bar.
fn figure(bar: &Bar, left: f64, top: f64) -> Option<Element> {
    let share = bar.shares.playouts;
    let figure = text("on-part", left + 6.0, top + BAR / 2.0).set("dy", ".35em");
    (share >= ROOM).then(|| figure.text(Unit::Share.tick(share)))
}
