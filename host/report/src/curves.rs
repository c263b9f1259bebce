//! Charts of curves, made from cells.

use super::arrange::{Across, Arrangement, Curve, Panel, arrange};
use super::axes::{Frame, Horizontal, Titled};
use super::cells::{Cell, Spread, values};
use super::chart::{Chart, Table};
use super::lines::{Line, LineChart, Look, Mark};
use super::number::Unit;
use super::scale::Scale;
use super::settings::{Axis, Value};
use super::speed_up::Baselines;
use crate::Clock;

/// Characters of a name for which there is room at the end of a curve.
const MOST_SHORT: usize = 9;

/// What a chart shows from the bottom to the top.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Quantity<'a> {
    PlayoutsPerSecond,
    RunTime,
    SpeedUp(&'a Baselines<'a>),
}

impl Quantity<'_> {
    fn of(self, cell: &Cell) -> Spread {
        match self {
            Quantity::PlayoutsPerSecond => cell.playouts_per_second,
            Quantity::RunTime => cell.run_seconds,
            Quantity::SpeedUp(baselines) => baselines.speed_up(cell),
        }
    }

    fn title(self) -> &'static str {
        match self {
            Quantity::PlayoutsPerSecond => "playouts per second",
            Quantity::RunTime => "time of a run",
            Quantity::SpeedUp(_) => "speed-up",
        }
    }

    fn unit(self) -> (Unit, &'static str) {
        match self {
            Quantity::PlayoutsPerSecond => (Unit::Count, "playouts/s"),
            Quantity::RunTime => (Unit::Seconds, "per run"),
            Quantity::SpeedUp(_) => (Unit::Count, "times as fast"),
        }
    }
}

/// What is shown of the cells of a game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'a> {
    pub(crate) game: &'a str,
    pub(crate) across: Across,
    pub(crate) quantity: Quantity<'a>,
}

impl<'a> Subject<'a> {
    /// A chart for each panel. All have the same scales, so that they can be
    /// compared.
    pub(crate) fn charts(&self, cells: &[&Cell], preferred: &[Axis]) -> Vec<Chart> {
        let arrangement = arrange(cells, self.across, preferred);
        let frame = self.frame(cells);
        let panels = arrangement.panels.iter();
        panels.map(|panel| self.chart(&arrangement, panel, frame.clone())).collect()
    }

    fn frame(&self, cells: &[&Cell]) -> Frame {
        let mut places: Vec<Value> = cells.iter().map(|cell| self.across.value(cell)).collect();
        places.sort();
        places.dedup();
        let is_bytes = self.across == Across::Axis(Axis::Bytes);
        let horizontal = Horizontal::of(places);
        let up = self.up(cells, &horizontal);
        Frame {
            across: Titled {
                title: self.across.title().to_owned(),
                unit: if is_bytes { Unit::Bytes } else { Unit::Count },
                scale: horizontal,
            },
            up: Titled {
                title: self.quantity.title().to_owned(),
                unit: self.quantity.unit().0,
                scale: up,
            },
            margin: 0.0,
        }
    }

    fn up(&self, cells: &[&Cell], horizontal: &Horizontal) -> Scale {
        let spreads = cells.iter().map(|cell| self.quantity.of(cell));
        let ends = spreads.flat_map(|spread| [spread.least, spread.most]);
        let Quantity::SpeedUp(baselines) = self.quantity else {
            return Scale::decimal(ends);
        };
        let ideals = cells.iter().map(|cell| cell.cores() / baselines.cores(cell));
        let (least, most) = ends
            .chain(ideals)
            .fold((1.0_f64, 1.0_f64), |(least, most), value| (least.min(value), most.max(value)));
        // The ideal is a straight line only if both scales are of the same kind.
        match horizontal {
            Horizontal::Numbers(Scale::Logarithmic { .. }) if least > 0.0 => {
                Scale::Logarithmic { binary: true, start: least, end: most }
            }
            _ => Scale::Linear { end: most },
        }
    }

    fn chart(&self, arrangement: &Arrangement, panel: &Panel, mut frame: Frame) -> Chart {
        let lines = self.lines(arrangement, panel);
        frame.margin = LineChart::margin(&lines);
        let is_connected = matches!(frame.across.scale, Horizontal::Numbers(_));
        let (ideals, unit_name) = (self.ideals(panel), self.quantity.unit().1);
        let chart = LineChart { frame, lines, unit_name, ideals, is_connected };
        let what = capitalised(&format!("{} over {}", self.quantity.title(), self.across.title()));
        let of = joined(self.game, &panel.label);
        Chart {
            note: self.note(panel),
            legend: chart.legend(&legend_title(&arrangement.curve_axes)),
            drawing: chart.drawing(&format!("{what}, {of}")),
            table: self.table(arrangement, panel),
            what,
            of,
        }
    }

    fn lines(&self, arrangement: &Arrangement, panel: &Panel) -> Vec<Line> {
        let mut lines: Vec<Line> =
            panel.curves.iter().map(|curve| self.line(arrangement, curve)).collect();
        let ends = || lines.iter().filter_map(|line| line.marks.last()).map(|mark| &mark.x);
        // A name at an end amid other curves would seem to be theirs.
        if ends().any(|end| Some(end) != ends().next()) {
            lines.iter_mut().for_each(|line| line.short.clear());
        }
        lines
    }

