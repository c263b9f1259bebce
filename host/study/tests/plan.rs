//! Plans: what they ask for, and what is wrong with them.

mod support;

use ruche_report::{Clock, Point, Positions};
use ruche_runtime::strategy::Strategy;
use ruche_shared::WordWidth;
use ruche_shared::wire::control::Mode;
use ruche_study::plan::builtin;
use ruche_study::{Overrides, Plan, PlanError};
use support::{library, plan};

fn points(text: &str) -> Vec<Point> {
    let points = plan(text).points(&library(), Clock::Wall).unwrap();
    points.into_iter().map(|(point, _)| point).collect()
}

fn error(text: &str) -> PlanError {
    let plan = Plan::parse("mine", "mine.toml", text);
    plan.and_then(|plan| plan.points(&library(), Clock::Wall).map(drop)).unwrap_err()
}

#[test]
fn mistakes_are_named_by_line_and_key() {
    let sweep = "[[sweep]]\ngames = \"tictactoe\"\n";
    let with = |line: &str| format!("{sweep}{line}\n");
    let wrong: &[(&str, usize, &str, &str)] = &[
        ("runs = [", 1, "", "no TOML"),
        ("title = \"x\"\n= 3", 2, "", "no TOML"),
        ("", 1, "sweep", "nothing to measure"),
        ("[sweep]\ngames = \"tictactoe\"", 1, "sweep", "[[sweep]]"),
        ("sweep = []", 1, "sweep", "nothing to measure"),
        ("sweep = [3]", 1, "sweep", "[[sweep]]"),
        ("title = 3\n[[sweep]]", 1, "title", "a text in quotes, not an integer"),
        ("\nrun = 3\n[[sweep]]", 2, "run", "unknown key; possible here: title"),
        ("runs = 0\n[[sweep]]", 1, "runs", "0 is not in 1 to 1000000000"),
        ("runs = -1\n[[sweep]]", 1, "runs", "-1 is not in"),
        ("runs = 1.5\n[[sweep]]", 1, "runs", "a whole number, not a float"),
        ("runs = \"many\"\n[[sweep]]", 1, "runs", "a whole number, not a string"),
        ("repetitions = 0\n[[sweep]]", 1, "repetitions", "0 is not in"),
        ("clock = \"sun\"\n[[sweep]]", 1, "clock", "possible: wall, model"),
        ("[[sweep]]\nthreads = 1", 1, "games", "say which"),
        ("[[sweep]]\ngames = []", 2, "games", "the list is empty"),
        ("[[sweep]]\ngames = [\"\"]", 2, "games", "has a name"),
        ("[[sweep]]\ngames = \"chess\"", 2, "games", "`chess` is unknown"),
        ("[[sweep]]\ngames = [\n  \"tictactoe\",\n  7,\n]", 4, "games", "a text in quotes"),
        (&with("thread = 3"), 3, "thread", "possible here: games, modes"),
        (&with("threads = 0"), 3, "threads", "0 is not in 1 to 16"),
        (&with("threads = 17"), 3, "threads", "17 is not in 1 to 16"),
        (&with("threads = \"1..17\""), 3, "threads", "17 is not in 1 to 16"),
        (&with("threads = \"4..1\""), 3, "threads", "neither a number nor a range"),
        (&with("threads = \"few\""), 3, "threads", "neither a number nor a range"),
        (&with("threads = []"), 3, "threads", "the list is empty"),
        (&with("threads = [1,\n 2,\n 99]"), 5, "threads", "99 is not in"),
        (&with("threads = true"), 3, "threads", "a whole number, not a boolean"),
        (&with("clusters = 0"), 3, "clusters", "0 is not in 1 to 4096"),
        (&with("clusters = 99999999999999999999"), 3, "clusters", "is not in"),
        (&with("strategies = \"sleep\""), 3, "strategies", "restart, condvar, spin, portal"),
        (&with("modes = [\"both\"]"), 3, "modes", "possible: per-core, split"),
        (&with("words = 63"), 3, "words", "no word of 63 lanes; possible: 1, 8, 16"),
        (&with("words = 0"), 3, "words", "no word of 0 lanes"),
        (&with("batch = 0"), 3, "batch", "0 is not in 1 to"),
        (&with("batch = \"threads*0\""), 3, "batch", "no size of a batch"),
        (&with("batch = \"cores\""), 3, "batch", "\"threads*4\""),
        (&with("batch = \"threads*1000000\"\nthreads = 16"), 3, "batch", "under way"),
        (&with("playouts-per-position = 0"), 3, "playouts-per-position", "0 is not in"),
        (&with("in-flight = 0"), 3, "in-flight", "0 is not in"),
        (&with("io-nodes = 2"), 3, "io-nodes", "2 I/O nodes for 1 clusters"),
        (&with("positions = \"final\""), 3, "positions", "possible: initial, search"),
        (&with("bytes = 200"), 3, "bytes", "of a real game"),
        (&with("runs = 0"), 3, "runs", "0 is not in"),
        (&with("[cost]\ntictactoe = 0"), 4, "tictactoe", "0 is no factor"),
        (&with("[cost]\ntictactoe = \"much\""), 4, "tictactoe", "a number, not a string"),
        ("cost = 3\n[[sweep]]\ngames = \"tictactoe\"", 1, "cost", "write [cost]"),
        ("[[sweep]]\ngames = \"empty\"", 1, "bytes", "how long"),
        ("[[sweep]]\ngames = \"empty\"\nbytes = \"game\"", 3, "bytes", "how long"),
        ("[[sweep]]\ngames = \"empty\"\nbytes = 30", 3, "bytes", "words of 4 bytes"),
        ("[[sweep]]\ngames = \"empty\"\nbytes = 0", 3, "bytes", "0 is not in"),
        ("[[sweep]]\ngames = [\"empty\", \"tictactoe\"]\nbytes = 8", 2, "games", "two sweeps"),
        ("[[sweep]]\ngames = \"empty\"\nbytes = 8\nmodes = \"split\"", 4, "modes", "leave"),
        (
            "[[sweep]]\ngames = \"empty\"\nbytes = 8\npositions = \"search\"",
            4,
            "positions",
            "nobody",
        ),
    ];
    for (text, line, key, message) in wrong {
        let error = error(text);
        assert_eq!((error.line, error.key.as_str()), (*line, *key), "{text}\n{error}");
        assert!(error.message.contains(message), "{text}\n{error}");
        assert!(error.to_string().starts_with(&format!("mine.toml:{line}: ")), "{error}");
    }
}

