//! Ranks of MPI: the same answers and samples as with threads, and what happens
//! when a rank is killed.
//!
//! `toolchain/test` says where everything is:
//!
//! | variable | what it names |
//! |---|---|
//! | `RUCHE_MPIRUN` | `toolchain/mpirun` |
//! | `RUCHE_MPI_BINARY` | `ruche`, built with MPI |
//! | `RUCHE_MPI_ROUNDS` | the example `rounds` of `ruche-mpi` |
//! | `RUCHE_MPI_ULFM` | not empty if OpenMPI 5 with fault tolerance is installed |
//!
//! Without them the tests only say that they are skipped.
#![cfg(target_os = "linux")]

#[path = "mpi/job.rs"]
mod job;
#[path = "mpi/study.rs"]
mod study;
#[path = "mpi/timeline.rs"]
mod timeline;

use std::path::Path;
use std::time::Duration;

use job::{Job, Kind, Launcher, exclusive};
use serde_json::Value;

/// Ranks of every job: a host, an I/O node and four clusters.
const RANKS: usize = 6;

/// The rank that is killed when it shall be a cluster.
const CLUSTER: usize = 3;

/// The rank of the I/O node.
const IO_NODE: usize = 1;

/// A job ends within this time when a rank is lost.
const END: Duration = Duration::from_secs(10);

/// No job of these tests takes longer when all is well.
const LONG: Duration = Duration::from_secs(120);

/// So much processor time has a cluster used when it is surely playing.
const PLAYING: Duration = Duration::from_millis(600);

/// Starts the example, lets it do rounds without end, and kills a rank.
fn kill_in_rounds(launcher: &Launcher, rounds: usize, rank: usize) -> job::Outcome {
    let job = Job::start(launcher, RANKS, &[rounds.to_string().as_str(), "2048", "0"]);
    job.wait_for_output("# Rounds", LONG);
    job.signal(rank, "-KILL");
    job.finish(if rounds > 1_000_000 { END } else { LONG })
}

/// Arguments of a search of this length.
fn search(budget: &str, amount: u64) -> Vec<String> {
    let arguments = format!("search breakthrough {budget} {amount} --seed 7 --threads 1 --json");
    arguments.split(' ').map(str::to_owned).collect()
}

/// What must be the same on every topology.
fn answer(document: &str) -> Value {
    let mut document: Value = serde_json::from_str(document).expect("one JSON document");
    let of = |key: &str, document: &mut Value| document[key].take();
    let keys = ["game", "best", "moves", "playouts", "seed", "signature"];
    keys.map(|key| of(key, &mut document)).to_vec().into()
}

/// The answer of threads in one process.
fn answer_of_threads(launcher: &Launcher, playouts: u64) -> Value {
    let mut arguments = search("--playouts", playouts);
    arguments.extend(["--transport", "inproc", "--clusters", "4"].map(str::to_owned));
    let outcome = Job::start_alone(launcher, &arguments).finish(LONG);
    assert!(outcome.status.success(), "{outcome:?}");
    answer(&outcome.output)
}

/// A search in which a cluster is lost, but not the answer.
///
/// How fast a machine is cannot be known before: where a search ends before its
/// cluster is lost, one of four times the length follows.
fn search_without_cluster(launcher: &Launcher, signal: &str) {
    let lengths = [1, 4, 16, 64].map(|times| times * 2_000_000);
    let mut searches = lengths.iter().map(|playouts| {
        let mut arguments = search("--playouts", *playouts);
        arguments.extend(["--deadline", "2"].map(str::to_owned));
        let job = Job::start(launcher, RANKS, &arguments);
        if job.comes_to_work(CLUSTER, PLAYING, LONG) {
            job.signal(CLUSTER, signal);
        }
        let outcome = job.finish(LONG);
        assert!(outcome.status.success(), "{outcome:?}");
        (*playouts, outcome)
    });
    let (playouts, outcome) = searches
        .find(|(_, outcome)| outcome.errors.contains("cluster 1 is lost"))
        .expect("a search long enough to lose a cluster");
    assert_eq!(answer(&outcome.output), answer_of_threads(launcher, playouts));
}

#[test]
fn ranks_exchange_frames_and_end() {
    let _alone = exclusive();
    for kind in [Kind::Plain, Kind::Ulfm] {
        let Some(launcher) = Launcher::rounds(kind) else { continue };
        let outcome = Job::start(&launcher, RANKS, &["50", "100000", "1"]).finish(LONG);
        assert!(outcome.status.success(), "{outcome:?}");
        assert!(outcome.output.contains("\n50 100000 "), "{outcome:?}");
        assert!(outcome.errors.is_empty(), "{outcome:?}");
    }
}

