//! The folder of a study: nothing that was measured is lost.

mod support;

use std::fs;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use ruche_report::{Clock, Sample};
use ruche_study::store::disk::{Disk, LocalDisk};
use ruche_study::{Plan, Stop, Store};
use serde_json::Value;
use support::disk::SimulatedDisk;
use support::{Fake, folder, library, plan, study};

const PLAN: &str =
    "title = \"Mine\"\nruns = 3\n[[sweep]]\ngames = \"tictactoe\"\nthreads = \"1..12\"";

fn filled(dir: &Path) -> (Plan, Vec<Sample>) {
    filled_on(Arc::new(LocalDisk), dir)
}

fn filled_on(disk: Arc<dyn Disk>, dir: &Path) -> (Plan, Vec<Sample>) {
    let plan = plan(PLAN);
    let mut store = Store::open_on(disk, dir, &plan).unwrap();
    let mut study = study(&plan, &library(), Clock::Model);
    study.command = "ruche study 'a, \"b\".toml'".to_owned();
    study.run(&quick(), &mut store, &Stop::default(), &mut |_| ()).unwrap();
    let samples = store.samples().to_vec();
    (plan, samples)
}

fn quick() -> Fake {
    Fake { pause: Duration::ZERO, ..Fake::with(1) }
}

/// The lines of a file, without what ends them.
fn lines(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let mut start = 0;
    for line in bytes.split(|byte| *byte == b'\n') {
        lines.push(start..start + line.len());
        start += line.len() + 1;
    }
    lines.pop();
    lines
}

fn without_line_ends(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte != b'\n').count()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_is_sound_survives_any_damage(
        at in 0.0..1.0_f64,
        removed in prop_oneof![0..40_usize, Just(0), Just(1), Just(usize::MAX), 0..3000_usize],
        added in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..60),
            // Figures that read well and are wrong.
            prop::collection::vec(b'0'..=b'9', 1..3),
            Just(b"{\"plan\":".to_vec()),
            Just(vec![0; 4096]),
        ],
    ) {
        let (disk, dir) = (SimulatedDisk::default(), Path::new("/study"));
        let open = |plan: &Plan| Store::open_on(Arc::new(disk.clone()), dir, plan).unwrap();
        let (plan, samples) = filled_on(Arc::new(disk.clone()), dir);
        let path = dir.join("results.jsonl");
        let bytes = disk.bytes(&path).unwrap();
        let start = (at * bytes.len() as f64) as usize;
        let end = start.saturating_add(removed).min(bytes.len());
        let damaged = [&bytes[..start], &added, &bytes[end..]].concat();
        disk.set_bytes(&path, &damaged);

        let store = open(&plan);
        let is_touched = |line: &Range<usize>| line.start < end.max(start + 1) && start < line.end
            && !(start == end && (start == line.start || added.is_empty()));
        for (line, sample) in lines(&bytes).iter().zip(&samples) {
            let is_kept = store.samples().contains(sample);
            prop_assert!(is_kept || is_touched(line), "{line:?} of {start}..{end}");
        }
        // Nothing is made up, and what is no sample is kept as well.
        prop_assert!(store.samples().iter().all(|sample| samples.contains(sample)));
        let kept = disk.bytes(&path).unwrap();
        let aside = disk.bytes(&dir.join("results.damaged")).unwrap_or_default();
        prop_assert_eq!(
            without_line_ends(&kept) + without_line_ends(&aside),
            without_line_ends(&damaged)
        );
        drop(store);

        // What is missing is measured again, and then everything is there once.
        let mut store = open(&plan);
        prop_assert!(store.damage().is_empty());
        let study = study(&plan, &library(), Clock::Model);
        study.run(&quick(), &mut store, &Stop::default(), &mut |_| ()).unwrap();
        prop_assert_eq!(store.samples().len(), samples.len());
    }
}

