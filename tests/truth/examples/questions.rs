//! A set of questions as JSON, one in a line.
//!
//! `cargo run --release -p ruche-truth --example questions -- --set nim --seed 1 --count 20`

use clap::Parser;
use clap::builder::PossibleValuesParser;
use ruche_truth::{Question, Set, questions};
use serde_json::{Map, Value, json};

#[derive(Parser)]
#[command(about = "Prints positions with the exact value of each move, one JSON object a line")]
struct Arguments {
    /// The set.
    #[arg(long, value_parser = PossibleValuesParser::new(Set::ALL.map(Set::name)))]
    set: String,
    /// The same seed gives the same questions.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many questions; fewer if there are no more.
    #[arg(long, default_value_t = 200)]
    count: usize,
}

fn main() {
    let Arguments { set, seed, count } = Arguments::parse();
    let Some(set) = Set::named(&set) else { return };
    for question in questions(set, seed, count) {
        println!("{}", line(&question));
    }
}

fn line(question: &Question) -> Value {
    let values: Map<String, Value> =
        question.values.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    json!({
        "set": question.set.name(),
        "game": question.set.game(),
        "moves": question.line(),
        "role": question.role,
        "value": question.value(),
        "values": values,
    })
}
