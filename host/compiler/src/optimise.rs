//! Optimisation: a circuit goes in, the fewest two-input gates that compute the
//! same come out: constants out, single-use nodes merged, products factored, until
//! it stops shrinking.
//!
//! | module | question it answers |
//! |---|---|
//! | [`constants`] | which inputs are superfluous? |
//! | [`select`] | what follows from the one move that is played? |
//! | [`rebuild`], [`factor`] | what is the same circuit with fewer operands? |
//! | [`pairs`], [`gates`] | which two-input gates compute it? |

pub mod constants;
pub mod factor;
pub mod gates;
pub mod pairs;
pub mod rebuild;
pub mod select;

use crate::circuit::instantiate::{Circuit, Names};
use crate::circuit::network::{Network, Outputs};
use crate::optimise::constants::Constants;
use crate::optimise::rebuild::{Input, Inputs, rebuild};
use crate::optimise::select::Selection;

/// Rounds after which further gains are not worth the time.
const ROUNDS: usize = 4;

/// A round that gains less than this part is the last one.
const WORTH: usize = 100;

/// A circuit without superfluous inputs.
pub struct Optimised {
    /// Its nodes.
    pub network: Network,
    /// What it computes.
    pub outputs: Outputs,
    /// The initial state.
    pub initial: Vec<bool>,
    /// Names of all roles and of the moves that are left; of all fluents.
    pub names: Names,
    /// What became of each named fluent.
    pub fluents: Vec<Input>,
    /// Ground clauses that the game had.
    pub clauses: u64,
}

/// Optimises a game.
pub fn optimise(circuit: Circuit) -> Optimised {
    let all_fluents = (0..circuit.names.fluents.len() as u32)
        .map(|fluent| Input::Fluent { fluent, negated: false })
        .collect();
    let mut state = Optimised {
        network: circuit.network,
        outputs: circuit.outputs,
        initial: circuit.initial,
        names: circuit.names,
        fluents: all_fluents,
        clauses: circuit.clauses,
    };
    let mut size = usize::MAX;
    for round in 0..ROUNDS {
        // Later rounds would not find the sums any more: they are factored.
        let selection = match round {
            0 => Selection::of(&state.network, &state.outputs),
            _ => Selection::default(),
        };
        state.remove_constants(selection);
        let smaller = state.operand_count();
        if smaller > size - size / WORTH {
            break;
        }
        size = smaller;
    }
    state
}

impl Optimised {
    /// Operands of all live nodes: about the number of gates.
    fn operand_count(&self) -> usize {
        let uses = self.network.count_uses(&self.outputs);
        let live = (0..self.network.count() as u32).filter(|&n| uses[n as usize] > 0);
        live.map(|n| self.network.operands(n).len().saturating_sub(1)).sum()
    }

    fn remove_constants(&mut self, selection: Selection) {
        let constants = Constants::of(&self.network, &self.outputs, &self.initial);
        let (fluents, moves, moves_of_roles) = constants.renumber(&self.network);
        let kept: Vec<u32> = (0..fluents.len() as u32)
            .filter(|&f| matches!(fluents[f as usize], Input::Fluent { .. }))
            .collect();
        let inputs = Inputs {
            fluents: &fluents,
            moves: &moves,
            fluent_count: kept.len() as u32,
            moves_of_roles: &moves_of_roles,
        };
        let (network, outputs) = rebuild(&self.network, &self.outputs, &inputs, &kept, selection);
        self.network = network;
        self.outputs = outputs;
        self.initial = kept.iter().map(|&f| self.initial[f as usize]).collect();
        let mut number = 0;
        self.names.moves.retain(|_| {
            number += 1;
            moves[number - 1].is_some()
        });
        self.fluents.iter_mut().for_each(|input| *input = compose(*input, &fluents));
    }
}

/// What becomes of a fluent that was `input` before.
fn compose(input: Input, then: &[Input]) -> Input {
    let Input::Fluent { fluent, negated } = input else { return input };
    match then[fluent as usize] {
        Input::Constant(value) => Input::Constant(value != negated),
        Input::Fluent { fluent, negated: again } => {
            Input::Fluent { fluent, negated: negated != again }
        }
    }
}