#[test]
fn a_killed_cluster_is_left_out_and_the_others_go_on() {
    let _alone = exclusive();
    let Some(launcher) = Launcher::rounds(Kind::Ulfm) else { return };
    let outcome = kill_in_rounds(&launcher, 2000, CLUSTER);
    assert!(outcome.status.success(), "{outcome:?}");
    assert!(outcome.output.contains("\n2000 2048 "), "{outcome:?}");
    assert!(outcome.errors.contains("3 remain"), "{outcome:?}");
}

#[test]
fn a_killed_io_node_is_named_by_the_host() {
    let _alone = exclusive();
    for kind in [Kind::Plain, Kind::Ulfm] {
        let Some(launcher) = Launcher::rounds(kind) else { continue };
        let outcome = kill_in_rounds(&launcher, usize::MAX, IO_NODE);
        assert!(!outcome.status.success(), "{outcome:?}");
        assert!(outcome.output.contains("rounds were finished"), "{outcome:?}");
        let names = ["rank 1", "the launcher ends the job"];
        let is_told = names.iter().any(|name| outcome.errors.contains(name));
        assert!(is_told, "{outcome:?}");
    }
}

#[test]
fn a_killed_host_ends_all_ranks() {
    let _alone = exclusive();
    for kind in [Kind::Plain, Kind::Ulfm] {
        let Some(launcher) = Launcher::rounds(kind) else { continue };
        let outcome = kill_in_rounds(&launcher, usize::MAX, 0);
        assert!(!outcome.status.success(), "{outcome:?}");
    }
}

#[test]
fn without_fault_tolerance_a_killed_cluster_ends_the_job_with_what_was_finished() {
    let _alone = exclusive();
    let Some(launcher) = Launcher::rounds(Kind::Plain) else { return };
    let outcome = kill_in_rounds(&launcher, usize::MAX, CLUSTER);
    assert!(!outcome.status.success(), "{outcome:?}");
    assert!(outcome.output.contains("rounds were finished"), "{outcome:?}");
    assert!(outcome.errors.contains("as it does when a rank has died"), "{outcome:?}");
}

#[test]
fn a_search_on_ranks_gives_the_answer_of_threads() {
    let _alone = exclusive();
    for kind in [Kind::Plain, Kind::Ulfm] {
        let Some(launcher) = Launcher::ruche(kind) else { continue };
        let expected = answer_of_threads(&launcher, 20_000);
        let outcome = Job::start(&launcher, RANKS, &search("--playouts", 20_000)).finish(LONG);
        assert!(outcome.status.success(), "{outcome:?}");
        assert_eq!(answer(&outcome.output), expected);
    }
}

