//! Studies on ranks: the samples of threads, as many clusters as a point wants, and
//! nothing lost when a rank or a person ends it.

use std::{fs, path::PathBuf, time::Duration};

use serde_json::Value;

use crate::{
    END, LONG,
    job::{Job, Kind, Launcher, Outcome, exclusive},
};

/// Ranks of every job: a host, an I/O node and two clusters.
const RANKS: usize = 4;

/// Points with one and with two clusters, whose results are compared.
const PLAN: &str = "\
runs = 20
warm-up = 2
repetitions = 2
[[sweep]]
games = [\"tictactoe\", \"connectfour\"]
strategies = [\"condvar\", \"spin\"]
words = 64
batch = 16
in-flight = [1, 2]
clusters = [1, 2]
[[sweep]]
games = \"tictactoe\"
positions = \"search\"
batch = 16
clusters = 2
";
const SAMPLES: usize = 2 * (2 * 2 * 2 * 2 + 1);

/// A plan that nobody waits for the end of.
const ENDLESS: &str = "\
runs = 500
repetitions = 10000
[[sweep]]
games = \"connectfour\"
words = 64
batch = 16
clusters = CLUSTERS
";

/// First both clusters play, with cores that wait actively, then only one does.
const SLEEP: &str = "\
[[sweep]]
games = \"connectfour\"
strategies = \"spin\"
runs = 5
clusters = 2
[[sweep]]
games = \"connectfour\"
words = 64
batch = 16
runs = 1000000000
";

/// A plan and a folder for its results, of which nothing is there.
struct Study {
    plan: PathBuf,
    dir: PathBuf,
}

impl Study {
    fn new(name: &str, plan: &str) -> Self {
        let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("mpi-study-{name}"));
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir).expect("a folder for tests");
        let file = dir.join("plan.toml");
        fs::write(&file, plan).expect("a file for tests");
        Self { plan: file, dir: dir.join("results") }
    }

    fn endless(name: &str, clusters: usize) -> Self {
        Self::new(name, &ENDLESS.replace("CLUSTERS", &clusters.to_string()))
    }

    fn arguments(&self) -> [&str; 6] {
        let [plan, dir] = [&self.plan, &self.dir].map(|path| path.to_str().expect("a plain path"));
        ["study", plan, "--clock", "wall", "-o", dir]
    }

    fn lines(&self) -> PathBuf {
        self.dir.join("results.jsonl")
    }

    fn samples(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.lines()).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).expect("a sample")).collect()
    }

    fn on_ranks(&self, launcher: &Launcher) -> Outcome {
        Job::start(launcher, RANKS, &self.arguments()).finish(LONG)
    }

    fn alone(&self, launcher: &Launcher) -> Outcome {
        Job::start_alone(launcher, &self.arguments()).finish(LONG)
    }
}

/// What must be the same on every transport, of each sample.
fn findings(samples: &[Value], transport: &str) -> Vec<Vec<Value>> {
    let keys = ["game", "clusters", "strategy", "in_flight", "positions", "seed", "playouts"];
    let of = |sample: &Value| {
        keys.iter().chain(&["signature"]).map(|key| sample[*key].clone()).collect()
    };
    samples.iter().filter(|sample| sample["transport"] == transport).map(of).collect()
}

#[test]
fn a_study_on_ranks_takes_the_samples_of_threads_and_keeps_them_apart() {
    let _alone = exclusive();
    for kind in [Kind::Plain, Kind::Ulfm] {
        let Some(launcher) = Launcher::ruche(kind) else { continue };
        let study = Study::new("same", PLAN);
        for outcome in [study.on_ranks(&launcher), study.alone(&launcher)] {
            assert!(outcome.status.success(), "{outcome:?}");
            assert!(outcome.output.contains(&format!("samples  {SAMPLES} of {SAMPLES}")));
        }
        let samples = study.samples();
        assert_eq!(samples.len(), 2 * SAMPLES);
        assert_eq!(findings(&samples, "mpi"), findings(&samples, "inproc"));
        let again = samples[0]["invocation"].as_str().expect("a command");
        assert!(again.starts_with("mpirun -n 4 ruche study "), "{again}");
        // All are there: nothing is measured a second time.
        let outcome = study.on_ranks(&launcher);
        assert!(outcome.errors.contains(&format!("{SAMPLES} of {SAMPLES} samples are there")));
        assert_eq!(study.samples().len(), 2 * SAMPLES);
    }
}

