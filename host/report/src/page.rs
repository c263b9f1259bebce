//! The page around the charts.

use super::cells::Cell;
use super::chart::Chart;
use super::figures::{Section, sections};
use super::markup::Element;
use super::summary::summary;
use crate::Sample;

/// Nothing is loaded from anywhere: style and script stand in the page.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'";
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// Charts of a game that are seen at once; the others are a click away.
const VISIBLE: usize = 4;

/// The whole page.
pub(crate) fn page(title: &str, samples: &[Sample], cells: &[Cell]) -> String {
    let document = Element::new("html")
        .set("lang", "en")
        .child(head(title))
        .child(body(title, samples, cells));
    format!("<!doctype html>\n{document}\n")
}

fn head(title: &str) -> Element {
    let meta =
        |name: &str, content: &str| Element::new("meta").set("name", name).set("content", content);
    let policy = Element::new("meta").set("http-equiv", "Content-Security-Policy");
    Element::new("head")
        .child(Element::new("meta").set("charset", "utf-8"))
        .child(policy.set("content", POLICY))
        .child(meta("viewport", "width=device-width, initial-scale=1"))
        .child(meta("color-scheme", "light dark"))
        .child(Element::new("title").text(title))
        .child(Element::new("style").verbatim(STYLE))
}

fn body(title: &str, samples: &[Sample], cells: &[Cell]) -> Element {
    let main = if cells.is_empty() { nothing(title) } else { report(title, samples, cells) };
    let tip = Element::new("div").set("id", "tip").set("role", "status").set("hidden", "");
    Element::new("body").child(main).child(tip).child(Element::new("script").verbatim(SCRIPT))
}

fn nothing(title: &str) -> Element {
    let text = "Nothing was measured yet. Charts appear here once the study has samples.";
    let header =
        Element::new("header").child(kicker("A study")).child(Element::new("h1").text(title));
    Element::new("main").child(header).child(Element::of("p", "lede").text(text))
}

fn report(title: &str, samples: &[Sample], cells: &[Cell]) -> Element {
    let sections = sections(cells);
    let mut main = Element::new("main")
        .child(header(title, samples))
        .child(summary(samples.len(), cells))
        .child(contents(&sections));
    let mut number = 0;
    for section in sections {
        main.push(section_element(section, &mut number));
    }
    main.child(footer(samples))
}

fn kicker(text: &str) -> Element {
    Element::of("p", "kicker").text(text)
}

fn header(title: &str, samples: &[Sample]) -> Element {
    let mut plans: Vec<&str> = samples.iter().map(|sample| sample.plan.as_str()).collect();
    plans.sort_unstable();
    plans.dedup();
    let plans = format!("Ruche · study of {}", plans.join(", "));
    Element::new("header").child(kicker(&plans)).child(Element::new("h1").text(title))
}

fn contents(sections: &[Section]) -> Element {
    let links = sections.iter().map(|section| {
        let link = Element::new("a").set("href", format!("#{}", section.id)).text(&section.title);
        Element::new("li").child(link)
    });
    let list = Element::new("ul").children(links);
    Element::of("nav", "contents").set("aria-label", "Contents").child(list)
}

fn section_element(section: Section, number: &mut usize) -> Element {
    let heading = Element::new("h2").text(&section.title);
    let mut element = Element::new("section").set("id", &section.id).child(heading);
    if !section.introduction.is_empty() {
        element.push(Element::of("p", "introduction").text(section.introduction));
    }
    let has_several = section.games.len() > 1;
    for (game, charts) in section.games {
        if has_several {
            element.push(Element::new("h3").text(game));
        }
        element = element.children(game_charts(charts, number));
    }
    element
}

fn game_charts(mut charts: Vec<Chart>, number: &mut usize) -> Vec<Element> {
    let rest = charts.split_off(VISIBLE.min(charts.len()));
    let mut elements = vec![grid(charts, number)];
    if !rest.is_empty() {
        let summary = match rest.len() {
            1 => "One more figure".to_owned(),
            count => format!("{count} more figures"),
        };
        let summary = Element::new("summary").text(summary);
        elements.push(Element::of("details", "more").child(summary).child(grid(rest, number)));
    }
    elements
}

fn grid(charts: Vec<Chart>, number: &mut usize) -> Element {
    let mut grid = Element::of("div", "grid");
    for chart in charts {
        *number += 1;
        grid.push(chart.figure(*number));
    }
    grid
}

fn footer(samples: &[Sample]) -> Element {
    let mut versions: Vec<&str> = samples.iter().map(|sample| sample.version.as_str()).collect();
    versions.sort_unstable();
    versions.dedup();
    let link = |file: &'static str| Element::new("a").set("href", file).text(file);
    let text = Element::new("p")
        .text("Data: ")
        .child(link("results.csv"))
        .text(" for tables, ")
        .child(link("results.jsonl"))
        .text(format!(
            " with every sample as it was taken. Made by ruche {}.",
            versions.join(", ")
        ));
    Element::new("footer").child(text)
}
