//! Which charts samples have something to show for.

use super::arrange::{Across, Panel, arrange, by_game, distinguishing, in_rows, keys};
use super::bars::{Bar, PARTS, legend_of_parts, stacked};
use super::cells::{Cell, values};
use super::chart::{Chart, Table};
use super::curves::{Quantity, Subject, capitalised, joined, sources};
use super::heat::{heat_map, legend_of_heat};
use super::number::Unit;
use super::settings::{Axis, Value};
use super::speed_up::Baselines;

/// Charts that answer one question.
#[derive(Debug)]
pub(crate) struct Section {
    /// For links.
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) introduction: &'static str,
    /// The charts of each game.
    pub(crate) games: Vec<(String, Vec<Chart>)>,
}

/// What a machine is made of.
const MACHINE: [Axis; 2] = [Axis::Clusters, Axis::Threads];
/// Settings that are numbers, other than the machine and its messages.
const SIZES: [Axis; 6] = [
    Axis::Word,
    Axis::PlayoutsPerPosition,
    Axis::Batch,
    Axis::InFlight,
    Axis::IoNodes,
    Axis::CostFactor,
];
/// Settings that are names, and can be compared even if nothing else varies.
const NAMES: [Axis; 5] =
    [Axis::Mode, Axis::Positions, Axis::Transport, Axis::Source, Axis::Version];

/// Bars of one chart that one still looks through.
const MOST_BARS: usize = 32;

/// All sections that have a chart.
pub(crate) fn sections(cells: &[Cell]) -> Vec<Section> {
    let mut sections = vec![scaling(cells), efficiency(cells), strategies(cells)];
    sections.extend(NAMES.map(|axis| names(cells, axis)));
    sections.push(time(cells));
    sections.push(messages(cells));
    sections.extend(SIZES.map(|axis| sizes(cells, axis)));
    sections.retain(|section| !section.games.is_empty());
    sections
}

