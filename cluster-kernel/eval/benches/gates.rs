//! What a gate costs: the sections of real games on the interpreter, for one
//! lane and for 64.
//!
//! Gates are counted as two-input ones, so that figures of different encodings
//! compare. Run with `cargo bench -p ruche-eval --bench gates`; an argument
//! after `--` selects by name.

use divan::Bencher;
use divan::counter::ItemsCount;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use ruche_eval::{Evaluator, OneLane, Word};
use ruche_game::Game;
use ruche_shared::image::Section;

/// Games of the corpus, and bundled ones that have no counterpart there.
const GAMES: [&str; 13] = [
    "ticTacToe_v0",
    "connectFour_v0",
    "eightPuzzle_v0",
    "pentago_v0",
    "breakthrough_v0",
    "sheepAndWolf_v0",
    "chinook_v0",
    "cephalopodMicro_v0",
    "sudokuGrade1_v0",
    "checkers_v0",
    "hex_v0",
    "hex",
    "othello",
];

/// Plies of random play before the measurement.
const WARM_UP: usize = 12;

fn main() {
    divan::main();
}

/// A bundled game, or one of the corpus.
fn source(name: &str) -> Option<Vec<u8>> {
    let bundled = ruche_games::find(name).map(|game| game.source.as_bytes().to_vec());
    bundled.or_else(|| ruche_corpus::game(name))
}

fn games() -> impl Iterator<Item = &'static str> {
    GAMES.into_iter().filter(|name| source(name).is_some())
}

fn game(name: &str) -> Game {
    let source = source(name).expect("listed games are there");
    Game::compile(name, &source).expect("a sound game")
}

/// Plays moves that spread the lanes over different positions.
fn warm_up<W: Word>(evaluator: &mut Evaluator<'_, '_, W>) {
    let roles = evaluator.image().roles();
    let mut random = Pcg64Mcg::seed_from_u64(1);
    for _ in 0..WARM_UP {
        evaluator.legal();
        for (lane, role) in (0..W::LANES).flat_map(|lane| (0..roles).map(move |role| (lane, role)))
        {
            choose(evaluator, lane, role, random.random::<u32>() as usize);
        }
        evaluator.next();
    }
}

fn choose<W: Word>(evaluator: &mut Evaluator<'_, '_, W>, lane: usize, role: usize, number: usize) {
    let moves = evaluator.legal_moves(role);
    let legal: Vec<usize> = (0..moves.len()).filter(|&each| moves[each].lane(lane)).collect();
    if let Some(&chosen) = legal.get(number % legal.len().max(1)) {
        evaluator.choose(lane, role, chosen).expect("a move of this role");
    }
}

fn bench<W: Word>(bencher: Bencher, name: &str, sections: &[Section]) {
    let game = game(name);
    let image = game.image();
    let mut slots = vec![W::ZERO; image.slots()];
    let mut evaluator = Evaluator::new(image, &mut slots).expect("enough slots");
    for lane in 0..W::LANES {
        evaluator.load(lane, image.initial()).expect("a position");
    }
    warm_up(&mut evaluator);
    let gates: usize = sections.iter().map(|&section| image.code(section).tally().gates).sum();
    bencher.counter(ItemsCount::new(gates)).bench_local(|| {
        sections.iter().for_each(|&section| evaluator.run(section));
    });
}

/// What every ply runs. Nobody chooses between the sections: the values change,
/// the gates are the same.
#[divan::bench(types = [OneLane, u64], args = games())]
fn ply<W: Word>(bencher: Bencher, name: &str) {
    bench::<W>(bencher, name, &[Section::Legal, Section::Next]);
}

/// What runs when a game has ended.
#[divan::bench(types = [OneLane, u64], args = ["hex", "othello"])]
fn goal<W: Word>(bencher: Bencher, name: &str) {
    bench::<W>(bencher, name, &[Section::Goal]);
}
