//! Time of one run of a section on 256 lanes: interpreter against native code.
//!
//! Games of the corpus are measured if it is there.

use divan::{Bencher, black_box};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use ruche_eval::circuit::{Circuit, Interpreted};
use ruche_eval::word::{Wide, Word};
use ruche_game::Game;
use ruche_native::{NativeCircuit, NativeCode, is_supported};
use ruche_shared::Image;
use ruche_shared::image::Section;

const GAMES: [&str; 8] = [
    "tictactoe",
    "connectfour",
    "breakthrough",
    "othello",
    "hex",
    "eightPuzzle_v0",
    "checkers_v0",
    "hex_v0",
];

type Lanes = Wide<4>;

fn main() {
    if is_supported(Lanes::LANES) {
        divan::main();
    } else {
        println!("skipped: {} lanes are not supported on this machine", Lanes::LANES);
    }
}

/// The description of a bundled game or of one of the corpus.
fn source(name: &str) -> Option<Vec<u8>> {
    let bundled = ruche_games::find(name).map(|game| game.source.as_bytes().to_vec());
    bundled.or_else(|| ruche_corpus::game(name))
}

/// A game that is there.
fn compiled(name: &str) -> Option<Game> {
    Game::compile(name, &source(name)?).ok()
}

/// A cache line: words that lie across two of them would cost twice.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u64; 8]);

/// Slots with something in them, at the start of a cache line.
struct Arena {
    lines: Vec<Line>,
    slots: usize,
}

impl Arena {
    fn new(slots: usize) -> Self {
        let mut random = Pcg64Mcg::seed_from_u64(1);
        let bytes = slots * size_of::<Lanes>();
        let lines = vec![Line([0; 8]); bytes.div_ceil(size_of::<Line>())];
        let lines = lines.iter().map(|_| Line(random.random())).collect();
        Self { lines, slots }
    }

    fn slots(&mut self) -> &mut [Lanes] {
        // SAFETY: the lines are plain bits, as words are, and long enough; words
        // need less alignment.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.slots) }
    }
}

/// Runs a benchmark on the image of a game, or says that it is not there.
fn with_image(name: &str, measure: impl FnOnce(&Image<'_>)) {
    match compiled(name) {
        Some(game) => measure(game.image()),
        None => println!("skipped: there is no {name}"),
    }
}

fn sections() -> impl Iterator<Item = (&'static str, usize)> {
    GAMES.into_iter().flat_map(|game| [0, 1, 2].map(|section| (game, section)))
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
fn interpret(circuit: &Interpreted<'_>, section: Section, slots: &mut [Lanes]) {
    circuit.run(section, slots);
}

#[divan::bench(args = sections())]
fn interpreter(bencher: Bencher<'_, '_>, (game, section): (&str, usize)) {
    with_image(game, |image| {
        let (circuit, mut arena) = (Interpreted(*image), Arena::new(image.slots()));
        // SAFETY: `main` has made sure that there is AVX2.
        bencher.bench_local(|| unsafe {
            interpret(&circuit, Section::ALL[section], black_box(arena.slots()));
        });
    });
}

#[divan::bench(args = sections())]
fn native(bencher: Bencher<'_, '_>, (game, section): (&str, usize)) {
    with_image(game, |image| {
        let circuit = NativeCircuit::<Lanes>::new(image).expect("native code");
        let mut arena = Arena::new(image.slots());
        bencher.bench_local(|| circuit.run(Section::ALL[section], black_box(arena.slots())));
    });
}

#[divan::bench(args = GAMES)]
fn compile(bencher: Bencher<'_, '_>, game: &str) {
    with_image(game, |image| {
        bencher.bench_local(|| NativeCode::compile(black_box(image), Lanes::LANES));
    });
}
