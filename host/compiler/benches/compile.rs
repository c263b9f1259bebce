//! How long compiling takes: whole games, and the stages on Hex.
//!
//! The bars of the project are 0.3 s for `breakthrough_v0` and 5 s for `hex_v0` and
//! `othello-comp2007_v0`, on one core. Run with `cargo bench -p ruche-compiler`; an
//! argument after `--` selects by name.

use std::path::{Path, PathBuf};

use divan::Bencher;
use ruche_compiler::circuit::instantiate::{Circuit, instantiate};
use ruche_compiler::circuit::network::Style;
use ruche_compiler::front::domains::Estimates;
use ruche_compiler::front::ground::{Ground, ground};
use ruche_compiler::front::normalise::normalise;
use ruche_compiler::front::program::Program;
use ruche_compiler::front::split::split;
use ruche_compiler::optimise::gates::Gates;
use ruche_compiler::optimise::{Optimised, optimise};
use ruche_compiler::{Limits, Options, compile};
use ruche_gdl::{Description, Symbols};

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

/// A game of the corpus: `RUCHE_CORPUS`, or `../shared/corpus` beside the project.
fn corpus_file(name: &str) -> PathBuf {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let corpus = std::env::var_os("RUCHE_CORPUS").map_or(beside, PathBuf::from);
    corpus.join("games").join(format!("{name}.kif"))
}

fn corpus_names() -> impl Iterator<Item = &'static str> {
    CORPUS.into_iter().filter(|name| {
        let is_there = corpus_file(name).is_file();
        if !is_there {
            eprintln!("skipped: {name}: it is not in the corpus, or there is none");
        }
        is_there
    })
}

#[divan::bench(args = bundled_names(), sample_count = 10)]
fn bundled(bencher: Bencher, name: &str) {
    let game = bundled_game(name);
    bencher.bench_local(|| compile(&game, &Options::default()));
}

#[divan::bench(args = corpus_names(), sample_count = 10)]
fn corpus(bencher: Bencher, name: &str) {
    let game = description(&std::fs::read(corpus_file(name)).expect("a readable game"));
    bencher.bench_local(|| compile(&game, &Options::default()));
}

/// Each stage by itself, on the bundled Hex.
#[divan::bench_group(sample_count = 10)]
mod hex {
    use super::*;

    fn rules(description: &Description) -> (Program, Estimates) {
        let mut program = normalise(description, &Limits::default()).expect("small");
        let mut estimates = Estimates::of(&program);
        split(&mut program, &mut estimates);
        (program, estimates)
    }

    fn grounded() -> Ground {
        let (program, estimates) = rules(&bundled_game("hex"));
        ground(program, estimates, &Limits::default()).expect("within the limits")
    }

    fn instantiated(ground: &mut Ground, symbols: &Symbols) -> Circuit {
        instantiate(ground, symbols, Style::Moves, &Limits::default()).expect("within the limits")
    }

    fn game() -> Circuit {
        instantiated(&mut grounded(), &bundled_game("hex").symbols)
    }

    #[divan::bench]
    fn stage_1_normalise_and_split(bencher: Bencher) {
        let description = bundled_game("hex");
        bencher.bench_local(|| rules(&description));
    }

    #[divan::bench]
    fn stage_2_ground(bencher: Bencher) {
        let input = bencher.with_inputs(|| rules(&bundled_game("hex")));
        input.bench_local_values(|(program, estimates)| {
            ground(program, estimates, &Limits::default())
        });
    }

    #[divan::bench]
    fn stage_3_instantiate(bencher: Bencher) {
        let symbols = bundled_game("hex").symbols;
        bencher.with_inputs(grounded).bench_local_refs(|ground| instantiated(ground, &symbols));
    }

    #[divan::bench]
    fn stage_4_optimise(bencher: Bencher) {
        bencher.with_inputs(game).bench_local_values(optimise);
    }

    #[divan::bench]
    fn stage_5_gates(bencher: Bencher) {
        let Optimised { network, outputs, .. } = optimise(game());
        bencher.bench_local(|| Gates::of(&network, &outputs));
    }

    #[divan::bench]
    fn stage_6_schedule_and_allocate(bencher: Bencher) {
        use ruche_compiler::map::{allocate::Slots, cover::Cover, schedule::schedule};

        let Optimised { network, outputs, .. } = optimise(game());
        let gates = Gates::of(&network, &outputs);
        bencher.bench_local(|| {
            let schedule = schedule(&gates, &Cover::of(&gates), 1000);
            Slots::allocate(&schedule, gates.fluents..gates.fluents + gates.moves())
        });
    }
}
