//! Every game of the corpus that compiles does what the reference says, in every
//! state of every trace, with one lane and with 64, and in few slots.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use ruche_compiler::Report;
use ruche_corpus::directory;
use ruche_game::Game;
use ruche_tests::player::{check_promises, compile};
use ruche_trace::replay::{self, Difference};
use ruche_trace::trace::Trace;

/// Share of the games with a trace that must compile.
const MUST_COMPILE: f64 = 0.95;

/// Slots that a game may have for each value that it must keep at once.
const MOST_SLOTS: f64 = 1.3;

/// Small games on which the reference is known to be wrong, and where it first
/// differs from what is right.
const REFERENCE_IS_WRONG: [(&str, usize, &str); 4] = [
    // `(not (or a b))` is read as `(or (not a) (not b))`.
    ("not_or", 1, "legal moves of r"),
    // Roles that follow from a rule are not seen.
    ("role_rule", 1, "joint move"),
    // `(terminal)` is not taken for `terminal`.
    ("term_list", 2, "terminal"),
    // Likewise `(open2)` and `open2`.
    ("test_case_3a", 1, "legal moves of xplayer"),
];

/// What became of a game.
enum Outcome {
    Agrees,
    Refused(String),
    Differs(Difference),
}

#[test]
fn every_game_that_compiles_agrees_with_its_trace_on_every_line() {
    let Some(corpus) = directory("the traces of all games") else { return };
    let games = kif_files(&corpus.join("games"));
    let outcomes = replay_all(&games, &corpus.join("traces"));
    let refused = outcomes.iter().filter_map(|(game, outcome)| match outcome {
        Outcome::Refused(reason) => Some(format!("{game}: {reason}")),
        _ => None,
    });
    let refused: Vec<_> = refused.collect();
    println!("{} of {} games compile", games.len() - refused.len(), games.len());
    println!("{}", refused.join("\n"));
    for (game, outcome) in &outcomes {
        if let Outcome::Differs(difference) = outcome {
            panic!("{game} differs: {difference:#?}");
        }
    }
    let compiled = (games.len() - refused.len()) as f64;
    assert!(compiled >= MUST_COMPILE * games.len() as f64, "too few games compile");
}

#[test]
fn constructed_games_agree_except_where_the_reference_is_wrong() {
    let Some(corpus) = directory("the traces of constructed games") else { return };
    for folder in ["micro", "edge"].map(|name| corpus.join(name)) {
        for (game, outcome) in replay_all(&kif_files(&folder), &folder) {
            let wrong = REFERENCE_IS_WRONG.iter().find(|(name, ..)| *name == game);
            match (outcome, wrong) {
                (Outcome::Differs(found), Some((_, line, what))) => {
                    assert_eq!((found.line, found.what.as_str()), (*line, *what), "{game}");
                }
                (Outcome::Differs(found), None) => panic!("{game} differs: {found:#?}"),
                (_, Some(_)) => panic!("{game} does not differ from the reference any more"),
                (_, None) => {}
            }
        }
    }
}

fn kif_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the corpus has the folder");
    let paths = entries.map(|entry| entry.expect("readable").path());
    let mut files: Vec<_> = paths.filter(|p| p.extension().is_some_and(|e| e == "kif")).collect();
    files.sort();
    files
}

/// Replays the games on all cores; the outcomes are in the order of the games.
fn replay_all(games: &[PathBuf], traces: &Path) -> Vec<(String, Outcome)> {
    let next = AtomicUsize::new(0);
    let outcomes = Mutex::new(Vec::new());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some(path) = games.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                    let trace = traces.join(format!("{name}.jsonl"));
                    let outcome = replay_game(path, &trace);
                    outcomes.lock().expect("no test panics here").push((name, outcome));
                }
            });
        }
    });
    let mut outcomes = outcomes.into_inner().expect("no test panics here");
    outcomes.sort_by(|a, b| a.0.cmp(&b.0));
    outcomes
}

fn replay_game(game: &Path, trace: &Path) -> Outcome {
    match compile(&fs::read(game).expect("readable")) {
        Ok(compiled) => replay_compiled(&compiled, trace),
        Err(reason) => Outcome::Refused(reason),
    }
}

fn replay_compiled(game: &Game, trace: &Path) -> Outcome {
    check_promises(game).expect("the compiler keeps its promises");
    let Report { slots, fluents, widest_live, .. } = *game.report();
    assert!(
        slots as f64 <= MOST_SLOTS * (fluents + widest_live) as f64,
        "{}: {slots} slots for {fluents} fluents and {widest_live} live values",
        trace.display()
    );
    // Where the reference itself gave up, the trace is missing or empty.
    if !fs::metadata(trace).is_ok_and(|file| file.len() > 0) {
        return Outcome::Agrees;
    }
    let trace = Trace::read(trace).expect("a trace");
    match replay::verify(game, &trace, || ()).expect("the trace is complete") {
        None => Outcome::Agrees,
        Some(difference) => Outcome::Differs(difference),
    }
}
