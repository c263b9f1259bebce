//! Measurements on this machine.

mod support;

use ruche_report::{Clock, Point, Positions};
use ruche_study::{Assignment, Laboratory, LaboratoryError, Measured, Plan, Stop, WallLaboratory};
use support::{plan, playable};

fn points(plan: &Plan) -> Vec<Point> {
    let points = plan.points(&playable(), Clock::Wall).unwrap();
    points.into_iter().map(|(point, _)| point).collect()
}

fn measure(point: Point, runs: u64, warm_up: u64) -> Result<Measured, LaboratoryError> {
    let laboratory = WallLaboratory::new(playable(), Stop::default());
    laboratory.measure(&Assignment { point, seed: 7, runs, warm_up })
}

fn signatures(text: &str, runs: u64) -> Vec<String> {
    let measured = points(&plan(text)).into_iter().map(|point| {
        let expected = runs * u64::from(point.batch * point.playouts_per_position);
        let is_search = point.positions == Positions::Search;
        let measured = measure(point, runs, 2).unwrap();
        let shares = measured.shares;
        let sum =
            shares.host + shares.transfer + shares.hand_off + shares.playouts + shares.waiting;
        assert!((sum - 1.0).abs() < 1e-9, "{shares:?}");
        assert!(measured.playouts == expected || is_search && measured.playouts <= expected);
        assert!(measured.seconds > 0.0);
        measured.signature
    });
    measured.collect()
}

fn assert_all_equal(signatures: &[String]) {
    assert!(signatures.iter().all(|one| *one == signatures[0]), "{signatures:?}");
}

#[test]
fn results_depend_on_no_topology() {
    let topologies = "[[sweep]]\ngames = \"tictactoe\"\nbatch = 24\nclusters = [1, 2]\n\
        threads = [1, 3]\nstrategies = [\"restart\", \"condvar\", \"portal\", \"spin\"]\n\
        words = [1, 64]\nin-flight = [1, 3]\nmodes = [\"per-core\", \"split\"]";
    let found = signatures(topologies, 5);
    assert_eq!(found.len(), 128);
    assert_all_equal(&found);
    // Nor on how the positions are cut into batches.
    let cut = signatures("[[sweep]]\ngames = \"tictactoe\"\nbatch = 12", 10);
    assert_eq!(cut[0], found[0]);
}

#[test]
fn a_search_finds_the_same_on_every_topology() {
    let found = signatures(
        "[[sweep]]\ngames = \"tictactoe\"\npositions = \"search\"\nbatch = 16\n\
         playouts-per-position = 4\nclusters = [1, 2]\nthreads = [1, 2]",
        20,
    );
    assert_all_equal(&found);
}

#[test]
fn where_nobody_plays_the_time_is_that_of_the_hand_off() {
    let plan = plan("[[sweep]]\ngames = \"empty\"\nbytes = [200, 2000]\nbatch = 32\nthreads = 2");
    for point in points(&plan) {
        let measured = measure(point, 20, 0).unwrap();
        assert_eq!((measured.playouts, measured.shares.playouts), (20 * 32, 0.0));
        assert!(measured.shares.hand_off > 0.0);
    }
}

#[test]
fn results_do_not_depend_on_the_warm_up() {
    let point = points(&plan("[[sweep]]\ngames = \"tictactoe\"\nbatch = 4"))[0].clone();
    let [cold, warm] = [0, 9].map(|warm_up| measure(point.clone(), 3, warm_up).unwrap().signature);
    assert_eq!(cold, warm);
}

#[test]
fn several_io_nodes_find_what_one_does() {
    for positions in ["initial", "search"] {
        let text = format!(
            "[[sweep]]\ngames = \"tictactoe\"\npositions = \"{positions}\"\nclusters = 5\n\
             batch = 24\nio-nodes = [1, 2, 5]\nin-flight = 3\nstrategies = \"condvar\""
        );
        let found = signatures(&text, 10);
        assert_eq!(found.len(), 3);
        assert_all_equal(&found);
    }
}

#[test]
fn io_nodes_without_clusters_are_refused() {
    let mut point = points(&plan("[[sweep]]\ngames = \"tictactoe\""))[0].clone();
    point.io_nodes = 2;
    let error = measure(point, 1, 0).unwrap_err().to_string();
    assert!(error.contains("2 I/O nodes for 1 clusters"), "{error}");
}

#[test]
fn a_wish_to_stop_is_heard_between_two_runs() {
    let stop = Stop::default();
    stop.request();
    let laboratory = WallLaboratory::new(playable(), stop);
    for positions in ["initial", "search"] {
        let text = format!("[[sweep]]\ngames = \"tictactoe\"\npositions = \"{positions}\"");
        let point = points(&plan(&text))[0].clone();
        let assignment = Assignment { point, seed: 0, runs: 1_000_000, warm_up: 0 };
        assert_eq!(laboratory.measure(&assignment), Err(LaboratoryError::Stopped));
    }
}
