//! The top of the page: what was studied, by which clock, and what came out.

use super::cells::{Cell, values};
use super::markup::Element;
use super::number::{count, counted, significant};
use super::settings::{Axis, Value};
use super::speed_up::Baselines;
use crate::Clock;

/// The summary of all cells, of which there is one at least.
pub(crate) fn summary(samples: usize, cells: &[Cell]) -> Element {
    let mut summary = Element::of("section", "summary").set("id", "summary");
    summary.push(clocks(cells));
    summary.push(size(samples, cells));
    if cells.iter().any(Cell::is_played) {
        summary.push(key_figures(cells));
    }
    disagreement(cells).into_iter().for_each(|warning| summary.push(warning));
    summary.child(settings(cells)).children(again(cells))
}

/// Filled or hollow, as the marks of charts are.
fn sign(clock: Clock) -> Element {
    let class = if clock == Clock::Model { "sign hollow" } else { "sign" };
    let disc = Element::of("circle", "shape").set("r", 4.5);
    Element::of("svg", class).set("viewBox", "-6 -6 12 12").set("aria-hidden", "true").child(disc)
}

/// All sources, each with a sign of its clock.
fn clocks(cells: &[Cell]) -> Element {
    let sources = by_source(cells)
        .into_iter()
        .map(|(source, cells)| Element::new("li").child(sign(cells[0].clock)).text(source));
    Element::of("ul", "clocks").children(sources)
}

fn by_source(cells: &[Cell]) -> Vec<(String, Vec<&Cell>)> {
    let sources = values(cells, Axis::Source);
    let of =
        |source: &Value| cells.iter().filter(|cell| cell.value(Axis::Source) == source).collect();
    sources.iter().map(|source| (source.to_string(), of(source))).collect()
}

/// The best of each game and source: playouts of one game are not those of another.
fn key_figures(cells: &[Cell]) -> Element {
    let mut figures = Element::of("dl", "figures");
    for (_, cells) in by_source(cells) {
        for cells in by_game(&cells) {
            figures = figures.children(best(&cells).map(|cell| {
                let rate = count(cell.playouts_per_second.median);
                figure("Best", cell, &rate, "playouts/s")
            }));
            figures = figures.children(best_speed_up(&cells));
        }
    }
    figures
}

/// The cells of each game that were played.
fn by_game<'a>(cells: &[&'a Cell]) -> Vec<Vec<&'a Cell>> {
    let played: Vec<&Cell> = cells.iter().copied().filter(|cell| cell.is_played()).collect();
    let games = values(played.iter().copied(), Axis::Game);
    let of = |game: &Value| {
        played.iter().copied().filter(|cell| cell.value(Axis::Game) == game).collect()
    };
    games.iter().map(of).collect()
}

/// How much was measured.
fn size(samples: usize, cells: &[Cell]) -> Element {
    let (settings, games) = (counted(cells.len(), "setting"), values(cells, Axis::Game).len());
    let games = counted(games, "game");
    let text = format!("{} of {settings} in {games}", counted(samples, "sample"));
    Element::of("p", "size").text(text)
}

/// The cell with the highest median; the first of equal ones.
fn best<'a>(cells: &[&'a Cell]) -> Option<&'a Cell> {
    let mut best: Option<&Cell> = None;
    for &cell in cells {
        let rate = cell.playouts_per_second.median;
        if rate > best.map_or(0.0, |best| best.playouts_per_second.median) {
            best = Some(cell);
        }
    }
    best
}

fn best_speed_up(cells: &[&Cell]) -> Option<Element> {
    let baselines = Baselines::of(cells);
    let speed_up = |cell: &Cell| baselines.speed_up(cell).median;
    let best = cells.iter().copied().max_by(|a, b| speed_up(a).total_cmp(&speed_up(b)))?;
    let times = significant(speed_up(best), 3) + "×";
    (speed_up(best) > 1.0).then(|| figure("Largest speed-up", best, &times, ""))
}

/// A figure of a cell, with its clock and its settings.
fn figure(title: &str, cell: &Cell, figure: &str, unit: &str) -> Element {
    let axes = [Axis::Game, Axis::Clusters, Axis::Threads, Axis::Strategy];
    let unit = Element::of("span", "unit").text(unit);
    let value = Element::of("dd", "value").text(figure).text(" ").child(unit);
    Element::new("div")
        .set("title", cell.value(Axis::Source))
        .child(Element::new("dt").text(format!("{title}, {}", cell.clock_word())))
        .child(value)
        .child(Element::of("dd", "of").text(cell.label(&axes)))
        .children(cell.doubt().map(|doubt| Element::of("dd", "of warning").text(doubt)))
}

/// A warning if equal settings did not have equal results.
fn disagreement(cells: &[Cell]) -> Option<Element> {
    let count = cells.iter().filter(|cell| cell.disagrees).count();
    let text = format!(
        "The results of {} differ between repetitions with the same seed. \
        Equal settings must find the same; figures of a wrong result mean nothing.",
        counted(count, "setting")
    );
    (count > 0).then(|| Element::of("p", "warning").set("role", "alert").text(text))
}

/// What was swept, and what was the same for all.
fn settings(cells: &[Cell]) -> Element {
    // Clocks and their machines stand above already.
    let axes = Axis::ALL.iter().copied().filter(|axis| *axis != Axis::Source);
    let all = axes.map(|axis| (axis, values(cells, axis)));
    let (swept, fixed): (Vec<_>, Vec<_>) = all.partition(|(_, values)| values.len() > 1);
    let table = |title: &str, axes: Vec<(Axis, Vec<Value>)>| {
        let rows = axes.into_iter().map(|(axis, values)| {
            let values: Vec<String> = values.iter().map(ToString::to_string).collect();
            let name = Element::new("dt").text(axis.title());
            Element::new("div").child(name).child(Element::new("dd").text(listed(&values)))
        });
        let list = Element::of("dl", "settings").children(rows);
        Element::new("div").child(Element::new("h3").text(title)).child(list)
    };
    let mut settings = Element::of("div", "columns");
    if !swept.is_empty() {
        settings.push(table("Swept", swept));
    }
    settings.child(table("The same for all", fixed))
}

/// Values to read; of many only the ends.
fn listed(values: &[String]) -> String {
    const MOST: usize = 16;
    match values {
        [first, .., last] if values.len() > MOST => {
            format!("{first} … {last}, {} values", values.len())
        }
        _ => values.join(", "),
    }
}

/// The commands that take the best sample of each game again.
fn again(cells: &[Cell]) -> Option<Element> {
    let cells: Vec<&Cell> = cells.iter().collect();
    let bests = by_game(&cells).into_iter().filter_map(|cells| best(&cells));
    let commands: Vec<&str> = bests
        .map(|cell| cell.invocation.as_str())
        .filter(|invocation| !invocation.is_empty())
        .collect();
    let code = Element::new("code").text(commands.join("\n"));
    let code = Element::new("pre").set("tabindex", 0).child(code);
    let title = if commands.len() > 1 { "The best figures again" } else { "The best figure again" };
    let title = Element::new("h3").text(title);
    (!commands.is_empty()).then(|| Element::of("div", "again").child(title).child(code))
}
