//! Runs native code beside the interpreter and compares what counts.

use std::ops::Range;

use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use ruche_eval::circuit::{Circuit, Interpreted};
use ruche_eval::word::{Wide, Word};
use ruche_game::Game;
use ruche_native::{NativeCircuit, is_supported};
use ruche_shared::Image;
use ruche_shared::image::Section;

/// A game, if it is one that the compiler takes.
pub fn compile(source: &[u8]) -> Option<Game> {
    Game::compile("game", source).ok()
}

/// A game of these bytes.
pub fn of_image(bytes: &[u8]) -> Game {
    Game::of_image("image", bytes).expect("a sound image")
}

/// Compares on random states and moves, for all words that this machine can do.
pub fn check(name: &str, image: &Image<'_>, seed: u64, games: usize) {
    check_word::<u64>(name, image, seed, games);
    check_word::<Wide<2>>(name, image, seed, games);
    check_word::<Wide<4>>(name, image, seed, games);
    check_word::<Wide<8>>(name, image, seed, games);
}

/// The same for one word.
pub fn check_word<W: Word>(name: &str, image: &Image<'_>, seed: u64, games: usize) {
    if !is_supported(W::LANES) {
        println!("skipped: {} lanes: not on this machine", W::LANES);
        return;
    }
    let native = NativeCircuit::<W>::new(image).expect("native code");
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    for game in 0..games {
        let mut pair = Pair::new(name, image, &native);
        if game % 2 == 0 {
            pair.fill(0..image.fluents(), &mut random);
        } else {
            pair.load_initial();
        }
        (0..4).for_each(|ply| pair.ply(&mut random, ply % 2 == 0));
    }
}

/// The same game on both sides. The interpreter takes the lanes in pieces of 64:
/// they do not know each other.
struct Pair<'a, 'i, W> {
    name: &'a str,
    image: &'a Image<'i>,
    native: &'a NativeCircuit<'i, W>,
    expected: Vec<Vec<u64>>,
    found: Vec<W>,
}

impl<'a, 'i, W: Word> Pair<'a, 'i, W> {
    fn new(name: &'a str, image: &'a Image<'i>, native: &'a NativeCircuit<'i, W>) -> Self {
        let expected = vec![vec![0; image.slots()]; W::CHUNKS];
        Self { name, image, native, expected, found: vec![W::ZERO; image.slots()] }
    }

    /// Puts the same lanes into a slot on both sides.
    fn set(&mut self, slot: usize, mut lanes: impl FnMut() -> u64) {
        for (chunk, expected) in self.expected.iter_mut().enumerate() {
            expected[slot] = lanes();
            self.found[slot].set_chunk(chunk, expected[slot]);
        }
    }

    fn fill(&mut self, slots: Range<usize>, random: &mut Pcg64Mcg) {
        slots.for_each(|slot| self.set(slot, || random.next_u64()));
    }

    fn load_initial(&mut self) {
        for fluent in 0..self.image.fluents() {
            let is_true = self.image.initial()[fluent / 32] >> (fluent % 32) & 1 == 1;
            self.set(fluent, || if is_true { u64::MAX } else { 0 });
        }
    }

    fn ply(&mut self, random: &mut Pcg64Mcg, with_goal: bool) {
        let (fluents, moves) = (self.image.fluents(), self.image.moves());
        let kept = (0..fluents + moves).chain([self.image.terminal_slot()]);
        self.run(Section::Legal, kept.clone());
        if with_goal {
            let goals: Vec<_> = self.image.goals().map(|goal| goal.slot as usize).collect();
            self.run(Section::Goal, kept.chain(goals));
        }
        self.fill(fluents..fluents + moves, random);
        self.run(Section::Next, 0..fluents);
    }

    /// Runs a section on both sides and compares some slots.
    fn run(&mut self, section: Section, slots: impl Iterator<Item = usize>) {
        for expected in &mut self.expected {
            Interpreted(*self.image).run(section, expected);
        }
        self.native.run(section, &mut self.found);
        for slot in slots {
            for (chunk, expected) in self.expected.iter().enumerate() {
                let (name, lanes) = (self.name, W::LANES);
                let found = self.found[slot].chunk(chunk);
                assert_eq!(found, expected[slot], "{name}, {lanes} lanes, {section}, slot {slot}");
            }
        }
    }
}
