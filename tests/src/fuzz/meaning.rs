//! Whether an image has a definite meaning: parsing makes it safe to evaluate, but what it
//! computes may still depend on what a lane did before or on its neighbours.

use std::collections::{HashMap, HashSet};

use ruche_shared::Image;
use ruche_shared::image::{Code, CodeWord, Expression, Instruction, Instructions, Opcode, Section};

/// Words of code that a ply may run through.
pub fn work(image: &Image<'_>) -> u64 {
    let words = Section::ALL.map(|section| image.code(section).words() as u64);
    words.iter().sum::<u64>() + fixpoints(image).iter().map(Fixpoint::work).sum::<u64>()
}

/// Whether a playout depends on nothing but its own state and moves: nothing is read
/// before it is written, and every fixpoint is a least one.
pub fn is_definite(image: &Image<'_>) -> bool {
    let mut scratch = vec![0; image.slots()];
    image.validate_flow(&mut scratch).is_ok() && fixpoints(image).iter().all(Fixpoint::is_monotone)
}

/// A fixpoint, with words as numbers.
struct Fixpoint {
    variables: Vec<u32>,
    /// The gates of a round: what they do, and their operands.
    gates: Vec<(Opcode, Vec<u32>)>,
    words: usize,
}

fn fixpoints(image: &Image<'_>) -> Vec<Fixpoint> {
    let of = |section| match image.code(section) {
        Code::Narrow(code) => decode(code),
        Code::Wide(code) => decode(code),
    };
    Section::ALL.into_iter().flat_map(of).collect()
}

fn decode<C: CodeWord>(code: &[C]) -> Vec<Fixpoint> {
    let numbers = |words: &[C]| words.iter().map(|word| word.value()).collect::<Vec<u32>>();
    let instructions = Instructions::new(code).filter_map(|(_, decoded)| decoded.ok());
    let fixpoint = |instruction| match instruction {
        Instruction::Fixpoint { variables, body, .. } => {
            let mut gates = Vec::new();
            for run in Instructions::new(body).filter_map(|(_, decoded)| decoded.ok()) {
                let Instruction::Gates { opcode, operands } = run else { continue };
                let runs = operands.chunks(opcode.operands());
                gates.extend(runs.map(|gate| (opcode, numbers(gate))));
            }
            Some(Fixpoint { variables: numbers(variables), gates, words: body.len() })
        }
        Instruction::Stratum | Instruction::Gates { .. } => None,
    };
    instructions.filter_map(fixpoint).collect()
}

/// How a slot depends on the variables.
#[derive(Clone, Copy, Default)]
struct Dependence {
    rises: bool,
    falls: bool,
}

impl Fixpoint {
    fn work(&self) -> u64 {
        (self.variables.len() as u64 + 1) * self.words as u64
    }

    /// Whether more true variables never make less true, and rounds share nothing but
    /// variables: then all orders and all further rounds end the same.
    fn is_monotone(&self) -> bool {
        let variables: HashSet<u32> = self.variables.iter().copied().collect();
        let rising = Dependence { rises: true, falls: false };
        let mut slots: HashMap<u32, Dependence> =
            variables.iter().map(|&variable| (variable, rising)).collect();
        let mut read_before = HashSet::<u32>::new();
        for (opcode, operands) in &self.gates {
            let (target, inputs) = (operands[0], &operands[1..]);
            read_before.extend(inputs.iter().filter(|slot| !slots.contains_key(slot)));
            let found =
                dependence(*opcode, |input| slots.get(&inputs[input]).copied().unwrap_or_default());
            let is_sound = match opcode {
                Opcode::Grow => variables.contains(&target) && !found.falls,
                _ => !variables.contains(&target) && !read_before.contains(&target),
            };
            if !is_sound {
                return false;
            }
            if *opcode != Opcode::Grow {
                slots.insert(target, found);
            }
        }
        true
    }
}

fn dependence(opcode: Opcode, of: impl Fn(usize) -> Dependence) -> Dependence {
    match opcode {
        Opcode::Copy | Opcode::Grow => of(0),
        Opcode::Not => Dependence { rises: of(0).falls, falls: of(0).rises },
        Opcode::Gate(expression) => of_expression(expression, of),
        Opcode::Zero | Opcode::One | Opcode::Stratum | Opcode::Fixpoint => Dependence::default(),
    }
}

/// Tries all values of all inputs.
fn of_expression(expression: Expression, of: impl Fn(usize) -> Dependence) -> Dependence {
    let mut sum = Dependence::default();
    let value = |row: usize| expression.evaluate(|input| (row >> input & 1) as u8) & 1;
    for input in 0..expression.inputs() {
        let rows = (0..1 << expression.inputs()).filter(|row| row >> input & 1 == 0);
        for (without, with) in rows.map(|row: usize| (value(row), value(row | 1 << input))) {
            let Dependence { rises, falls } = of(input);
            sum.rises |= (without < with && rises) || (without > with && falls);
            sum.falls |= (without < with && falls) || (without > with && rises);
        }
    }
    sum
}
