//! How long a core computes: from the gates that a playout evaluates.

use ruche_shared::Image;
use ruche_shared::image::{Code, CodeWord, Instruction, Instructions, Opcode, Section};

use crate::parameters::Parameters;

/// The time of the parts of a ply, for all lanes of a word together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Costs {
    legal: f64,
    /// Choosing a move and computing the next position.
    step: f64,
    goal: f64,
}

impl Costs {
    /// Of a game on one core, or shared by the cores of a team with a barrier
    /// after each stratum of at least `split_least` gates.
    pub fn new(
        image: &Image<'_>,
        parameters: &Parameters,
        lanes: u32,
        cost_factor: f64,
        team: Team,
    ) -> Self {
        let core = &parameters.core;
        let words = f64::from(lanes.div_ceil(core.word_bits));
        let cycle = 1000.0 / parameters.cluster.megahertz as f64;
        let gate = core.cycles_per_gate * words * cycle * cost_factor;
        let barrier = (parameters.barrier.core_ns * u64::from(team.cores)) as f64;
        let section = |section| {
            let each = |gates: &u32| match team.shares(*gates) {
                true => f64::from(gates.div_ceil(team.cores)) * gate + barrier,
                false => f64::from(*gates) * gate,
            };
            strata_of(image, section).iter().map(each).sum::<f64>()
        };
        let choose = core.cycles_per_move * words * cycle * cost_factor * image.moves() as f64;
        Self {
            legal: section(Section::Legal),
            step: choose + section(Section::Next),
            goal: section(Section::Goal),
        }
    }

    /// Nanoseconds of a playout of so many plies that has the core to itself: at
    /// the end the game is seen to be over, and is scored.
    pub fn playout(&self, plies: u64) -> f64 {
        self.plies(plies) + self.legal + self.goal
    }

    /// Nanoseconds of scoring so many times.
    pub fn goals(&self, times: u64) -> f64 {
        times as f64 * self.goal
    }

    /// Nanoseconds of so many plies of all lanes.
    pub fn plies(&self, plies: u64) -> f64 {
        plies as f64 * (self.legal + self.step)
    }
}

/// Gates that playouts of so many plies in all evaluate one by one, and moves that they
/// choose among: what the time of the model is made of.
#[must_use]
pub fn evaluations(image: &Image<'_>, playouts: u64, plies: u64) -> u64 {
    let gates = |section| -> u64 { strata_of(image, section).into_iter().map(u64::from).sum() };
    let (legal, goal) = (gates(Section::Legal), gates(Section::Goal));
    let ply = legal + gates(Section::Next) + image.moves() as u64;
    plies * ply + playouts * (legal + goal)
}

/// The cores that share a stratum.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Team {
    /// How many; one shares nothing.
    pub cores: u32,
    /// Strata of fewer gates are not split.
    pub split_least: u32,
}

impl Team {
    fn shares(self, gates: u32) -> bool {
        self.cores > 1 && gates >= self.split_least.max(1)
    }
}

/// The gates of each stratum of a section.
fn strata_of(image: &Image<'_>, section: Section) -> Vec<u32> {
    match image.code(section) {
        Code::Narrow(code) => strata(code),
        Code::Wide(code) => strata(code),
    }
}

/// The gates of each stratum; fixpoints count once.
fn strata<C: CodeWord>(code: &[C]) -> Vec<u32> {
    let mut strata = vec![0];
    for (_, decoded) in Instructions::new(code) {
        match decoded {
            Ok(Instruction::Gates { opcode, operands }) => {
                let count = operands.len() / opcode.operands().max(1);
                if let Some(last) = strata.last_mut() {
                    *last += count as u32 * gates(opcode);
                }
            }
            Ok(Instruction::Stratum) => strata.push(0),
            Ok(Instruction::Fixpoint { body, .. }) => {
                if let Some(last) = strata.last_mut() {
                    *last += self::strata(body).iter().sum::<u32>();
                }
            }
            Err(_) => {}
        }
    }
    strata
}

/// Gates of two inputs that an instruction stands for.
fn gates(opcode: Opcode) -> u32 {
    match opcode {
        Opcode::Gate(expression) => expression.inputs() as u32 - 1,
        _ => 1,
    }
}
