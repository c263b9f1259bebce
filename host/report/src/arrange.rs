//! What goes into one chart, and what into one curve of it.

use std::collections::BTreeMap;

use super::cells::{Cell, values};
use super::settings::{Axis, Value};

/// Curves of one chart that can be told apart.
const MOST_CURVES: usize = 8;

/// What a chart shows from left to right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Across {
    /// Clusters × threads.
    Cores,
    Axis(Axis),
}

impl Across {
    pub(crate) fn value(self, cell: &Cell) -> Value {
        match self {
            Across::Cores => Value::Number(cell.cores()),
            Across::Axis(axis) => cell.value(axis).clone(),
        }
    }

    pub(crate) fn title(self) -> &'static str {
        match self {
            Across::Cores => "cores",
            Across::Axis(axis) => axis.title(),
        }
    }

    /// Whether it tells the size of the machine, or a part of it.
    fn says_cores(self) -> bool {
        matches!(self, Across::Cores | Across::Axis(Axis::Clusters | Axis::Threads))
    }

    /// Whether cells have several values.
    pub(crate) fn varies(self, cells: &[&Cell]) -> bool {
        cells.iter().any(|cell| self.value(cell) != self.value(cells[0]))
    }
}

/// Cells of one curve, from left to right.
#[derive(Clone, Debug)]
pub(crate) struct Curve<'a> {
    /// Its number among the curves of all panels: the same everywhere.
    pub(crate) number: usize,
    pub(crate) cells: Vec<&'a Cell>,
}

/// Cells of one chart.
#[derive(Clone, Debug)]
pub(crate) struct Panel<'a> {
    /// What all its cells have in common; empty if there is but one panel.
    pub(crate) label: String,
    pub(crate) curves: Vec<Curve<'a>>,
}

impl<'a> Panel<'a> {
    pub(crate) fn cells(&self) -> impl Iterator<Item = &'a Cell> + Clone {
        self.curves.iter().flat_map(|curve| curve.cells.iter().copied())
    }
}

/// Cells that were divided into panels and curves.
#[derive(Clone, Debug)]
pub(crate) struct Arrangement<'a> {
    pub(crate) panels: Vec<Panel<'a>>,
    /// By what curves differ.
    pub(crate) curve_axes: Vec<Axis>,
    /// How many different curves there are in all panels.
    pub(crate) curves: usize,
}

/// Divides cells by everything in which they differ: the axes that are preferred
/// become curves while there is room, the others panels.
pub(crate) fn arrange<'a>(
    cells: &[&'a Cell],
    across: Across,
    preferred: &[Axis],
) -> Arrangement<'a> {
    let axes = distinguishing(cells, across, preferred);
    let (curve_axes, panel_axes) = axes.split_at(curve_axes(cells, &axes));
    let mut curve_axes = curve_axes.to_vec();
    if !axes.contains(&Axis::Threads) && !across.says_cores() {
        complete_machine(cells, &mut curve_axes);
    }
    divide(cells, across, &curve_axes, panel_axes)
}

/// Curves that differ in clusters are named with their threads too if these vary
/// along: 4 × 4 is another machine than 4 × 1.
fn complete_machine(cells: &[&Cell], axes: &mut Vec<Axis>) {
    let clusters = axes.iter().position(|axis| *axis == Axis::Clusters);
    if let Some(clusters) = clusters.filter(|_| Across::Axis(Axis::Threads).varies(cells)) {
        axes.insert(clusters + 1, Axis::Threads);
    }
}

/// Divides cells into panels by everything but the axes of the rows.
pub(crate) fn in_rows<'a>(cells: &[&'a Cell], across: Across, rows: &[Axis]) -> Arrangement<'a> {
    let axes = distinguishing(cells, across, rows);
    let panels: Vec<Axis> = axes.into_iter().filter(|axis| !rows.contains(axis)).collect();
    divide(cells, across, &[], &panels)
}