#[test]
fn a_game_that_does_not_fit_is_found_before_anything_is_measured() {
    let error = error("[[sweep]]\ngames = \"empty\"\nbytes = 16384\nwords = 64\nthreads = 16");
    assert_eq!((error.line, error.key.as_str()), (2, "games"));
    for words in ["16384 bytes does not fit", "16 cores with 64 lanes", "fewer threads"] {
        assert!(error.message.contains(words), "{error}");
    }
}

#[test]
fn what_is_not_said_is_as_in_the_original() {
    let [point] = &points("[[sweep]]\ngames = \"tictactoe\"")[..] else { panic!() };
    let expected = Point {
        game: "tictactoe".to_owned(),
        clusters: 1,
        threads: 1,
        strategy: Strategy::Restart,
        mode: Mode::PerCore,
        word: WordWidth::One,
        playouts_per_position: 1,
        batch: 1,
        bytes: 4,
        in_flight: 1,
        io_nodes: 1,
        positions: Positions::Initial,
        cost_factor: 1.0,
    };
    assert_eq!(*point, expected);
}

#[test]
fn games_change_slowest_and_threads_fastest() {
    let points = points(
        "[[sweep]]\nthreads = \"1..2\"\nclusters = [3, 1]\nstrategies = [\"spin\", \"restart\"]\n\
         games = [\"tictactoe\", \"breakthrough\"]",
    );
    let names = points.iter().map(|point| {
        format!("{} {} {}x{}", point.game, point.strategy, point.clusters, point.threads)
    });
    let mut expected = Vec::new();
    for game in ["tictactoe", "breakthrough"] {
        for strategy in ["spin", "restart"] {
            for machine in ["3x1", "3x2", "1x1", "1x2"] {
                expected.push(format!("{game} {strategy} {machine}"));
            }
        }
    }
    assert_eq!(names.collect::<Vec<_>>(), expected);
}

