//! Measurements on clusters that are there already, as ranks are. Here they are
//! threads: what MPI adds is tested with `mpirun`.

mod support;

use std::sync::Arc;

use ruche_clusters::{Ranks, cluster};
use ruche_io_node::transport::inproc;
use ruche_io_node::{IoNode, NodeSettings, serve};
use ruche_offload::Events;
use ruche_playouts::HostEngine;
use ruche_report::{Clock, Point, Transport};
use ruche_shared::budget::TOTAL_BYTES;
use ruche_study::{Assignment, Laboratory, LaboratoryError, RanksLaboratory, Stop, WallLaboratory};
use support::{plan, playable};

/// A laboratory with clusters that die before the frame of such a number.
fn laboratory(lifetimes: &[u64], stop: Stop) -> RanksLaboratory {
    let (host, mut network, endpoints) = inproc::network(lifetimes.len());
    let engine = Arc::new(HostEngine::default());
    let settings = NodeSettings::new(lifetimes.len());
    std::thread::spawn(move || serve(IoNode::new(settings), &mut network));
    for (endpoint, frames) in endpoints.into_iter().zip(lifetimes.to_vec()) {
        let engine = engine.clone();
        std::thread::spawn(move || {
            cluster::run_until(endpoint, &engine, TOTAL_BYTES, frames, None)
        });
    }
    let ranks = Ranks::new(host, lifetimes.len(), Events::default());
    RanksLaboratory::new(playable(), stop, ranks)
}

fn points(sweep: &str) -> Vec<Point> {
    let plan = plan(&format!("[[sweep]]\ngames = \"tictactoe\"\n{sweep}"));
    let points = plan.points(&playable(), Clock::Wall).unwrap();
    points.into_iter().map(|(point, _)| point).collect()
}

fn assignment(point: Point) -> Assignment {
    Assignment { point, seed: 7, runs: 5, warm_up: 2 }
}

const IMMORTAL: u64 = u64::MAX;

#[test]
fn points_that_follow_each_other_find_what_threads_find() {
    let ranks = laboratory(&[IMMORTAL; 3], Stop::default());
    let threads = WallLaboratory::new(playable(), Stop::default());
    let initial = "batch = 24\nstrategies = [\"spin\", \"restart\"]\nin-flight = [1, 3]\n\
                   clusters = [3, 1, 2]\nmodes = [\"per-core\", \"split\"]";
    let search = "batch = 16\nclusters = [2, 1]\npositions = \"search\"";
    for point in points(initial).into_iter().chain(points(search)) {
        let assignment = assignment(point);
        let [on_ranks, here] =
            [&ranks as &dyn Laboratory, &threads].map(|it| it.measure(&assignment).unwrap());
        assert_eq!(on_ranks.signature, here.signature, "{assignment:?}");
        assert_eq!(on_ranks.playouts, here.playouts);
    }
    assert_eq!((ranks.transport(), threads.transport()), (Transport::Mpi, Transport::Inproc));
}

#[test]
fn more_clusters_than_there_are_need_so_many_ranks() {
    let ranks = laboratory(&[IMMORTAL; 2], Stop::default());
    let error = ranks.check(&assignment(points("clusters = 5")[0].clone())).unwrap_err();
    assert!(matches!(error, LaboratoryError::Impossible(_)));
    let error = error.to_string();
    assert!(error.contains("5 clusters need 7 ranks, and there are 4"), "{error}");
    assert!(error.contains("`mpirun -n 7`"), "{error}");
}

#[test]
fn ranks_have_one_io_node() {
    let ranks = laboratory(&[IMMORTAL; 2], Stop::default());
    let point = points("clusters = 2\nio-nodes = 2")[0].clone();
    let error = ranks.check(&assignment(point)).unwrap_err().to_string();
    assert!(error.contains("without mpirun"), "{error}");
}

#[test]
fn a_sample_in_which_a_cluster_dies_is_taken_again_with_the_others() {
    let expected = laboratory(&[IMMORTAL], Stop::default());
    let expected = expected.measure(&assignment(points("batch = 8")[0].clone())).unwrap();
    // Hello, Ready, and a few answers.
    let ranks = laboratory(&[4, IMMORTAL, IMMORTAL], Stop::default());
    for point in points("clusters = 1\nbatch = 8\nstrategies = [\"condvar\", \"spin\"]") {
        assert_eq!(ranks.measure(&assignment(point)).unwrap().signature, expected.signature);
    }
    let error = ranks.measure(&assignment(points("clusters = 3")[0].clone())).unwrap_err();
    let text = "3 clusters shall play, but only 2 of 3 are left";
    assert!(matches!(error, LaboratoryError::Failed(_)));
    assert!(error.to_string().contains(text), "{error}");
}

#[test]
fn a_wish_to_stop_is_heard() {
    let stop = Stop::default();
    let ranks = laboratory(&[IMMORTAL], stop.clone());
    stop.request();
    let stopped = ranks.measure(&assignment(points("batch = 8")[0].clone()));
    assert_eq!(stopped, Err(LaboratoryError::Stopped));
}