fn divide<'a>(
    cells: &[&'a Cell],
    across: Across,
    curve_axes: &[Axis],
    panel_axes: &[Axis],
) -> Arrangement<'a> {
    let keys = keys(cells, curve_axes);
    let panels = by_key(cells, panel_axes).into_values().map(|members| Panel {
        label: panel_label(members[0], panel_axes),
        curves: by_key(&members, curve_axes)
            .into_iter()
            .map(|(key, mut cells)| {
                cells.sort_by_key(|cell| across.value(cell));
                Curve { number: keys.iter().position(|known| *known == key).unwrap_or(0), cells }
            })
            .collect(),
    });
    let panels = panels.collect();
    Arrangement { panels, curve_axes: curve_axes.to_vec(), curves: keys.len() }
}

/// The note of a chart names machines: here the clock is enough.
fn panel_label(cell: &Cell, axes: &[Axis]) -> String {
    let others: Vec<Axis> = axes.iter().copied().filter(|axis| *axis != Axis::Source).collect();
    let clock = (others.len() < axes.len()).then(|| cell.clock_word().to_owned());
    let labels = [cell.label(&others), clock.unwrap_or_default()];
    labels.into_iter().filter(|label| !label.is_empty()).collect::<Vec<_>>().join(" · ")
}

fn by_key<'a>(cells: &[&'a Cell], axes: &[Axis]) -> BTreeMap<Vec<Value>, Vec<&'a Cell>> {
    let mut groups: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for &cell in cells {
        groups.entry(cell.values(axes)).or_default().push(cell);
    }
    groups
}

/// The values that cells have on some axes, each once and in order.
pub(crate) fn keys(cells: &[&Cell], axes: &[Axis]) -> Vec<Vec<Value>> {
    by_key(cells, axes).into_keys().collect()
}

/// How many of the axes make curves: as many as leave them few, but one at least.
fn curve_axes(cells: &[&Cell], axes: &[Axis]) -> usize {
    let few = |count: &usize| *count <= 1 || keys(cells, &axes[..*count]).len() <= MOST_CURVES;
    (0..=axes.len()).rev().find(few).unwrap_or(0)
}

/// The axes that tell apart cells with the same place on the axis across, the
/// preferred ones first. A size that follows from the others is not one of them.
pub(crate) fn distinguishing(cells: &[&Cell], across: Across, preferred: &[Axis]) -> Vec<Axis> {
    let others = Axis::ALL.iter().copied().filter(|axis| !preferred.contains(axis));
    let mut chosen = Vec::new();
    for axis in preferred.iter().copied().chain(others) {
        let differs = Across::Axis(axis).varies(cells);
        if Across::Axis(axis) != across && differs && !follows(cells, across, &chosen, axis) {
            chosen.push(axis);
        }
    }
    chosen
}

/// Whether an axis is a size that is known where the others are known.
fn follows(cells: &[&Cell], across: Across, others: &[Axis], axis: Axis) -> bool {
    if let Some(leader) = axis.leader() {
        return is_known(cells, axis, |cell| cell.value(leader));
    }
    axis.may_follow() && is_known(cells, axis, |cell| (across.value(cell), cell.values(others)))
}

/// Whether the value of an axis is known where the key is.
fn is_known<'a, K: Ord>(cells: &[&'a Cell], axis: Axis, key: impl Fn(&'a Cell) -> K) -> bool {
    let mut known = BTreeMap::new();
    cells
        .iter()
        .all(|cell| *known.entry(key(cell)).or_insert_with(|| cell.value(axis)) == cell.value(axis))
}

/// The cells of each game that fulfil a condition.
pub(crate) fn by_game(cells: &[Cell], wanted: impl Fn(&Cell) -> bool) -> Vec<(String, Vec<&Cell>)> {
    let of =
        |game: &Value| cells.iter().filter(|c| c.value(Axis::Game) == game && wanted(c)).collect();
    let games = values(cells, Axis::Game);
    let groups = games.iter().map(|game| (game.to_string(), of(game)));
    groups.filter(|(_, cells): &(_, Vec<_>)| !cells.is_empty()).collect()
}