#[test]
fn ranges_have_both_ends_and_a_step() {
    let points = points("[[sweep]]\ngames = \"empty\"\nbytes = [4, \"200..2000 step 600\", 8]");
    let bytes: Vec<u32> = points.iter().map(|point| point.bytes).collect();
    assert_eq!(bytes, [4, 200, 800, 1400, 2000, 8]);
}

#[test]
fn a_batch_follows_the_machine() {
    let points = points(
        "[[sweep]]\ngames = \"tictactoe\"\nclusters = 3\nthreads = [1, 5]\n\
         batch = [7, \"threads\", \"threads * 4\", \"clusters*2\"]",
    );
    let batches: Vec<u32> = points.iter().map(|point| point.batch).collect();
    assert_eq!(batches, [7, 7, 3, 15, 12, 60, 6, 6]);
}

#[test]
fn a_point_is_planned_once() {
    let sweep = "[[sweep]]\ngames = \"tictactoe\"\nthreads = [1, 2, 1]\n";
    assert_eq!(points(&format!("{sweep}{sweep}")).len(), 2);
    assert_eq!(points(&format!("{sweep}{sweep}runs = 3")).len(), 4);
}

#[test]
fn repetitions_are_the_outer_loop_and_have_seeds_of_their_own() {
    let plan =
        plan("seed = 5\nrepetitions = 2\n[[sweep]]\ngames = \"tictactoe\"\nthreads = [1, 2]");
    let schedule = |overrides| plan.schedule(&library(), Clock::Wall, &overrides).unwrap();
    let order = |overrides| -> Vec<(u32, usize, u64)> {
        let tasks = schedule(overrides).into_iter();
        tasks.map(|task| (task.repetition, task.number, task.assignment.seed)).collect()
    };
    assert_eq!(order(Overrides::default()), [(0, 1, 5), (0, 2, 5), (1, 1, 6), (1, 2, 6)]);
    let seed = Some(u64::MAX);
    let overrides = Overrides { runs: Some(3), repetitions: Some(1), seed };
    assert_eq!(order(overrides), [(0, 1, u64::MAX), (0, 2, u64::MAX)]);
    assert!(schedule(overrides).iter().all(|task| task.assignment.runs == 3));
}

#[test]
fn cost_is_a_matter_of_the_model() {
    let plan = plan("[[sweep]]\ngames = \"tictactoe\"\n[cost]\ntictactoe = 13.5");
    let cost = |clock| plan.points(&library(), clock).unwrap()[0].0.cost_factor;
    assert_eq!((cost(Clock::Model), cost(Clock::Wall)), (13.5, 1.0));
}

#[test]
fn plans_are_compared_by_what_they_ask_for() {
    let one = plan("title = \"one\"\n[[sweep]]\ngames = \"tictactoe\"\nthreads = [1, 2]");
    let same = plan("# other\n\n[[sweep]]\nthreads = \"1..2\"\ngames = [\"tictactoe\"]");
    let other = plan("[[sweep]]\ngames = \"tictactoe\"\nthreads = [1, 3]");
    assert!(one.is_same_as(&same));
    assert!(!one.is_same_as(&other));
}

#[test]
fn the_plans_that_come_with_ruche_are_those_of_the_original_study() {
    let count = |name: &str| {
        let plan = builtin::find(name).unwrap().plan().unwrap();
        assert!(!plan.about.is_empty() && !plan.about.contains('\n'), "{name}");
        plan.points(&library(), plan.clock).unwrap().len()
    };
    assert_eq!(count("fig6.5"), 10 * 4);
    assert_eq!(count("fig6.6"), 256);
    assert_eq!(count("fig6.7"), 4 * 256);
    assert_eq!(count("fig6.8"), (4 + 2 * 2) * 16);
    assert_eq!(count("tree"), 4 * 6 * 2);
    assert!(count("beyond") > 0 && count("quick") > 0);
    assert_eq!(builtin::all().len(), 7);
}
