//! The frame of a chart: its axes, their ticks and titles.

use super::markup::Element;
use super::number::Unit;
use super::scale::Scale;
use super::settings::Value;

/// Width of every drawing, in units of its own. A column of the page and a phone
/// are near enough to it for text to stay legible.
pub(crate) const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 300.0;

/// What stands along an axis from left to right.
#[derive(Clone, Debug)]
pub(crate) enum Horizontal {
    Numbers(Scale),
    Names(Vec<Value>),
}

impl Horizontal {
    /// For values that are all numbers, or else names.
    pub(crate) fn of(values: Vec<Value>) -> Self {
        let numbers: Option<Vec<f64>> = values.iter().map(Value::number).collect();
        numbers.map_or(Horizontal::Names(values), |numbers| {
            Horizontal::Numbers(Scale::binary(numbers))
        })
    }

    fn place(&self, value: &Value) -> f64 {
        match self {
            Horizontal::Numbers(scale) => scale.place(value.number().unwrap_or(0.0)),
            Horizontal::Names(names) => {
                let index = names.iter().position(|name| name == value).unwrap_or(0);
                (index as f64 + 0.5) / names.len() as f64
            }
        }
    }

    fn ticks(&self, unit: Unit) -> Vec<(Value, String)> {
        match self {
            Horizontal::Numbers(scale) => {
                let whole =
                    scale.ticks().into_iter().filter(|tick| tick.fract() == 0.0 || *tick < 1.0);
                whole.map(|tick| (Value::Number(tick), unit.tick(tick))).collect()
            }
            Horizontal::Names(names) => {
                names.iter().map(|name| (name.clone(), name.to_string())).collect()
            }
        }
    }

    fn is_logarithmic(&self) -> bool {
        matches!(self, Horizontal::Numbers(scale) if scale.is_logarithmic())
    }
}

/// An axis with its title.
#[derive(Clone, Debug)]
pub(crate) struct Titled<T> {
    pub(crate) title: String,
    pub(crate) unit: Unit,
    pub(crate) scale: T,
}

/// The frame of a chart with two axes.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) across: Titled<Horizontal>,
    pub(crate) up: Titled<Scale>,
    /// Room at the right for names of curves.
    pub(crate) margin: f64,
}

impl Frame {
    const LEFT: f64 = 58.0;
    const TOP: f64 = 32.0;
    const BOTTOM: f64 = 48.0;
    /// What lies at the ends of an axis keeps away from the frame.
    const INSET: f64 = 14.0;

    fn right(&self) -> f64 {
        WIDTH - self.margin
    }

    /// Where a value lies across.
    pub(crate) fn x(&self, value: &Value) -> f64 {
        let start = Self::LEFT + Self::INSET;
        start + self.across.scale.place(value) * (self.right() - Self::INSET - start)
    }

    /// Where a value lies up.
    pub(crate) fn y(&self, value: f64) -> f64 {
        let end = HEIGHT - Self::BOTTOM;
        end - self.up.scale.place(value) * (end - Self::TOP)
    }

    /// Where the frame ends below.
    pub(crate) fn floor(&self) -> f64 {
        HEIGHT - Self::BOTTOM
    }

    /// An empty drawing with these axes.
    pub(crate) fn drawing(&self, label: &str) -> Element {
        let (low, high) = (self.grid(), self.across_ticks());
        drawing(HEIGHT, label).child(low).child(high).children(self.titles())
    }

    fn grid(&self) -> Element {
        let lines = self.up.scale.ticks().into_iter().flat_map(|tick| {
            let y = self.y(tick);
            let text = text("tick end", Self::LEFT - 7.0, y).set("dy", ".34em");
            [
                line("gridline", (Self::LEFT, y), (self.right(), y)),
                text.text(self.up.unit.tick(tick)),
            ]
        });
        Element::of("g", "axis").set("aria-hidden", "true").children(lines)
    }

    fn across_ticks(&self) -> Element {
        let y = self.floor();
        let ticks =
            self.across.scale.ticks(self.across.unit).into_iter().flat_map(|(value, name)| {
                let x = self.x(&value);
                let text = text("tick middle", x, y + 7.0).set("dy", "1em").text(name);
                [line("mark", (x, y), (x, y + 4.0)), text]
            });
        let base = line("base", (Self::LEFT, y), (self.right(), y));
        Element::of("g", "axis").set("aria-hidden", "true").child(base).children(ticks)
    }

    fn titles(&self) -> [Element; 2] {
        let log = |is: bool| if is { ", log scale" } else { "" };
        let up = format!("{}{}", self.up.title, log(self.up.scale.is_logarithmic()));
        let across = format!("{}{}", self.across.title, log(self.across.scale.is_logarithmic()));
        [
            text("title", 0.0, 16.0).text(up),
            text("title end", self.right(), HEIGHT - 5.0).text(across),
        ]
    }
}

/// An empty drawing, which takes the width that it is given.
pub(crate) fn drawing(height: f64, label: &str) -> Element {
    Element::of("svg", "chart")
        .set("viewBox", format!("0 0 {WIDTH} {height}"))
        .set("role", "group")
        .set("aria-label", label)
}

pub(crate) fn line(class: &str, from: (f64, f64), to: (f64, f64)) -> Element {
    let start = Element::of("line", class).at("x1", from.0).at("y1", from.1);
    start.at("x2", to.0).at("y2", to.1)
}

pub(crate) fn text(class: &str, x: f64, y: f64) -> Element {
    Element::of("text", class).at("x", x).at("y", y)
}

pub(crate) fn block(class: &str, (x, y): (f64, f64), (width, height): (f64, f64)) -> Element {
    let place = Element::of("rect", class).at("x", x).at("y", y);
    place.at("width", width).at("height", height)
}