fn section<'a>(
    id: &str,
    title: &str,
    introduction: &'static str,
    games: Vec<(String, Vec<&'a Cell>)>,
    charts: impl Fn(&str, &[&'a Cell]) -> Vec<Chart>,
) -> Section {
    let games = games.into_iter().map(|(game, cells)| {
        let charts = charts(&game, &cells);
        (game, charts)
    });
    let games = games.filter(|(_, charts)| !charts.is_empty()).collect();
    Section { id: id.to_owned(), title: title.to_owned(), introduction, games }
}

/// The cells of each game that was played.
fn played(cells: &[Cell]) -> Vec<(String, Vec<&Cell>)> {
    by_game(cells, Cell::is_played)
}

fn scaling(cells: &[Cell]) -> Section {
    let introduction = "How many playouts the cores of the machine finish, and how much faster \
        they are than the fewest cores of the same settings. Cores are clusters\u{a0}×\u{a0}threads.";
    section("scaling", "Scaling", introduction, played(cells), |game, cells| {
        if !Across::Cores.varies(cells) {
            return Vec::new();
        }
        let baselines = Baselines::of(cells);
        let charts = |quantity| {
            let subject = Subject { game, across: Across::Cores, quantity };
            subject.charts(cells, &MACHINE)
        };
        let rates = charts(Quantity::PlayoutsPerSecond);
        let speed_ups = charts(Quantity::SpeedUp(&baselines));
        rates.into_iter().zip(speed_ups).flat_map(|(rate, speed_up)| [rate, speed_up]).collect()
    })
}

fn efficiency(cells: &[Cell]) -> Section {
    let introduction = "The speed-up as a share of the ideal one, for every number of clusters \
        and threads: what each further core adds.";
    section("efficiency", "Efficiency", introduction, played(cells), |game, cells| {
        let baselines = Baselines::of(cells);
        let mut panels = in_rows(cells, Across::Cores, &MACHINE).panels;
        panels.retain(|panel| MACHINE.iter().all(|axis| values(panel.cells(), *axis).len() > 1));
        panels.iter().map(|panel| heat_chart(game, panel, &baselines)).collect()
    })
}

fn heat_chart(game: &str, panel: &Panel, baselines: &Baselines) -> Chart {
    let heats: Vec<_> = panel.cells().map(|cell| (cell, baselines.efficiency(cell))).collect();
    let what = "Efficiency over clusters and threads";
    let of = joined(game, &panel.label);
    let header = ["clusters", "threads", "cores", "speed-up", "efficiency"];
    let rows = heats.iter().map(|(cell, efficiency)| {
        let mut row: Vec<String> = cell.values(&MACHINE).iter().map(ToString::to_string).collect();
        row.push(cell.cores().to_string());
        row.push(Unit::Count.figure(baselines.speed_up(cell).median));
        row.push(Unit::Share.figure(efficiency.median));
        row
    });
    Chart {
        what: what.to_owned(),
        note: format!("Per cent of the ideal speed-up. {}", sources(panel.cells())),
        legend: Some(legend_of_heat()),
        drawing: heat_map(&format!("{what}, {of}"), &heats),
        table: Table { header: header.map(str::to_owned).to_vec(), rows: rows.collect() },
        of,
    }
}

fn strategies(cells: &[Cell]) -> Section {
    let introduction = "How a cluster hands work to its cores, compared with all else equal.";
    section("strategies", "Strategies side by side", introduction, played(cells), |game, cells| {
        let across = MACHINE.iter().rev().map(|axis| Across::Axis(*axis));
        let across = across.into_iter().find(|across| across.varies(cells));
        compared(game, cells, Axis::Strategy, across)
    })
}

/// Compares what has a name where nothing else makes a chart of it.
fn names(cells: &[Cell], axis: Axis) -> Section {
    let title = format!("By {}", axis.title());
    section(axis.title(), &title, "", played(cells), |game, cells| {
        let others = [Axis::Clusters, Axis::Threads, Axis::Strategy];
        if others.iter().any(|axis| Across::Axis(*axis).varies(cells)) {
            return Vec::new();
        }
        compared(game, cells, axis, None)
    })
}

/// Curves for each value of an axis, or points if there is nothing to be across.
fn compared(game: &str, cells: &[&Cell], axis: Axis, across: Option<Across>) -> Vec<Chart> {
    let across = across.unwrap_or(Across::Axis(axis));
    let mut groups = in_rows(cells, across, &[axis]).panels;
    groups.retain(|group| values(group.cells(), axis).len() > 1);
    let cells: Vec<&Cell> = groups.iter().flat_map(Panel::cells).collect();
    if cells.is_empty() {
        return Vec::new();
    }
    Subject { game, across, quantity: Quantity::PlayoutsPerSecond }.charts(&cells, &[axis])
}

fn time(cells: &[Cell]) -> Section {
    let introduction = "What the time of all runs was spent on. Everything but playouts is \
        overhead; cores that have played wait for others.";
    let timed = |cell: &Cell| PARTS.iter().any(|(_, _, share)| share(&cell.shares) > 0.0);
    section("time", "Where the time goes", introduction, by_game(cells, timed), |game, cells| {
        let rows = rows(cells);
        let panels = in_rows(cells, Across::Cores, &rows).panels;
        panels.iter().map(|panel| time_chart(game, panel, &rows)).collect()
    })
}

/// What bars of one chart differ by: the machine, and what else there is room for.
fn rows(cells: &[&Cell]) -> Vec<Axis> {
    let machine = if Across::Cores.varies(cells) { &MACHINE[..] } else { &[] };
    let others = distinguishing(cells, Across::Cores, &MACHINE).into_iter();
    let others = others.filter(|axis| !MACHINE.contains(axis) && *axis != Axis::Source);
    let mut rows = machine.to_vec();
    for axis in others {
        rows.push(axis);
        if keys(cells, &rows).len() > MOST_BARS && rows.len() > 1 {
            rows.pop();
        }
    }
    if rows.is_empty() { MACHINE.to_vec() } else { rows }
}

/// "4 × 16 · 256 bytes".
fn row_name(cell: &Cell, rows: &[Axis]) -> String {
    let Some(others) = rows.strip_prefix(&MACHINE) else { return cell.label(rows) };
    let machine = format!("{} × {}", cell.value(Axis::Clusters), cell.value(Axis::Threads));
    joined(&machine, &cell.label(others))
}

/// Rows belong together if they differ in nothing but the last axis.
fn row_group(cell: &Cell, rows: &[Axis]) -> Vec<Value> {
    cell.values(&rows[..rows.len() - 1])
}

fn time_chart(game: &str, panel: &Panel, rows: &[Axis]) -> Chart {
    let mut cells: Vec<&Cell> = panel.cells().collect();
    cells.sort_by_key(|cell| cell.values(rows));
    let bars = cells.iter().enumerate().map(|(index, cell)| {
        let before = index.checked_sub(1).map(|before| row_group(cells[before], rows));
        let is_apart = before.is_some_and(|before| before != row_group(cell, rows));
        Bar { name: row_name(cell, rows), is_apart, shares: cell.shares }
    });
    let bars: Vec<Bar> = bars.collect();
    let title = if rows.starts_with(&MACHINE) { "clusters × threads" } else { rows[0].title() };
    let what = format!("Shares of the time over {title}");
    let of = joined(game, &panel.label);
    let header = [title].into_iter().chain(PARTS.map(|(_, part, _)| part));
    let table = bars.iter().map(|bar| {
        let shares = PARTS.map(|(_, _, share)| Unit::Share.figure(share(&bar.shares)));
        [bar.name.clone()].into_iter().chain(shares).collect()
    });
    Chart {
        note: sources(cells.iter().copied()),
        legend: Some(legend_of_parts()),
        drawing: stacked(&format!("{what}, {of}"), title, &bars),
        table: Table { header: header.map(str::to_owned).collect(), rows: table.collect() },
        what,
        of,
    }
}

fn messages(cells: &[Cell]) -> Section {
    let introduction = "What it costs to send positions: the time of a run over their size.";
    let games = by_game(cells, |cell| cell.run_seconds.most.is_finite());
    section("messages", "Message size", introduction, games, |game, cells| {
        swept(game, cells, Axis::Bytes, Quantity::RunTime, &MACHINE)
    })
}

fn sizes(cells: &[Cell], axis: Axis) -> Section {
    let id = axis.title().replace([' ', '/'], "-");
    let preferred = [Axis::Strategy, Axis::Clusters, Axis::Threads];
    section(&id, &capitalised(axis.title()), "", played(cells), |game, cells| {
        swept(game, cells, axis, Quantity::PlayoutsPerSecond, &preferred)
    })
}

/// Curves over a size, of all settings for which it was swept.
fn swept(
    game: &str,
    cells: &[&Cell],
    axis: Axis,
    quantity: Quantity,
    preferred: &[Axis],
) -> Vec<Chart> {
    if !distinguishing(cells, Across::Cores, &MACHINE).contains(&axis) {
        return Vec::new();
    }
    let across = Across::Axis(axis);
    let panels = arrange(cells, across, preferred).panels;
    let curves = panels.into_iter().flat_map(|panel| panel.curves);
    let swept: Vec<&Cell> =
        curves.filter(|curve| curve.cells.len() > 1).flat_map(|curve| curve.cells).collect();
    if swept.is_empty() {
        return Vec::new();
    }
    Subject { game, across, quantity }.charts(&swept, preferred)
}
