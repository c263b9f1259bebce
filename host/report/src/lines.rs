//! Charts of curves.

use super::axes::{Frame, line, text};
use super::cells::Spread;
use super::chart::{datum, legend};
use super::markup::{Element, rounded};
use super::number::Unit;
use super::settings::Value;

/// One point of a curve.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    pub(crate) x: Value,
    pub(crate) y: Spread,
    pub(crate) repetitions: usize,
    /// Why the figure is to be taken with care.
    pub(crate) doubt: Option<&'static str>,
}

/// One curve.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) name: String,
    /// At its end, where there is room for no more than that.
    pub(crate) short: String,
    pub(crate) look: Look,
    pub(crate) marks: Vec<Mark>,
}

/// How a curve looks: colour and shape say the same, for those who tell apart
/// only one of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    /// `n` of a scale of 8 if curves have an order, else of 8 that differ.
    pub(crate) colour: usize,
    pub(crate) is_ordered: bool,
    pub(crate) shape: usize,
    /// Modelled, not measured.
    pub(crate) is_hollow: bool,
}

/// Colours of either kind.
const COLOURS: usize = 8;
/// Around the origin.
const SHAPES: [&str; 8] = [
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "M-3.6-3.6h7.2v7.2h-7.2z",
    "M0-4.8L4.7 3.4H-4.7z",
    "M0-5.2L5.2 0L0 5.2L-5.2 0z",
    "M0 4.8L4.7-3.4H-4.7z",
    "M-1.5-4.8h3v3.3h3.3v3h-3.3v3.3h-3v-3.3h-3.3v-3h3.3z",
    "M-4.6-2.4L-2.4-4.6L0-2.2L2.4-4.6L4.6-2.4L2.2 0L4.6 2.4L2.4 4.6L0 2.2L-2.4 4.6L-4.6 2.4L-2.2 0z",
    "M0-5L4.8-1.5L2.9 4H-2.9L-4.8-1.5z",
];

impl Look {
    /// The look of a curve among this many.
    pub(crate) fn of(number: usize, count: usize, is_ordered: bool) -> Self {
        let steps = count.saturating_sub(1).max(1);
        let colour = if is_ordered { (number * (COLOURS - 1) + steps / 2) / steps } else { number };
        let shape = (number + number / COLOURS) % SHAPES.len();
        Self { colour: colour % COLOURS, is_ordered, shape, is_hollow: false }
    }

    fn class(self) -> String {
        let kind = if self.is_ordered { "ordered" } else { "named" };
        let hollow = if self.is_hollow { " hollow" } else { "" };
        format!("{kind}-{}{hollow}", self.colour)
    }

    fn shape(self) -> Element {
        Element::of("path", "shape").set("d", SHAPES[self.shape])
    }

    fn sign(self) -> Element {
        let sign = Element::of("svg", &format!("sign {}", self.class()));
        let stroke = line("stroke", (-11.0, 0.0), (11.0, 0.0));
        sign.set("viewBox", "-11 -7 22 14")
            .set("aria-hidden", "true")
            .child(stroke)
            .child(self.shape())
    }
}

/// A chart of curves.
#[derive(Clone, Debug)]
pub(crate) struct LineChart {
    pub(crate) frame: Frame,
    pub(crate) lines: Vec<Line>,
    /// What figures are called after their number: "playouts/s".
    pub(crate) unit_name: &'static str,
    /// Ends of straight lines that nobody can do better than.
    pub(crate) ideals: Vec<[(f64, f64); 2]>,
    /// Whether points that follow each other are connected.
    pub(crate) is_connected: bool,
}

impl LineChart {
    /// Right of the curves there must be room for their names.
    pub(crate) fn margin(lines: &[Line]) -> f64 {
        let longest = lines.iter().map(|line| line.short.chars().count()).max().unwrap_or(0);
        if longest == 0 { 12.0 } else { 14.0 + 9.0 * longest as f64 }
    }

    pub(crate) fn legend(&self, title: &str) -> Option<Element> {
        let ideal = (!self.ideals.is_empty()).then(|| (ideal_sign(), "ideal".to_owned()));
        let named = self.lines.iter().filter(|line| !line.name.is_empty());
        let mut entries: Vec<_> = named.map(|line| (line.look.sign(), line.name.clone())).collect();
        let title = if entries.is_empty() { "" } else { title };
        entries.extend(ideal);
        (!entries.is_empty()).then(|| legend(title, entries))
    }

    pub(crate) fn drawing(&self, label: &str) -> Element {
        let ideals = self.ideals.iter().map(|ends| self.ideal(ends));
        let curves =
            self.lines.iter().enumerate().map(|(index, line)| self.curve(line, index == 0));
        self.frame.drawing(label).children(ideals).children(curves).children(self.end_names())
    }

    fn ideal(&self, ends: &[(f64, f64); 2]) -> Element {
        let place = |(x, y): (f64, f64)| (self.frame.x(&Value::Number(x)), self.frame.y(y));
        line("ideal", place(ends[0]), place(ends[1]))
    }

    fn curve(&self, curve: &Line, is_first: bool) -> Element {
        let group = Element::of("g", &format!("curve {}", curve.look.class()));
        let mut group = group.set("data-series", &curve.name);
        if self.is_connected && curve.marks.len() > 1 {
            group.push(Element::of("path", "stroke").set("d", self.path(&curve.marks)));
        }
        let marks = curve.marks.iter().enumerate();
        group.children(marks.map(|(index, mark)| self.mark(curve, mark, is_first && index == 0)))
    }