#[test]
fn damage_is_named_by_its_line_and_set_aside() {
    let dir = folder("named");
    let (plan, samples) = filled(&dir);
    let path = dir.join("results.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines[2].truncate(30);
    lines[4] = lines[4].replace("\"playouts\":", "\"playouts\":1");
    let cut = lines[11].len() - 5;
    lines[11].truncate(cut);
    fs::write(&path, lines.join("\n")).unwrap();
    let store = Store::open(&dir, &plan).unwrap();
    let named: Vec<usize> = store.damage().iter().map(|damage| damage.line).collect();
    assert_eq!(named, [3, 5, 12]);
    assert_eq!(store.samples().len(), samples.len() - 3);
    drop(store);
    let aside = fs::read_to_string(dir.join("results.damaged")).unwrap();
    assert_eq!(aside.lines().collect::<Vec<_>>(), [&lines[2], &lines[4], &lines[11]]);
}

#[test]
fn the_table_says_the_same_as_the_lines() {
    let dir = folder("table");
    let (plan, samples) = filled(&dir);
    let same = |dir: &Path| {
        let text = fs::read_to_string(dir.join("results.jsonl")).unwrap();
        let mut table = csv::Reader::from_path(dir.join("results.csv")).unwrap();
        let heading = table.headers().unwrap().clone();
        let rows: Vec<csv::StringRecord> = table.records().map(Result::unwrap).collect();
        assert_eq!(rows.len(), samples.len());
        for (row, line) in rows.iter().zip(text.lines()) {
            let value: Value = serde_json::from_str(line).unwrap();
            let mut cells = flat(&value);
            cells.retain(|(key, _)| key != "checksum");
            let filled = row.iter().filter(|cell| !cell.is_empty()).count();
            assert_eq!(cells.len(), filled, "columns that samples have nothing for are empty");
            for (key, cell) in cells {
                let column = heading.iter().position(|name| name == key).expect("a column");
                assert_eq!(row[column], cell, "{key}");
            }
        }
    };
    same(&dir);
    // It is made anew from the lines.
    fs::write(dir.join("results.csv"), "half a ro").unwrap();
    drop(Store::open(&dir, &plan).unwrap());
    same(&dir);
}

/// Keys and texts of all values, `shares.host` as `shares_host`.
fn flat(value: &Value) -> Vec<(String, String)> {
    let mut cells = Vec::new();
    for (key, value) in value.as_object().unwrap() {
        match value {
            Value::Object(_) => {
                let inner = flat(value).into_iter();
                cells.extend(inner.map(|(name, cell)| (format!("{key}_{name}"), cell)));
            }
            Value::String(text) => cells.push((key.clone(), text.clone())),
            value => cells.push((key.clone(), value.to_string())),
        }
    }
    cells
}

#[test]
fn a_folder_of_another_plan_is_refused_and_left_alone() {
    let dir = folder("other");
    filled(&dir);
    let before = fs::read(dir.join("results.jsonl")).unwrap();
    let other = plan("[[sweep]]\ngames = \"breakthrough\"");
    let error = Store::open(&dir, &other).unwrap_err().to_string();
    assert!(error.contains("another plan (“Mine”)") && error.contains("-o"), "{error}");
    fs::remove_file(dir.join("plan.toml")).unwrap();
    let error = Store::open(&dir, &other).unwrap_err().to_string();
    assert!(error.contains("another plan"), "{error}");
    assert_eq!(fs::read(dir.join("results.jsonl")).unwrap(), before);
}

#[test]
fn two_studies_do_not_write_to_the_same_folder() {
    let dir = folder("busy");
    let plan = plan(PLAN);
    let store = Store::open(&dir, &plan).unwrap();
    let error = Store::open(&dir, &plan).unwrap_err().to_string();
    assert!(error.contains("another study is running"), "{error}");
    drop(store);
    Store::open(&dir, &plan).unwrap();
    assert_eq!(fs::read_to_string(dir.join("plan.toml")).unwrap(), PLAN);
}