    fn line(&self, arrangement: &Arrangement, curve: &Curve) -> Line {
        let axes = &arrangement.curve_axes;
        let first = curve.cells[0];
        let is_number = |axis: &Axis| first.value(*axis).number().is_some();
        let is_ordered = !axes.is_empty() && axes.iter().all(is_number);
        let mut look = Look::of(curve.number, arrangement.curves, is_ordered);
        look.is_hollow = first.clock == Clock::Model;
        Line { name: first.label(axes), short: short(first, axes), look, marks: self.marks(curve) }
    }

    fn marks(&self, curve: &Curve) -> Vec<Mark> {
        let mark = |cell: &&Cell| Mark {
            x: self.across.value(cell),
            y: self.quantity.of(cell),
            repetitions: cell.repetitions,
            doubt: cell.doubt(),
        };
        curve.cells.iter().map(mark).collect()
    }

    /// From each number of cores that is compared with, as far as it goes.
    fn ideals(&self, panel: &Panel) -> Vec<[(f64, f64); 2]> {
        let Quantity::SpeedUp(baselines) = self.quantity else {
            return Vec::new();
        };
        let mut starts: Vec<f64> = panel.cells().map(|cell| baselines.cores(cell)).collect();
        starts.sort_by(f64::total_cmp);
        starts.dedup();
        let most = panel.cells().map(Cell::cores).fold(1.0, f64::max);
        starts.into_iter().map(|start| [(start, 1.0), (most, most / start)]).collect()
    }

    fn note(&self, panel: &Panel) -> String {
        let mut notes = vec![sources(panel.cells())];
        if let Quantity::SpeedUp(baselines) = self.quantity {
            notes.push(compared_with(panel.cells().map(|cell| baselines.cores(cell))));
        }
        notes.extend(repetitions(panel.cells()));
        notes.extend(doubts(panel.cells()));
        notes.join(" ")
    }

    fn table(&self, arrangement: &Arrangement, panel: &Panel) -> Table {
        let axes = &arrangement.curve_axes;
        let mut header: Vec<String> = axes.iter().map(|axis| axis.title().to_owned()).collect();
        let figures = [self.quantity.title(), "least", "most", "repetitions"];
        header.extend([self.across.title()].iter().chain(&figures).map(ToString::to_string));
        Table { header, rows: panel.cells().map(|cell| self.row(axes, cell)).collect() }
    }

    fn row(&self, axes: &[Axis], cell: &Cell) -> Vec<String> {
        let mut row: Vec<String> = cell.values(axes).iter().map(ToString::to_string).collect();
        let spread = self.quantity.of(cell);
        let figures = [spread.median, spread.least, spread.most];
        row.push(self.across.value(cell).to_string());
        row.extend(figures.map(|value| self.quantity.unit().0.figure(value)));
        row.push(cell.repetitions.to_string());
        row
    }
}

/// "measured on …", or which curves are measured and which modelled.
pub(crate) fn sources<'a>(cells: impl Iterator<Item = &'a Cell> + Clone) -> String {
    let all: Vec<String> =
        values(cells.clone(), Axis::Source).iter().map(Value::to_string).collect();
    let has = |clock| cells.clone().any(|cell| cell.clock == clock);
    let note = capitalised(&all.join("; "));
    if has(Clock::Wall) && has(Clock::Model) {
        return format!("{note}. Hollow marks are modelled, filled ones measured.");
    }
    format!("{note}.")
}

/// What a ring around a mark means, where there is one.
fn doubts<'a>(mut cells: impl Iterator<Item = &'a Cell>) -> Option<String> {
    let note = "A dashed ring: more threads than processors, or repetitions that differ by over \
        20\u{a0}%.";
    cells.any(|cell| cell.doubt().is_some()).then(|| note.to_owned())
}

fn compared_with(cores: impl Iterator<Item = f64>) -> String {
    let mut cores: Vec<f64> = cores.collect();
    cores.sort_by(f64::total_cmp);
    cores.dedup();
    match cores[..] {
        [1.0] => "Relative to one core.".to_owned(),
        [cores] => format!("Relative to {cores} cores."),
        _ => "Relative to the fewest cores of the same settings.".to_owned(),
    }
}

/// How often cells were repeated, if they were.
fn repetitions<'a>(cells: impl Iterator<Item = &'a Cell>) -> Option<String> {
    let most = cells.map(|cell| cell.repetitions).max()?;
    let note = format!("Medians of {most} repetitions; whiskers reach from the least to the most.");
    (most > 1).then_some(note)
}

/// A curve that differs by one axis is named by its value alone, and a machine by
/// its size.
fn short(cell: &Cell, axes: &[Axis]) -> String {
    let value = match *axes {
        [axis] => cell.value(axis).to_string(),
        [Axis::Clusters, Axis::Threads] => {
            format!("{}×{}", cell.value(Axis::Clusters), cell.value(Axis::Threads))
        }
        _ => String::new(),
    };
    if value.chars().count() <= MOST_SHORT { value } else { String::new() }
}

fn legend_title(axes: &[Axis]) -> String {
    match axes {
        [axis @ (Axis::Strategy | Axis::Mode | Axis::Transport)] => capitalised(axis.title()),
        _ => String::new(),
    }
}

/// "breakthrough · spin".
pub(crate) fn joined(game: &str, label: &str) -> String {
    if label.is_empty() { game.to_owned() } else { format!("{game} · {label}") }
}

pub(crate) fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}