#[test]
fn more_clusters_than_ranks_have_is_an_error_with_the_number_to_start() {
    let _alone = exclusive();
    let Some(launcher) = Launcher::ruche(Kind::Plain) else { return };
    let sweep = "[[sweep]]\ngames = \"tictactoe\"\n";
    for (name, line, words) in [
        ("large", "clusters = [1, 3, 16]", "16 clusters need 18 ranks, and there are 4"),
        ("nodes", "clusters = 2\nio-nodes = 2", "start `ruche study` without mpirun"),
        ("wrong", "clusters = 0", "clusters: 0 is not in 1 to"),
    ] {
        let study = Study::new(name, &format!("{sweep}{line}"));
        let outcome = study.on_ranks(&launcher);
        assert_eq!(outcome.status.code(), Some(2), "{outcome:?}");
        let told = outcome.errors.lines().filter(|line| line.starts_with("ruche: "));
        assert_eq!(told.filter(|line| line.contains(words)).count(), 1, "{outcome:?}");
        assert!(!study.dir.exists());
    }
    let study = Study::new("model", &format!("clock = \"model\"\n{sweep}"));
    let outcome = Job::start(&launcher, RANKS, &study.arguments()[..2]).finish(LONG);
    assert_eq!(outcome.status.code(), Some(2), "{outcome:?}");
    assert!(outcome.errors.contains("--clock model"), "{outcome:?}");
}

#[test]
fn a_cluster_that_a_point_does_without_sleeps() {
    let _alone = exclusive();
    let Some(launcher) = Launcher::ruche(Kind::Plain) else { return };
    let study = Study::new("sleep", SLEEP);
    let job = Job::start(&launcher, RANKS, &study.arguments());
    job.wait_for_lines(&study.lines(), 1, LONG);
    let before = [2, 3].map(|rank| job.work_of(rank));
    job.wait_for_work(2, before[0] + Duration::from_secs(1), LONG);
    let slept = job.work_of(3) - before[1];
    assert!(slept < Duration::from_millis(500), "a cluster at rest used {slept:?}");
    job.signal(0, "-INT");
    let _ = job.finish(LONG);
}

/// Ends a study that has taken a few samples, and goes on with it.
fn end(launcher: &Launcher, name: &str, rank: usize, signal: &str) -> (Study, Outcome) {
    let study = Study::endless(name, 2);
    let job = Job::start(launcher, RANKS, &study.arguments());
    job.wait_for_lines(&study.lines(), 3, LONG);
    job.signal(rank, signal);
    let outcome = job.finish(END);
    assert!(study.samples().len() >= 3);
    assert!(study.dir.join("report.html").exists(), "{outcome:?}");
    assert!(outcome.errors.contains("mpirun -n 4 ruche study"), "{outcome:?}");
    (study, outcome)
}

#[test]
fn an_interrupted_study_reports_and_goes_on_later() {
    let _alone = exclusive();
    for kind in [Kind::Plain, Kind::Ulfm] {
        let Some(launcher) = Launcher::ruche(kind) else { continue };
        let (study, outcome) = end(&launcher, "interrupted", 0, "-INT");
        assert_eq!(outcome.status.code(), Some(130), "{outcome:?}");
        assert!(outcome.errors.contains("stopped; go on with"), "{outcome:?}");
        let taken = study.samples().len();
        let job = Job::start(&launcher, RANKS, &study.arguments());
        job.wait_for_lines(&study.lines(), taken + 2, LONG);
        job.signal(0, "-INT");
        let outcome = job.finish(END);
        let found = format!("{taken} of 10000 samples are there already");
        assert!(outcome.errors.contains(&found), "{outcome:?}");
    }
}

#[test]
fn without_fault_tolerance_a_killed_rank_ends_the_study_with_its_samples() {
    let _alone = exclusive();
    let Some(launcher) = Launcher::ruche(Kind::Plain) else { return };
    for (name, rank) in [("cluster", 2), ("io-node", 1)] {
        let (_, outcome) = end(&launcher, name, rank, "-KILL");
        assert!(!outcome.status.success(), "{outcome:?}");
        assert!(outcome.errors.contains("what was measured is kept"), "{outcome:?}");
    }
}

#[test]
fn a_killed_cluster_ends_no_study_as_long_as_enough_are_left() {
    let _alone = exclusive();
    let Some(launcher) = Launcher::ruche(Kind::Ulfm) else { return };
    let study = Study::endless("survived", 1);
    let job = Job::start(&launcher, RANKS, &study.arguments());
    job.wait_for_lines(&study.lines(), 2, LONG);
    job.signal(2, "-KILL");
    job.wait_for_errors("cluster 0 is lost; its sample is taken again", LONG);
    let taken = study.samples().len();
    job.wait_for_lines(&study.lines(), taken + 2, LONG);
    // Now nobody is left.
    job.signal(3, "-KILL");
    let outcome = job.finish(END);
    assert_eq!(outcome.status.code(), Some(1), "{outcome:?}");
    assert!(outcome.errors.contains("only 0 of 2 are left"), "{outcome:?}");
    assert!(outcome.errors.contains("what was measured is kept"), "{outcome:?}");
}
