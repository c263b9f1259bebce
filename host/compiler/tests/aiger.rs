//! AIGER files, read and run by a simulator that knows nothing of the compiler, play
//! the same games as the images on the kernel's evaluator.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use ruche_compiler::{Compiled, EmitError, EmitFormat, Options, Source, Stage, compile, emit};
use ruche_eval::Evaluator;
use ruche_game::Game;
use ruche_gdl::Description;
use ruche_shared::position::{get, position_words};
use std::collections::BTreeMap;

fn description(source: &str) -> Description {
    ruche_gdl::load(source.as_bytes()).expect("sound rules").0
}

fn aiger(source: &str) -> Result<String, EmitError> {
    let mut text = Vec::new();
    let options = Options::default();
    emit(Stage::Aiger, EmitFormat::Text, &description(source), &options, &mut text)?;
    Ok(String::from_utf8(text).expect("text"))
}

/// An AIGER file and the values of its variables.
#[derive(Debug, Default)]
struct Simulator {
    inputs: Vec<usize>,
    latches: Vec<[usize; 3]>,
    outputs: Vec<usize>,
    constraints: Vec<usize>,
    ands: Vec<[usize; 3]>,
    /// Kind and place by name.
    symbols: BTreeMap<String, (char, usize)>,
    values: Vec<bool>,
}

fn numbers<const N: usize>(line: &str) -> [usize; N] {
    let numbers: Vec<usize> = line.split(' ').map(|n| n.parse().expect("a number")).collect();
    numbers.try_into().expect("as many numbers as the format says")
}

impl Simulator {
    fn read(text: &str) -> Self {
        let mut lines = text.lines();
        let header = lines.next().expect("a header").strip_prefix("aag ").expect("ASCII");
        let [most, inputs, latches, outputs, ands, bad, constraints] = numbers(header);
        assert_eq!((most, bad), (inputs + latches + ands, 0));
        let mut take = |count: usize| lines.by_ref().take(count).collect::<Vec<_>>();
        let single = |line: &&str| numbers::<1>(line)[0];
        let mut simulator = Simulator {
            inputs: take(inputs).iter().map(single).collect(),
            latches: take(latches).iter().map(|line| numbers(line)).collect(),
            outputs: take(outputs).iter().map(single).collect(),
            constraints: take(constraints).iter().map(single).collect(),
            ands: take(ands).iter().map(|line| numbers(line)).collect(),
            symbols: BTreeMap::new(),
            values: vec![false; most + 1],
        };
        for line in lines.take_while(|line| *line != "c") {
            let (symbol, name) = line.split_once(' ').expect("a name");
            let (kind, place) = symbol.split_at(1);
            let place = place.parse().expect("a place");
            simulator.symbols.insert(name.to_owned(), (kind.chars().next().unwrap(), place));
        }
        simulator.latches.clone().iter().for_each(|&[latch, _, reset]| {
            simulator.values[latch / 2] = reset == 1;
        });
        simulator
    }

    fn value(&self, literal: usize) -> bool {
        self.values[literal / 2] != (literal % 2 == 1)
    }

    /// Computes all ANDs; operands come before their users.
    fn look(&mut self) {
        for [and, left, right] in self.ands.clone() {
            assert!(and > left && left > right, "{and} {left} {right}");
            self.values[and / 2] = self.value(left) && self.value(right);
        }
    }

    fn named(&self, kind: char, name: &str) -> Option<usize> {
        self.symbols.get(name).filter(|(found, _)| *found == kind).map(|(_, place)| *place)
    }

    /// An output; what is not there never holds.
    fn output(&self, name: &str) -> bool {
        self.named('o', name).is_some_and(|place| self.value(self.outputs[place]))
    }

    fn fluent(&self, name: &str) -> bool {
        self.named('l', name).is_some_and(|place| self.value(self.latches[place][0]))
    }

    fn play(&mut self, moves: &[String]) {
        self.inputs.clone().iter().for_each(|input| self.values[input / 2] = false);
        for name in moves {
            let place = self.named('i', name).expect("an input");
            self.values[self.inputs[place] / 2] = true;
        }
        self.look();
        assert!(self.constraints.iter().all(|&literal| self.value(literal)), "{moves:?}");
        let next: Vec<_> = self.latches.iter().map(|&[_, next, _]| self.value(next)).collect();
        for (&[latch, ..], next) in self.latches.iter().zip(next) {
            self.values[latch / 2] = next;
        }
    }
}

/// A game on the evaluator, in the first lane of 32.
struct Reference<'a> {
    compiled: &'a Compiled,
    evaluator: Evaluator<'a, 'a, u32>,
}

