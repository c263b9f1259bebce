//! How often a search keeps the value of positions whose value is known, by budget.
//!
//! `cargo run --release -p ruche-tests --example strength -- --help`

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use clap::Parser;
use ruche_game::Game;
use ruche_search::{SearchOptions, SearchReport, SearchSettings};
use ruche_tests::judging::{false_proofs, is_right, name, search};
use ruche_truth::{Question, Set, questions};

#[derive(Parser)]
#[command(about = "How often a search keeps the value of positions whose value is known")]
struct Arguments {
    /// Sets of positions, or all
    #[arg(long, value_delimiter = ',')]
    sets: Vec<String>,
    /// Positions of each set
    #[arg(long, default_value_t = 200)]
    count: usize,
    /// Positions are drawn by this
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Playouts for each position
    #[arg(long, value_delimiter = ',', default_value = "20000,200000,2000000")]
    budgets: Vec<u64>,
    /// Settings that are compared, each as `ruche match` takes them without names
    #[arg(long, default_value = "default;prior=0,proofs=off", value_delimiter = ';')]
    settings: Vec<String>,
    /// Say which positions were answered wrongly, with what is true and what was found
    #[arg(long)]
    wrong: bool,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments = Arguments::parse();
    println!(
        "{:<14} {:>9} {:>6} {:>7} {:>9}  settings",
        "set", "playouts", "right", "proven", "positions"
    );
    for set in Set::ALL {
        let is_asked =
            arguments.sets.is_empty() || arguments.sets.iter().any(|one| one == set.name());
        let Some(game) = set.game().filter(|_| is_asked) else { continue };
        let game = Game::load(&game)?;
        let questions = questions(set, arguments.seed, arguments.count);
        for text in &arguments.settings {
            let settings = text.parse::<SearchOptions>()?.check()?;
            for &budget in &arguments.budgets {
                let (right, proven) = judge(&game, &questions, &settings, budget, arguments.wrong);
                let percent = |count: usize| 100.0 * count as f64 / questions.len() as f64;
                println!(
                    "{:<14} {budget:>9} {:>5.1}% {:>6.1}% {:>9}  {text}",
                    set.name(),
                    percent(right),
                    percent(proven),
                    questions.len(),
                );
            }
        }
    }
    Ok(())
}

/// The moves of a position: what each is worth, and what a search has found.
fn answer(game: &Game, question: &Question, report: &SearchReport) -> String {
    let mut text = format!("after {}", question.line());
    for found in &report.roles[question.role].moves {
        let name = name(game, question.role, found.number);
        let truth = question.values.iter().find(|(other, _)| other == name);
        let truth = truth.map_or(String::from("?"), |(_, value)| value.to_string());
        let proven = if found.proven.is_some() { ", proven" } else { "" };
        let (mean, visits) = (found.mean, found.visits);
        text += &format!("\n  {name:<12} {truth:>3}  found {mean:5.1} in {visits} visits{proven}");
    }
    text
}

/// How many positions are answered rightly, and how many are proven, on all processors.
fn judge(
    game: &Game,
    questions: &[Question],
    settings: &SearchSettings,
    budget: u64,
    say_wrong: bool,
) -> (usize, usize) {
    let (next, found) = (AtomicUsize::new(0), Mutex::new((0, 0)));
    let work = || {
        while let Some((index, question)) = {
            let index = next.fetch_add(1, Ordering::Relaxed);
            questions.get(index).map(|question| (index, question))
        } {
            let report = search(game, &question.line(), settings, budget, index as u64);
            for wrong in false_proofs(game, question, &report) {
                println!("WRONG after {}: {wrong}", question.line());
            }
            let is_right = is_right(game, question, &report);
            let mut found = found.lock().expect("nobody panics");
            if say_wrong && !is_right {
                println!("{}", answer(game, question, &report));
            }
            found.0 += usize::from(is_right);
            found.1 += usize::from(report.roles[question.role].proven.is_some());
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    found.into_inner().expect("nobody panics")
}