    fn path(&self, marks: &[Mark]) -> String {
        let place = |mark: &Mark| {
            let (x, y) = (self.frame.x(&mark.x), self.frame.y(mark.y.median));
            format!("{} {}", rounded(x), rounded(y))
        };
        let places: Vec<String> = marks.iter().map(place).collect();
        format!("M{}", places.join("L"))
    }

    fn mark(&self, curve: &Line, mark: &Mark, is_first: bool) -> Element {
        let (x, y) = (self.frame.x(&mark.x), self.frame.y(mark.y.median));
        let mut group = datum(is_first, &self.words(curve, mark))
            .set("data-x", &mark.x)
            .set("data-y", mark.y.median)
            .set("data-min", mark.y.least)
            .set("data-max", mark.y.most)
            .set("data-repetitions", mark.repetitions)
            .set("data-series", &curve.name)
            .set("transform", format!("translate({} {})", rounded(x), rounded(y)));
        if mark.y.is_wide() {
            let end = |value: f64| (self.frame.y(value)).min(self.frame.floor()) - y;
            group.push(whisker(end(mark.y.least), end(mark.y.most)));
        }
        if let Some(doubt) = mark.doubt {
            let ring = Element::of("circle", "doubt").set("r", 7);
            group = group.set("data-doubt", doubt).child(ring);
        }
        group.child(Element::of("circle", "hit").set("r", 10)).child(curve.look.shape())
    }

    fn words(&self, curve: &Line, mark: &Mark) -> String {
        let Frame { across, up, .. } = &self.frame;
        let mut words = match mark.x.number() {
            Some(number) if across.unit == Unit::Bytes => Unit::Bytes.tick(number),
            _ => format!("{} {}", mark.x, across.title),
        };
        if !curve.name.is_empty() {
            words += &format!("\n{}", curve.name);
        }
        let figure = |value| up.unit.figure(value);
        words += &format!("\n{} {}", figure(mark.y.median), self.unit_name);
        if mark.repetitions > 1 {
            let (least, most) = (figure(mark.y.least), figure(mark.y.most));
            words += &format!("\n{least} – {most} in {} repetitions", mark.repetitions);
        }
        if let Some(doubt) = mark.doubt {
            words += &format!("\n{doubt}");
        }
        words
    }

    /// Names at the ends of the curves, moved apart where they would overlap.
    fn end_names(&self) -> Vec<Element> {
        let mut ends: Vec<(f64, f64, &Line)> = Vec::new();
        for curve in self.lines.iter().filter(|line| !line.short.is_empty()) {
            let last = curve.marks.last();
            ends.extend(last.map(|m| (self.frame.x(&m.x), self.frame.y(m.y.median), curve)));
        }
        ends.sort_by(|a, b| a.1.total_cmp(&b.1));
        let places = spread_out(&ends.iter().map(|end| end.1).collect::<Vec<_>>(), 15.0);
        let names = ends.iter().zip(places).map(|((x, _, curve), y)| {
            let class = format!("name {}", curve.look.class());
            text(&class, x + 10.0, y).set("dy", ".34em").text(&curve.short)
        });
        names.collect()
    }
}

/// From the least to the most of the repetitions.
fn whisker(least: f64, most: f64) -> Element {
    let (least, most) = (rounded(least), rounded(most));
    let path = format!("M0 {least}V{most}M-3 {least}h6M-3 {most}h6");
    Element::of("path", "whisker").set("d", path)
}

fn ideal_sign() -> Element {
    let sign = Element::of("svg", "sign").set("viewBox", "-11 -7 22 14").set("aria-hidden", "true");
    sign.child(line("ideal", (-11.0, 0.0), (11.0, 0.0)))
}

/// Moves places, which are sorted, so far apart, keeping their middle.
fn spread_out(places: &[f64], distance: f64) -> Vec<f64> {
    let mut groups: Vec<(f64, usize)> = Vec::new();
    for &place in places {
        let mut group = (place, 1);
        while let Some(&(middle, count)) = groups.last() {
            let reach = (count + group.1) as f64 / 2.0 * distance;
            if group.0 - middle >= reach {
                break;
            }
            groups.pop();
            let total = count + group.1;
            let sum = middle * count as f64 + group.0 * group.1 as f64;
            group = (sum / total as f64, total);
        }
        groups.push(group);
    }
    let spread = |(middle, count): (f64, usize)| {
        let first = middle - (count - 1) as f64 / 2.0 * distance;
        (0..count).map(move |index| first + index as f64 * distance)
    };
    groups.into_iter().flat_map(spread).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_overlap_are_moved_apart_around_their_middle() {
        assert_eq!(spread_out(&[10.0, 12.0, 100.0], 10.0), [6.0, 16.0, 100.0]);
        assert_eq!(spread_out(&[10.0, 10.0, 10.0], 10.0), [0.0, 10.0, 20.0]);
        assert_eq!(spread_out(&[], 10.0), Vec::<f64>::new());
    }

    #[test]
    fn ordered_curves_use_the_whole_scale_of_colours() {
        let colours: Vec<usize> = (0..3).map(|number| Look::of(number, 3, true).colour).collect();
        assert_eq!(colours, [0, 4, 7]);
        assert_eq!(Look::of(15, 16, true).colour, 7);
    }

    #[test]
    fn more_curves_than_colours_differ_in_shape() {
        let (first, ninth) = (Look::of(0, 9, false), Look::of(8, 9, false));
        assert_eq!(first.colour, ninth.colour);
        assert_ne!(first.shape, ninth.shape);
    }
}