impl Reference<'_> {
    fn look(&mut self) {
        self.evaluator.legal();
        self.evaluator.goal();
    }

    /// Names and legality of a role's moves.
    fn moves(&self, role: usize) -> impl Iterator<Item = (&String, bool)> {
        let range = self.evaluator.image().move_range(role);
        let lanes = self.evaluator.legal_moves(role).iter().map(|lanes| lanes & 1 == 1);
        self.compiled.symbols.moves[range].iter().zip(lanes)
    }

    fn check(&self, simulator: &Simulator) {
        assert_eq!(simulator.output("terminal"), self.evaluator.terminal() & 1 == 1);
        for (role, name) in self.compiled.symbols.roles.iter().enumerate() {
            for (action, is_legal) in self.moves(role) {
                assert_eq!(simulator.output(&format!("(legal {name} {action})")), is_legal);
            }
            let goals: Vec<_> = self.evaluator.goals(0, role).collect();
            let has = |value: &u16| simulator.output(&format!("(goal {name} {value})"));
            assert_eq!((0..=100).filter(has).collect::<Vec<_>>(), goals);
        }
        let mut position = vec![0; position_words(self.evaluator.image().fluents())];
        self.evaluator.store(0, &mut position).expect("a lane");
        for (name, source) in &self.compiled.symbols.fluents {
            let holds = match *source {
                Source::Always => true,
                Source::Fluent(fluent) => get(&position, fluent as usize),
                Source::Negated(fluent) => !get(&position, fluent as usize),
            };
            assert_eq!(simulator.fluent(&format!("(true {name})")), holds, "{name}");
        }
    }

    /// Chooses a legal move of each role, and names them as inputs.
    fn choose(&mut self, random: &mut impl FnMut(usize) -> usize) -> Vec<String> {
        let roles = self.compiled.symbols.roles.clone();
        let mut chosen = Vec::new();
        for (role, name) in roles.iter().enumerate() {
            let moves: Vec<_> = self.moves(role).map(|(m, legal)| (m.clone(), legal)).collect();
            let legal: Vec<_> = (0..moves.len()).filter(|&number| moves[number].1).collect();
            let number = legal[random(legal.len())];
            chosen.push((role, number, format!("(does {name} {})", moves[number].0)));
        }
        for (role, number, _) in &chosen {
            self.evaluator.choose(0, *role, *number).expect("a legal move");
        }
        chosen.into_iter().map(|(_, _, name)| name).collect()
    }
}

/// Plays random games to the end, or a hundred steps.
fn check(source: &str, seed: usize) {
    let compiled = compile(&description(source), &Options::default()).expect("a compiled game");
    let game = Game::of_image("game", compiled.image()).expect("an image");
    let image = game.image();
    let mut slots = vec![0u32; image.slots()];
    let mut evaluator = Evaluator::new(image, &mut slots).expect("enough slots");
    evaluator.load(0, image.initial()).expect("a lane");
    let mut reference = Reference { compiled: &compiled, evaluator };
    let mut simulator = Simulator::read(&aiger(source).expect("an AIG"));
    let mut dice = Pcg64Mcg::seed_from_u64(seed as u64);
    let mut random = |below: usize| dice.random_range(0..below);
    for _ in 0..100 {
        reference.look();
        simulator.look();
        reference.check(&simulator);
        if simulator.output("terminal") {
            return;
        }
        simulator.play(&reference.choose(&mut random));
        reference.evaluator.next();
    }
}

#[test]
fn bundled_games_are_the_same_as_aigs() {
    for game in ruche_games::all() {
        (1..4).for_each(|seed| match aiger(game.source) {
            Ok(_) => check(game.source, seed),
            Err(error) => panic!("{}: {error}", game.name),
        });
    }
}

/// Islands in a ring with a bridge from each to the next.
fn ring(islands: usize) -> String {
    let ways = (0..islands).map(|island| format!("(way {island} {})", (island + 1) % islands));
    format!(
        "(role r) {} (init (at 0)) (legal r rest)
         (<= (legal r (build ?x ?y)) (way ?x ?y) (not (true (bridge ?x ?y))))
         (<= (next (bridge ?x ?y)) (does r (build ?x ?y)))
         (<= (next (bridge ?x ?y)) (true (bridge ?x ?y)))
         (<= (next (at ?x)) (true (at ?x)))
         (<= (reached ?x) (true (at ?x)))
         (<= (reached ?y) (reached ?x) (true (bridge ?x ?y)))
         (<= terminal (reached {})) (<= (goal r 100) (reached {})) (goal r 0)",
        ways.collect::<String>(),
        islands - 1,
        islands / 2,
    )
}

#[test]
fn a_small_circle_is_unrolled() {
    (1..20).for_each(|seed| check(&ring(6), seed));
}

#[test]
fn a_large_circle_is_refused_with_the_name_of_an_atom() {
    let Err(error) = aiger(&ring(1500)) else { panic!("that should be too much to unroll") };
    let message = error.to_string();
    assert!(message.contains("`(reached "), "{message}");
    assert!(message.contains("1500 atoms"), "{message}");
}
