//! The timeline that `ruche search --trace FILE` writes.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;
use support::{code, json, path, ruche, stderr};

/// What a track shows: names of spans, by the name of the track.
type Tracks = BTreeMap<String, BTreeSet<String>>;

/// The tracks of a timeline, in each of which spans begin and end as they should.
fn tracks(events: &[Value]) -> Tracks {
    let track = |event: &Value| (event["pid"].as_u64().unwrap(), event["tid"].as_u64().unwrap());
    let named = events.iter().filter(|event| event["name"] == "thread_name");
    let names: BTreeMap<_, _> = named
        .map(|event| (track(event), event["args"]["name"].as_str().unwrap().to_owned()))
        .collect();
    let mut open = BTreeMap::<_, Vec<&str>>::new();
    let mut times = BTreeMap::new();
    let mut shown = Tracks::new();
    for event in events.iter().filter(|event| event["ph"] != "M") {
        let (track, time) = (track(event), event["ts"].as_f64().unwrap());
        let last = times.insert(track, time);
        assert!(last.is_none_or(|last| last <= time), "{event} is before {last:?}");
        let open = open.entry(track).or_default();
        match event["ph"].as_str().unwrap() {
            "B" => {
                open.push(event["name"].as_str().unwrap());
                shown
                    .entry(names[&track].clone())
                    .or_default()
                    .extend(open.last().map(|&n| n.into()));
            }
            "E" => {
                let begun = open.pop().unwrap_or_else(|| panic!("{event} ends nothing"));
                assert!(event["name"].is_null() || event["name"] == begun, "{event} ends {begun}");
            }
            other => panic!("{other}: {event}"),
        }
    }
    assert!(open.values().all(Vec::is_empty), "{open:?} do not end");
    shown
}

/// The tracks of a search of Connect Four.
fn tracks_of(name: &str, options: &str) -> Tracks {
    let file = path(&format!("timeline-{name}.json"));
    let file = file.to_str().unwrap();
    let usual = ["search", "connectfour", "--playouts", "2000", "--trace", file, "--json"];
    let arguments: Vec<&str> = usual.into_iter().chain(options.split_whitespace()).collect();
    let output = ruche(&arguments);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let timeline: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    tracks(timeline.as_array().unwrap())
}

#[test]
fn a_timeline_has_every_stage() {
    let tracks = tracks_of("stages", "");
    let names: BTreeSet<&String> = tracks.values().flatten().collect();
    for stage in
        ["selection", "submit", "I/O node", "forward", "cluster", "send", "round", "wait", "backup"]
    {
        assert!(names.contains(&stage.to_owned()), "{stage}");
    }
}

/// Also where cores are started for each round: they have a track each, not one for each
/// start.
#[test]
fn every_core_has_a_track_that_shows_when_it_works_and_waits() {
    for (strategy, does) in [
        // A core for which there is no processor waits for the host within its round.
        ("restart", &["round"][..]),
        ("condvar", &["round", "wait"]),
        ("spin", &["round", "wait"]),
        ("portal", &["round", "wait"]),
    ] {
        let options = format!("--clusters 2 --threads 3 --strategy {strategy}");
        let tracks = tracks_of(strategy, &options);
        assert_eq!(tracks.len(), 1 + 2 + 6, "{strategy}: {tracks:?}");
        for cluster in 0..2 {
            let pc0 = &tracks[&format!("cluster {cluster}")];
            assert!(pc0.contains("cluster") && pc0.contains("wait"), "{strategy}: {pc0:?}");
            for core in 0..3 {
                let core = &tracks[&format!("core {core} of cluster {cluster}")];
                assert!(does.iter().all(|one| core.contains(*one)), "{strategy}: {core:?}");
                assert!(core.iter().all(|one| ["round", "wait"].contains(&&**one)), "{core:?}");
            }
        }
    }
}

#[test]
fn all_cores_of_a_split_game_are_in_the_timeline() {
    let tracks = tracks_of("split", "--clusters 1 --threads 2 --mode split");
    assert!(tracks["core 0 of cluster 0"].contains("round"), "{tracks:?}");
    assert!(tracks["core 1 of cluster 0"].contains("round"), "{tracks:?}");
}

#[test]
fn a_timeline_that_cannot_be_written_is_one_line_and_bad_input() {
    let full = ["search", "connectfour", "--playouts", "2000", "--trace", "/dev/full", "--json"];
    let output = ruche(&full);
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
    assert!(stderr(&output).contains("/dev/full: "), "{}", stderr(&output));
    assert_eq!(json(&output)["playouts"], 2000, "what was found is there nevertheless");
}
