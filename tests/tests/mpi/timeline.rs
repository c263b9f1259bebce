//! One timeline of all ranks.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::job::{Job, Kind, Launcher, exclusive};
use crate::{CLUSTER, IO_NODE, LONG, RANKS, search};

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// Where a rank writes until the end.
fn part(file: &Path, rank: usize) -> PathBuf {
    PathBuf::from(format!("{}.rank{rank}", file.display()))
}

fn arguments(file: &Path, budget: &str, amount: u64) -> Vec<String> {
    let trace = ["--trace", file.to_str().expect("a plain path")];
    search(budget, amount).into_iter().chain(trace.map(str::to_owned)).collect()
}

fn events(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).expect("a timeline");
    serde_json::from_str(&text).expect("an array of events")
}

/// The names of the spans of each rank.
fn spans(events: &[Value]) -> BTreeMap<u64, BTreeSet<&str>> {
    let mut spans = BTreeMap::<_, BTreeSet<_>>::new();
    for event in events.iter().filter(|event| event["ph"] == "B") {
        let rank = event["pid"].as_u64().expect("a rank");
        spans.entry(rank).or_default().extend(event["name"].as_str());
    }
    spans
}

/// The first and last time of all spans of this name.
fn range(events: &[Value], name: &str) -> (f64, f64) {
    let times = events.iter().filter(|event| event["name"] == name && event["ph"] != "M");
    let times: Vec<f64> = times.map(|event| event["ts"].as_f64().expect("a time")).collect();
    let (least, most) = (f64::INFINITY, f64::NEG_INFINITY);
    (times.iter().copied().fold(least, f64::min), times.iter().copied().fold(most, f64::max))
}

#[test]
fn a_timeline_of_ranks_has_all_of_them_and_is_one_file() {
    let _alone = exclusive();
    for kind in [Kind::Plain, Kind::Ulfm] {
        let Some(launcher) = Launcher::ruche(kind) else { continue };
        let file = file("timeline-of-ranks.json");
        let outcome = Job::start(&launcher, RANKS, &arguments(&file, "--playouts", 20_000));
        let outcome = outcome.finish(LONG);
        assert!(outcome.status.success() && outcome.errors.is_empty(), "{outcome:?}");
        let events = events(&file);
        let spans = spans(&events);
        assert!(spans.keys().copied().eq(0..RANKS as u64), "{:?}", spans.keys());
        assert!(spans[&0].contains("selection"), "{spans:?}");
        assert!(spans[&(IO_NODE as u64)].contains("forward"), "{spans:?}");
        for cluster in spans.keys().filter(|rank| **rank > IO_NODE as u64) {
            assert!(["round", "cluster"].iter().all(|name| spans[cluster].contains(name)));
        }
        // On one machine there is one clock: clusters play while the host searches.
        let (round, search) = (range(&events, "round"), range(&events, "selection"));
        assert!(search.0 < round.0 && round.1 < range(&events, "backup").1, "{round:?} {search:?}");
        let mut parts = (1..RANKS).map(|rank| part(&file, rank));
        assert!(!parts.any(|part| part.exists()), "a part is left");
    }
}

#[test]
fn what_a_killed_cluster_has_written_is_in_the_timeline() {
    let _alone = exclusive();
    let Some(launcher) = Launcher::ruche(Kind::Ulfm) else { return };
    let file = file("timeline-of-killed-rank.json");
    let part = part(&file, CLUSTER);
    let _ = fs::remove_file(&part);
    let job = Job::start(&launcher, RANKS, &arguments(&file, "--seconds", 6));
    job.wait_for_lines(&part, 100, LONG);
    job.signal(CLUSTER, "-KILL");
    let outcome = job.finish(LONG);
    assert!(outcome.status.success(), "{outcome:?}");
    assert!(outcome.errors.contains("cluster 1 is lost"), "{outcome:?}");
    let events = events(&file);
    let spans = spans(&events);
    assert!(spans.keys().copied().eq(0..RANKS as u64), "{:?}", spans.keys());
    assert!(spans[&(CLUSTER as u64)].contains("round"), "{spans:?}");
}
