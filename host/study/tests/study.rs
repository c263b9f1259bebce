//! Studies with a laboratory that makes figures up: what is kept, in which order.

mod support;

use std::fs;
use std::path::Path;

use ruche_report::{Clock, Transport};
use ruche_study::study::disagreements;
use ruche_study::{LaboratoryError, Stop, Store, StudyError, StudyOutcome};
use support::{Fake, folder, library, plan, study};

const PLAN: &str = "\
runs = 10
repetitions = 3
[[sweep]]
games = [\"tictactoe\", \"breakthrough\"]
clusters = [1, 4]
threads = \"1..16\"
";

fn run(dir: &Path, laboratory: &Fake) -> Result<StudyOutcome, StudyError> {
    let plan = plan(PLAN);
    let mut store = Store::open(dir, &plan)?;
    let stop = Stop::default();
    study(&plan, &library(), Clock::Model).run(laboratory, &mut store, &stop, &mut |_| ())
}

fn files(dir: &Path) -> [Vec<u8>; 2] {
    ["results.jsonl", "results.csv"].map(|name| fs::read(dir.join(name)).unwrap())
}

const ALL: usize = 2 * 2 * 16 * 3;

#[test]
fn any_number_of_threads_writes_the_same_bytes() {
    let [one, four] = [1, 4].map(|threads| {
        let dir = folder(&format!("threads-{threads}"));
        let outcome = run(&dir, &Fake::with(threads)).unwrap();
        assert_eq!(outcome, StudyOutcome { taken: ALL, found: 0, is_complete: true });
        files(&dir)
    });
    assert!(one == four);
    assert_eq!(one[0].iter().filter(|byte| **byte == b'\n').count(), ALL);
}

#[test]
fn what_was_stopped_goes_on_and_ends_as_if_it_had_not() {
    let whole = folder("whole");
    run(&whole, &Fake::with(2)).unwrap();
    let dir = folder("stopped");
    let laboratory = Fake { fails_at: Some((9, LaboratoryError::Stopped)), ..Fake::with(3) };
    let stopped = run(&dir, &laboratory).unwrap();
    assert_eq!(stopped, StudyOutcome { taken: 8, found: 0, is_complete: false });
    let outcome = run(&dir, &Fake::with(3)).unwrap();
    assert_eq!(outcome, StudyOutcome { taken: ALL - 8, found: 8, is_complete: true });
    assert!(files(&dir) == files(&whole));
    let outcome = run(&dir, &Fake::with(1)).unwrap();
    assert_eq!(outcome, StudyOutcome { taken: 0, found: ALL, is_complete: true });
    assert!(files(&dir) == files(&whole));
}

#[test]
fn samples_of_another_transport_are_not_taken_for_those_of_this_one() {
    let dir = folder("transports");
    for transport in [Transport::Inproc, Transport::Mpi] {
        let outcome = run(&dir, &Fake { transport, ..Fake::with(1) }).unwrap();
        assert_eq!((outcome.taken, outcome.found), (ALL, 0), "{transport}");
        let outcome = run(&dir, &Fake { transport, ..Fake::with(1) }).unwrap();
        assert_eq!((outcome.taken, outcome.found), (0, ALL), "{transport}");
    }
}

#[test]
fn a_failure_names_the_point_and_keeps_what_was_before() {
    let dir = folder("failure");
    let error = LaboratoryError::Failed("no luck".to_owned());
    let laboratory = Fake { fails_at: Some((5, error)), ..Fake::with(4) };
    let error = run(&dir, &laboratory).unwrap_err().to_string();
    assert!(error.contains("point 5") && error.contains("1×5") && error.contains("no luck"));
    assert_eq!(Store::open(&dir, &plan(PLAN)).unwrap().samples().len(), 4);
}

#[test]
fn a_wish_to_stop_is_heard_between_two_samples() {
    let (dir, plan, stop) = (folder("wish"), plan(PLAN), Stop::default());
    let mut store = Store::open(&dir, &plan).unwrap();
    let outcome =
        study(&plan, &library(), Clock::Model).run(&Fake::with(1), &mut store, &stop, &mut |at| {
            if at.done == 5 {
                stop.request();
            }
        });
    let outcome = outcome.unwrap();
    assert!(!outcome.is_complete && (5..=7).contains(&outcome.taken), "{outcome:?}");
}

#[test]
fn results_that_differ_are_complained_about() {
    let (dir, plan) = (folder("differ"), plan(PLAN));
    run(&dir, &Fake::with(1)).unwrap();
    let mut samples = Store::open(&dir, &plan).unwrap().samples().to_vec();
    assert_eq!(disagreements(&samples), [""; 0]);
    // 1×4 and 4×1 have batches of 4.
    let other = samples.iter_mut().find(|sample| sample.point.clusters == 4).unwrap();
    other.signature = "other".to_owned();
    assert_eq!(disagreements(&samples).len(), 1);
}