#[test]
fn a_game_over_2_mb_is_searched_on_ranks_with_a_larger_budget() {
    let _alone = exclusive();
    let Some(launcher) = Launcher::ruche(Kind::Plain) else { return };
    let Some(source) = ruche_corpus::game("pancakes88_v0") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let game = folder.path().join("pancakes88.kif");
    std::fs::write(&game, source).expect("a file");
    let game = game.to_str().expect("a plain name");
    let search = |more: &[&str]| {
        let usual = ["search", game, "--playouts", "64", "--batch", "4", "--json"];
        [&usual, more].concat().into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let small = Job::start(&launcher, 3, &search(&[])).finish(LONG);
    assert!(small.errors.contains("--budget 5M would do"), "{small:?}");
    let large = Job::start(&launcher, 4, &search(&["--budget", "16M"])).finish(LONG);
    let direct = Job::start_alone(&launcher, &search(&["--transport", "direct"])).finish(LONG);
    assert!(large.status.success() && direct.status.success(), "{large:?}, {direct:?}");
    assert_eq!(answer(&large.output), answer(&direct.output));
}

#[test]
fn a_search_gives_the_same_answer_when_a_cluster_is_killed() {
    let _alone = exclusive();
    let Some(launcher) = Launcher::ruche(Kind::Ulfm) else { return };
    search_without_cluster(&launcher, "-KILL");
}

#[test]
fn a_search_gives_the_same_answer_when_a_cluster_hangs_and_still_ends() {
    let _alone = exclusive();
    // Not with OpenMPI 4: its mpirun does not always notice that all ranks have
    // ended when one of them was stopped.
    let Some(launcher) = Launcher::ruche(Kind::Ulfm) else { return };
    search_without_cluster(&launcher, "-STOP");
}

/// As a table for people: `mpirun` cuts a longer document when it ends a job.
#[test]
fn without_fault_tolerance_a_search_ends_in_time_with_what_was_finished() {
    let _alone = exclusive();
    let Some(launcher) = Launcher::ruche(Kind::Plain) else { return };
    let mut arguments = search("--seconds", 60);
    arguments.retain(|argument| argument != "--json");
    for rank in [CLUSTER, IO_NODE] {
        let job = Job::start(&launcher, RANKS, &arguments);
        job.wait_for_work(CLUSTER, PLAYING, LONG);
        job.signal(rank, "-KILL");
        let outcome = job.finish(END);
        assert!(!outcome.status.success(), "{outcome:?}");
        assert!(outcome.output.contains("best: (move"), "{outcome:?}");
        assert!(outcome.errors.contains("playouts were done before"), "{outcome:?}");
    }
}

/// A launcher that ends the job for it is as good as a watchdog.
#[test]
fn a_rank_that_dies_before_mpi_has_started_does_not_hang_the_others() {
    let _alone = exclusive();
    let Some(launcher) = Launcher::ruche(Kind::Plain) else { return };
    let launcher = launcher.with_early_death(CLUSTER, Path::new(env!("CARGO_TARGET_TMPDIR")));
    let outcome = Job::start(&launcher, RANKS, &search("--playouts", 1000)).finish(LONG);
    assert!(!outcome.output.contains("signature"), "{outcome:?}");
    eprintln!("without rank {CLUSTER}: {}", outcome.errors.trim());
}

/// Who has died, the host cannot know: it names nobody.
#[test]
fn a_job_that_the_launcher_ends_is_not_blamed_on_the_io_node() {
    let _alone = exclusive();
    let Some(launcher) = Launcher::ruche(Kind::Plain) else { return };
    let job = Job::start(&launcher, RANKS, &search("--seconds", 60));
    job.wait_for_work(CLUSTER, PLAYING, LONG);
    job.signal(CLUSTER, "-KILL");
    let outcome = job.finish(END);
    assert!(outcome.errors.contains("the launcher ends the job"), "{outcome:?}");
    assert!(!outcome.errors.contains("(rank 1) is gone"), "{outcome:?}");
}

#[test]
fn a_player_plays_on_ranks_until_somebody_stops_it() {
    let _alone = exclusive();
    let Some(launcher) = Launcher::ruche(Kind::Plain) else { return };
    let job = Job::start(&launcher, 4, &["player", "--port", "0"]);
    job.wait_for_errors("a player listens at ", LONG);
    let told = job.errors();
    let address = told.split("listens at ").nth(1).and_then(|rest| rest.split('\n').next());
    let address = address.expect("an address");
    for game in ["connectfour", "nim"] {
        let arguments = ["referee", game, address, "legal", "--start", "20", "--play", "1"];
        let outcome = Job::start_alone(&launcher, &arguments).finish(LONG);
        assert!(outcome.status.success(), "{outcome:?}");
    }
    job.signal(0, "-INT");
    let outcome = job.finish(END);
    assert!(outcome.errors.contains(" playouts, "), "{outcome:?}");
    assert!(!outcome.errors.contains("play instead"), "{outcome:?}");
}

#[test]
fn what_has_no_use_for_ranks_is_done_once() {
    let _alone = exclusive();
    let Some(launcher) = Launcher::ruche(Kind::Plain) else { return };
    let arguments = ["bench", "tictactoe", "--seconds", "0.1", "--json"];
    let outcome = Job::start(&launcher, 4, &arguments).finish(LONG);
    assert!(outcome.status.success(), "{outcome:?}");
    serde_json::from_str::<Value>(&outcome.output).expect("one document");
    assert_eq!(outcome.errors.matches("rank 0 does this alone").count(), 1, "{outcome:?}");
}

#[test]
fn too_few_ranks_are_refused_with_the_least_number() {
    let _alone = exclusive();
    let Some(launcher) = Launcher::ruche(Kind::Plain) else { return };
    let outcome = Job::start(&launcher, 2, &search("--playouts", 1000)).finish(END * 2);
    assert!(!outcome.status.success(), "{outcome:?}");
    assert!(outcome.errors.contains("2 ranks are too few"), "{outcome:?}");
}
