//! How long compiling takes: whole games, and the stages on Hex.
//!
//! The bars of the project are 0.3 s for `breakthrough_v0` and 5 s for `hex_v0` and
//! `othello-comp2007_v0`, on one core. Run with `cargo bench -p ruche-compiler`; an
//! argument after `--` selects by name.

use divan::Bencher;
use ruche_compiler::{GameCircuit, Grounded, Options, Style, compile};
use ruche_gdl::Description;

/// The games of the corpus that have a bar.
const CORPUS: [&str; 3] = ["breakthrough_v0", "hex_v0", "othello-comp2007_v0"];

fn main() {
    divan::main();
}

fn description(source: &[u8]) -> Description {
    ruche_gdl::load(source).expect("a sound game").0
}

fn bundled_names() -> impl Iterator<Item = &'static str> {
    ruche_games::all().iter().map(|game| game.name)
}

fn bundled_game(name: &str) -> Description {
    description(ruche_games::find(name).expect("a bundled game").source.as_bytes())
}

fn corpus_names() -> impl Iterator<Item = &'static str> {
    CORPUS.into_iter().filter(|name| ruche_corpus::game(name).is_some())
}

#[divan::bench(args = bundled_names(), sample_count = 10)]
fn bundled(bencher: Bencher, name: &str) {
    let game = bundled_game(name);
    bencher.bench_local(|| compile(&game, &Options::default()));
}

#[divan::bench(args = corpus_names(), sample_count = 10)]
fn corpus(bencher: Bencher, name: &str) {
    let game = description(&ruche_corpus::game(name).expect("listed games are there"));
    bencher.bench_local(|| compile(&game, &Options::default()));
}

/// Each stage by itself, on the bundled Hex.
#[divan::bench_group(sample_count = 10)]
mod hex {
    use super::*;

    fn grounded<'d>(description: &'d Description, options: &'d Options) -> Grounded<'d> {
        Grounded::of(description, options).expect("within the limits")
    }

    fn circuit() -> GameCircuit {
        let (description, options) = (bundled_game("hex"), Options::default());
        grounded(&description, &options).circuit(Style::Moves).expect("within the limits")
    }

    #[divan::bench]
    fn stage_1_ground(bencher: Bencher) {
        let (description, options) = (bundled_game("hex"), Options::default());
        bencher.bench_local(|| grounded(&description, &options));
    }

    #[divan::bench]
    fn stage_2_circuit(bencher: Bencher) {
        let (description, options) = (bundled_game("hex"), Options::default());
        let ground = bencher.with_inputs(|| grounded(&description, &options));
        ground.bench_local_refs(|ground| ground.circuit(Style::Moves));
    }

    #[divan::bench]
    fn stage_3_optimise(bencher: Bencher) {
        bencher.with_inputs(circuit).bench_local_values(GameCircuit::optimise);
    }

    #[divan::bench]
    fn stage_4_gates(bencher: Bencher) {
        let optimised = bencher.with_inputs(|| circuit().optimise());
        optimised.bench_local_values(|optimised| optimised.netlist());
    }

    #[divan::bench]
    fn stage_5_plan(bencher: Bencher) {
        let netlist = circuit().optimise().netlist();
        bencher.bench_local(|| netlist.plan());
    }
}
